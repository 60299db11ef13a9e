// What the draft would change, measured by the server without publishing it.
import { percent } from "../../../shared/format.js";
import { cx, html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Panel, State } from "../../frame.js";
import { Refused } from "../../load.js";
import { to } from "../../router.js";

const MEASURES = ["hit_at_1", "recall_at_5", "no_call_accuracy"];
const SHOWN = 8;
const placeOf = (rank) => (rank == null ? t("cards.rank.none") : t("cards.rank", { rank }));

export function Preview({ draft, tool }) {
  const { data, busy, stale, error } = draft.measured;
  const state = busy ? html`<span class="spinner" aria-hidden="true"></span><span class="hint" role="status">${t("cards.measuring")}</span>`
    : draft.faults.length ? html`<${State} kind="bad">${t("cards.faulty")}<//>`
    : stale ? html`<span class="hint">${t("cards.stale")}</span>` : data ? html`<${State} kind="good">${t("cards.measured")}<//>` : null;
  return html`<div class="stack card-preview">
    <${Panel} title=${t("cards.preview")} hint=${t("cards.preview.hint")} actions=${state}>
      ${error && html`<${Refused} error=${error} onRetry=${draft.measure} />`}
      ${data ? html`<${Rates} suite=${data.suite} /><${Neighbours} rows=${data.tools} own=${tool} />` : !error && html`<p class="hint">${draft.faults.length ? t("cards.mend") : t("cards.measuring")}</p>`}
    <//>
    ${data && html`
      ${data.lines.length > 0 && html`<${NewLines} lines=${data.lines} tool=${tool} />`}
      ${data.collisions.length > 0 && html`<${Collisions} rows=${data.collisions} />`}
      ${data.changes.length > 0 && html`<${Changes} rows=${data.changes} />`}`}
  </div>`;
}

export const Rates = ({ suite }) => html`<dl class="rates">${MEASURES.map((name) => {
  const { before, after } = suite.rates[name];
  const kind = after < before ? "bad" : after > before ? "good" : "";
  return html`<div key=${name} class=${kind}><dt>${t(`cards.rate.${name}`)}</dt><dd class="number">${before === after ? percent(after) : html`${percent(before)} → <strong>${percent(after)}</strong> ${kind === "bad" ? "▼" : "▲"}`}</dd></div>`;
})}<div><dt>${t("cards.rate.cases")}</dt><dd class="number">${suite.cases}</dd></div></dl>`;

function Neighbours({ rows, own }) {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${t("cards.neighbours")}><table class="data compact"><caption class="visually-hidden">${t("cards.neighbours")}</caption>
    <thead><tr><th scope="col">${t("cards.tool")}</th><th scope="col" class="right">${t("cards.questions")}</th><th scope="col" class="right">${t("cards.first")}</th></tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${row.tool} class=${cx(row.tool === own && "current")}><th scope="row">${row.tool === own ? html`<strong>${t("cards.this")}</strong>` : html`<a href=${to(`cards/${row.tool}`)}><code>${row.tool}</code></a>`}</th>
      <td class="right">${row.questions}</td><td class="right">${row.first_before === row.first_after ? row.first_after : html`${row.first_before} → <strong>${row.first_after}</strong> <${Turn} better=${row.first_after > row.first_before} />`}</td></tr>`)}</tbody></table></div>
    <p class="hint">${t("cards.neighbours.note")}</p>`;
}

const Turn = ({ better }) => html`<span class=${better ? "better" : "worse"}>${better ? "▲" : "▼"}<span class="visually-hidden">${t(better ? "cards.better" : "cards.worse")}</span></span>`;

function NewLines({ lines, tool }) {
  return html`<${Panel} title=${t("cards.new-lines")} hint=${t("cards.new-lines.hint")}><ul class="effects">${lines.map((one) => html`<li key=${one.line}><p>${one.line}</p>
    <p class="hint">${one.first_after === tool ? html`<${State} kind="good">${t("cards.leads-here")}<//>` : one.first_after ? html`<${State} kind="warn">${t("cards.leads-to", { tool: one.first_after })}<//>` : html`<${State} kind="warn">${t("cards.leads-nowhere")}<//>`}
      ${one.before !== one.after ? `${placeOf(one.before)} → ${placeOf(one.after)}` : placeOf(one.after)}</p></li>`)}</ul><//>`;
}

function Collisions({ rows }) {
  return html`<${Panel} className="warned" title=${html`<${Icon} name="warning" size=${18} /> ${t("cards.collisions.title", { count: rows.length })}`} hint=${t("cards.collisions.hint")}>
    <ul class="effects">${rows.map((one) => html`<li key=${one.line}><p>${one.line}</p><p class="hint">${t("cards.like", { share: percent(one.likeness, 0) })} <a href=${to(`cards/${one.other}`)}><code>${one.other}</code></a> “${one.other_line}”</p></li>`)}</ul><//>`;
}

function Changes({ rows }) {
  const [all, setAll] = useState(false);
  const sorted = [...rows].sort((one, other) => Number(better(one)) - Number(better(other)));
  return html`<${Panel} title=${html`${t("cards.changes")} <span class="count">${rows.length}</span>`} hint=${t("cards.changes.hint")}>
    <ul class="effects">${(all ? sorted : sorted.slice(0, SHOWN)).map((one) => html`<li key=${one.query}><p>${one.query}</p><p class="hint"><${Turn} better=${better(one)} /> <code>${one.expected[0]}</code> ${placeOf(one.before)} → ${placeOf(one.after)}</p></li>`)}</ul>
    ${!all && sorted.length > SHOWN && html`<button type="button" class="link" onclick=${() => setAll(true)}>${t("cards.all", { count: sorted.length })}</button>`}<//>`;
}

const better = (one) => (one.after ?? 99) < (one.before ?? 99);

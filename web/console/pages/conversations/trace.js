// How an answer came about: each step with its time, each call with arguments and result, the tools that were ranked.
import { duration, percent, shown } from "../../../shared/format.js";
import { cx, html } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { State } from "../../frame.js";
import { to } from "../../router.js";
import { titleOf } from "./marks.js";

const nodeOf = (node) => (hasWords(`conversations.node.${node}`) ? t(`conversations.node.${node}`) : node);

export function Trace({ reply, told }) {
  const used = [];
  const resultOf = (row) => {
    const found = told?.results?.find((item) => !used.includes(item) && item.tool === row.tool && JSON.stringify(item.input) === JSON.stringify(row.input));
    used.push(found);
    return found;
  };
  const rows = reply.trace ?? [];
  if (!rows.length) return html`<p class="hint">${t("conversations.no-trace")}</p>`;
  return html`<ol class="steps-list">${rows.map((row, index) => html`<li key=${index}>${row.node === "tools" && row.tool ? html`<${Call} row=${row} kept=${resultOf(row)} />` : html`<${Step} row=${row} />`}</li>`)}</ol>`;
}

// Who was to answer, and why.
export const decisionOf = (decision) => t(`conversations.decision.${decision.engine}.${decision.why}`, { confidence: percent(decision.confidence), threshold: percent(decision.threshold) });

const Step = ({ row }) => html`<div class="step-line"><span>${nodeOf(row.node)}${row.action && html`<code>${row.action}</code>`}${row.no_call && html`<span class="state">${t("conversations.no-call")}</span>`}</span><span class="hint number">${row.duration_ms != null ? duration(row.duration_ms) : ""}</span></div>
  ${row.rewritten && html`<p class="hint" lang="ko">→ ${row.rewritten}</p>`}${row.reason && html`<p class="hint">${row.reason}</p>`}${row.decision && html`<p class="hint">${decisionOf(row.decision)}</p>`}${row.engine_fault && html`<p class="fault">${row.engine_fault}</p>`}`;

function Call({ row, kept }) {
  const args = Object.entries(row.input ?? {});
  return html`<div class="step-line"><span><a href=${to(`tools/${row.tool}`)}>${titleOf(row.tool)}</a><code>${row.tool}</code>${row.status !== "ok" && html`<${State} kind=${row.status === "waiting" ? "warn" : "bad"}>${t(`conversations.status.${row.status}`)}<//>`}</span><span class="hint number">${duration(row.duration_ms ?? 0)}</span></div>
    ${args.length > 0 && html`<dl class="pairs">${args.map(([name, value]) => html`<dt key=${name}><code>${name}</code></dt><dd lang="ko">${typeof value === "object" && value !== null ? JSON.stringify(value) : shown(value)}</dd>`)}</dl>`}
    ${kept && html`<details><summary>${t("conversations.result")}</summary>${kept.result?.left_out ? html`<p class="hint">${t("conversations.left-out")}</p>` : html`<pre class="code" tabindex="0">${JSON.stringify(kept.result, null, 1)}</pre>`}</details>`}`;
}

export function Candidates({ told }) {
  const found = told?.candidates ?? [];
  if (!found.length) return html`<p class="hint">${t("conversations.no-candidates")}</p>`;
  const bound = new Set(told.bound ?? []);
  return html`<ol class="bars">${found.map((item) => html`<li key=${item.tool} class=${cx(bound.has(item.tool) && "bound")}>
    <a href=${to(`tools/${item.tool}`)}>${titleOf(item.tool)}</a><span class="number right">${item.score.toFixed(3)}</span>
    <meter min="0" max="1" value=${item.score} aria-label=${titleOf(item.tool)}></meter></li>`)}</ol><p class="hint">${t("conversations.bound")}</p>`;
}

export function Facts({ facts }) {
  const rows = Object.entries(facts ?? {});
  if (!rows.length) return html`<p class="hint">${t("conversations.no-facts")}</p>`;
  return html`<dl class="pairs">${rows.map(([name, value]) => html`<dt key=${name}>${hasWords(`conversations.fact.${name}`) ? t(`conversations.fact.${name}`) : html`<code>${name}</code>`}</dt><dd lang="ko">${factOf(name, value)}</dd>`)}</dl>`;
}

const GENDERS = { M: "남성", F: "여성" }; // values of facts are Korean text
const factOf = (name, value) => (name === "gender" ? GENDERS[value] : null) ?? (Array.isArray(value) && value.every((item) => typeof item !== "object") ? value.join(", ") : typeof value === "object" && value !== null ? JSON.stringify(value) : shown(value));

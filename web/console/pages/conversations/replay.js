// The same conversation run by the version of now, beside what was recorded.
import { call } from "../../../shared/api.js";
import { duration } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Panel, State } from "../../frame.js";
import { Refused } from "../../load.js";
import { Trace } from "./trace.js";
import { Answer } from "./transcript.js";

export function Replay({ turn, reply }) {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const run = async (by = "now") => {
    setBusy(true);
    setError(null);
    try {
      setFound(await call("POST", `/api/admin/conversations/${turn.run_id}/replay?by=${by}`));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  };
  return html`<div class="stack">
    <${Panel} title=${t("conversations.replay")} hint=${t("conversations.replay.hint", { count: turn.earlier })}
      actions=${html`<button type="button" class="button primary small" disabled=${busy} onclick=${() => run()}><${Icon} name="again" size=${16} />${t(found ? "conversations.replay.again" : "conversations.replay.run")}</button>
        ${turn.model && html`<button type="button" class="button small" disabled=${busy} onclick=${() => run("model")}>${t("conversations.replay.model")}</button>`}`}>
      ${busy && html`<p class="waiting" role="status"><span class="spinner" aria-hidden="true"></span>${t("conversations.replay.busy")}</p>`}
      ${error && html`<${Refused} error=${error} onRetry=${() => run()} />`}
      ${found && html`<${Compared} found=${found} turn=${turn} />`}
    <//>
    ${found && html`<div class="beside">
      <section aria-labelledby="then"><h3 id="then">${t("conversations.then", { version: turn.registry_version ?? t("unknown") })} <span class="hint number">${turn.took_ms ? duration(turn.took_ms) : ""}</span></h3><${Answer} reply=${reply} /><${Trace} reply=${reply} told=${reply.shown} /></section>
      <section aria-labelledby="now"><h3 id="now">${t("conversations.now", { version: found.registry_version })} <span class="hint number">${duration(found.took_ms)}</span></h3><${Answer} reply=${found.reply} /><${Trace} reply=${found.reply} /></section>
    </div>`}
  </div>`;
}

const told = (value) => (typeof value === "string" ? value : JSON.stringify(value));

function Compared({ found, turn }) {
  const { differences } = found;
  const parts = differences.parts.filter((part) => part.part !== "answer");
  if (differences.same) return html`<p><${State} kind="good">${t("conversations.same")}<//></p>`;
  return html`<p class="marks"><${State} kind="warn">${t("conversations.different")}<//>${differences.parts.map((part) => html`<span class="state" key=${part.part}>${t(`conversations.part.${part.part}`)}</span>`)}</p>
    ${differences.parts.some((part) => part.part === "answer") && html`<ul class="compared" lang="ko" aria-label=${t("conversations.part.answer")}>${differences.sentences.map((item, index) => html`<li key=${index} class=${item.kind}>${item.kind !== "same" && html`<span class="visually-hidden">${t(`conversations.sentence.${item.kind}`)}: </span>`}${item.text}</li>`)}</ul>`}
    ${parts.length > 0 && html`<div class="table-scroll" tabindex="0" role="region" aria-label=${t("conversations.differences")}><table class="data compact"><caption class="visually-hidden">${t("conversations.differences")}</caption>
      <thead><tr><th scope="col">${t("conversations.what")}</th><th scope="col">${t("conversations.then.short")}</th><th scope="col">${t("conversations.now.short")}</th></tr></thead>
      <tbody>${parts.map((part) => html`<tr key=${part.part}><th scope="row">${t(`conversations.part.${part.part}`)}</th><td><code>${told(part.before)}</code></td><td><code>${told(part.now)}</code></td></tr>`)}</tbody></table></div>`}`;
}

// One turn in which something was stopped: the words, the reason, the score beside the threshold, the verdict.
import { get } from "../../../shared/api.js";
import { moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Field } from "../../forms.js";
import { PageHead, Panel } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { to } from "../../router.js";
import { Deed, Verdict, guardOf, whyOf } from "./telling.js";

export function StopPage({ runId }) {
  const loaded = useLoaded((signal) => get(`/api/admin/guards/${encodeURIComponent(runId)}`, { signal }), [runId]);
  const back = { place: "guards", label: t("nav.guards") };
  const judged = (stop, kept) => loaded.set({ ...loaded.data, stops: loaded.data.stops.map((one) => (one.place === stop.place ? { ...one, case: kept } : one)) });
  return html`<div class="page">
    <${PageHead} title=${t("guards.one")} hint=${loaded.data && html`${moment(loaded.data.created_at)} · ${loaded.data.role ? t(`role.${loaded.data.role}`) : t("unknown")}`} back=${back}>
      ${loaded.data && html`<a class="button" href=${to(`conversations/${runId}`)}><${Icon} name="chat" size=${16} />${t("guards.to-talk")}</a>`}<//>
    <${Loaded} of=${loaded}>${(data) => html`<div class="split narrow-last">
      <div class="stack">${data.stops.map((stop) => html`<${One} key=${stop.place} turn=${data} stop=${stop} onJudged=${(kept) => judged(stop, kept)} />`)}</div>
      <div class="stack"><${Panel} title=${t("guards.said")}>
        ${data.earlier.length > 0 && html`<ol class="plain earlier" aria-label=${t("guards.earlier")}>${data.earlier.map((text, index) => html`<li key=${index} class="hint" lang="ko">${text}</li>`)}</ol>`}
        <p lang="ko"><strong>${data.query}</strong></p>
        <p class="hint">${t("guards.answered")}</p><blockquote class="quoted" lang="ko">${data.answer}</blockquote><//></div>
    </div>`}<//>
  </div>`;
}

function One({ turn, stop, onJudged }) {
  const [note, setNote] = useState(stop.case?.note ?? "");
  return html`<${Panel} title=${guardOf(stop.guard)} actions=${html`<${Deed} stop=${stop} />`}>
    <p>${whyOf(stop)}</p>
    ${stop.text && html`<blockquote class="quoted" lang="ko">${stop.text}</blockquote>`}
    <${Scale} stop=${stop} />
    <dl class="pairs">${stop.rule && html`<dt>${t("guards.rule")}</dt><dd><code>${stop.rule}</code></dd>`}
      ${stop.case && html`<dt>${t("guards.case")}</dt><dd><code>${stop.case.id}</code></dd>`}</dl>
    <${Field} label=${t("guards.note")} hint=${t("guards.note.hint")}>${(own) => html`<input ...${own} value=${note} maxlength="1000" autocomplete="off" oninput=${(event) => setNote(event.target.value)} />`}<//>
    <p class="judge"><span>${t("guards.verdict.ask")}</span><${Verdict} runId=${turn.run_id} stop=${stop} note=${note} onJudged=${onJudged} /></p>
  <//>`;
}

// How sure the guard was beside how sure it had to be; the same in words stands before it.
function Scale({ stop }) {
  if (stop.score == null) return null;
  const digits = (value) => String(Math.round(value * 1000) / 1000);
  return html`<dl class="rates"><div><dt>${t("guards.scored")}</dt><dd class="number">${digits(stop.score)}</dd></div>
    <div><dt>${t("guards.needed")}</dt><dd class="number">${digits(stop.threshold)}</dd></div></dl>`;
}

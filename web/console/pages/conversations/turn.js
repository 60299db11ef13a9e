// One turn: what was said, how the answer came about, what people thought, what it would be now.
import { call, get } from "../../../shared/api.js";
import { duration, moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead, Panel, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { ReasonDialog } from "../../reason.js";
import { setQuery } from "../../router.js";
import { Marks, roleOf } from "./marks.js";
import { Replay } from "./replay.js";
import { CaseDialog, ReviewPanel } from "./review.js";
import { Candidates, decisionOf, Facts, Trace } from "./trace.js";
import { Transcript } from "./transcript.js";

const TABS = ["talk", "replay"];

export function TurnPage({ runId, query }) {
  const loaded = useLoaded((signal) => get(`/api/admin/conversations/${encodeURIComponent(runId)}`, { signal }), [runId]);
  const [asking, setAsking] = useState(null); // "reason" | "case"
  const tab = TABS.includes(query.tab) ? query.tab : "talk";
  const reveal = async (reason) => {
    loaded.set(await call("POST", `/api/admin/conversations/${runId}/unmasked`, { reason }));
    setAsking(null);
  };
  const back = { place: "conversations", label: t("nav.conversations") };
  return html`<div class="page">
    <${PageHead} title=${t("conversations.one")} hint=${loaded.data && html`${moment(loaded.data.created_at)} · ${roleOf(loaded.data.role)}`} back=${back}>
      ${loaded.data && html`<button type="button" class="button" onclick=${() => setAsking("case")}><${Icon} name="scale" size=${16} />${t("conversations.case")}</button>`}
    <//>
    <${Loaded} of=${loaded}>${(data) => {
      const own = data.turns.find((turn) => turn.run_id === data.run_id);
      const turn = { ...data, earlier: data.turns.filter((other) => !other.replaced).findIndex((other) => other.run_id === data.run_id), candidates: own.shown?.candidates?.map((item) => item.tool) };
      return html`
        <div class="veil"><${Marks} turn=${{ ...data, verdict: data.review?.verdict, tags: data.review?.tags }} />
          ${data.veiled ? html`<button type="button" class="button small" onclick=${() => setAsking("reason")}><${Icon} name="key" size=${16} />${t("conversations.unveil")}</button>` : html`<${State} kind="warn">${t("conversations.unveiled")}<//>`}</div>
        <${Tabs} label=${t("conversations.one")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "talk" ? null : id })} tabs=${TABS.map((id) => ({ id, label: t(`conversations.tab.${id}`) }))}>
          ${tab === "talk" ? html`<${Talk} data=${turn} own=${own} onSaved=${(review) => loaded.set({ ...data, review })} />` : html`<${Replay} turn=${turn} reply=${own} />`}<//>
        <${CaseDialog} turn=${turn} open=${asking === "case"} onClose=${() => setAsking(null)} />`;
    }}<//>
    <${ReasonDialog} open=${asking === "reason"} title=${t("conversations.unveil")} effect=${t("conversations.unveil.effect")} onReason=${reveal} onClose=${() => setAsking(null)} />
  </div>`;
}

function Talk({ data, own, onSaved }) {
  const guard = own.guard ?? {};
  return html`<div class="split narrow-last">
    <div class="stack">
      <${Panel} title=${t("conversations.talk", { count: data.turns.length })}><${Transcript} turns=${data.turns} current=${data.run_id} /><//>
      <${Panel} title=${t("conversations.trace")} hint=${data.took_ms ? t("conversations.took-all", { time: duration(data.took_ms) }) : ""}><${Trace} reply=${own} told=${own.shown} /><//>
    </div>
    <div class="stack">
      <${ReviewPanel} key=${data.run_id} turn=${data} onSaved=${onSaved} />
      ${data.feedback && html`<${Panel} title=${t("conversations.feedback")}><p><${State} kind=${data.feedback.rating === "down" ? "bad" : "good"}>${t(`conversations.rating.${data.feedback.rating}`)}<//> ${data.feedback.reason && html`<span>${reasonOf(data.feedback.reason)}</span>`}</p>
        ${data.feedback.comment && html`<blockquote class="quoted" lang="ko">${data.feedback.comment}</blockquote>`}<//>`}
      ${(guard.input === "block" || (guard.output ?? "pass") !== "pass") && html`<${Panel} title=${t("conversations.guard")}><dl class="pairs">${["layer", "reason", "output"].filter((name) => guard[name]).map((name) => html`<dt key=${name}>${t(`conversations.guard.${name}`)}</dt><dd><code>${guard[name]}</code></dd>`)}</dl><//>`}
      <${Panel} title=${t("conversations.candidates")}><${Candidates} told=${own.shown} /><//>
      <${Panel} title=${t("conversations.facts")}><${Facts} facts=${own.facts} /><//>
      <${Panel} title=${t("conversations.about")}><dl class="pairs">
        <dt>${t("conversations.engine")}</dt><dd>${data.engine}</dd>
        ${own.decision && html`<dt>${t("conversations.decision")}</dt><dd>${decisionOf(own.decision)}</dd>`}
        ${data.registry_version != null && html`<dt>${t("conversations.version")}</dt><dd>${data.registry_version}${data.registry_version !== data.registry_version_now && html` <span class="hint">${t("conversations.version.now", { version: data.registry_version_now })}</span>`}</dd>`}
        <dt>${t("conversations.asker")}</dt><dd>${roleOf(data.role)}${data.customer_id && html` · ${data.customer_id}`}${!data.veiled && html` <code>${data.owner}</code>`}</dd>
        <dt>run_id</dt><dd><code>${data.run_id}</code></dd>
        <dt>${t("conversations.thread")}</dt><dd><code>${data.thread_id}</code></dd></dl><//>
    </div>
  </div>`;
}

const reasonOf = (reason) => (hasWords(`conversations.reason.${reason}`) ? t(`conversations.reason.${reason}`) : reason);

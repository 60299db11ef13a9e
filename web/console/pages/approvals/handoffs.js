// People who want to talk to somebody: the one that waits longest first; taken, done, with contact on demand.
import { call, get, withQuery } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { ago, count, moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Icon, IconButton } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { copyText } from "../../../shared/ui/table.js";
import { Filter } from "../../forms.js";
import { State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { ReasonDialog } from "../../reason.js";
import { setQuery, to } from "../../router.js";

const LIMIT = 20;
const STATES = ["접수", "처리중", "완료"];
const KINDS = { 접수: "warn", 처리중: "plain", 완료: "good" };
const askerOf = (kind) => (hasWords(`person.${kind}`) ? t(`person.${kind}`) : kind);

export function Handoffs({ query, onChange }) {
  const offset = Number(query.offset) || 0;
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/handoffs/queue", { status: query.status, offset, limit: LIMIT }), { signal }), [query.status, offset]);
  const changed = () => {
    loaded.reload();
    onChange();
  };
  return html`<div class="stack">
    <div class="filters" role="group" aria-label=${t("approvals.handoff.state")}>${STATES.map((status) => html`<${Filter} key=${status} on=${query.status === status} onToggle=${(on) => setQuery({ status: on ? status : null, offset: null })}>${t(`approvals.handoff.${status}`)}<//>`)}</div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t(query.status ? "page.none" : "approvals.handoff.none")}>${(data) => html`
      <div class="requests">${data.handoffs.map((item) => html`<${Handoff} key=${item.id} item=${item} onChange=${changed} />`)}</div>
      ${data.total > LIMIT && html`<p class="actions"><${IconButton} icon="left" label=${t("page.previous")} disabled=${offset === 0} onclick=${() => setQuery({ offset: Math.max(0, offset - LIMIT) || null })} />
        <span class="number">${t("page.of", { from: count(offset + 1), to: count(Math.min(offset + LIMIT, data.total)), total: count(data.total) })}</span>
        <${IconButton} icon="chevron" label=${t("page.next")} disabled=${offset + LIMIT >= data.total} onclick=${() => setQuery({ offset: offset + LIMIT })} /></p>`}`}<//>
  </div>`;
}

function Handoff({ item, onChange }) {
  const [contact, setContact] = useState(null);
  const [asking, setAsking] = useState(false);
  const move = async (status) => {
    try {
      await call("POST", `/api/admin/handoffs/${item.id}`, { status });
      notify(t(`approvals.handoff.moved.${status}`));
    } catch (problem) {
      notify(problem.detail || t("offline"));
    }
    onChange();
  };
  const reveal = async (reason) => {
    setContact((await call("POST", `/api/admin/handoffs/${item.id}/contact`, { reason })).contact);
    setAsking(false);
  };
  return html`<section class="handoff-card" aria-labelledby=${`handoff-${item.id}`}>
    <header><h2 id=${`handoff-${item.id}`}><${Icon} name="headset" size=${18} />${askerOf(item.asked_by)} <code>${item.id}</code></h2><${State} kind=${KINDS[item.status]}>${t(`approvals.handoff.${item.status}`)}<//></header>
    <p class="note" lang="ko">${item.note || t("approvals.handoff.no-note")}</p>
    <p class="hint">${t("approvals.handoff.asked", { time: moment(item.created_at), ago: ago(item.created_at) })}${item.taken_by && ` · ${t("approvals.handoff.taken", { who: askerOf(item.taken_by) })}`}</p>
    ${contact && html`<p class="contact" role="status"><strong>${contact}</strong><${IconButton} icon="copy" size=${16} label=${t("approvals.handoff.copy")} onclick=${() => copyText(contact)} /></p>`}
    <p class="actions">
      ${item.status === "접수" && html`<button type="button" class="button primary small" onclick=${() => move("처리중")}>${t("approvals.handoff.take")}</button>`}
      ${item.status === "처리중" && html`<button type="button" class="button primary small" onclick=${() => move("완료")}>${t("approvals.handoff.finish")}</button>`}
      ${item.status !== "접수" && html`<button type="button" class="button small" onclick=${() => move("접수")}>${t("approvals.handoff.back")}</button>`}
      ${item.has_contact && !contact && html`<button type="button" class="button small" onclick=${() => setAsking(true)}><${Icon} name="key" size=${15} />${t("approvals.handoff.contact")}</button>`}
      ${!item.has_contact && html`<span class="hint">${t("approvals.handoff.no-contact")}</span>`}
    </p>
    <${Talk} id=${item.id} />
    <${ReasonDialog} open=${asking} title=${t("approvals.handoff.contact")} effect=${t("approvals.handoff.contact.effect")} onReason=${reveal} onClose=${() => setAsking(false)} />
  </section>`;
}

// The conversation that was passed on, fetched when somebody wants to read it.
function Talk({ id }) {
  const [open, setOpen] = useState(false);
  return html`<details ontoggle=${(event) => setOpen(event.target.open)}><summary>${t("approvals.handoff.talk")}</summary>${open && html`<${Turns} id=${id} />`}</details>`;
}

function Turns({ id }) {
  const loaded = useLoaded((signal) => get(`/api/admin/handoffs/${id}`, { signal }), [id]);
  return html`<${Loaded} of=${loaded} empty=${(data) => !data.turns.length && t("approvals.handoff.no-talk")}>${(data) => html`<ol class="plain talk">${data.turns.map((turn) => html`<li key=${turn.run_id} lang="ko"><p><strong>${turn.query}</strong></p><p>${turn.answer}</p>${atLeast("operator") && html`<a href=${to(`conversations/${turn.run_id}`)}>${t("approvals.handoff.open")}</a>`}</li>`)}</ol>`}<//>`;
}

// Requests for approval: those that wait, decided as on the chat's card; and how the others went.
import { call, get, Problem, withQuery } from "../../../shared/api.js";
import { moment, shown } from "../../../shared/format.js";
import { cx, html, useEffect, useRef, useState } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { ArgumentField, argumentsOf, decisionOf, useSecondsLeft } from "../../../shared/ui/decision.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";

const LIMIT = 50, POLL_MS = 15_000;
const KINDS = { approved: "good", edited: "good", rejected: "bad", expired: "warn", withdrawn: "plain" };
const fieldName = (name) => (hasWords(`approvals.argument.${name}`) ? t(`approvals.argument.${name}`) : name);

export function Pending({ onChange }) {
  const loaded = useLoaded((signal) => get("/api/approvals?decided=false&limit=200", { signal }), []);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && loaded.reload(), POLL_MS);
    return () => clearInterval(timer);
  }, [loaded.reload]);
  const decided = () => {
    loaded.reload();
    onChange();
  };
  return html`<${Loaded} of=${loaded} empty=${(data) => !data.total && t("approvals.none")}>${(data) => html`<div class="requests">${data.approvals.map((item) => html`<${Request} key=${item.id} item=${item} onDecided=${decided} />`)}</div>`}<//>`;
}

function Request({ item, onDecided }) {
  const [mode, setMode] = useState("ask"); // ask | edit | busy
  const [fault, setFault] = useState("");
  const form = useRef(null);
  const left = useSecondsLeft(item.expires_at);
  useEffect(() => {
    if (mode === "edit") form.current?.querySelector("input, textarea")?.focus();
  }, [mode]);
  const decide = async (decision) => {
    const body = decisionOf(decision, form.current, item.args, mode === "edit");
    setMode("busy");
    setFault("");
    try {
      await call("POST", `/api/approvals/${encodeURIComponent(item.id)}`, body);
      notify(t(`approvals.done.${body.decision}`));
      onDecided();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      setFault(problem.errors?.[0]?.message ?? (problem.detail || t("offline")));
      setMode("ask");
      if (problem.status === 409) onDecided();
    }
  };
  return html`<section class=${cx("approval", left > 0 && "open")} aria-labelledby=${`request-${item.id}`}>
    <h2 id=${`request-${item.id}`}><${Icon} name="shield" size=${18} />${item.title}</h2>
    <p lang="ko">${item.effect}</p>
    <form ref=${form} onsubmit=${(event) => event.preventDefault()}>
      <dl class="pairs">
        ${item.person && html`<dt>${t("approvals.person")}</dt><dd lang="ko">${item.person}</dd>`}
        <dt>${t("approvals.asked-by")}</dt><dd>${askerOf(item.requested_by)} · ${moment(item.created_at)}</dd>
        ${argumentsOf(item.args).map(([name, value]) => html`<dt key=${name}>${fieldName(name)}</dt><dd lang="ko">${mode === "edit" ? html`<${ArgumentField} name=${name} value=${value} label=${fieldName(name)} />` : shown(value)}</dd>`)}</dl>
      <label class="field">${t("approvals.comment")}<input name="comment" maxlength="500" autocomplete="off" onkeydown=${(event) => event.key === "Enter" && event.preventDefault()} /></label>
      <p class="actions">
        <button type="button" class="button primary" disabled=${mode === "busy" || left <= 0} onclick=${() => decide("approve")}>${t(mode === "edit" ? "approvals.approve-edited" : "approvals.approve")}</button>
        ${mode !== "edit" && html`<button type="button" class="button" disabled=${mode === "busy" || left <= 0} onclick=${() => setMode("edit")}>${t("approvals.edit")}</button>`}
        <button type="button" class="button" disabled=${mode === "busy" || left <= 0} onclick=${() => decide("reject")}>${t("approvals.reject")}</button>
        <span class="hint number">${left > 0 ? t("approvals.left", { time: clock(left) }) : t("approvals.expired")}</span></p>
    </form>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
  </section>`;
}

const askerOf = (owner) => (hasWords(`person.${owner.split(":")[0]}`) ? t(`person.${owner.split(":")[0]}`) : owner);
const clock = (left) => `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;

const columns = () => [
  { key: "title", label: t("approvals.what"), cell: (row) => html`<span lang="ko">${row.title}</span><span class="sub" lang="ko">${row.effect}</span>` },
  { key: "person", label: t("approvals.person"), cell: (row) => html`<span lang="ko">${row.person ?? t("unknown")}</span>` },
  { key: "args", label: t("approvals.arguments"), text: (row) => JSON.stringify(row.decided_args ?? row.args), cell: (row) => html`<span lang="ko">${argumentsOf(row.decided_args ?? row.args).map(([name, value]) => `${fieldName(name)} ${shown(value)}`).join(", ")}</span>` },
  { key: "status", label: t("approvals.decision"), text: (row) => t(`approvals.status.${row.status}`), cell: (row) => html`<${State} kind=${KINDS[row.status] ?? "plain"}>${t(`approvals.status.${row.status}`)}<//>${row.comment && html`<span class="sub" lang="ko">${row.comment}</span>`}` },
  { key: "decided_by", label: t("approvals.by"), text: (row) => row.decided_by, cell: (row) => (row.decided_by ? askerOf(row.decided_by) : t("unknown")) },
  { key: "decided_at", label: t("approvals.at"), cell: (row) => (row.decided_at ? moment(row.decided_at) : moment(row.expires_at)) },
];

export function Decided({ query, changes }) {
  const offset = Number(query.offset) || 0;
  const loaded = useLoaded((signal) => get(withQuery("/api/approvals", { decided: true, offset, limit: LIMIT }), { signal }), [offset, changes]);
  return html`<${Loaded} of=${loaded} empty=${(data) => !data.total && t("approvals.decided.none")}>${(data) => html`<${Grid} label=${t("approvals.tab.decided")} columns=${columns()} rows=${data.approvals}
    page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} />`}<//>`;
}

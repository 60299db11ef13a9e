// API keys: made with their value shown once, revoked for good.
import { call, get } from "../../../shared/api.js";
import { boot } from "../../../shared/boot.js";
import { ago, moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { copyText } from "../../../shared/ui/table.js";
import { Field, Filter, requiredFault } from "../../forms.js";
import { State } from "../../frame.js";
import { Loaded, Refused, useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";

const ROLES = ["customer", "staff", "operator", "admin"];
const SCOPES = ["chat", "documents", "tools", "approvals", "admin"];
const LASTING = ["", "7", "30", "90", "365"];

const state = (key) => (key.revoked_at ? html`<${State} kind="bad">${t("access.revoked")}<//>` : key.usable ? html`<${State} kind="good">${t("access.usable")}<//>` : html`<${State} kind="warn">${t("access.expired")}<//>`);

export function Keys({ query }) {
  const loaded = useLoaded((signal) => get("/api/admin/keys", { signal }), []);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState(null);
  const [revoking, setRevoking] = useState(null);
  const [refused, setRefused] = useState(null);
  const revoke = async (key) => {
    setRevoking(null);
    setRefused(null);
    try {
      await call("DELETE", `/api/admin/keys/${key.id}`);
      notify(t("access.revoked.done", { label: key.label }));
    } catch (problem) {
      setRefused(problem);
    }
    loaded.reload();
  };
  const columns = [
    { key: "label", label: t("access.label"), text: (key) => key.label, cell: (key) => html`<span>${key.label}</span><code class="sub">${key.prefix}_…</code>` },
    { key: "role", label: t("access.role"), text: (key) => key.role, cell: (key) => html`${t(`role.${key.role}`)}${key.customer_id && html`<span class="sub">${key.customer_id}</span>`}` },
    { key: "scopes", label: t("access.scopes"), text: (key) => key.scopes.join(" "), cell: (key) => (key.scopes.length ? key.scopes.map((scope) => t(`access.scope.${scope}`)).join(", ") : html`<span class="hint">${t("access.scopes.all")}</span>`) },
    { key: "created_at", label: t("access.created"), text: (key) => key.created_at, cell: (key) => html`${moment(key.created_at)}<span class="sub">${key.created_by}</span>` },
    { key: "expires_at", label: t("access.expires"), text: (key) => key.expires_at, cell: (key) => (key.expires_at ? moment(key.expires_at) : html`<span class="hint">${t("access.never")}</span>`) },
    { key: "last_used_at", label: t("access.last-used"), text: (key) => key.last_used_at, cell: (key) => (key.last_used_at ? ago(key.last_used_at) : html`<span class="hint">${t("access.not-used")}</span>`) },
    { key: "usable", label: t("access.state"), text: (key) => (key.usable ? t("access.usable") : key.revoked_at ? t("access.revoked") : t("access.expired")), cell: state },
    { key: "act", label: t("access.act"), text: () => "", cell: (key) => (key.revoked_at ? "" : html`<button type="button" class="button small danger" onclick=${() => setRevoking(key)} aria-label=${t("access.revoke.label", { label: key.label })}>${t("access.revoke")}</button>`) },
  ];
  return html`<div class="stack">
    <div class="toolbar"><${Filter} on=${query.all === "1"} onToggle=${(on) => setQuery({ all: on ? "1" : null })}>${t("access.show-ended")}<//>
      <span class="spread"><button type="button" class="button primary" onclick=${() => setMaking(true)}><${Icon} name="plus" size=${16} />${t("access.make")}</button></span></div>
    ${refused && html`<${Refused} error=${refused} />`}
    <${Loaded} of=${loaded} empty=${(data) => !data.count && t("access.none")}>${(data) => {
      const rows = data.keys.filter((key) => query.all === "1" || key.usable);
      return html`<${Grid} label=${t("access.tab.keys")} columns=${columns} rows=${rows} />
        ${rows.length < data.count && html`<p class="hint">${t("access.hidden", { count: data.count - rows.length })}</p>`}`;
    }}<//>
    <${NewKey} open=${making} onClose=${() => setMaking(false)} onMade=${(key) => { setMaking(false); setMade(key); loaded.reload(); }} />
    <${Made} made=${made} onClose=${() => { setMade(null); if (boot.way === "local") location.reload(); }} />
    <${Confirm} open=${!!revoking} title=${t("access.revoke.title")} effect=${t("access.revoke.effect", { label: revoking?.label ?? "" })} typed=${revoking?.prefix ?? ""} action=${t("access.revoke")} onClose=${() => setRevoking(null)} onYes=${() => revoke(revoking)} />
  </div>`;
}

const BLANK = { label: "", role: "staff", scopes: [], customer_id: "", days: "90" };

function NewKey({ open, onClose, onMade }) {
  const [form, setForm] = useState(BLANK);
  const [faults, setFaults] = useState({});
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const put = (patch) => {
    setForm({ ...form, ...patch });
    setFaults({});
  };
  const submit = async (event) => {
    event.preventDefault();
    setRefused(null);
    if (requiredFault(form.label)) return setFaults({ label: requiredFault(form.label) });
    setBusy(true);
    try {
      const { label, role, scopes, customer_id, days } = form;
      onMade(await call("POST", "/api/admin/keys", { label, role, scopes, ...(role === "customer" && customer_id && { customer_id }), ...(days && { expires_in_days: Number(days) }) }));
      setForm(BLANK);
    } catch (problem) {
      const named = Object.fromEntries((problem.errors ?? []).filter((item) => item.field in form).map((item) => [item.field, item.message]));
      if (Object.keys(named).length) setFaults(named);
      else setRefused(problem);
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("access.make")}>
    ${boot.way === "local" && html`<div class="notice warning"><p><${Icon} name="warning" size=${18} /><strong>${t("access.local-ends")}</strong></p><p>${t("access.local-ends.why")}</p></div>`}
    <form class="form" onsubmit=${submit}>
      <${Field} label=${t("access.label")} hint=${t("access.label.hint")} error=${faults.label} required>${(own) => html`<input ...${own} value=${form.label} maxlength="100" autocomplete="off" autofocus oninput=${(event) => put({ label: event.target.value })} />`}<//>
      <div class="form-row">
        <${Field} label=${t("access.role")} hint=${t(`access.may.${form.role}`)} error=${faults.role}>${(own) => html`<select ...${own} value=${form.role} onchange=${(event) => put({ role: event.target.value })}>${ROLES.map((role) => html`<option key=${role} value=${role} selected=${role === form.role}>${t(`role.${role}`)}</option>`)}</select>`}<//>
        <${Field} label=${t("access.expires")} error=${faults.expires_in_days}>${(own) => html`<select ...${own} value=${form.days} onchange=${(event) => put({ days: event.target.value })}>${LASTING.map((days) => html`<option key=${days} value=${days} selected=${days === form.days}>${days ? t("access.days", { count: days }) : t("access.never")}</option>`)}</select>`}<//>
      </div>
      ${form.role === "customer" && html`<${Field} label=${t("access.customer")} hint=${t("access.customer.hint")} error=${faults.customer_id}>${(own) => html`<input ...${own} value=${form.customer_id} autocomplete="off" placeholder="C0001" oninput=${(event) => put({ customer_id: event.target.value.trim() })} />`}<//>`}
      <fieldset class="field"><legend>${t("access.scopes")}</legend><p class="hint">${t("access.scopes.hint")}</p>
        <div class="checks">${SCOPES.map((scope) => html`<label class="check" key=${scope}><input type="checkbox" checked=${form.scopes.includes(scope)} onchange=${(event) => put({ scopes: event.target.checked ? [...form.scopes, scope] : form.scopes.filter((other) => other !== scope) })} />${t(`access.scope.${scope}`)}</label>`)}</div></fieldset>
      ${refused && html`<${Refused} error=${refused} />`}
      <p class="actions"><button type="submit" class="button primary" disabled=${busy}>${t("access.make")}</button><button type="button" class="button" onclick=${onClose}>${t("cancel")}</button></p>
    </form>
  <//>`;
}

// The value is told this once; it is gone from the page when the dialog closes.
const Made = ({ made, onClose }) => html`<${Dialog} open=${!!made} onClose=${onClose} title=${t("access.made")}
  footer=${html`<button type="button" class="button primary" onclick=${onClose}>${t("access.kept")}</button>`}>
  ${made && html`<p>${t("access.made.once", { label: made.label })}</p>
    <div class="secret"><code>${made.key}</code><button type="button" class="button small" onclick=${() => copyText(made.key)}><${Icon} name="copy" size=${16} />${t("access.copy")}</button></div>
    ${boot.way === "local" && html`<p class="hint">${t("access.made.login")}</p>`}`}
<//>`;

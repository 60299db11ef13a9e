// What the roles may do, how people come in, and the limits in force; all of it is set where the server is started.
import { get } from "../../../shared/api.js";
import { count } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Panel, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";

const rules = (signal) => get("/api/admin/access/rules", { signal });

export function Roles() {
  const loaded = useLoaded(rules, []);
  return html`<${Loaded} of=${loaded}>${(data) => html`<div class="split narrow-last">
    <${Panel} title=${t("access.tab.roles")} hint=${t("access.roles.hint")}><ul class="plain rows">${data.roles.map((item) => html`<li key=${item.role}><div><strong>${t(`role.${item.role}`)}</strong> <code>${item.role}</code><p>${t(`access.may.${item.role}`)}</p></div><span class="badge">${t("access.keys.count", { count: item.keys })}</span></li>`)}</ul><//>
    <${Panel} title=${t("access.ways")}><ul class="plain rows">${Object.entries(data.ways).map(([way, on]) => html`<li key=${way}><span>${t(`access.way.${way}`)}</span>${on ? html`<${State} kind=${way === "local" ? "warn" : "good"}>${t("access.way.on")}<//>` : html`<${State}>${t("access.way.off")}<//>`}</li>`)}</ul><//>
  </div>`}<//>`;
}

const GROUPS = {
  rates: ["rate_limit_per_minute", "rate_limit_turns_per_minute", "rate_limit_address_per_minute", "max_streams"],
  turns: ["turn_timeout_s", "max_tool_calls", "max_model_calls", "tool_search_top_k", "max_conversation_turns", "approval_ttl_s"],
  sizes: ["max_body_bytes", "max_upload_bytes", "max_header_bytes", "body_timeout_s"],
  kept: ["session_hours", "retention_days", "audit_retention_days"],
};

const size = (bytes) => (bytes >= 1_048_576 ? `${count(Math.round(bytes / 1_048_576))} MB` : `${count(Math.round(bytes / 1024))} kB`);
const shown = (name, value) => (name.endsWith("_bytes") ? size(value) : name.endsWith("retention_days") && value === 0 ? t("access.kept-for-good") : t(`access.unit.${hasWords(`access.unit.${name}`) ? name : name.split("_").at(-1)}`, { value: count(value), count: value }));

export function Limits() {
  const loaded = useLoaded(rules, []);
  return html`<${Loaded} of=${loaded}>${(data) => html`<div class="panels">${Object.entries(GROUPS).map(([group, names]) => html`<${Panel} key=${group} title=${t(`access.group.${group}`)}>
    <ul class="plain rows">${names.map((name) => html`<li key=${name}><div>${t(`access.limit.${name}`)}<code class="sub">${name.toUpperCase()}</code></div><strong class="number nowrap">${shown(name, data.limits[name])}</strong></li>`)}</ul><//>`)}</div>
    <p class="hint">${t("access.limits.hint")}</p>`}<//>`;
}

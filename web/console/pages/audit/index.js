// The audit log: who did what to what, what it was before and after; the chain is checked on demand.
import { download, get, send, withQuery } from "../../../shared/api.js";
import { moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { addWords, hasWords, t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { Menu } from "../../../shared/ui/menu.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter, Select } from "../../forms.js";
import { PageHead, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";
import "./audit.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const LIMIT = 50;
const NAMES = ["actor", "action", "target", "outcome", "since", "until"];
const KINDS = { ok: "good", refused: "warn", failed: "bad" };
const actionOf = (action) => (hasWords(`audit.action.${action}`) ? t(`audit.action.${action}`) : action);

const columns = () => [
  { key: "entry_id", label: t("audit.time"), sort: true, text: (row) => row.entry_id, cell: (row) => html`<time class="nowrap" datetime=${row.at}>${moment(row.at)}</time><span class="sub number">${t("audit.number", { number: row.entry_id })}</span>` },
  { key: "actor", label: t("audit.who"), cell: (row) => html`<button type="button" class="link actor" onclick=${() => setQuery({ actor: row.actor, offset: null })}>${row.actor}</button>` },
  { key: "action", label: t("audit.what"), cell: (row) => html`${actionOf(row.action)}<code class="sub action">${row.action}</code>` },
  { key: "target", label: t("audit.target"), cell: (row) => (row.target ? html`<code class="target">${row.target}</code>` : t("unknown")) },
  { key: "result", label: t("audit.result"), cell: (row) => html`<${State} kind=${KINDS[row.result] ?? "plain"}>${t(`audit.result.${row.result}`)}<//>` },
  { key: "details", label: t("audit.details"), cell: (row) => html`<${Details} entry=${row} />` },
];

export function Page({ query }) {
  const offset = Number(query.offset) || 0, order = query.order ?? "desc";
  const wanted = Object.fromEntries(NAMES.map((name) => [name, query[name]]));
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/audit/entries", { ...wanted, order, offset, limit: LIMIT }), { signal }), [...Object.values(wanted), order, offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const facets = loaded.data?.facets ?? { actors: [], actions: [] };
  const filtered = NAMES.some((name) => query[name]);
  const save = async (format) => {
    try {
      const file = await send("GET", withQuery("/api/admin/audit/export", { ...wanted, format }));
      download(`audit.${format}`, await file.text(), file.headers.get("content-type"));
    } catch (problem) {
      notify(problem.message || t("offline"));
    }
  };
  return html`<div class="page">
    <${PageHead} title=${t("nav.audit")} hint=${t("audit.hint")}>
      <${Verify} />
      <${Menu} label=${t("audit.export")} text=${t("audit.export")} icon="download" items=${["csv", "json"].map((format) => ({ label: format.toUpperCase(), icon: "download", run: () => save(format) }))} />
    <//>
    <div class="stack tight" role="search">
      <div class="toolbar">
        <${SearchBox} label=${t("audit.search")} value=${query.target ?? ""} onSearch=${(target) => filter({ target })} />
        <${Select} label=${t("audit.who")} value=${query.actor} all=${t("audit.all")} options=${[...new Set([...facets.actors, ...(query.actor ? [query.actor] : [])])].map((id) => ({ id, label: id }))} onChange=${(actor) => filter({ actor })} />
        <${Select} label=${t("audit.what")} value=${query.action} all=${t("audit.all")} options=${facets.actions.map((id) => ({ id, label: actionOf(id) }))} onChange=${(action) => filter({ action })} />
        <label class="field">${t("audit.since")}<input type="date" value=${(query.since ?? "").slice(0, 10)} onchange=${(event) => filter({ since: event.target.value || null })} /></label>
        <label class="field">${t("audit.until")}<input type="date" value=${(query.until ?? "").slice(0, 10)} onchange=${(event) => filter({ until: event.target.value || null })} /></label>
      </div>
      <div class="filters">${["ok", "refused", "failed"].map((id) => html`<${Filter} key=${id} on=${query.outcome === id} onToggle=${(on) => filter({ outcome: on ? id : null })}>${t(`audit.result.${id}`)}<//>`)}
        ${filtered && html`<button type="button" class="link" onclick=${() => filter(Object.fromEntries(NAMES.map((name) => [name, null])))}>${t("filter.clear")}</button>`}</div>
    </div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t(filtered ? "page.none" : "audit.none")}>${(data) => html`
      <${Grid} label=${t("nav.audit")} columns=${columns()} rows=${data.entries} rowKey=${(row) => row.entry_id}
        sort=${order === "desc" ? "-entry_id" : "entry_id"} onSort=${(next) => filter({ order: next.startsWith("-") ? null : "asc" })}
        page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} onSave=${() => save("csv")} />`}<//>
  </div>`;
}

// The chain of the whole log, checked by the server.
function Verify() {
  const [state, setState] = useState(null); // null | "busy" | {intact, first_broken_entry} | {fault}
  const run = async () => {
    setState("busy");
    try {
      setState(await get("/api/admin/audit?limit=1&verify=true"));
    } catch (problem) {
      setState({ fault: problem.message || t("offline") });
    }
  };
  return html`<span role="status">${state === "busy" ? html`<span class="hint">${t("audit.verifying")}</span>` : state?.fault ? html`<span class="fault">${state.fault}</span>`
    : state && (state.intact ? html`<${State} kind="good">${t("audit.intact")}<//>` : html`<${State} kind="bad">${t("audit.broken", { number: state.first_broken_entry })}<//>`)}</span>
    <button type="button" class="button" onclick=${run} disabled=${state === "busy"}><${Icon} name="shield" size=${16} />${t("audit.verify")}</button>`;
}

const plain = (value) => (value !== null && typeof value === "object" ? JSON.stringify(value, null, 1) : String(value));

function Details({ entry }) {
  const { before, after, ...rest } = entry.details;
  const others = Object.entries(rest);
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter((name) => plain(before?.[name]) !== plain(after?.[name]));
  const compares = (before || after) && typeof (before ?? after) === "object";
  if (!compares && !others.length && !entry.request_id) return t("unknown");
  return html`<details class="entry"><summary>${summaryOf(others, compares && names) || t("audit.more")}</summary>
    ${compares && html`<dl class="changes">${names.map((name) => html`<div key=${name}><dt>${name}</dt><dd><del>${plain(before?.[name] ?? t("unknown"))}</del> → <ins>${plain(after?.[name] ?? t("unknown"))}</ins></dd></div>`)}</dl>`}
    ${others.length > 0 && html`<dl class="pairs">${others.map(([name, value]) => html`<dt key=${name}><code>${name}</code></dt><dd>${plain(value)}</dd>`)}</dl>`}
    ${entry.request_id && html`<p class="hint">${t("audit.request")} <code>${entry.request_id}</code></p>`}</details>`;
}

const summaryOf = (others, names) => (names?.length ? t("audit.changed", { names: names.slice(0, 3).join(", ") }) : others.slice(0, 2).map(([name, value]) => (value !== null && typeof value === "object" ? name : `${name} ${String(value).slice(0, 40)}`)).join(", "));

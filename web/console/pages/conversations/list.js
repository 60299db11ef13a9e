// The list of turns: filters in the address, pages and order by the server.
import { get, send, download, withQuery } from "../../../shared/api.js";
import { count, duration, moment } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { notify } from "../../../shared/ui/live.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter, Select } from "../../forms.js";
import { PageHead } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { Marks, roleOf, titleOf } from "./marks.js";

const LIMIT = 50;
const FLAGS = ["blocked", "replaced", "failed", "no_source", "slow"];
const SLOW = [500, 1000, 2000, 5000];
const NAMES = ["q", "role", "tool", "engine", "tag", "verdict", "rating", "flag", "slow_ms", "since", "until"];

const columns = () => [
  { key: "query", label: t("conversations.question"), cell: (row) => html`<a class="row-link" lang="ko" href=${to(`conversations/${row.run_id}`)}>${row.query}</a><span class="sub clip" lang="ko">${row.answer}</span>` },
  { key: "created_at", label: t("conversations.time"), sort: true, cell: (row) => html`<time datetime=${row.created_at}>${moment(row.created_at)}</time>` },
  { key: "role", label: t("conversations.role"), sort: true, cell: (row) => roleOf(row.role) },
  { key: "tools", label: t("conversations.tools"), cell: (row) => (row.tools.length ? html`<span title=${row.tools.join(", ")}>${row.tools.map(titleOf).join(", ")}</span>` : html`<span class="hint">${t("conversations.no-tool")}</span>`) },
  { key: "took_ms", label: t("conversations.took"), align: "right", sort: true, cell: (row) => (row.took_ms ? duration(row.took_ms) : t("unknown")) },
  { key: "sources", label: t("conversations.sources"), align: "right", sort: true, cell: (row) => count(row.sources) },
  { key: "rating", label: t("conversations.marks"), sort: true, cell: (row) => html`<${Marks} turn=${row} />` },
];

export function List({ query }) {
  const sort = query.sort ?? "created_at", order = query.order ?? "desc", offset = Number(query.offset) || 0;
  const wanted = Object.fromEntries(NAMES.map((name) => [name, query[name]]));
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/conversations", { ...wanted, sort, order, offset, limit: LIMIT }), { signal }), [...Object.values(wanted), sort, order, offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const on = new Set((query.flag ?? "").split(",").filter(Boolean));
  const toggle = (flag, add) => {
    on[add ? "add" : "delete"](flag);
    filter({ flag: [...on].join(",") || null });
  };
  const facets = loaded.data?.facets ?? { roles: [], engines: [], tools: [], tags: [] };
  const filtered = NAMES.some((name) => query[name]);
  const named = (values, label = (id) => id) => values.map((id) => ({ id, label: label(id) }));
  const save = async () => {
    try {
      const file = await send("GET", withQuery("/api/admin/conversations/export.csv", wanted));
      download("conversations.csv", await file.text(), "text/csv");
    } catch (problem) {
      notify(problem.message || t("offline"));
    }
  };
  return html`<div class="page">
    <${PageHead} title=${t("nav.conversations")} hint=${t("conversations.hint")} />
    <div class="stack tight" role="search">
      <div class="toolbar">
        <${SearchBox} label=${t("conversations.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
        <${Select} label=${t("conversations.role")} value=${query.role} all=${t("conversations.all")} options=${named(["customer", "staff", "operator", "admin"], roleOf)} onChange=${(role) => filter({ role })} />
        <${Select} label=${t("conversations.tool")} value=${query.tool} all=${t("conversations.all")} options=${named([...new Set([...facets.tools, ...(query.tool ? [query.tool] : [])])], titleOf)} onChange=${(tool) => filter({ tool })} />
        ${facets.tags.length > 0 && html`<${Select} label=${t("conversations.tag")} value=${query.tag} all=${t("conversations.all")} options=${named(facets.tags)} onChange=${(tag) => filter({ tag })} />`}
        ${(facets.engines.length > 1 || query.engine) && html`<${Select} label=${t("conversations.engine")} value=${query.engine} all=${t("conversations.all")} options=${named(facets.engines)} onChange=${(engine) => filter({ engine })} />`}
        <span class="days"><${Day} label=${t("conversations.since")} value=${query.since} onChange=${(since) => filter({ since })} />
        <${Day} label=${t("conversations.until")} value=${query.until} onChange=${(until) => filter({ until })} /></span>
      </div>
      <div class="filters">
        ${FLAGS.map((flag) => html`<${Filter} key=${flag} on=${on.has(flag)} onToggle=${(add) => toggle(flag, add)}>${t(`conversations.${flag.replace("_", "-")}`)}<//>`)}
        ${on.has("slow") && html`<select class="slow" aria-label=${t("conversations.slow-from")} value=${query.slow_ms ?? "2000"} onchange=${(event) => filter({ slow_ms: event.target.value })}>
          ${SLOW.map((ms) => html`<option key=${ms} value=${ms} selected=${String(ms) === (query.slow_ms ?? "2000")}>${t("conversations.slow-ms", { time: duration(ms) })}</option>`)}</select>`}
        <${Filter} on=${query.rating === "down"} onToggle=${(add) => filter({ rating: add ? "down" : null })}>${t("conversations.rating.down")}<//>
        <${Filter} on=${query.rating === "up"} onToggle=${(add) => filter({ rating: add ? "up" : null })}>${t("conversations.rating.up")}<//>
        <${Filter} on=${query.verdict === "wrong"} onToggle=${(add) => filter({ verdict: add ? "wrong" : null })}>${t("conversations.verdict.wrong")}<//>
        ${filtered && html`<button type="button" class="link" onclick=${() => filter(Object.fromEntries(NAMES.map((name) => [name, null])))}>${t("filter.clear")}</button>`}
      </div>
    </div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t(filtered ? "page.none" : "conversations.none")}>${(data) => html`
      <${Grid} label=${t("nav.conversations")} columns=${columns()} rows=${data.turns} rowKey=${(row) => row.run_id}
        sort=${order === "desc" ? `-${sort}` : sort} onSort=${(next) => filter({ sort: next.replace("-", ""), order: next.startsWith("-") ? "desc" : "asc" })}
        page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} onSave=${save} />`}<//>
  </div>`;
}

// A day of the calendar; an exact moment, as links bring it, is shown as its day.
const Day = ({ label, value, onChange }) => html`<label class="field">${label}<input type="date" value=${(value ?? "").slice(0, 10)} onchange=${(event) => onChange(event.target.value || null)} /></label>`;

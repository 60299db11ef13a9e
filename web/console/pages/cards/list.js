// Every card: the version in force, who published it, a draft, lines near another card's.
import { get, withQuery } from "../../../shared/api.js";
import { ago, count } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter } from "../../forms.js";
import { PageHead, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";

const LIMIT = 50;
const ONLY = ["draft", "edited", "colliding"];

const columns = () => [
  { key: "title", label: t("cards.tool"), sort: true, text: (row) => `${row.title} (${row.tool})`, cell: (row) => html`<a class="row-link" href=${to(`cards/${row.tool}`)}>${row.title}</a><code class="sub">${row.tool}</code>` },
  { key: "module", label: t("cards.module"), sort: true },
  { key: "lines", label: t("cards.lines"), align: "right", sort: true, cell: (row) => count(row.lines) },
  { key: "collisions", label: t("cards.collisions"), align: "right", sort: true, cell: (row) => (row.collisions ? html`<${State} kind="warn">${t("cards.near", { count: count(row.collisions) })}<//>` : "0") },
  { key: "published_at", label: t("cards.version"), sort: true, text: (row) => (row.version ? `v${row.version}` : t("cards.file")),
    cell: (row) => (row.version ? html`${t("cards.version.of", { version: row.version })}<span class="sub">${row.author} · ${ago(row.published_at)}</span>` : html`<span class="hint">${t(row.has_own_card ? "cards.file" : "cards.none")}</span>`) },
  { key: "draft_at", label: t("cards.draft"), sort: true, text: (row) => row.draft_at ?? "",
    cell: (row) => (row.draft_at ? html`<${State}>${t("cards.draft.is")}<//><span class="sub">${row.draft_author} · ${ago(row.draft_at)}</span>` : html`<span class="hint">–</span>`) },
];

export function List({ query }) {
  const sort = query.sort ?? "module", order = query.order ?? "asc", offset = Number(query.offset) || 0;
  const wanted = { q: query.q, only: query.only, sort, order };
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/cards", { ...wanted, offset, limit: LIMIT }), { signal }), [...Object.values(wanted), offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  return html`<div class="page">
    <${PageHead} title=${t("nav.cards")} hint=${t("cards.hint")} />
    <div class="toolbar" role="search">
      <${SearchBox} label=${t("cards.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
      <div class="filters">${ONLY.map((id) => html`<${Filter} key=${id} on=${query.only === id} onToggle=${(on) => filter({ only: on ? id : null })}>${t(`cards.only.${id}`)}${loaded.data ? html` <span class="count">${count(loaded.data.counts[id])}</span>` : null}<//>`)}
        ${(query.q || query.only) && html`<button type="button" class="link" onclick=${() => filter({ q: null, only: null })}>${t("filter.clear")}</button>`}</div>
    </div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t("page.none")}>${(data) => html`
      <${Grid} label=${t("nav.cards")} columns=${columns()} rows=${data.cards} rowKey=${(row) => row.tool}
        sort=${order === "desc" ? `-${sort}` : sort} onSort=${(next) => filter({ sort: next.replace("-", ""), order: next.startsWith("-") ? "desc" : null })}
        page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })}
        csvRows=${async () => (await get(withQuery("/api/admin/cards", { ...wanted, limit: 1000 }))).cards} />`}<//>
  </div>`;
}

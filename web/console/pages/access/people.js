// Principals that asked something or whose acts were written down, the latest first.
import { get, withQuery } from "../../../shared/api.js";
import { ago, count, moment } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Select } from "../../forms.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";

const LIMIT = 50;
const KINDS = ["key", "token", "visitor", "local"];
const name = (person) => person.label ?? (person.id === "local" ? t("person.local") : person.id.slice(person.kind.length + 1));

const columns = () => [
  { key: "id", label: t("access.person"), text: (person) => person.id, cell: (person) => html`<span class="clipped">${name(person)}</span>${person.label && html`<code class="sub">${person.id}</code>`}` },
  { key: "kind", label: t("access.kind"), cell: (person) => t(`person.${person.kind}`) },
  { key: "role", label: t("access.role"), cell: (person) => (person.role ? t(`role.${person.role}`) : t("unknown")) },
  { key: "turns", label: t("access.turns"), align: "right", cell: (person) => count(person.turns) },
  { key: "acts", label: t("access.acts"), align: "right", cell: (person) => (person.acts ? html`<a href=${to("audit", { actor: person.id })}>${count(person.acts)}</a>` : "0") },
  { key: "last_at", label: t("access.last-seen"), cell: (person) => html`<time datetime=${person.last_at} title=${moment(person.last_at)}>${ago(person.last_at)}</time>` },
];

export function People({ query }) {
  const offset = Number(query.offset) || 0;
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/access/people", { q: query.q, kind: query.kind, offset, limit: LIMIT }), { signal }), [query.q, query.kind, offset]);
  return html`<div class="stack">
    <div class="toolbar" role="search"><${SearchBox} label=${t("access.find")} value=${query.q ?? ""} onSearch=${(q) => setQuery({ q, offset: null })} />
      <${Select} label=${t("access.kind")} value=${query.kind} all=${t("access.all")} options=${KINDS.map((id) => ({ id, label: t(`person.${id}`) }))} onChange=${(kind) => setQuery({ kind, offset: null })} /></div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t("page.none")}>${(data) => html`
      <${Grid} label=${t("access.tab.people")} columns=${columns()} rows=${data.people} page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })}
        csvRows=${async () => (await get(withQuery("/api/admin/access/people", { q: query.q, kind: query.kind, limit: 200 }))).people} />`}<//>
  </div>`;
}

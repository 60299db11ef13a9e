// Every tool with its calls, errors and hit rate; several are switched off or on at once.
import { get, withQuery } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { ago, count, percent, took } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter, Select } from "../../forms.js";
import { PageHead, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { SwitchDialog } from "./switch.js";

const LIMIT = 50;
const STATES = ["off", "failing", "unused"];
const hitShare = (row) => (row.hit ? row.hit.right / row.hit.asked : null);

// A number that leads to what it counts, for those who may see it.
const led = (place, values, text) => (atLeast("operator") ? html`<a href=${to(place, values)}>${text}</a>` : text);

const columns = () => [
  { key: "title", label: t("tools.tool"), sort: true, text: (row) => row.title,
    cell: (row) => html`<a class="row-link" lang="ko" href=${to(`tools/${row.name}`)}>${row.title}</a><code class="sub whole">${row.name}</code>` },
  { key: "module", label: t("tools.module"), sort: true, cell: (row) => html`${row.module}${row.source !== "builtin" && html`<span class="sub">${row.source}</span>`}` },
  { key: "card_version", label: t("tools.card"), text: (row) => row.card_version, cell: (row) => (row.card_version ? t("tools.card.version", { version: row.card_version }) : html`<span class="hint nowrap">${t("tools.card.file")}</span>`) },
  { key: "calls", label: t("tools.calls"), align: "right", sort: true, cell: (row) => (row.calls ? led("conversations", { tool: row.name }, count(row.calls)) : "0") },
  { key: "errors", label: t("tools.errors"), align: "right", sort: true, cell: (row) => (row.errors ? html`<span class="fault">${count(row.errors)} (${percent(row.errors / row.calls, 0)})</span>` : "0") },
  { key: "p95_ms", label: t("tools.p95.short"), align: "right", sort: true, cell: (row) => (row.p95_ms == null ? t("unknown") : took(row.p95_ms)) },
  { key: "hit", label: t("tools.hit"), align: "right", sort: true, text: hitShare,
    cell: (row) => (row.hit ? html`<span title=${t("tools.hit.title", row.hit)}>${led("evaluation", { run: row.hit.run_id }, percent(hitShare(row), 0))}</span>` : t("unknown")) },
  { key: "last_called_at", label: t("tools.last"), align: "right", sort: true, cell: (row) => (row.last_called_at ? ago(row.last_called_at) : t("unknown")) },
  { key: "off", label: t("tools.state"), cell: (row) => (row.off ? html`<${State} kind="warn">${t("tools.off")}<//>` : html`<${State} kind="good">${t("tools.on")}<//>`) },
];

export function List({ query }) {
  const [chosen, setChosen] = useState(new Set());
  const [switching, setSwitching] = useState(null);
  const sort = query.sort ?? "module", order = query.order ?? "asc", offset = Number(query.offset) || 0;
  const wanted = { q: query.q, module: query.module, state: query.state, sort, order };
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/tools", { ...wanted, offset, limit: LIMIT }), { signal }), [...Object.values(wanted), offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const filtered = query.q || query.module || query.state;
  return html`<div class="page">
    <${PageHead} title=${t("nav.tools")} hint=${t("tools.hint")} />
    <div class="toolbar" role="search">
      <${SearchBox} label=${t("tools.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
      <${Select} label=${t("tools.module")} value=${query.module} all=${t("tools.all")} options=${(loaded.data?.modules ?? []).map((id) => ({ id, label: id }))} onChange=${(module) => filter({ module })} />
      <div class="filters">${STATES.map((id) => html`<${Filter} key=${id} on=${query.state === id} onToggle=${(on) => filter({ state: on ? id : null })}>${t(`tools.only.${id}`)}<//>`)}
        ${filtered && html`<button type="button" class="link" onclick=${() => filter({ q: null, module: null, state: null })}>${t("filter.clear")}</button>`}</div>
    </div>
    ${chosen.size > 0 && html`<div class="chosen-bar" role="region" aria-label=${t("tools.chosen")}>
      <strong>${t("chosen", { count: chosen.size })}</strong>
      <button type="button" class="button small" onclick=${() => setSwitching({ off: true })}><${Icon} name="power" size=${16} />${t("tools.turn-off")}</button>
      <button type="button" class="button small" onclick=${() => setSwitching({ off: false })}><${Icon} name="check" size=${16} />${t("tools.turn-on")}</button>
      <button type="button" class="link" onclick=${() => setChosen(new Set())}>${t("chosen.clear")}</button></div>`}
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t("page.none")}>${(data) => html`
      <${Grid} dense label=${t("nav.tools")} columns=${columns()} rows=${data.tools} rowKey=${(row) => row.name} nameOf=${(row) => row.title}
        sort=${order === "desc" ? `-${sort}` : sort} onSort=${(next) => filter({ sort: next.replace("-", ""), order: next.startsWith("-") ? "desc" : null })}
        page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })}
        csvRows=${async () => (await get(withQuery("/api/admin/tools", { ...wanted, limit: 1000 }))).tools}
        chosen=${atLeast("operator") ? chosen : undefined} onChoose=${setChosen} />
      <p class="hint">${t("tools.note", { days: data.days, version: data.registry_version })}</p>`}<//>
    <${SwitchDialog} open=${!!switching} off=${switching?.off} tools=${(loaded.data?.tools ?? []).filter((row) => chosen.has(row.name))} onClose=${() => setSwitching(null)}
      onDone=${() => { setSwitching(null); setChosen(new Set()); loaded.reload(); }} />
  </div>`;
}

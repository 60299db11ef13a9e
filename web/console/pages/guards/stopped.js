// The list of what was stopped: filters in the address, pages by the server, a verdict at each line.
import { get, withQuery } from "../../../shared/api.js";
import { moment } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter, Select } from "../../forms.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { DEEDS, Deed, GUARDS, Verdict, deedOf, guardOf, scoreOf, whyOf } from "./telling.js";

const LIMIT = 50;
const NAMES = ["q", "guard", "did", "role", "judged", "since", "until"];
const JUDGED = ["open", "right", "wrong"];
const roleOf = (role) => (role ? t(`role.${role}`) : t("unknown"));
const each = (turn, cell) => html`<ul class="plain stops">${turn.stops.map((stop) => html`<li key=${stop.place}>${cell(stop)}</li>`)}</ul>`;
const joined = (turn, text) => turn.stops.map(text).join(" / ");

const columns = (judged) => [
  { key: "query", label: t("guards.text"), cell: (turn) => html`<a class="row-link clip-three" lang="ko" href=${to(`guards/${turn.run_id}`)}>${turn.query}</a>${turn.stops.filter((stop) => stop.text).map((stop) => html`<span class="sub clip" lang="ko" key=${stop.place}>“${stop.text}”</span>`)}` },
  { key: "created_at", label: t("guards.time"), cell: (turn) => html`<time class="nowrap" datetime=${turn.created_at}>${moment(turn.created_at)}</time>` },
  { key: "what", label: t("guards.what"), text: (turn) => joined(turn, (stop) => `${guardOf(stop.guard)} ${deedOf(stop.did)}`), cell: (turn) => each(turn, (stop) => html`<${Deed} stop=${stop} />`) },
  { key: "why", label: t("guards.why"), text: (turn) => joined(turn, whyOf), cell: (turn) => each(turn, (stop) => html`${whyOf(stop)}${stop.score != null && html`<span class="sub number">${scoreOf(stop)}</span>`}`) },
  { key: "role", label: t("guards.role"), cell: (turn) => roleOf(turn.role) },
  { key: "verdict", label: t("guards.verdict"), text: (turn) => joined(turn, (stop) => (stop.case ? t(`guards.verdict.${stop.case.verdict}`) : "")), cell: (turn) => each(turn, (stop) => html`<${Verdict} runId=${turn.run_id} stop=${stop} onJudged=${(kept) => judged(turn, stop, kept)} />`) },
];

export function Stopped({ query }) {
  const offset = Number(query.offset) || 0;
  const wanted = Object.fromEntries(NAMES.map((name) => [name, query[name]]));
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/guards", { ...wanted, offset, limit: LIMIT }), { signal }), [...Object.values(wanted), offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const filtered = NAMES.some((name) => query[name]);
  const options = (ids, label) => ids.map((id) => ({ id, label: label(id) }));
  // The line stays where it is, whatever it is filtered by: it can be judged again.
  const judged = (turn, stop, kept) => loaded.set({ ...loaded.data, turns: loaded.data.turns.map((other) => (other.run_id !== turn.run_id ? other : { ...other, stops: other.stops.map((one) => (one.place === stop.place ? { ...one, case: kept } : one)) })) });
  return html`<div class="stack">
    <div class="stack tight" role="search">
      <div class="toolbar">
        <${SearchBox} label=${t("guards.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
        <${Select} label=${t("guards.guard")} value=${query.guard} all=${t("guards.all")} options=${options(GUARDS, guardOf)} onChange=${(guard) => filter({ guard })} />
        <${Select} label=${t("guards.did")} value=${query.did} all=${t("guards.all")} options=${options(DEEDS, deedOf)} onChange=${(did) => filter({ did })} />
        <${Select} label=${t("guards.role")} value=${query.role} all=${t("guards.all")} options=${options(["customer", "staff", "operator", "admin"], roleOf)} onChange=${(role) => filter({ role })} />
        <span class="days"><label class="field">${t("guards.since")}<input type="date" value=${(query.since ?? "").slice(0, 10)} onchange=${(event) => filter({ since: event.target.value || null })} /></label>
        <label class="field">${t("guards.until")}<input type="date" value=${(query.until ?? "").slice(0, 10)} onchange=${(event) => filter({ until: event.target.value || null })} /></label></span>
      </div>
      <div class="filters">
        ${JUDGED.map((id) => html`<${Filter} key=${id} on=${query.judged === id} onToggle=${(on) => filter({ judged: on ? id : null })}>${t(`guards.judged.${id}`)}<//>`)}
        ${filtered && html`<button type="button" class="link" onclick=${() => filter(Object.fromEntries(NAMES.map((name) => [name, null])))}>${t("filter.clear")}</button>`}
      </div>
    </div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t(filtered ? "page.none" : "guards.none")}>${(data) => html`
      <${Grid} label=${t("guards.tab.stopped")} columns=${columns(judged)} rows=${data.turns} rowKey=${(turn) => turn.run_id}
        page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} />`}<//>
  </div>`;
}

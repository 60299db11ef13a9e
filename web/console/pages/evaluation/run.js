// One run: its measures, what was measured, and every case with the failing ones first.
import { get, withQuery } from "../../../shared/api.js";
import { count, moment } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter } from "../../forms.js";
import { PageHead, State, Tile } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { MEASURES, nameOf, rateOf, RunState, suiteName, told } from "./measures.js";
import { Progress } from "./runs.js";

const LIMIT = 50;
const back = { place: "evaluation", get label() { return t("nav.evaluation"); } };

export function Run({ id, query }) {
  const loaded = useLoaded((signal) => get(`/api/admin/evaluation/runs/${encodeURIComponent(id)}`, { signal }), [id]);
  const run = loaded.data;
  return html`<div class="page">
    <${PageHead} title=${run ? suiteName(run.suite) : t("nav.evaluation")} back=${back} hint=${run && html`${moment(run.started_at)} · ${run.started_by}${run.note && ` · ${run.note}`}`}>${run && html`<${RunState} run=${run} />`}<//>
    <${Loaded} of=${loaded}>${(data) => html`
      ${data.problem && html`<p class="notice warning">${data.problem}</p>`}
      ${data.status === "running" ? html`<${Progress} run=${data} onEnded=${loaded.reload} />` : html`
        <div class="tiles">${MEASURES.filter((measure) => data.rates[measure]).map((measure) => html`<${Tile} key=${measure} label=${nameOf(measure)} value=${told(rateOf(data, measure))} note=${interval(data.rates[measure])} />`)}</div>
        <p class="hint">${t("evaluation.measured", { version: data.under.registry_version, engine: data.under.engine, embedder: data.under.embedder })}${data.under.edited_cards?.length ? ` ${t("evaluation.edited.names", { names: data.under.edited_cards.join(", ") })}` : ""}${data.rates.left_out ? ` ${t("evaluation.left-out", { count: data.rates.left_out.n })}` : ""}</p>
        <${Outcomes} id=${id} query=${query} />`}`}<//>
  </div>`;
}

const interval = ({ low, high, n }) => t("evaluation.interval", { low: told(low), high: told(high), count: count(n) });

function Outcomes({ id, query }) {
  const only = ["all", "passing"].includes(query.only) ? query.only : "failing", offset = Number(query.offset) || 0;
  const wanted = { only, search: query.q, tool: query.tool };
  const address = `/api/admin/evaluation/runs/${encodeURIComponent(id)}/outcomes`;
  const loaded = useLoaded((signal) => get(withQuery(address, { ...wanted, offset, limit: LIMIT }), { signal }), [id, only, query.q, query.tool, offset]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const counts = loaded.data && { failing: loaded.data.failing, passing: loaded.data.passing, all: loaded.data.failing + loaded.data.passing };
  return html`<div class="stack">
    <div class="toolbar" role="search"><${SearchBox} label=${t("evaluation.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
      <div class="filters">${["failing", "passing", "all"].map((one) => html`<${Filter} key=${one} on=${only === one} onToggle=${() => filter({ only: one === "failing" ? null : one })}>${t(`evaluation.only.${one}`)}${counts ? html` <span class="count">${count(counts[one])}</span>` : null}<//>`)}
        ${query.tool && html`<${Filter} on onToggle=${() => filter({ tool: null })}>${query.tool} ×<//>`}</div></div>
    <${Loaded} of=${loaded} empty=${(data) => !data.total && (only === "failing" && !query.q ? t("evaluation.none-failing") : t("page.none"))}>${(data) => html`
      <${Grid} label=${t("evaluation.outcomes")} columns=${outcomeColumns()} rows=${data.outcomes} page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })}
        csvRows=${async () => (await get(withQuery(address, { ...wanted, limit: 2000 }))).outcomes} />`}<//>
  </div>`;
}

const names = (tools) => (tools.length ? tools.map((tool, place) => html`<code class="tool-code" key=${place}>${tool}</code> `) : html`<span class="hint">${t("evaluation.no-tool")}</span>`);
const reasonsOf = (one) => (one.kind === "dialogue" ? one.why : one.ok ? [] : [one.expected.length === 0 ? t("evaluation.why.called") : one.no_call ? t("evaluation.why.no-call") : one.rank ? t("evaluation.why.rank", { rank: one.rank }) : t("evaluation.why.lost")]);

// The columns of outcomes; compared ones bring `got_before`.
export const outcomeColumns = (compared = false) => [
  { key: "query", label: t("evaluation.question"), text: (one) => one.query, cell: (one) => html`${one.history?.length ? html`<span class="sub">${one.history.join(" → ")}</span>` : null}<a class="row-link" href=${to("routing", { q: one.query, before: one.history?.length ? one.history.join("\n") : null })}>${one.query}</a><span class="sub">${one.id}</span>` },
  { key: "expected", label: t("evaluation.expected"), text: (one) => one.expected.join(" / "), cell: (one) => html`${names(one.expected)}${one.expected_args?.filter((call) => Object.keys(call.args).length).map((call, place) => html`<span class="sub" key=${place}>${argsOf(call)}</span>`)}` },
  compared && { key: "got_before", label: t("evaluation.got.before"), text: (one) => one.got_before.join(", "), cell: (one) => names(one.got_before.slice(0, 1)) },
  { key: "got", label: t(compared ? "evaluation.got.after" : "evaluation.got"), text: (one) => one.got.join(", "), cell: (one) => html`${one.no_call ? html`<span class="hint">${t("evaluation.no-tool")}</span>` : names(one.kind === "dialogue" ? one.got : one.got.slice(0, 1))}${one.kind === "routing" && !one.no_call && one.got.length > 1 && html`<span class="sub">${one.got.slice(1, 3).join(", ")}</span>`}${one.got_args?.filter((call) => Object.keys(call.args).length).map((call, place) => html`<span class="sub" key=${place}>${argsOf(call)}</span>`)}` },
  { key: "ok", label: t("evaluation.result"), text: (one) => (one.ok ? "O" : "X"), cell: (one) => html`<${State} kind=${one.ok ? "good" : "bad"}>${t(one.ok ? "evaluation.right" : "evaluation.wrong")}<//>${reasonsOf(compared && one.ok ? { ...one, ok: true } : one).map((why) => html`<span class="sub" key=${why}>${why}</span>`)}` },
].filter(Boolean);

const argsOf = (call) => Object.entries(call.args).map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");

// How the service stands and what its turns come to; each number leads to the turns it counts.
import { atLeast } from "../../../shared/boot.js";
import { get, withQuery } from "../../../shared/api.js";
import { count, moment, percent, took } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { addWords, lang, t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Chart } from "../../../shared/ui/chart.js";
import { Segments } from "../../forms.js";
import { PageHead, Panel, State, Tile } from "../../frame.js";
import { Empty, Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const WINDOWS = ["day", "week", "month"];
const usd = new Intl.NumberFormat(lang === "en" ? "en-US" : "ko-KR", { style: "currency", currency: "USD", maximumFractionDigits: 4 });
const ms = (value) => (value == null ? t("unknown") : took(value));

export function Page({ query }) {
  const window = WINDOWS.includes(query.window) ? query.window : "day";
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/overview", { window }), { signal }), [window]);
  return html`<div class="page">
    <${PageHead} title=${t("nav.overview")} hint=${loaded.data ? t("overview.since", { since: moment(loaded.data.since) }) : t("overview.hint")}>
      <${Segments} label=${t("overview.window")} name="window" options=${WINDOWS.map((id) => ({ id, label: t(`window.${id}`) }))} chosen=${window} onChoose=${(id) => setQuery({ window: id === "day" ? null : id })} />
      <button type="button" class="button" onclick=${loaded.reload} disabled=${loaded.loading}><${Icon} name="again" size=${16} />${t("refresh")}</button>
    <//>
    <${Loaded} of=${loaded}>${(data) => html`
      <${Figures} data=${data} />
      ${data.turns.turns > 0 ? html`<div class="split even"><${Amounts} data=${data} /><${Times} data=${data} /></div>` : html`<${Empty} text=${t("overview.none")}><a class="button" href="/">${t("overview.ask")}</a><//>`}
      <div class="panels"><${Health} data=${data} /><${Engines} data=${data} /><${Index} data=${data} /></div>`}<//>
  </div>`;
}

function Figures({ data }) {
  const { turns } = data;
  const turnsOf = (values) => to("conversations", { since: data.since, ...values });
  const share = (part) => (turns.turns ? t("overview.share", { share: percent(part / turns.turns) }) : null);
  const waiting = data.waiting.approvals + data.waiting.handoffs;
  return html`<section class="tiles five" aria-label=${t("overview.figures")}>
    <${Tile} label=${t("overview.turns")} value=${count(turns.turns)} note=${t("overview.people", { count: count(turns.people) })} href=${turnsOf()} />
    <${Tile} label=${t("overview.p95")} value=${ms(turns.took.p95)} note=${t("overview.p50", { time: ms(turns.took.p50) })} href=${turnsOf({ sort: "took_ms" })} />
    <${Tile} label=${t("overview.first")} value=${ms(turns.first.p95)} note=${t("overview.p50", { time: ms(turns.first.p50) })} href=${turnsOf({ sort: "took_ms" })} />
    <${Tile} label=${t("overview.blocked")} value=${count(turns.blocked)} note=${share(turns.blocked)} href=${turnsOf({ flag: "blocked" })} />
    <${Tile} label=${t("overview.replaced")} value=${count(turns.replaced_text)} note=${share(turns.replaced_text)} href=${turnsOf({ flag: "replaced" })} />
    <${Tile} label=${t("overview.failed")} value=${count(turns.failed)} note=${share(turns.failed)} kind=${turns.failed ? "bad" : ""} href=${turnsOf({ flag: "failed" })} />
    <${Tile} label=${t("overview.down")} value=${count(turns.down)} note=${t("overview.up", { count: count(turns.up) })} href=${turnsOf({ rating: "down" })} />
    <${Tile} label=${t("overview.calls")} value=${count(data.calls.calls)} note=${t("overview.calls.errors", { count: count(data.calls.errors) })} href=${to("tools", data.calls.errors ? { state: "failing", sort: "errors", order: "desc" } : { sort: "calls", order: "desc" })} />
    <${Tile} label=${t("overview.cost")} value=${turns.cost_usd == null ? t("unknown") : usd.format(turns.cost_usd)} note=${turns.tokens ? t("overview.tokens", { count: count(turns.tokens) }) : t("overview.no-model")} href=${turnsOf(data.engines.length === 1 ? { engine: data.engines[0].engine } : {})} />
    <${Tile} label=${t("overview.waiting")} value=${count(waiting)} note=${t("overview.waiting.note", { approvals: count(data.waiting.approvals), handoffs: count(data.waiting.handoffs) })} kind=${waiting ? "warn" : ""} href=${to("approvals")} />
  </section>`;
}

// The steps of the window by their place, named by when they begin.
const clock = new Intl.DateTimeFormat(lang === "en" ? "en-GB" : "ko-KR", { hour: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(lang === "en" ? "en-US" : "ko-KR", { month: "numeric", day: "numeric" });
const named = (data) => (place) => {
  const start = new Date(data.series[place].start);
  return data.window === "day" ? clock.format(start) : data.window === "month" ? day.format(start) : `${day.format(start)} ${clock.format(start)}`;
};

function Amounts({ data }) {
  const points = data.series.map((part, place) => [place, part.turns]);
  const most = data.series.reduce((best, part) => (part.turns > best.turns ? part : best));
  return html`<${Chart} data=${{
    kind: "bar", title: t("overview.amounts"), x: { label: t("overview.time"), unit: "", text: named(data) }, y: { label: t("overview.turns"), unit: t("overview.turns.unit"), whole: true },
    series: [{ name: t("overview.turns"), points }], summary: t("overview.amounts.summary", { total: count(data.turns.turns), most: count(most.turns), at: moment(most.start) }),
  }} />`;
}

function Times({ data }) {
  const points = (name) => data.series.flatMap((part, place) => (part.took[name] == null ? [] : [[place, part.took[name]]]));
  return html`<${Chart} data=${{
    kind: "line", title: t("overview.times"), x: { label: t("overview.time"), unit: "", text: named(data), from: 0, to: data.series.length - 1 }, y: { label: t("overview.times.axis"), unit: "", text: took },
    series: [{ name: "p95", points: points("p95") }, { name: "p50", points: points("p50") }], dots: true, summary: t("overview.times.summary", { p50: ms(data.turns.took.p50), p95: ms(data.turns.took.p95) }),
  }} />`;
}

function Health({ data }) {
  const { health } = data;
  const good = health.status === "ok";
  return html`<${Panel} title=${t("overview.health")} actions=${html`<${State} kind=${good ? "good" : "bad"}>${t(good ? "overview.ok" : "overview.degraded")}<//>`}>
    <ul class="plain rows">${Object.entries(health.checks).map(([part, works]) => html`<li key=${part}><span>${t(`overview.part.${part}`)}</span><${State} kind=${works ? "good" : "bad"}>${t(works ? "overview.works" : "overview.down.part")}<//></li>`)}</ul>
    ${health.worker && html`<p class="hint">${t("overview.worker", { name: health.worker })}</p>`}
  <//>`;
}

function Engines({ data }) {
  const { health, engines } = data;
  return html`<${Panel} title=${t("overview.engine")} actions=${html`<code>${health.engine}</code>`}>
    ${engines.length ? html`<div class="table-scroll" tabindex="0" role="region" aria-label=${t("overview.engines")}><table class="data compact"><caption class="visually-hidden">${t("overview.engines")}</caption>
      <thead><tr><th scope="col">${t("overview.engine.name")}</th><th scope="col" class="right">${t("overview.turns")}</th><th scope="col" class="right">${t("overview.tokens.name")}</th><th scope="col" class="right">${t("overview.cost")}</th></tr></thead>
      <tbody>${engines.map((row) => html`<tr key=${row.engine}><th scope="row">${row.engine}</th><td class="right"><a href=${to("conversations", { since: data.since, engine: row.engine })}>${count(row.turns)}</a></td><td class="right">${row.tokens ? count(row.tokens) : t("unknown")}</td><td class="right">${row.cost_usd == null ? t("unknown") : usd.format(row.cost_usd)}</td></tr>`)}</tbody></table></div>`
    : html`<p class="hint">${t("overview.none")}</p>`}
    ${health.model ? html`<dl class="pairs">${Object.entries(health.model).filter(([, value]) => typeof value !== "object").map(([name, value]) => html`<dt key=${name}>${name}</dt><dd>${String(value)}</dd>`)}</dl>` : html`<p class="hint">${t("overview.embedded")}</p>`}
  <//>`;
}

function Index({ data }) {
  const { health, tools } = data;
  const link = (place, text, values) => html`<a href=${to(place, values)}>${text}</a>`;
  return html`<${Panel} title=${t("overview.index")}>
    <dl class="pairs">
      <dt>${t("overview.tools")}</dt><dd>${link("tools", t("overview.tools.count", { count: count(tools.count) }))}${tools.off > 0 && html` · ${link("tools", t("overview.tools.off", { count: count(tools.off) }), { state: "off" })}`}</dd>
      <dt>${t("overview.version")}</dt><dd>${atLeast("admin") ? link("reload", tools.registry_version) : tools.registry_version}</dd>
      <dt>${t("overview.documents")}</dt><dd>${link("documents", t("overview.documents.count", { documents: count(health.documents.documents), chunks: count(health.documents.chunks) }))}</dd>
      <dt>${t("overview.embedding")}</dt><dd><code>${health.vector_store.embedding_model}</code></dd>
      <dt>${t("overview.calibration")}</dt><dd>${t("overview.calibration.values", { no_call: health.calibration.no_call.toFixed(2), domain: health.calibration.domain.toFixed(2) })}</dd>
    </dl>
  <//>`;
}

// What came of one trial, step by step: guard, question, candidates with the say of each source, calls, times.
import { duration, percent } from "../../../shared/format.js";
import { cx, html } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Panel, State } from "../../frame.js";
import { to } from "../../router.js";

const SOURCES = ["head", "keyword", "embedding", "graph", "annotation"];

// `beside`: the other trial, whose ranks are compared; `titles`: tool name → Korean name.
export function Result({ title, found, beside, titles }) {
  const others = beside && new Map(beside.candidates.map((one) => [one.tool, one.rank]));
  const called = new Set(found.planned.calls.map((one) => one.tool));
  return html`<${Panel} title=${title} actions=${html`<span class="hint number">${duration(found.times.understood_ms + found.times.planned_ms)}</span>`}>
    <ol class="steps">
      <li><h3>${t("routing.guard")}</h3><div><${Guard} guard=${found.guard} /></div></li>
      <li><h3>${t("routing.rewritten")}</h3><div>${found.rewritten_query ? html`<p class="rewritten">${found.rewritten_query}</p>` : html`<p class="hint">${t("routing.as-asked")}</p>`}
        ${found.entities.length > 0 && html`<p class="chips">${found.entities.map((one, place) => html`<span class="badge" key=${place} title=${t("routing.entity", { confidence: percent(one.confidence, 0) })}>${hasWords(`routing.kind.${one.kind}`) ? `${t(`routing.kind.${one.kind}`)}: ` : ""}${one.text}</span>`)}</p>`}</div></li>
      <li><h3>${t("routing.candidates")}</h3><div>
        <p class="hint">${found.no_call ? html`<${State} kind="warn">${t("routing.no-call")}<//>` : html`<${State}>${t("routing.call")}<//>`} ${t("routing.no-call.score", { share: percent(found.no_call_score) })} · ${t("routing.route.ms", { time: duration(found.times.route_ms) })}</p>
        <ol class="candidates">${found.candidates.map((one) => html`<${Candidate} key=${one.tool} one=${one} best=${found.candidates[0].score} was=${others?.get(one.tool)} compared=${!!others} called=${called.has(one.tool)} title=${titles.get(one.tool)} />`)}</ol></div></li>
      <li><h3>${t("routing.planned")}</h3><div><${Planned} planned=${found.planned} titles=${titles} engine=${found.engine} /></div></li>
      <li><h3>${t("routing.times")}</h3><dl class="times number">
        ${[["history", "history_ms"], ["understood", "understood_ms"], ["planned", "planned_ms"]].filter(([, key]) => found.times[key] >= 1).map(([name, key]) => html`<div key=${name}><dt>${t(`routing.time.${name}`)}</dt><dd>${duration(found.times[key])}</dd></div>`)}</dl></li>
    </ol><//>`;
}

function Guard({ guard }) {
  if (guard.input === "pass") return html`<p><${State} kind="good">${t("routing.passed")}<//> <span class="hint">${t("routing.outside", { share: percent(guard.domain_score) })}</span></p>`;
  return html`<p><${State} kind="bad">${t("routing.blocked", { layer: guard.layer })}<//> <span class="hint">${guard.reason ? html`<code>${guard.reason}</code> ` : ""}${t("routing.outside", { share: percent(guard.domain_score) })}</span></p>`;
}

function Candidate({ one, best, was, compared, called, title }) {
  const moved = compared && was !== one.rank;
  return html`<li class=${cx(called && "called")}>
    <p class="candidate-head"><span class="rank number">${one.rank}</span><a href=${to(`tools/${one.tool}`)}>${title ?? one.tool}</a><code>${one.tool}</code>
      ${moved && html`<span class=${was === undefined || was > one.rank ? "better" : "worse"}>${was === undefined ? t("routing.rank.new") : t("routing.rank.other", { rank: was })}</span>`}
      ${called && html`<${State} kind="good">${t("routing.called")}<//>`}<span class="score number">${one.score.toFixed(3)}</span></p>
    <meter min="0" max=${best || 1} value=${one.score} aria-label=${t("routing.score", { score: one.score.toFixed(3) })}></meter>
    <p class="matched">“${one.matched}”</p>
    <dl class="sources">${SOURCES.filter((name) => one.sources[name]).map((name) => html`<div key=${name} class=${cx(one.sources[name].rank === 1 && "first")}><dt>${t(`routing.source.${name}`)}</dt><dd class="number">${t("routing.rank", { rank: one.sources[name].rank })} <span>${one.sources[name].score.toFixed(2)}</span></dd></div>`)}</dl></li>`;
}

function Planned({ planned, titles, engine }) {
  if (planned.fault) return html`<p class="fault">${planned.fault}</p>`;
  return html`${planned.calls.map((one, place) => html`<div class="planned" key=${place}>
      <p><strong>${titles.get(one.tool) ?? one.tool}</strong> <code>${one.tool}</code> ${one.needs_approval && html`<${State} kind="warn">${t("routing.approval")}<//>`}</p>
      ${Object.keys(one.args).length ? html`<dl class="pairs">${Object.entries(one.args).map(([name, value]) => html`<dt key=${`${name}-name`}><code>${name}</code></dt><dd key=${name}>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}</dl>` : html`<p class="hint">${t("routing.no-args")}</p>`}</div>`)}
    ${!planned.calls.length && html`<p class="hint">${t(planned.needs_input.length ? "routing.asks-back" : "routing.no-calls")}</p>${planned.answer && html`<p class="answer">${planned.answer}</p>`}`}
    <p class="hint">${t("routing.engine", { engine })}</p>`;
}

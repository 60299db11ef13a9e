// The runs of a suite: start one, watch it, see how the measures went, choose two to compare.
import { call, get, withQuery } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { count, moment, sameDay, time } from "../../../shared/format.js";
import { cx, html, useEffect, useState } from "../../../shared/html.js";
import { lang, t } from "../../../shared/i18n.js";
import { Chart } from "../../../shared/ui/chart.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { Grid } from "../../../shared/ui/grid.js";
import { notify } from "../../../shared/ui/live.js";
import { Empty, Loaded, Refused, useLoaded } from "../../load.js";
import { navigate, setQuery, to } from "../../router.js";
import { MEASURES, nameOf, rateOf, RunState, suiteName, told } from "./measures.js";

const LIMIT = 20, POLL_MS = 1000, PLOTTED = 60;
const day = new Intl.DateTimeFormat(lang === "en" ? "en-US" : "ko-KR", { month: "numeric", day: "numeric" });

export function Runs({ query }) {
  const suites = useLoaded((signal) => get("/api/admin/evaluation/suites", { signal }), []);
  return html`<${Loaded} of=${suites}>${(data) => {
    const suite = data.suites.some((one) => one.id === query.suite) ? query.suite : data.suites[0]?.id;
    return html`<ul class="suites">${data.suites.map((one) => html`<li key=${one.id}><button type="button" class=${cx("suite", one.id === suite && "on")} aria-pressed=${String(one.id === suite)} onclick=${() => setQuery({ suite: one.id, offset: null })}>
        <strong>${suiteName(one.id)}</strong><span class="hint">${t(`evaluation.size.${one.kind}`, { count: one.total, total: count(one.total) })}</span></button></li>`)}</ul>
      <${OfSuite} key=${suite} suite=${data.suites.find((one) => one.id === suite)} engine=${data.engine} query=${query} onSized=${suites.reload} />`;
  }}<//>`;
}

function OfSuite({ suite, engine, query }) {
  const offset = Number(query.offset) || 0;
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/evaluation/runs", { suite: suite.id, offset, limit: LIMIT }), { signal }), [suite.id, offset]);
  const history = useLoaded((signal) => get(withQuery("/api/admin/evaluation/runs", { suite: suite.id, limit: PLOTTED }), { signal }), [suite.id]);
  const [note, setNote] = useState("");
  const [fault, setFault] = useState(null);
  const [busy, setBusy] = useState(false);
  const [chosen, setChosen] = useState(new Set());
  const [removing, setRemoving] = useState(null);
  const running = loaded.data?.runs.find((run) => run.status === "running");
  const refresh = () => { loaded.reload(); history.reload(); };
  const attempt = async (work) => {
    setBusy(true);
    setFault(null);
    try {
      await work();
      refresh();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  const start = () => attempt(async () => {
    await call("POST", "/api/admin/evaluation/runs", { suite: suite.id, note: note.trim() });
    setNote("");
    if (offset) setQuery({ offset: null });
  });
  const remove = () => { const run = removing; setRemoving(null); attempt(async () => { await call("DELETE", `/api/admin/evaluation/runs/${run.id}`); notify(t("evaluation.removed")); }); };
  const measures = MEASURES.filter((measure) => loaded.data?.runs.some((run) => rateOf(run, measure) !== null));
  const columns = [
    { key: "started_at", label: t("evaluation.when"), text: (run) => run.started_at, cell: (run) => html`<a class="row-link" href=${to("evaluation", { run: run.id })}>${moment(run.started_at)}</a>${run.note && html`<span class="sub">${run.note}</span>`}` },
    { key: "status", label: t("evaluation.state"), text: (run) => t(`evaluation.status.${run.status}`), cell: (run) => html`<${RunState} run=${run} /><span class="sub">${run.status === "done" ? t("evaluation.cases.of", { done: count(run.done) }) : `${count(run.done)}/${count(run.total)}`}</span>` },
    ...measures.map((measure) => ({ key: measure, label: nameOf(measure), align: "right", text: (run) => rateOf(run, measure) ?? "", cell: (run) => told(rateOf(run, measure)) })),
    { key: "under", label: t("evaluation.under"), text: (run) => `v${run.under.registry_version} ${run.under.engine}`, cell: (run) => html`${t("evaluation.version", { version: run.under.registry_version })}<span class="sub">${run.under.edited_cards?.length ? t("evaluation.edited", { count: run.under.edited_cards.length }) : t("evaluation.unedited")}</span>` },
    { key: "started_by", label: t("evaluation.by") },
    atLeast("admin") && { key: "remove", label: t("evaluation.action"), text: () => "", cell: (run) => (run.status === "running" ? "" : html`<button type="button" class="link" onclick=${() => setRemoving(run)}>${t("remove")}</button>`) },
  ].filter(Boolean);
  return html`<div class="stack">
    <form class="toolbar" onsubmit=${(event) => { event.preventDefault(); start(); }}>
      <label class="field start-note">${t("evaluation.note")}<input maxlength="300" value=${note} placeholder=${t("evaluation.note.say")} oninput=${(event) => setNote(event.target.value)} /></label>
      <button class="button primary" disabled=${busy || !!running || !suite.total}>${t("evaluation.start")}</button>
      ${chosen.size === 2 && html`<button type="button" class="button" onclick=${() => compare(chosen, loaded.data.runs)}>${t("evaluation.compare")}</button>`}
      ${chosen.size > 0 && chosen.size !== 2 && html`<span class="hint">${t("evaluation.choose-two")}</span>`}
    </form>
    ${engine !== "embedded-planner" && suite.kind !== "routing" && html`<p class="notice warning">${t("evaluation.costs", { engine })}</p>`}
    ${!suite.total && html`<p class="hint">${t("evaluation.empty-suite")}</p>`}
    ${fault && html`<${Refused} error=${fault} />`}
    ${running && html`<${Progress} run=${running} onEnded=${refresh} />`}
    ${history.data && html`<${History} runs=${history.data.runs} suite=${suite.id} />`}
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t("evaluation.no-runs")}>${(data) => html`
      <${Grid} label=${`${t("nav.evaluation")} ${suiteName(suite.id)}`} columns=${columns} rows=${data.runs} nameOf=${(run) => moment(run.started_at)}
        chosen=${chosen} onChoose=${setChosen} page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} />`}<//>
    <${Confirm} open=${!!removing} title=${t("evaluation.remove")} effect=${removing ? t("evaluation.remove.effect", { time: moment(removing.started_at) }) : ""} typed=${t("evaluation.remove.word")} action=${t("remove")} onYes=${remove} onClose=${() => setRemoving(null)} />
  </div>`;
}

// The older one of two first.
function compare(chosen, runs) {
  const [after, before] = runs.filter((run) => chosen.has(run.id)).map((run) => run.id);
  navigate("evaluation", { run: before, with: after });
}

export function Progress({ run: first, onEnded }) {
  const [run, setRun] = useState(first);
  const [asked, setAsked] = useState(first.stop_asked);
  useEffect(() => {
    let timer = 0, gone = false;
    const look = async () => {
      try {
        const now = await get(`/api/admin/evaluation/runs/${first.id}`);
        if (gone) return;
        setRun(now);
        if (now.status !== "running") return onEnded();
      } catch {
        // looked at again in a moment; the list tells what is wrong
      }
      timer = setTimeout(look, POLL_MS);
    };
    timer = setTimeout(look, POLL_MS);
    return () => { gone = true; clearTimeout(timer); };
  }, [first.id]);
  const stop = async () => {
    setAsked(true);
    await call("POST", `/api/admin/evaluation/runs/${first.id}/stop`).catch(onEnded);
  };
  return html`<div class="running" role="group" aria-label=${t("evaluation.running")}>
    <p><span class="spinner" aria-hidden="true"></span><strong>${t("evaluation.running")}</strong> <span class="hint number" role="status">${t("evaluation.progress", { done: count(run.done), total: count(run.total) })}</span></p>
    <progress max=${run.total} value=${run.done} aria-label=${t("evaluation.running")}></progress>
    <button type="button" class="button small" disabled=${asked} onclick=${stop}>${t(asked ? "evaluation.stopping" : "evaluation.stop")}</button></div>`;
}

// How the measures went over the last runs that were gone through to the end.
function History({ runs, suite }) {
  const ended = runs.filter((run) => run.status === "done").reverse();
  const measures = MEASURES.filter((measure) => ended.some((run) => rateOf(run, measure) !== null));
  if (ended.length < 2) return null;
  const share = (run, measure) => Math.round(rateOf(run, measure) * 1000) / 10;
  const least = Math.min(...ended.flatMap((run) => measures.filter((measure) => rateOf(run, measure) !== null).map((measure) => share(run, measure))));
  const oneDay = sameDay(ended[0].started_at, ended.at(-1).started_at);
  const when = (at) => (oneDay ? time(ended[at].started_at) : day.format(new Date(ended[at].started_at)));
  const groups = [measures.slice(0, 4), measures.slice(4)].filter((group) => group.length);
  return html`<div class="panels">${groups.map((group, place) => html`<${Chart} key=${`${suite}-${place}`} data=${{
    kind: "line", dots: true, title: t("evaluation.over-time", { measures: group.map(nameOf).join(", ") }),
    x: { label: t("evaluation.when"), unit: "", text: when }, y: { label: t("evaluation.share"), unit: "%", from: least >= 60 ? 50 : 0, to: 100 },
    series: group.map((measure) => ({ name: nameOf(measure), points: ended.flatMap((run, at) => (rateOf(run, measure) === null ? [] : [[at, share(run, measure)]])) })),
    summary: t("evaluation.summary", { count: ended.length, measures: group.map((measure) => `${nameOf(measure)} ${told(rateOf(ended.at(-1), measure))}`).join(", ") }),
  }} />`)}</div>`;
}

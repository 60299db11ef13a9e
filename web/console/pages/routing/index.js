// The routing playground: one question, tried without a trace, by the cards in force and beside them by another card.
import { call, get, withQuery } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { html, useEffect, useRef, useState } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { composing } from "../../../shared/keys.js";
import { Icon, IconButton } from "../../../shared/ui/icons.js";
import { PageHead } from "../../frame.js";
import { Empty, Refused, useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";
import { Against, against, nameOf } from "./against.js";
import ko from "./ko.json";
import { Result } from "./result.js";
import "./routing.css";
import { SaveCase } from "./savecase.js";

await addWords(ko, () => import("./en.json"));

const ROLES = ["customer", "staff", "operator", "admin"];
const MOST_EARLIER = 10;

export function Page({ query }) {
  const [asked, setAsked] = useState({ query: query.q ?? "", history: query.before ? query.before.split("\n") : [] });
  const [state, setState] = useState({ data: null, error: null, busy: false });
  const [saving, setSaving] = useState(false);
  const latest = useRef(null);
  const tools = useLoaded(async (signal) => (await get(withQuery("/api/admin/tools", { limit: 1000, sort: "title" }), { signal })).tools, []);
  const role = ROLES.includes(query.role) && atLeast(query.role) ? query.role : "customer";
  const other = atLeast("operator") ? against(query) : null;

  const run = async (wanted) => {
    if (!wanted.query.trim()) return;
    latest.current?.abort();
    const own = (latest.current = new AbortController());
    setState((before) => ({ ...before, busy: true, error: null }));
    const history = wanted.history.map((line) => line.trim()).filter(Boolean);
    try {
      const data = await call("POST", "/api/admin/routing/try", { query: wanted.query.trim(), history, role, ...(other && { against: other }) }, { signal: own.signal });
      setState({ data: { ...data, query: wanted.query.trim(), history, other }, error: null, busy: false });
    } catch (error) {
      if (error.name !== "AbortError") setState({ data: null, error, busy: false });
    }
  };
  // What the address names is tried at once: a link to a trial shows the trial.
  useEffect(() => {
    run(asked);
    return () => latest.current?.abort();
  }, [role, other?.tool, other?.version]);
  const submit = () => {
    setQuery({ q: asked.query.trim() || null, before: asked.history.filter(Boolean).join("\n") || null });
    run(asked);
  };
  const setEarlier = (place, text) => setAsked({ ...asked, history: asked.history.map((line, at) => (at === place ? text : line)) });
  const titles = new Map((tools.data ?? []).map((tool) => [tool.name, tool.title]));
  return html`<div class="page">
    <${PageHead} title=${t("nav.routing")} hint=${t("routing.hint")} />
    <form class="panel try" onsubmit=${(event) => { event.preventDefault(); submit(); }}>
      ${asked.history.length > 0 && html`<ol class="earlier" aria-label=${t("routing.earlier")}>${asked.history.map((line, place) => html`<li key=${place}><${Icon} name="chat" size=${16} />
        <input value=${line} aria-label=${t("routing.earlier.of", { number: place + 1 })} placeholder=${t("routing.earlier.say")} oninput=${(event) => setEarlier(place, event.target.value)} />
        <${IconButton} icon="close" size=${16} label=${t("routing.earlier.remove", { number: place + 1 })} onclick=${() => setAsked({ ...asked, history: asked.history.filter((_, at) => at !== place) })} /></li>`)}</ol>`}
      <label class="visually-hidden" for="try-question">${t("routing.question")}</label>
      <textarea id="try-question" rows="2" maxlength="5000" placeholder=${t("routing.question.say")} value=${asked.query} oninput=${(event) => setAsked({ ...asked, query: event.target.value })}
        onkeydown=${(event) => { if (event.key === "Enter" && !event.shiftKey && !composing(event) && !event.repeat) { event.preventDefault(); submit(); } }}></textarea>
      <div class="toolbar">
        <button type="button" class="button small" disabled=${asked.history.length >= MOST_EARLIER} onclick=${() => setAsked({ ...asked, history: [...asked.history, ""] })}><${Icon} name="plus" size=${16} />${t("routing.earlier.add")}</button>
        <label class="field">${t("routing.role")}<select value=${role} onchange=${(event) => setQuery({ role: event.target.value === "customer" ? null : event.target.value })}>
          ${ROLES.filter(atLeast).map((id) => html`<option key=${id} value=${id} selected=${id === role}>${t(`role.${id}`)}</option>`)}</select></label>
        ${atLeast("operator") && html`<${Against} query=${query} tools=${tools.data ?? []} />`}
        <button class="button primary spread" disabled=${state.busy || !asked.query.trim()}>${t(state.busy ? "routing.trying" : "routing.try")}</button>
      </div>
    </form>
    ${state.error && html`<${Refused} error=${state.error} onRetry=${() => run(asked)} />`}
    ${state.data ? html`
      <div class="result-head"><p><strong>${state.data.query}</strong>${state.data.history.length > 0 && html` <span class="hint">${t("routing.after", { count: state.data.history.length })}</span>`}</p>
        ${atLeast("operator") && html`<button type="button" class="button small" onclick=${() => setSaving(true)}><${Icon} name="plus" size=${16} />${t("routing.save")}</button>`}</div>
      <div class=${state.data.against ? "split results" : "results"} aria-busy=${String(state.busy)}>
        <${Result} title=${t("routing.now")} found=${state.data.now} beside=${state.data.against} titles=${titles} />
        ${state.data.against && html`<${Result} title=${nameOf(state.data.other, titles)} found=${state.data.against} beside=${state.data.now} titles=${titles} />`}
      </div>
      <${SaveCase} open=${saving} onClose=${() => setSaving(false)} tried=${state.data} tools=${tools.data ?? []} />`
      : !state.busy && !state.error && html`<${Empty} text=${t("routing.empty")}><p class="actions">${["example.one", "example.two", "example.three"].map((key) => html`<button key=${key} type="button" class="filter" onclick=${() => { const next = { query: t(`routing.${key}`), history: [] }; setAsked(next); setQuery({ q: next.query, before: null }); run(next); }}>${t(`routing.${key}`)}</button>`)}</p><//>`}
    ${state.busy && !state.data && html`<p class="waiting" role="status"><span class="spinner" aria-hidden="true"></span>${t("routing.trying")}</p>`}
  </div>`;
}

// A figure of a proposal, and where it comes from: the sum step by step, the calls with their arguments, the clause.
import { call as post, Problem } from "../../shared/api.js";
import { boot } from "../../shared/boot.js";
import { age, count, shown as inWords, won } from "../../shared/format.js";
import { html, signal, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Dialog } from "../../shared/ui/dialog.js";
import { Icon } from "../../shared/ui/icons.js";
import { proposal } from "../proposals.js";
import { Page } from "../sources.js";
import { isStaff, productName, toolTitle } from "../state.js";
import { argumentName } from "./words.js";

const looked = signal(null);

// `calls`: ids of the proposal's sources, of which those count whose tool tells one of `about`; `of`: the figure's place,
// for its derivation; `parts`: what a total adds up; `clause`: words by which the documents are searched for its ground.
export function Figure({ label, words, calls = [], about = [], of = null, parts = null, total = null, clause = null }) {
  if (!calls.length && !parts?.length) return html`<span class="number">${words}</span>`;
  const look = () => (looked.value = { label, words, calls, about, of, parts, total, clause });
  return html`<button type="button" class="figure number" aria-haspopup="dialog" aria-label=${t("proposal.figure", { label, words })} onclick=${look}>${words}</button>`;
}

// The ground of something that is no figure.
export function Why({ label, calls, about, clause }) {
  const look = () => (looked.value = { label, words: null, calls, about, clause });
  return html`<button type="button" class="why" aria-haspopup="dialog" aria-label=${t("proposal.why", { label })} title=${t("proposal.ground")} onclick=${look}><${Icon} name="book" size=${15} /></button>`;
}

export function FigureDialog() {
  const asked = looked.value;
  const title = asked ? [asked.label, asked.words].filter(Boolean).join(": ") : "";
  return html`<${Dialog} open=${!!asked} onClose=${() => (looked.value = null)} title=${title} back=${true}>
    ${asked && html`<${Ground} key=${title} asked=${asked} />`}<//>`;
}

const SIGNS = { sum: "+", difference: "−", product: "×", quotient: "÷" };
const tools = boot.advice?.tools ?? {};

function Ground({ asked: { calls, about = [], of, parts, total, clause } }) {
  const told = proposal.value;
  const wanted = new Set(about.map((name) => tools[name]));
  const every = calls.map((id) => ({ id, ...told?.sources[id] })).filter((call) => call.tool);
  const own = every.filter((call) => wanted.has(call.tool));
  const known = own.length ? own : every;
  const steps = told?.derivations.filter((item) => item.of === of) ?? [];
  return html`<div class="ground">
    ${parts?.length > 0 && html`<table class="sum number"><caption class="visually-hidden">${t("proposal.sum")}</caption><tbody>
      ${parts.map((part, index) => html`<tr key=${index}><th scope="row" lang="ko">${part.label}</th><td>${won(part.amount)}</td></tr>`)}
      <tr class="total"><th scope="row">${t("proposal.total")}</th><td>${won(total)}</td></tr></tbody></table>`}
    ${!parts && steps.length > 0 && html`<ol class="plain number">${steps.map((step, index) => html`<li key=${index}>${[...step.figures, ...step.counts].map(count).join(` ${SIGNS[step.operation]} `)} = ${count(step.result)}</li>`)}</ol>`}
    ${known.map((call) => html`<${Call} key=${call.id} call=${call} />`)}
    ${clause && html`<${Clause} query=${clause} />`}
    <p class="hint">${t("proposal.ground.note")}</p>
  </div>`;
}

// Customers see the arguments that have words; staff see every one, and the tool's name.
function Call({ call }) {
  const given = Object.entries(call.args).map(([name, value]) => ({ name, words: argumentName(name), value }))
    .filter(({ words, value }) => value !== null && value !== "" && (isStaff || words));
  return html`<section class="call"><h3 lang="ko">${call.title || toolTitle(call.tool)}${isStaff && html` <code>${call.tool}</code>`}</h3>
    ${given.length > 0 && html`<dl class="facts-list">${given.map(({ name, words, value }) => html`<div key=${name}><dt>${words ?? html`<code>${name}</code>`}</dt><dd lang="ko">${valueWords(name, value)}</dd></div>`)}</dl>`}
    ${call.basis && html`<p class="basis" lang="ko">${call.basis}</p>`}</section>`;
}

function valueWords(name, value) {
  if (Array.isArray(value)) return value.map((item) => valueWords(name, item)).join(", ");
  if (value === "M" || value === "F") return t(`gender.${value}`);
  if (typeof value === "string") return productName(value);
  if (name === "age") return age(value);
  return /amount|sum|budget|premium/.test(name) ? won(value) : inWords(value);
}

// The passage of the documents that the words lead to, with its page: looked up at a press.
function Clause({ query }) {
  const [state, setState] = useState("closed");
  const [found, setFound] = useState(null);
  const look = async () => {
    setState("busy");
    try {
      const { results } = await post("POST", "/api/documents/search", { query, topK: 1 });
      const [best] = results;
      setFound(best && { document_id: best.documentId, chunk_id: best.chunkId, title: best.title, heading_path: best.headingPath, page: best.page, snippet: best.snippet });
      setState("open");
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      setState("refused");
    }
  };
  if (state === "open") return html`<section aria-label=${t("proposal.clause")}>${found ? html`<${Page} source=${found} />` : html`<p class="notice">${t("proposal.clause.none")}</p>`}</section>`;
  return html`${state === "refused" && html`<p class="fault" role="alert">${t("offline")}</p>`}
    <p class="actions"><button type="button" class="button small" aria-disabled=${state === "busy" ? "true" : undefined} onclick=${look}><${Icon} name="book" size=${16} />${t("proposal.clause.look")}</button></p>`;
}

// A figure of a proposal, and where it comes from: the sum step by step, the calls with their arguments, what they rest on.
import { count, shown as inWords, won } from "../../shared/format.js";
import { html, signal } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Dialog } from "../../shared/ui/dialog.js";
import { proposal } from "../proposals.js";
import { isStaff, productName, toolTitle } from "../state.js";
import { argumentName } from "./words.js";

const looked = signal(null);

// `calls`: ids of the proposal's sources; `of`: the figure's place, for its derivation; `parts`: what a total adds up.
export function Figure({ label, words, calls = [], of = null, parts = null, total = null }) {
  if (!calls.length && !parts?.length) return html`<span class="number">${words}</span>`;
  return html`<button type="button" class="figure number" aria-haspopup="dialog" aria-label=${t("proposal.figure", { label, words })} onclick=${() => (looked.value = { label, words, calls, of, parts, total })}>${words}</button>`;
}

export function FigureDialog() {
  const asked = looked.value;
  return html`<${Dialog} open=${!!asked} onClose=${() => (looked.value = null)} title=${asked ? `${asked.label}: ${asked.words}` : ""} back=${true}>
    ${asked && html`<${Ground} ...${asked} />`}<//>`;
}

const SIGNS = { sum: "+", difference: "−", product: "×", quotient: "÷" };

function Ground({ calls, of, parts, total }) {
  const told = proposal.value;
  const known = calls.map((id) => ({ id, ...told?.sources[id] })).filter((call) => call.tool);
  const reckoned = told?.derivations.find((item) => item.of === of);
  return html`<div class="ground">
    ${parts?.length > 0 && html`<table class="sum number"><caption class="visually-hidden">${t("proposal.sum")}</caption><tbody>
      ${parts.map((part, index) => html`<tr key=${index}><th scope="row" lang="ko">${part.label}</th><td>${won(part.amount)}</td></tr>`)}
      <tr class="total"><th scope="row">${t("proposal.total")}</th><td>${won(total)}</td></tr></tbody></table>`}
    ${reckoned && !parts && html`<p class="number">${reckoned.figures.map(count).join(` ${SIGNS[reckoned.operation] ?? "·"} `)} = ${count(reckoned.result)}</p>`}
    ${known.map((call) => html`<${Call} key=${call.id} call=${call} />`)}
    <p class="hint">${t("proposal.ground.note")}</p>
  </div>`;
}

// Customers see the arguments that have words; staff see every one, and the tool's name.
function Call({ call }) {
  const given = Object.entries(call.args).map(([name, value]) => ({ name, words: argumentName(name), value }))
    .filter(({ words, value }) => value !== null && value !== "" && (isStaff || words));
  return html`<section class="call"><h3 lang="ko">${call.title || toolTitle(call.tool)}${isStaff && html` <code>${call.tool}</code>`}</h3>
    ${given.length > 0 && html`<dl class="facts-list">${given.map(({ name, words, value }) => html`<div key=${name}><dt>${words ?? html`<code>${name}</code>`}</dt><dd lang="ko">${valueWords(value)}</dd></div>`)}</dl>`}
    ${call.basis && html`<p class="basis" lang="ko">${call.basis}</p>`}</section>`;
}

const valueWords = (value) => (Array.isArray(value) ? value.map(valueWords).join(", ") : value === "M" || value === "F" ? t(`gender.${value}`) : typeof value === "string" ? productName(value) : inWords(value));

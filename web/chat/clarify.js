// A question back: quick replies for one choice, one form for several facts. Answered controls become text.
import { cx, html, useRef, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { composing } from "../shared/keys.js";
import { sendNow } from "./composer.js";

const MOST_REPLIES = 6;

export function Clarify({ clarify, active }) {
  const { fields } = clarify;
  const only = fields.length === 1 ? fields[0] : null;
  const choices = only?.options?.length && only.options.length <= MOST_REPLIES ? only.options : null;
  if (!active) return html`<p class="hint answered">${t("clarify.asked", { names: fields.map((field) => field.label).join(", ") })}</p>`;
  return choices ? html`<${QuickReplies} label=${only.label} options=${choices} />` : html`<${Form} fields=${fields} />`;
}

// Keys 1 to 6 choose while the focus is in the group. What a button says is exactly what is sent.
function QuickReplies({ label, options }) {
  const onKey = (event) => {
    const option = composing(event) ? null : options[Number(event.key) - 1];
    if (!option) return;
    event.preventDefault();
    sendNow(option.label);
  };
  return html`<div class="quick" role="group" aria-label=${t("clarify.choose", { name: label })} lang="ko" onkeydown=${onKey}>
    ${options.map((option, index) => html`<button type="button" class="button" key=${option.value} onclick=${() => sendNow(option.label)}><kbd aria-hidden="true">${index + 1}</kbd>${option.label}</button>`)}
  </div>`;
}

const INPUTS = { number: "number", date: "date" };

function Form({ fields }) {
  const form = useRef(null);
  const [words, setWords] = useState("");
  const [fault, setFault] = useState("");
  const read = () => {
    const values = new FormData(form.current);
    setWords(fields.map((field) => spoken(field, values.get(field.name))).filter(Boolean).join(", "));
    setFault("");
  };
  const submit = (event) => {
    event.preventDefault();
    if (words) sendNow(words);
    else setFault(t("clarify.nothing"));
  };
  return html`<form class="inline-form" ref=${form} onsubmit=${submit} oninput=${read} novalidate aria-label=${t("clarify.form")} lang="ko">
    <div class="inline-fields">${fields.map((field) => html`<${Field} key=${field.name} field=${field} />`)}</div>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <p class="actions"><button type="submit" class="button primary">${t("clarify.send")}</button>
      ${words && html`<span class="hint">${t("clarify.words", { words })}</span>`}</p>
  </form>`;
}

function Field({ field }) {
  const few = field.options?.length > 0 && field.options.length <= 4;
  if (few) {
    return html`<fieldset class="field choice"><legend>${field.label}</legend><span class="segments">${field.options.map((option) => html`<label key=${option.value}>
      <input type="radio" name=${field.name} value=${option.value} /><span>${option.label}</span></label>`)}</span></fieldset>`;
  }
  if (field.options?.length) {
    return html`<label class="field">${field.label}<select name=${field.name}><option value="">${t("clarify.pick")}</option>
      ${field.options.map((option) => html`<option key=${option.value} value=${option.value}>${option.label}</option>`)}</select></label>`;
  }
  const number = field.type === "number";
  return html`<label class=${cx("field", number && "short")}>${field.label}<input name=${field.name} type=${INPUTS[field.type] ?? "text"} inputmode=${number ? "numeric" : undefined} min=${number ? 0 : undefined} max=${field.name === "age" ? 120 : undefined} autocomplete="off" /></label>`;
}

// One answered field in words, as a person would write it.
function spoken(field, value) {
  if (value === null || value.trim() === "") return "";
  const label = field.options?.find((option) => option.value === value)?.label;
  if (label) return label;
  if (field.name === "age") return `${value}세`;
  const unit = /\(([^)]+)\)/.exec(field.label)?.[1];
  return field.type === "number" ? `${field.label.replace(/\s*\(.*/, "")} ${Number(value).toLocaleString("ko-KR")}${unit ?? ""}` : value;
}

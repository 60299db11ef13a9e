// The small parts of the panel's forms: sending a change, where its faults stand, money, a choice of several.
import { Problem } from "../../shared/api.js";
import { html, useState } from "../../shared/html.js";
import { lang, t } from "../../shared/i18n.js";
import { composing } from "../../shared/keys.js";
import { Field } from "../../shared/ui/field.js";
import { notify } from "../../shared/ui/live.js";
import { change, reload, working } from "../proposals.js";

// A form whose values go to `send(FormData, form)`. What the server refuses stands at its field, what was entered stays;
// Escape gives up. Somebody else changed the proposal meanwhile: it is read again, and the form stays as it is.
export function useForm(send, onDone) {
  const [problem, setProblem] = useState(null);
  const [sends, setSends] = useState(false);
  const onsubmit = async (event) => {
    event.preventDefault();
    const form = event.target;
    setProblem(null);
    setSends(true);
    try {
      await send(new FormData(form), form);
      setSends(false);
      onDone?.();
    } catch (refused) {
      setSends(false);
      if (!(refused instanceof Problem)) throw refused;
      if (refused.status === 409) await reload();
      setProblem(refused);
      setTimeout(() => form.querySelector("[aria-invalid=true]:is(input, select, textarea)")?.focus());
    }
  };
  const onkeydown = (event) => {
    if (event.key !== "Escape" || composing(event) || !onDone) return;
    event.preventDefault();
    event.stopPropagation();
    onDone();
  };
  const faultAt = (...names) => problem?.errors?.find((item) => names.some((name) => endsAt(item.field, name)))?.message ?? null;
  return { own: { onsubmit, onkeydown, novalidate: true, ref: onDone ? first : undefined }, sends, problem, faultAt };
}

// What is wrong before anything is sent: {field: sentence, …}, told like the server's.
export function refuse(faults) {
  const errors = Object.entries(faults).filter(([, message]) => message).map(([field, message]) => ({ field, message }));
  if (errors.length) throw new Problem({ status: 422, type: "entered", detail: errors[0].message, errors });
}

const endsAt = (field, name) => field === name || !!field?.endsWith(`.${name}`);

// The first field of a form that was just opened takes the focus, once.
const first = (form) => form?.querySelector("select, input, textarea")?.focus();

// The end of a form: what was refused and stands at none of its fields, and its buttons.
export function FormFoot({ form, fields, action = t("save"), onCancel }) {
  const { problem, sends } = form;
  const within = (outer) => problem.errors.some((item) => item.field?.startsWith(`${outer}.`)); // told more exactly already
  const loose = problem?.errors.filter((item) => !within(item.field) && !fields.some((name) => endsAt(item.field, name))) ?? [];
  const words = !problem || (problem.errors.length && !loose.length) ? [] : [...new Set([problem.message || t("offline"), ...loose.map((item) => item.message)])];
  return html`${words.length > 0 && html`<div class="fault" role="alert">${words.map((text) => html`<p key=${text}>${text}</p>`)}</div>`}
    <p class="actions"><button type="submit" class="button primary small" disabled=${sends}>${action}</button>
      ${onCancel && html`<button type="button" class="button small" onclick=${onCancel}>${t("cancel")}</button>`}</p>`;
}

// A button that changes the proposal at once; what is refused is told at the foot of the page.
export function Acting({ edit, className = "button small", pressed, label, done, children }) {
  const act = async () => {
    try {
      await change(edit);
      if (done) notify(done);
      setTimeout(refocus);
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      if (refused.status === 409) await reload();
      notify(refused.errors[0]?.message ?? (refused.message || t("offline")));
    }
  };
  return html`<button type="button" class=${className} aria-pressed=${pressed === undefined ? undefined : String(pressed)} aria-label=${label} title=${className === "icon-button" ? label : undefined}
    aria-disabled=${working.value > 0 ? "true" : undefined} onclick=${() => working.value === 0 && !pressed && act()}>${children}</button>`;
}

// What had the focus is gone with what it changed: the heading of the panel is the next place to go on from.
const refocus = () => document.activeElement === document.body && document.querySelector("aside.proposal h2")?.focus({ preventScroll: true });

const UNIT = lang === "en" ? 1 : 10_000;

// Money in 만원 on the Korean page, in won on the English one.
export const MoneyField = ({ label, name, value, error, hint }) => html`<${Field} label=${label} error=${error} hint=${hint} className="money">${(own) => html`<span class="with-unit">
  <${MoneyInput} own=${own} name=${name} value=${value} /></span>`}<//>`;

export const MoneyInput = ({ own, name, value }) => html`<input ...${own} name=${name} inputmode="decimal" autocomplete="off" maxlength="15" defaultValue=${value == null ? "" : String(value / UNIT)} /><span class="unit" aria-hidden="true">${t("proposal.unit")}</span>`;

// The won of what was entered: null for nothing, NaN for what is no amount.
export function wonOf(text) {
  const plain = (text ?? "").replaceAll(",", "").trim();
  return plain === "" ? null : /^\d+(\.\d+)?$/.test(plain) ? Math.round(Number(plain) * UNIT) : NaN;
}
export const noMoney = (amount) => Number.isNaN(amount) && t("proposal.no.money");

// Several of a few, as buttons that are on or off.
export const Choices = ({ legend, name, options, chosen = [], error }) => html`<${Group} legend=${legend} error=${error}>${options.map((option) => html`<label key=${option.id}>
  <input type="checkbox" name=${name} value=${option.id} defaultChecked=${chosen.includes(option.id)} /><span lang="ko">${option.title}</span></label>`)}<//>`;

// One of a few.
export const OneOf = ({ legend, name, options, chosen, error }) => html`<${Group} legend=${legend} error=${error}>${options.map((option) => html`<label key=${option.id}>
  <input type="radio" name=${name} value=${option.id} defaultChecked=${chosen === option.id} aria-invalid=${error ? "true" : undefined} /><span>${option.title}</span></label>`)}<//>`;

const Group = ({ legend, error, children }) => html`<fieldset class="field choices"><legend>${legend}</legend><span class="segments small">${children}</span>${error && html`<p class="fault">${error}</p>`}</fieldset>`;

// What was understood of the person, as chips: press to correct or to take back, then answer again with it.
import { call } from "../shared/api.js";
import { age, count, date, won } from "../shared/format.js";
import { html, signal, useState } from "../shared/html.js";
import { lang, t } from "../shared/i18n.js";
import { Dialog } from "../shared/ui/dialog.js";
import { notify } from "../shared/ui/live.js";
import { askAgain } from "./runs.js";
import { facts, newest, productName, running, threadId } from "./state.js";

const money = (value) => won(value);
const same = (value) => value;
const ABOUT = {
  age: { type: "number", words: age }, gender: { type: "gender", words: (value) => t(`gender.${value}`) }, job: { words: same }, history: { words: same },
  diagnosis: { words: same }, plan: { words: same }, goal: { words: same }, monthly_budget: { type: "number", words: money, named: true },
  monthly_income: { type: "number", words: money, named: true }, debt: { type: "number", words: money, named: true }, loan_amount: { type: "number", words: money, named: true },
  sum_insured: { type: "number", words: money, named: true }, years_paid: { type: "number", words: (value) => (lang === "en" ? count(value) : `${count(value)}년`), named: true },
  contract_date: { type: "date", words: date, named: true }, lapse_date: { type: "date", words: date, named: true }, event_date: { type: "date", words: date, named: true },
  product_codes: { type: "products", words: (codes) => codes.map(productName).join(", ") }, customer_name: { fixed: true, words: same, named: true }, birth_year: { fixed: true, words: (value) => (lang === "en" ? value : `${value}년생`) },
};

// The known facts with their words: {name, label, words, chip, fixed}
export function factWords(known) {
  return Object.entries(ABOUT).flatMap(([name, about]) => {
    const value = known[name];
    if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length)) return [];
    const label = t(`fact.${name}`), words = String(about.words(value));
    return [{ name, value, label, words, chip: about.named ? `${label} ${words}` : words, fixed: about.fixed ?? false }];
  });
}

const editing = signal(null);

export function FactChips() {
  const rows = factWords(facts.value);
  if (!rows.length) return null;
  return html`<section class="facts" aria-label=${t("facts")}>
    <ul class="chips">${rows.map((row) => html`<li key=${row.name}>${row.fixed
      ? html`<span class="chip" lang="ko">${row.chip}</span>`
      : html`<button type="button" class="chip" lang="ko" aria-haspopup="dialog" aria-label=${t("fact.press", { label: row.label, words: row.words })} onclick=${() => (editing.value = row)}>${row.chip}</button>`}</li>`)}</ul>
    <${FactDialog} />
  </section>`;
}

function FactDialog() {
  const row = editing.value;
  const [fault, setFault] = useState("");
  const [changed, setChanged] = useState("");
  const close = () => {
    editing.value = null;
    setFault("");
    setChanged("");
  };
  const change = async (body, words) => {
    try {
      const answer = await call("PATCH", `/api/threads/${encodeURIComponent(threadId.value)}/facts`, body);
      facts.value = answer.facts;
      if (newest.value?.view.value.status === "done") setChanged(words);
      else close();
      notify(words);
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
  };
  const submit = (event) => {
    event.preventDefault();
    const values = new FormData(event.target);
    const type = ABOUT[row.name].type;
    const given = type === "products" ? values.getAll("value") : values.get("value")?.trim();
    if (!given?.length) return setFault(t("fact.empty"));
    return change({ set: { [row.name]: type === "number" ? Number(given) : given } }, t("fact.changed", { label: row.label }));
  };
  return html`<${Dialog} open=${!!row} onClose=${close} title=${row ? t("fact.title", { label: row.label }) : ""}>
    ${row && (changed ? html`<p>${t("fact.again")}</p><p class="actions">
        <button type="button" class="button primary" disabled=${running.value !== null} autofocus onclick=${() => { close(); askAgain(newest.value); }}>${t("fact.rerun")}</button>
        <button type="button" class="button" onclick=${close}>${t("fact.keep")}</button></p>`
      : html`<form onsubmit=${submit} novalidate>
        <${Input} row=${row} />
        ${fault && html`<p class="fault" role="alert">${fault}</p>`}
        <p class="actions"><button type="submit" class="button primary">${t("save")}</button>
          <button type="button" class="button" onclick=${() => change({ remove: [row.name] }, t("fact.removed", { label: row.label }))}>${t("fact.remove")}</button></p></form>`)}
  <//>`;
}

function Input({ row }) {
  const { type } = ABOUT[row.name];
  if (type === "gender") {
    return html`<fieldset class="field choice"><legend>${row.label}</legend><span class="segments">${["F", "M"].map((value) => html`<label key=${value}>
      <input type="radio" name="value" value=${value} defaultChecked=${row.value === value} /><span>${t(`gender.${value}`)}</span></label>`)}</span></fieldset>`;
  }
  if (type === "products") {
    return html`<fieldset class="reasons"><legend class="visually-hidden">${row.label}</legend>${row.value.map((code) => html`<label class="check" key=${code} lang="ko"><input type="checkbox" name="value" value=${code} defaultChecked=${true} />${productName(code)}</label>`)}</fieldset>`;
  }
  return html`<label class="field">${row.label}<input name="value" type=${type ?? "text"} inputmode=${type === "number" ? "numeric" : undefined} defaultValue=${row.value} autocomplete="off" autofocus maxlength="100" /></label>`;
}

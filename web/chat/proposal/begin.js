// Before there is a proposal: who is to be covered and what it may cost, begun with what the talk has told.
import { html, signal, useLayoutEffect, useRef } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Icon } from "../../shared/ui/icons.js";
import { propose } from "../proposals.js";
import { facts } from "../state.js";
import { FormFoot, useForm } from "./fields.js";
import { PersonFields, personOf, PERSON_FIELDS } from "./people.js";
import { WishFields, wishesOf, WISH_FIELDS } from "./wishes.js";

const known = () => {
  const { age, gender, job, history } = facts.value;
  return { role: "self", age, sex: gender, job, told: history ? [history] : [] };
};

const draft = signal([0]); // the people of a proposal that is not yet made; the numbers keep their fields apart
let entered = []; // what their fields hold, kept while the panel is closed

export function Begin() {
  const people = draft.value;
  const box = useRef(null);
  useLayoutEffect(() => entered.length && fill(box.current, entered), []);
  const form = useForm(async (_, element) => {
    const each = [...element.querySelectorAll("fieldset.person")].map((one, index) => personOf(valuesIn(one), { place: `people.${index}.` }));
    const { budget, renewal, without } = wishesOf(new FormData(element));
    await propose({ people: each, budget }, { renewal, without: without.map((what) => ({ what })) });
    draft.value = [0];
    entered = [];
  });
  const faultIn = (index) => (...names) => form.faultAt(...names.map((name) => `people.${index}.${name}`));
  return html`<form class="begin" ...${form.own} ref=${box} oninput=${() => (entered = [...new FormData(box.current)])}>
    <p>${t("proposal.begin.lead")}</p>
    ${people.map((number, index) => html`<fieldset class="person" key=${number}><legend>${t("proposal.person", { number: index + 1 })}
        ${people.length > 1 && html`<button type="button" class="link" onclick=${() => (draft.value = people.filter((other) => other !== number))}>${t("proposal.take.back")}</button>`}</legend>
      <${PersonFields} person=${number === 0 ? known() : { role: number === 1 ? "partner" : "child" }} prefix=${`${number}:`} faultAt=${faultIn(index)} /></fieldset>`)}
    <button type="button" class="button small add" onclick=${() => (draft.value = [...people, Math.max(...people) + 1])}><${Icon} name="plus" size=${16} />${t("proposal.add")}</button>
    <${WishFields} budget=${facts.value.monthly_budget ? { amount: facts.value.monthly_budget } : null} faultAt=${form.faultAt} />
    <${FormFoot} form=${form} fields=${[...WISH_FIELDS, ...PERSON_FIELDS]} action=${t("proposal.make")} />
  </form>`;
}

// The fields of one person alone, by their names without the person's number.
function valuesIn(box) {
  const values = new FormData();
  for (const field of box.querySelectorAll("input, select")) {
    if (field.matches("[type=checkbox], [type=radio]") && !field.checked) continue;
    values.append(field.name.slice(field.name.indexOf(":") + 1), field.value);
  }
  return values;
}

function fill(form, values) {
  for (const field of form.querySelectorAll("[type=checkbox], [type=radio]")) field.checked = values.some(([name, value]) => name === field.name && value === field.value);
  for (const [name, value] of values) {
    const field = form.elements[name];
    if (field?.matches?.("input:not([type=checkbox], [type=radio]), select")) field.value = value;
  }
}

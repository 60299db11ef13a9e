// Who is to be covered: added, corrected and removed here. What was entered stays until the server has taken it.
import { html, useRef, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Field } from "../../shared/ui/field.js";
import { Icon, IconButton } from "../../shared/ui/icons.js";
import { change } from "../proposals.js";
import { addPerson, correctPerson, removePerson } from "./edits.js";
import { Acting, Choices, FormFoot, MoneyInput, noMoney, OneOf, refuse, useForm, wonOf } from "./fields.js";
import { NEEDS, personWords, roles } from "./words.js";

export const PERSON_FIELDS = ["role", "age", "sex", "job", "told", "worries", "has"];

// What the fields say of one person, in the server's shape. Throws what is wrong with them, at `${place}field`. What is
// held besides needs stays as it was.
export function personOf(values, { before = {}, place = "" } = {}) {
  const text = (name) => values.get(name)?.trim() ?? "";
  const known = (before.has ?? []).filter((held) => !held.need);
  const has = values.getAll("has").map((need) => ({ need, amount: wonOf(values.get(`held:${need}`)) }));
  refuse({
    [`${place}age`]: !/^\d+$/.test(text("age")) && t("proposal.no.age"), [`${place}sex`]: !text("sex") && t("proposal.no.sex"),
    [`${place}has`]: has.map((held) => noMoney(held.amount)).find(Boolean),
  });
  return {
    role: text("role"), age: Number(text("age")), sex: text("sex"), job: text("job"),
    told: text("told").split(/[,\n]/).map((part) => part.trim()).filter(Boolean), worries: values.getAll("worries"),
    has: [...known, ...has],
  };
}

// `prefix` keeps the names of several people in one form apart.
export function PersonFields({ person = {}, faultAt, prefix = "" }) {
  return html`<div class="fields">
    <${Field} label=${t("proposal.role")} error=${faultAt("role")}>${(own) => html`<select ...${own} name=${prefix + "role"}>${roles().map((role) => html`<option key=${role.id} value=${role.id} selected=${role.id === (person.role ?? "self")}>${role.title}</option>`)}</select>`}<//>
    <${Field} label=${t("fact.age")} error=${faultAt("age")} className="short">${(own) => html`<input ...${own} name=${prefix + "age"} inputmode="numeric" maxlength="3" autocomplete="off" defaultValue=${person.age ?? ""} />`}<//>
    <${OneOf} legend=${t("fact.gender")} name=${prefix + "sex"} chosen=${person.sex} error=${faultAt("sex")} options=${["F", "M"].map((id) => ({ id, title: t(`gender.${id}`) }))} />
    <${Field} label=${t("fact.job")} error=${faultAt("job")}>${(own) => html`<input ...${own} name=${prefix + "job"} maxlength="100" autocomplete="off" defaultValue=${person.job ?? ""} />`}<//>
    <${Field} label=${t("proposal.told")} hint=${t("proposal.told.hint")} error=${faultAt("told")} className="wide">${(own) => html`<input ...${own} name=${prefix + "told"} maxlength="500" autocomplete="off" defaultValue=${(person.told ?? []).join(", ")} />`}<//>
    <${Choices} legend=${t("proposal.worries")} name=${prefix + "worries"} options=${NEEDS} chosen=${person.worries ?? []} error=${faultAt("worries")} />
    <${HeldFields} prefix=${prefix} has=${person.has ?? []} error=${faultAt("has")} />
  </div>`;
}

// Cover that is there already: which needs, and how much where that is known.
function HeldFields({ has, prefix, error }) {
  const held = new Map(has.filter((item) => item.need).map((item) => [item.need, item.amount]));
  return html`<details class="held" open=${has.length > 0}><summary>${t("proposal.has")}</summary>
    <fieldset><legend class="visually-hidden">${t("proposal.has")}</legend>
      <p class="hint">${t("proposal.has.hint")}</p>
      ${NEEDS.map((need) => html`<div class="held-row" key=${need.id}><label class="check"><input type="checkbox" name=${`${prefix}has`} value=${need.id} defaultChecked=${held.has(need.id)} /><span lang="ko">${need.title}</span></label>
        <span class="with-unit"><${MoneyInput} own=${{ "aria-label": t("proposal.has.amount", { name: need.title }) }} name=${`${prefix}held:${need.id}`} value=${held.get(need.id)} /></span></div>`)}
      ${error && html`<p class="fault">${error}</p>`}</fieldset></details>`;
}

export function People({ people }) {
  const [editing, setEditing] = useState(null); // a person's id, or "new"
  const list = useRef(null);
  const close = () => {
    const id = editing;
    setEditing(null);
    setTimeout(() => list.current?.querySelector(`[data-edit="${id}"]`)?.focus());
  };
  const guess = people.some((person) => person.role === "partner") ? "child" : "partner";
  return html`<section class="stretch" aria-labelledby="proposal-people" ref=${list}><h3 id="proposal-people">${t("proposal.people")}</h3>
    <ul class="plain people">${people.map((person) => html`<li key=${person.id}>${editing === person.id
      ? html`<${PersonForm} person=${person} onDone=${close} />`
      : html`<div class="person-row"><p lang="ko"><strong>${person.label}</strong> <span class="hint">${personWords(person)}</span></p>
          <span class="row-tools"><${IconButton} icon="edit" size=${18} data-edit=${person.id} label=${t("proposal.correct", { name: person.label })} onclick=${() => setEditing(person.id)} />
          ${people.length > 1 && html`<${Acting} className="icon-button" edit=${removePerson(person.id)} label=${t("proposal.remove", { name: person.label })} done=${t("proposal.removed", { name: person.label })}><${Icon} name="trash" size=${18} /><//>`}</span></div>`}</li>`)}</ul>
    ${editing === "new" ? html`<${PersonForm} person=${{ role: guess }} onDone=${close} />`
      : html`<button type="button" class="button small add" data-edit="new" onclick=${() => setEditing("new")}><${Icon} name="plus" size=${16} />${t("proposal.add")}</button>`}
  </section>`;
}

function PersonForm({ person, onDone }) {
  const form = useForm(async (values) => change(person.id ? correctPerson(person.id, personOf(values, { before: person })) : addPerson(personOf(values))), onDone);
  return html`<form class="person-form" aria-label=${person.id ? t("proposal.correct", { name: person.label }) : t("proposal.add")} ...${form.own}>
    <${PersonFields} person=${person} faultAt=${form.faultAt} />
    <${FormFoot} form=${form} fields=${PERSON_FIELDS} onCancel=${onDone} /></form>`;
}

// Names and amounts in a proposal as people say them.
import { boot } from "../../shared/boot.js";
import { age, count, won } from "../../shared/format.js";
import { html } from "../../shared/html.js";
import { hasWords, lang, t } from "../../shared/i18n.js";
import { proposal } from "../proposals.js";

export const NEEDS = boot.advice?.needs ?? []; // {id, title}, as the company names them
export const roles = () => ["self", "partner", "child", "parent", "other"].map((id) => ({ id, title: t(`proposal.role.${id}`) }));

export const needName = (id) => NEEDS.find((need) => need.id === id)?.title ?? boot.products?.find((product) => product.code === id)?.name ?? id;

export const personName = (id, people = proposal.value?.household.people ?? []) => people.find((person) => person.id === id)?.label ?? "";
export const personWords = (person) => [
  age(person.age), t(`gender.${person.sex}`), person.job, ...person.told,
  person.worries.length > 0 && t("proposal.worried", { names: person.worries.map(needName).join(", ") }),
  person.has.length > 0 && t("proposal.holds", { names: person.has.map((held) => needName(held.need ?? held.product)).join(", ") }),
].filter(Boolean).join(" · ");

// An amount in the unit of its need: 원, or what it is paid by (원(하루)).
export const amountWords = (amount, unit = "원") => (unit.startsWith("원") ? `${won(amount)}${unit.slice(1)}` : `${count(amount)}${unit}`);

// Years count from the day of the proposal.
export const yearWords = (year) => (year === 0 ? t("proposal.today") : lang === "en" ? `year ${year}` : `${year}년 뒤`);

// Several sentences as a list, one as it is, none as nothing.
export function list(texts) {
  const all = texts.filter(Boolean);
  if (all.length < 2) return all[0] ?? null;
  return html`<ul class="points">${all.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`;
}

export const argumentName = (name) => ["fact", "argument"].map((kind) => `${kind}.${name}`).filter(hasWords).map((key) => t(key))[0] ?? null;

// Names and amounts in a proposal as people say them.
import { boot } from "../../shared/boot.js";
import { age, won } from "../../shared/format.js";
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

// An amount and what it is paid for: once and plain 원 go without saying.
export const amountWords = (amount, unit = "원") => {
  const per = unit.replace(/^원/, "").replace(/^\((.*)\)$/, "$1");
  return per && per !== "1회" ? `${won(amount)}(${per})` : won(amount);
};

// Years count from the day of the proposal.
export const yearWords = (year) => (year === 0 ? t("proposal.today") : lang === "en" ? `year ${year}` : `${year}년 뒤`);

// Several things as a list, one as it is, none as nothing; more than `most` are folded.
export function list(items, most = 3) {
  const all = items.filter(Boolean);
  if (all.length < 2) return all[0] ?? null;
  const drawn = (some) => html`<ul class="points">${some.map((item, index) => html`<li key=${index}>${item}</li>`)}</ul>`;
  if (all.length <= most + 1) return drawn(all);
  return html`${drawn(all.slice(0, most))}<details class="rest"><summary>${t("proposal.rest", { count: all.length - most })}</summary>${drawn(all.slice(most))}</details>`;
}

export const argumentName = (name) => ["fact", "argument"].map((kind) => `${kind}.${name}`).filter(hasWords).map((key) => t(key))[0] ?? null;

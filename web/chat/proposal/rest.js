// What a proposal also has to say: what may not be had and why, what is still to be asked, what has to be disclosed.
import { html } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Why } from "./figure.js";

const FEW = 4;

export function Refused({ told: { refused, household } }) {
  if (!refused.length) return null;
  const items = household.people.map((person) => [person, refused.filter((item) => item.person === person.id)]).filter(([, all]) => all.length);
  const drawn = html`<dl class="facts-list refusals" lang="ko">${items.map(([person, all]) => html`<div key=${person.id}><dt>${person.label}</dt><dd><ul class="plain">${all.map((item) => html`<li key=${item.product.code}>
    <strong>${item.product.name}</strong><${Why} label=${item.product.name} calls=${item.sources} /> ${item.reason}</li>`)}</ul></dd></div>`)}</dl>`;
  return html`<section class="stretch" aria-labelledby="proposal-refused"><h3 id="proposal-refused">${t("proposal.refused")}</h3>
    ${refused.length > FEW ? html`<details class="rest"><summary>${t("proposal.refused.all", { count: refused.length })}</summary>${drawn}</details>` : drawn}</section>`;
}

const Told = ({ item }) => html`${item.text}${item.basis && html` <span class="hint">${item.basis}</span>`}`;

export function Duties({ told: { questions, disclosures } }) {
  return html`${questions.length > 0 && html`<section class="stretch" aria-labelledby="proposal-questions"><h3 id="proposal-questions">${t("proposal.questions")}</h3>
      <ul class="points" lang="ko">${questions.map((item) => html`<li key=${item.text}><${Told} item=${item} /></li>`)}</ul></section>`}
    ${disclosures.length > 0 && html`<section class="stretch fine" aria-labelledby="proposal-disclosures"><h3 id="proposal-disclosures">${t("proposal.disclosures")}</h3>
      <ul class="plain" lang="ko">${disclosures.map((item) => html`<li key=${item.text}><${Told} item=${item} /></li>`)}</ul></section>`}`;
}

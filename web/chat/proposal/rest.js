// What a proposal also has to say: what may not be had and why, what is still to be asked, what has to be disclosed.
import { html } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Figure } from "./figure.js";
import { personName } from "./words.js";

export function Refused({ told: { refused, household } }) {
  if (!refused.length) return null;
  return html`<section class="stretch" aria-labelledby="proposal-refused"><h3 id="proposal-refused">${t("proposal.refused")}</h3>
    <ul class="plain refusals">${refused.map((item) => html`<li key=${item.person + item.product.code}><p lang="ko"><strong>${item.product.name}</strong> <span class="hint">${personName(item.person, household.people)}</span></p>
      <p><span lang="ko">${item.reason}</span> <${Figure} label=${item.product.name} words=${t("proposal.ground")} calls=${item.sources} /></p></li>`)}</ul></section>`;
}

const Told = ({ item }) => html`${item.text}${item.basis && html` <span class="hint">${item.basis}</span>`}`;

export function Duties({ told: { questions, disclosures } }) {
  return html`${questions.length > 0 && html`<section class="stretch" aria-labelledby="proposal-questions"><h3 id="proposal-questions">${t("proposal.questions")}</h3>
      <ul class="points" lang="ko">${questions.map((item) => html`<li key=${item.text}><${Told} item=${item} /></li>`)}</ul></section>`}
    ${disclosures.length > 0 && html`<section class="stretch fine" aria-labelledby="proposal-disclosures"><h3 id="proposal-disclosures">${t("proposal.disclosures")}</h3>
      <ul class="plain" lang="ko">${disclosures.map((item) => html`<li key=${item.text}><${Told} item=${item} /></li>`)}</ul></section>`}`;
}

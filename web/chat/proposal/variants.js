// The variants of a proposal: side by side in one table where there is room, each in full under its tab.
import { won } from "../../shared/format.js";
import { cx, html, signal } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Icon } from "../../shared/ui/icons.js";
import { Tabs } from "../../shared/ui/tabs.js";
import { chosenVariant } from "../proposals.js";
import { CoverChart } from "./charts.js";
import { chooseVariant } from "./edits.js";
import { Acting } from "./fields.js";
import { Figure } from "./figure.js";
import { Line } from "./line.js";
import { list, needName, personName } from "./words.js";

const looked = signal(null); // the tab that somebody opened; else the chosen variant's

export function Variants({ variants, people }) {
  const shown = variants.find((variant) => variant.id === looked.value) ?? chosenVariant.value;
  return html`<section class="stretch" aria-labelledby="proposal-variants"><h3 id="proposal-variants">${t("proposal.variants")}</h3>
    ${variants.length > 1 && html`<${SideBySide} variants=${variants} people=${people} />`}
    <div class="variant-tabs"><${Tabs} label=${t("proposal.variants.whole")} chosen=${shown.id} onChoose=${(id) => (looked.value = id)}
      tabs=${variants.map((variant) => ({ id: variant.id, label: html`<span lang="ko">${variant.title}</span> <span class="tab-premium">${won(variant.premium)}</span>` }))}>
      <${Whole} variant=${shown} people=${people} /><//></div>
  </section>`;
}

const held = (variant, id) => variant.people.find((part) => part.person === id);
const answers = (line, need) => line.need === need || line.also.includes(need);

// One row a person's need that some variant answers, one column a variant. What one of them leaves open says so.
function SideBySide({ variants, people }) {
  const answered = (id, need) => variants.some((variant) => held(variant, id)?.lines.some((line) => answers(line, need)));
  const needs = (id) => [...new Set(variants.flatMap((variant) => variant.cover.filter((row) => row.person === id).map((row) => row.need)))].filter((need) => answered(id, need));
  const column = (variant) => cx(variant.chosen && "chosen");
  return html`<div class="side-by-side"><table class="variants">
    <caption class="visually-hidden">${t("proposal.variants")}</caption>
    <thead><tr><td></td>${variants.map((variant) => html`<th scope="col" key=${variant.id} class=${column(variant)}>
      <span class="variant-name" lang="ko">${variant.title}</span><strong><${Total} variant=${variant} people=${people} /></strong><${Choose} variant=${variant} /></th>`)}</tr></thead>
    ${people.map((person) => html`<tbody key=${person.id}>
      <tr class="who"><th scope="rowgroup" lang="ko">${person.label}</th>${variants.map((variant) => html`<td key=${variant.id} class=${column(variant)}>${won(held(variant, person.id)?.premium ?? 0)}</td>`)}</tr>
      ${needs(person.id).map((need) => html`<tr key=${need}><th scope="row" lang="ko">${needName(need)}</th>${variants.map((variant) => html`<td key=${variant.id} class=${column(variant)} lang="ko"><${Cell} variant=${variant} person=${person.id} need=${need} /></td>`)}</tr>`)}
    </tbody>`)}
  </table></div>`;
}

function Cell({ variant, person, need }) {
  const lines = held(variant, person)?.lines.filter((line) => answers(line, need)) ?? [];
  if (!lines.length) return html`<span class="hint" lang="">${t("proposal.not.in")}</span>`;
  return lines.map((line) => html`<p class="cell" key=${line.id}><span>${line.product.name}</span>${line.need === need
    ? html`<span class="number">${won(line.premium)}</span>` : html`<span class="hint" lang="">${t("proposal.together", { name: needName(line.need) })}</span>`}</p>`);
}

const Total = ({ variant, people }) => html`<${Figure} label=${t("proposal.total.of", { variant: variant.title })} words=${t("proposal.a.month", { money: won(variant.premium) })} of=${`variants.${variant.id}.premium`}
  parts=${variant.people.map((part) => ({ label: personName(part.person, people), amount: part.premium }))} total=${variant.premium} />`;

const Choose = ({ variant }) => html`<${Acting} edit=${chooseVariant(variant.id)} className="button small choose" pressed=${variant.chosen} label=${`${variant.title}: ${t(variant.chosen ? "proposal.chosen" : "proposal.choose")}`}>
  ${variant.chosen ? html`<${Icon} name="check" size=${15} />${t("proposal.chosen")}` : t("proposal.choose")}<//>`;

function Whole({ variant, people }) {
  return html`<div class="variant-head"><p class="variant-total"><${Total} variant=${variant} people=${people} /></p><${Choose} variant=${variant} /></div>
    ${variant.people.map((part) => html`<section key=${part.person} class="variant-person">
      <h4><span lang="ko">${personName(part.person, people)}</span> <span class="count"><${PersonTotal} variant=${variant} part=${part} people=${people} /></span></h4>
      ${part.lines.map((line) => html`<${Line} key=${line.id} line=${line} person=${part.person} place=${`variants.${variant.id}.lines.${line.id}`}
        cover=${variant.cover.find((row) => row.person === part.person && row.need === line.need)} />`)}
      ${!part.lines.length && html`<p class="hint">${t("proposal.no.lines")}</p>`}</section>`)}
    ${variant.left_open.length > 0 && html`<section class="left-open"><h4>${t("proposal.left.open")}</h4>
      <dl class="facts-list" lang="ko">${people.map((person) => [person, variant.left_open.filter((gap) => gap.person === person.id)]).filter(([, gaps]) => gaps.length)
        .map(([person, gaps]) => html`<div key=${person.id}><dt>${person.label}</dt><dd>${list(gaps.map((gap) => gap.text), 4)}</dd></div>`)}</dl></section>`}
    <${CoverChart} variant=${variant} people=${people} />`;
}

const PersonTotal = ({ variant, part, people }) => html`<${Figure} label=${t("proposal.total.of", { variant: personName(part.person, people) })} words=${t("proposal.a.month", { money: won(part.premium) })}
  of=${`variants.${variant.id}.people.${part.person}.premium`} parts=${part.lines.map((line) => ({ label: line.product.name, amount: line.premium }))} total=${part.premium} />`;

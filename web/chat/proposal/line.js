// One product for one person: why, how much, what it does not do, how it goes on; its sum can be changed, or it is left out.
import { age, won } from "../../shared/format.js";
import { html, useRef, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { change } from "../proposals.js";
import { leaveOut, wantSum } from "./edits.js";
import { Acting, FormFoot, MoneyField, useForm, wonOf } from "./fields.js";
import { Figure } from "./figure.js";
import { amountWords, list, needName } from "./words.js";

// `cover`: cover against need of this person's need; `place`: where the line stands in the proposal, for its derivations.
export function Line({ line, person, cover, place }) {
  const name = line.product.name;
  const figure = (label, words, of) => html`<${Figure} label=${`${name} ${label}`} words=${words} calls=${line.sources} of=${of} />`;
  const path = line.renewal.path;
  const peak = path.reduce((best, point) => (point.premium > best.premium ? point : best), path[0]);
  const rows = [
    ["proposal.sum.insured", html`${figure(t("proposal.sum.insured"), won(line.sum_insured))} <span class="hint">${line.plan}</span>`],
    ["proposal.covers", line.covers.length > 0 && html`<ul class="plain">${line.covers.map((item) => html`<li key=${item.name}>${item.name} ${figure(item.name, amountWords(item.amount, item.unit))}</li>`)}</ul>`],
    ["proposal.riders", line.riders.length > 0 && html`<ul class="plain">${line.riders.map((rider) => html`<li key=${rider.code}>${rider.name} ${figure(rider.name, won(rider.premium))}<p class="hint">${rider.pays}</p></li>`)}</ul>`],
    ["proposal.term", [line.term.payment, line.term.coverage].filter(Boolean).join(" · ")],
    ["proposal.waiting", list(line.waiting.map((item) => item.text))],
    ["proposal.reduction", list(line.reduction.map((item) => item.text))],
    ["proposal.not.covered", list(line.not_covered)],
    ["proposal.renewal", html`${line.renewal.kind}${path.length > 1 && html`<p class="hint">${t("proposal.renewal.to", { age: age(peak.age), money: won(peak.premium) })}</p>`}`],
    ["proposal.underwriting", html`${line.underwriting.verdict}${list(line.underwriting.notes) && html`<div class="hint">${list(line.underwriting.notes)}</div>`}`],
  ].filter(([, value]) => value);
  return html`<article class="line" aria-label=${name}>
    <header><div><p class="card-kind" lang="ko">${[line.need, ...line.also].map(needName).join(" · ")}</p><h5 lang="ko">${name}</h5></div>
      <strong class="line-premium">${figure(t("proposal.premium"), t("proposal.a.month", { money: won(line.premium) }), `${place}.premium`)}</strong></header>
    <p class="reason" lang="ko">${line.reason}</p>
    <dl class="facts-list">${rows.map(([key, value]) => html`<div key=${key}><dt>${t(key)}</dt><dd lang="ko">${value}</dd></div>`)}</dl>
    <div class="actions">${cover && html`<${Sum} line=${line} person=${person} cover=${cover} />`}
      <${Acting} edit=${leaveOut(line.need, person)} label=${t("proposal.leave.out.of", { name: needName(line.need) })} done=${t("proposal.left.out", { name: needName(line.need) })}>${t("proposal.leave.out")}<//></div>
  </article>`;
}

// How much cover is wanted for the need: the variants give what of it the budget allows.
function Sum({ person, cover }) {
  const [editing, setEditing] = useState(false);
  const button = useRef(null);
  const close = () => {
    setEditing(false);
    setTimeout(() => button.current?.focus());
  };
  if (!editing) return html`<button type="button" class="button small" ref=${button} aria-label=${`${cover.title}: ${t("proposal.change.sum")}`} onclick=${() => setEditing(true)}>${t("proposal.change.sum")}</button>`;
  return html`<${SumForm} person=${person} cover=${cover} onDone=${close} />`;
}

function SumForm({ person, cover, onDone }) {
  const form = useForm((values) => change(wantSum(cover.need, person, wonOf(values.get("amount")))), onDone);
  return html`<form class="small-form" ...${form.own}>
    <${MoneyField} label=${`${cover.title} ${t("proposal.wanted")}`} name="amount" value=${cover.wanted} error=${form.faultAt("amount")} hint=${t("proposal.guide", { basis: cover.basis })} />
    <${FormFoot} form=${form} fields=${["amount"]} onCancel=${onDone} /></form>`;
}

// One product for one person: why, how much, what it does not do, how it goes on; its sum can be changed, or it is left out.
import { age, won } from "../../shared/format.js";
import { html, useRef, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { change } from "../proposals.js";
import { leaveOut, wantSum } from "./edits.js";
import { Acting, FormFoot, MoneyField, noMoney, refuse, useForm, wonOf } from "./fields.js";
import { Figure, Why } from "./figure.js";
import { amountWords, list, needName, yearWords } from "./words.js";

// `cover`: cover against need of this person's need; `place`: where the line stands in the proposal, for its derivations.
export function Line({ line, person, cover, place }) {
  const { name } = line.product;
  const own = { calls: line.sources };
  const figure = (label, words, about, more) => html`<${Figure} ...${own} label=${`${name} ${label}`} words=${words} about=${about} ...${more} />`;
  const row = (key, value, about = null, clause = null) => value && { label: t(key), value, why: about && html`<${Why} ...${own} label=${`${name} ${t(key)}`} about=${about} clause=${clause && `${name} ${clause}`} />` };
  const first = (items) => items[0]?.text;
  const rows = [
    row("proposal.sum.insured", html`${figure(t("proposal.sum.insured"), won(line.sum_insured), ["price", "limits"])} <span class="hint">${line.plan}</span>`),
    row("proposal.covers", list(line.covers.map((item) => html`${item.name} ${figure(item.name, amountWords(item.amount, item.unit), ["covers"], { clause: `${name} ${item.name}` })}`))),
    row("proposal.riders", list(line.riders.map((rider) => html`${rider.name} ${figure(rider.name, won(rider.premium), ["riders"], { clause: `${name} ${rider.name}` })} <span class="hint">${rider.pays}</span>`))),
    row("proposal.term", [line.term.payment, line.term.coverage].filter(Boolean).join(" · "), ["plans"]),
    row("proposal.surrender", line.surrender, ["price"]),
    row("proposal.waiting", list(line.waiting.map(period)), ["waiting"], first(line.waiting)),
    row("proposal.reduction", list(line.reduction.map(period)), ["waiting"], first(line.reduction)),
    row("proposal.not.covered", list(line.not_covered, 2), ["exclusions"], line.not_covered[0]),
    row("proposal.renewal", html`<${Renewal} line=${line} figure=${figure} place=${place} />`, ["renewal"], line.renewal.kind),
    row("proposal.underwriting", html`${line.underwriting.verdict}<div class="hint">${list(line.underwriting.notes)}</div>`, ["look", "job", "limits"]),
  ].filter(Boolean);
  return html`<article class="line" aria-label=${name}>
    <header><div><p class="card-kind" lang="ko">${[line.need, ...line.also].map(needName).join(" · ")}</p><h5 lang="ko">${name}</h5></div>
      <strong class="line-premium">${figure(t("proposal.premium"), t("proposal.a.month", { money: won(line.premium) }), ["price", "riders"], { of: `${place}.premium` })}</strong></header>
    <p class="reason" lang="ko">${line.reason}</p>
    <dl class="facts-list">${rows.map(({ label, value, why }) => html`<div key=${label}><dt>${label}${why}</dt><dd lang="ko">${value}</dd></div>`)}</dl>
    <div class="actions">${cover && html`<${Sum} person=${person} cover=${cover} />`}
      <${Acting} edit=${leaveOut(line.need, person)} label=${t("proposal.leave.out.of", { name: needName(line.need) })} done=${t("proposal.left.out", { name: needName(line.need) })}>${t("proposal.leave.out")}<//></div>
  </article>`;
}

// A waiting or reduction period; for which covers, where it is not all of them.
const period = (item) => html`${item.text}${item.benefits.length > 0 && html` <span class="hint">${item.benefits.join(", ")}</span>`}`;

function Renewal({ line: { renewal }, figure, place }) {
  const later = renewal.path.slice(1);
  if (!later.length) return renewal.kind;
  const words = (point) => html`${yearWords(point.year)} <span class="hint">${age(point.age)}</span> ${figure(`${t("proposal.premium")} ${yearWords(point.year)}`, won(point.premium), ["renewal"], { of: `${place}.path.${point.year}` })}`;
  return html`${renewal.kind} ${list(later.map(words))}`;
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
  const form = useForm(async (values) => {
    const amount = wonOf(values.get("amount"));
    refuse({ amount: noMoney(amount) });
    await change(wantSum(cover.need, person, amount));
  }, onDone);
  return html`<form class="small-form" ...${form.own}>
    <${MoneyField} label=${`${cover.title} ${t("proposal.wanted")}`} name="amount" value=${cover.wanted} error=${form.faultAt("amount", "sums")} hint=${cover.basis} />
    <${FormFoot} form=${form} fields=${["amount", "sums"]} onCancel=${onDone} /></form>`;
}

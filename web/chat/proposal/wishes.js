// What it may cost and what is wished: the budget, what to leave out, whether premiums may rise.
import { won } from "../../shared/format.js";
import { html, useRef, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Icon } from "../../shared/ui/icons.js";
import { change } from "../proposals.js";
import { otherWishes, takeBack, wantSum } from "./edits.js";
import { Acting, Choices, FormFoot, MoneyField, noMoney, OneOf, refuse, useForm, wonOf } from "./fields.js";
import { amountWords, NEEDS, needName, personName } from "./words.js";

export const WISH_FIELDS = ["amount", "budget", "renewal", "without", "what"];
const options = (prefix, ...ids) => ids.map((id) => ({ id, title: t(`${prefix}.${id}`) }));

export function wishesOf(values) {
  const amount = wonOf(values.get("amount"));
  refuse({ amount: noMoney(amount) });
  return {
    budget: amount === null ? null : { amount, per: values.get("per") ?? "household" },
    renewal: values.get("renewal") ?? "any", without: values.getAll("without"),
  };
}

export const WishFields = ({ budget, wishes, faultAt }) => html`<div class="fields">
    <${MoneyField} label=${t("proposal.budget")} name="amount" value=${budget?.amount} error=${faultAt("amount", "budget")} hint=${t("proposal.budget.hint")} />
    <${OneOf} legend=${t("proposal.per")} name="per" chosen=${budget?.per ?? "household"} options=${options("proposal.per", "household", "person")} />
    <${OneOf} legend=${t("proposal.renewal.wish")} name="renewal" chosen=${wishes?.renewal ?? "any"} options=${options("proposal.renewal", "any", "fixed")} error=${faultAt("renewal")} />
    <${Choices} legend=${t("proposal.without")} name="without" options=${NEEDS} chosen=${(wishes?.without ?? []).filter((item) => !item.person).map((item) => item.what)} error=${faultAt("without", "what")} />
  </div>`;

export function Wishes({ told: { household, wishes } }) {
  const { budget, people } = household;
  const [editing, setEditing] = useState(false);
  const button = useRef(null);
  const close = () => {
    setEditing(false);
    setTimeout(() => button.current?.focus());
  };
  const whose = (id) => (id ? `${personName(id, people)} ` : "");
  const chips = [
    budget ? `${t(`proposal.per.${budget.per}`)} ${t("proposal.a.month", { money: won(budget.amount) })}` : t("proposal.budget.none"),
    wishes.renewal === "fixed" && t("proposal.renewal.fixed"),
    ...wishes.products.map(needName),
  ].filter(Boolean);
  // Each of these can be taken back by itself.
  const single = [
    ...wishes.without.map((item) => ({ words: whose(item.person) + t("proposal.without.one", { name: needName(item.what) }), edit: takeBack(item.what, item.person) })),
    ...wishes.sums.map((item) => ({ words: `${whose(item.person)}${needName(item.need)} ${amountWords(item.amount)}`, edit: wantSum(item.need, item.person, null) })),
  ];
  return html`<section class="stretch" aria-labelledby="proposal-wishes"><h3 id="proposal-wishes">${t("proposal.wishes")}</h3>
    ${editing ? html`<${WishForm} budget=${budget} wishes=${wishes} onDone=${close} />`
      : html`<div class="person-row"><ul class="chips" lang="ko">${chips.map((text) => html`<li key=${text}><span class="chip">${text}</span></li>`)}
            ${single.map(({ words, edit }) => html`<li key=${words}><span class="chip">${words}<${Acting} className="icon-button" edit=${edit} label=${t("proposal.undo", { words })}><${Icon} name="close" size=${14} /><//></span></li>`)}</ul>
          <button type="button" class="button small" ref=${button} aria-label=${t("proposal.change.of", { name: t("proposal.wishes") })} onclick=${() => setEditing(true)}>${t("proposal.change")}</button></div>`}
  </section>`;
}

function WishForm({ budget, wishes, onDone }) {
  const form = useForm(async (values) => {
    const edits = otherWishes({ budget, wishes }, wishesOf(values));
    if (edits.length) await change(...edits);
  }, onDone);
  return html`<form class="person-form" aria-label=${t("proposal.wishes")} ...${form.own}>
    <${WishFields} budget=${budget} wishes=${wishes} faultAt=${form.faultAt} />
    <${FormFoot} form=${form} fields=${WISH_FIELDS} onCancel=${onDone} /></form>`;
}

// Where the proposal stands: its code comes with the first one, small screens choose between it and the talk.
import { won } from "../shared/format.js";
import { cx, effect, html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { chosenVariant, onTop, openProposal, proposal, toldInTalk } from "./proposals.js";
import { newest, turns } from "./state.js";

export function ProposalPane() {
  const [Panel, setPanel] = useState(null);
  useEffect(() => {
    import("./proposal/panel.js").then(async (module) => {
      await module.ready;
      setPanel(() => module.Panel);
    });
  }, []);
  return html`<aside class="proposal" aria-label=${t("proposal")} aria-busy=${String(!Panel)}>${Panel ? html`<${Panel} />` : html`<p class="hint loading">${t("proposal.loading")}</p>`}</aside>`;
}

export function ProposalSwitch() {
  const variant = chosenVariant.value;
  const choose = (over) => () => (onTop.value = over);
  const button = (over, words) => html`<button type="button" class=${cx("switch-half", onTop.value === over && "on")} aria-pressed=${String(onTop.value === over)} onclick=${choose(over)}>${words}</button>`;
  return html`<div class="switch" role="group" aria-label=${t("proposal.switch")}>
    ${button(false, t("conversation"))}${button(true, variant ? t("proposal.monthly", { money: won(variant.premium) }) : t("proposal"))}</div>`;
}

// In an answer: which proposal it made or changed.
export const ProposalCard = ({ data }) => html`<p class="proposal-card"><span>${t("proposal.card", { version: data.version })}</span>
  <button type="button" class="button small" onclick=${() => openProposal(data.id)}>${t("proposal.show")}</button></p>`;

// While the page is open: a question brings the talk to the front, a turn that was answered here brings its proposal.
export function watchTalk(beside) {
  let asked = turns.peek().length;
  let seen = null;
  return effect(() => {
    const count = turns.value.length;
    const turn = newest.value;
    if (count > asked && turn.clock.sent) onTop.value = false;
    asked = count;
    const told = turn?.view.value.blocks.findLast((block) => block.type === "proposal");
    if (!told || told === seen || !turn.clock.sent) return; // a restored turn opens nothing by itself
    seen = told;
    queueMicrotask(() => toldInTalk(told.data, { beside }));
  });
}

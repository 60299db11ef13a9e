// One question and its answer.
import { duration, time } from "../shared/format.js";
import { cx, html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { Approval } from "./approvals.js";
import { Blocks } from "./blocks.js";
import { CardActions } from "./cardactions.js";
import { Clarify } from "./clarify.js";
import { ErrorCard } from "./errors.js";
import { AnswerActions } from "./feedback.js";
import { Guarded } from "./guarded.js";
import { ProposalCard } from "./proposalpane.js";
import { Prose } from "./prose.js";
import { askAgain, goOn } from "./runs.js";
import { SourceChips } from "./sources.js";
import { engineName, isStaff, openDrawer } from "./state.js";
import { Steps } from "./steps.js";
import { live } from "./view.js";

export function TurnView({ turn, newest }) {
  return html`<section class=${cx("turn", newest && "newest")}>
    <article class="mine" aria-label=${t("me.at", { time: time(turn.at) })}><p class="bubble">${turn.query}</p></article>
    <${Answer} turn=${turn} newest=${newest} />
  </section>`;
}

function Answer({ turn, newest }) {
  const view = turn.view.value;
  const busy = live(view);
  const blocked = view.guard.input === "block";
  const onCite = (event) => {
    const number = Number(event.target.closest?.("[data-source]")?.dataset.source);
    const source = view.sources.find((item) => item.id === number);
    if (source) openDrawer("sources", turn, source);
  };
  return html`<article class="answer" aria-label=${t("assistant.at", { time: time(turn.at) })} aria-busy=${String(busy)} onclick=${onCite}>
    <${Steps} view=${view} turn=${turn} busy=${busy} />
    ${blocked ? html`<${Guarded} turn=${turn} view=${view} />` : html`
      <${Prose} text=${view.text} sources=${view.sources} open=${busy && view.status === "streaming"} />
      <${Blocks} blocks=${view.blocks} Actions=${CardActions} Proposal=${ProposalCard} />
      ${view.clarify && view.status === "done" && html`<${Clarify} clarify=${view.clarify} active=${newest} />`}
      ${view.approvals.map((card) => html`<${Approval} key=${card.id} card=${card} turn=${turn} />`)}
      <${SourceChips} turn=${turn} sources=${view.sources} />`}
    ${view.status === "error" && html`<${ErrorCard} turn=${turn} fault=${view.fault} partial=${!!view.text} />`}
    ${view.status === "stopped" && html`<div class="stopped"><span class="badge"><${Icon} name="pause" size=${14} />${t("stopped")}</span>
      ${newest && html`<button type="button" class="button small" onclick=${() => goOn(turn)}>${t("go.on")}</button>
      <button type="button" class="button small" onclick=${() => askAgain(turn)}>${t("again")}</button>`}</div>`}
    ${!busy && view.status === "done" && !blocked && html`<${AnswerActions} turn=${turn} view=${view} />`}
    ${isStaff && !busy && html`<${Figures} turn=${turn} view=${view} />`}
  </article>`;
}

// For staff: what answered and how fast, measured on this page.
function Figures({ turn, view }) {
  const { sent, event, sentence, done } = turn.clock;
  const parts = [
    view.engine && engineName(view.engine),
    event && t("figure.event", { time: duration(event - sent) }),
    sentence && t("figure.sentence", { time: duration(sentence - sent) }),
    done && t("figure.done", { time: duration(done - sent) }),
  ].filter(Boolean);
  return parts.length ? html`<p class="figures number">${parts.join(" · ")}</p>` : null;
}

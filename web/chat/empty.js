// Before the first question: who answers, what can be asked.
import { atLeast, boot } from "../shared/boot.js";
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { fillComposer } from "./composer.js";
import { openProposal } from "./proposals.js";
import { panel } from "./state.js";

const GROUPS = [
  { key: "premium", icon: "umbrella" },
  { key: "underwriting", icon: "check" },
  { key: "claim", icon: "file" },
];

// A company's own folder may offer its own questions; else the page's.
function groups() {
  if (boot.suggestions) return boot.suggestions.map(({ title, questions }, at) => ({ key: `own-${at}`, icon: GROUPS[at].icon, title, questions }));
  const who = atLeast("staff") ? "staff" : "suggest";
  return GROUPS.map(({ key, icon }) => ({ key, icon, title: t(`suggest.${key}`), questions: [1, 2].map((number) => t(`${who}.${key}.${number}`)) }));
}

// Questions that are surely answered, for whoever was refused.
export const answerable = () => (boot.suggestions ? groups().map(({ questions }) => questions[0]).slice(0, 2) : ["suggest.premium.1", "suggest.claim.1"].map((key) => t(key)));

export function Empty() {
  return html`<section class="welcome">
    <h1>${t("welcome")}</h1>
    <p class="lead">${t("welcome.ai")}</p>
    <div class="suggestions">
      ${groups().map(({ key, icon, title, questions }) => html`<section key=${key} aria-labelledby=${`group-${key}`}>
        <h2 id=${`group-${key}`}><${Icon} name=${icon} size=${18} />${title}</h2>
        ${questions.map((text) => html`<button type="button" key=${text} onclick=${() => fillComposer(text)}>${text}</button>`)}
      </section>`)}
    </div>
    ${boot.advice && html`<p class="welcome-more"><button type="button" class="button" onclick=${() => openProposal()}><${Icon} name="plan" size=${18} />${t("proposal.begin")}</button>
      <span class="hint">${t("proposal.begin.hint")}</span></p>`}
    ${boot.products?.length > 0 && html`<p class="welcome-more"><button type="button" class="link" onclick=${() => (panel.value = "catalogue")}>${t("catalogue.open")}</button></p>`}
  </section>`;
}

// Before the first question: who answers, what can be asked.
import { atLeast } from "../shared/boot.js";
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { fillComposer } from "./composer.js";
import { panel } from "./state.js";

const GROUPS = [
  { key: "premium", icon: "umbrella" },
  { key: "underwriting", icon: "check" },
  { key: "claim", icon: "file" },
];

export function Empty() {
  const who = atLeast("staff") ? "staff" : "suggest";
  return html`<section class="welcome">
    <h1>${t("welcome")}</h1>
    <p class="lead">${t("welcome.ai")}</p>
    <div class="suggestions">
      ${GROUPS.map(({ key, icon }) => html`<section key=${key} aria-labelledby=${`group-${key}`}>
        <h2 id=${`group-${key}`}><${Icon} name=${icon} size=${18} />${t(`suggest.${key}`)}</h2>
        ${[1, 2].map((number) => {
          const text = t(`${who}.${key}.${number}`);
          return html`<button type="button" key=${number} onclick=${() => fillComposer(text)}>${text}</button>`;
        })}
      </section>`)}
    </div>
    <p class="welcome-more"><button type="button" class="link" onclick=${() => (panel.value = "catalogue")}>${t("catalogue.open")}</button></p>
  </section>`;
}

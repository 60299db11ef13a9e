// A question that was not answered: calm, with a way on. The person's words stay and can be edited.
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { editQuestion, fillComposer } from "./composer.js";
import { answerable } from "./empty.js";
import { isStaff, panel } from "./state.js";

export function Guarded({ turn, view }) {
  return html`<section class="notice calm" aria-label=${t("guarded")}>
    <p><${Icon} name="shield" size=${18} /><strong>${t("guarded")}</strong></p>
    <p lang="ko">${view.text}</p>
    <p class="hint">${t("guarded.instead")}</p>
    <p class="actions">${answerable().map((text) => html`<button type="button" class="button small" key=${text} lang="ko" onclick=${() => fillComposer(text)}>${text}</button>`)}</p>
    <p class="actions"><button type="button" class="button small quiet" onclick=${() => editQuestion(turn.query)}>${t("edit.question")}</button>
      <button type="button" class="button small quiet" onclick=${() => (panel.value = "handoff")}>${t("person")}</button></p>
    ${isStaff && view.guard.reason && html`<p class="figures">${t("guarded.rule", { layer: view.guard.layer ?? "", rule: view.guard.reason })}</p>`}
  </section>`;
}

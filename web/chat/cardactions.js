// What a product card offers in a conversation: words for the composer, and a place in the comparison.
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { fillComposer } from "./composer.js";
import { MOST, toggleCompared } from "./compare.js";
import { compared } from "./state.js";

export function CardActions({ data }) {
  const chosen = compared.value.some((item) => item.code === data.code);
  const full = compared.value.length >= MOST && !chosen;
  return html`<p class="actions">
      <button type="button" class="button small" onclick=${() => fillComposer(`${data.name} 보장 내용을 알려 주세요`)}>${t("card.cover")}</button>
      <button type="button" class="button small" onclick=${() => fillComposer(`${data.name} 보험료를 알려 주세요`)}>${t("card.premium")}</button>
      <button type="button" class="button small compare" aria-pressed=${String(chosen)} disabled=${full} onclick=${() => toggleCompared({ code: data.code, name: data.name })}>
        ${chosen && html`<${Icon} name="check" size=${15} />`}${t("card.compare")}</button>
    </p>`;
}

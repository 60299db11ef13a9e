// Products put aside to compare; two to four of them make a question.
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { IconButton } from "../shared/ui/icons.js";
import { fillComposer } from "./composer.js";
import { compared } from "./state.js";

export const MOST = 4;

export function toggleCompared(product) {
  const has = compared.value.some((item) => item.code === product.code);
  compared.value = has ? compared.value.filter((item) => item.code !== product.code) : [...compared.value, product].slice(-MOST);
}

export function CompareBar() {
  const chosen = compared.value;
  if (!chosen.length) return null;
  const ask = () => {
    fillComposer(`${chosen.map((item) => item.name).join(", ")} 비교해 주세요`);
    compared.value = [];
  };
  return html`<section class="compare-bar" aria-label=${t("compare")}>
    <ul class="chips">${chosen.map((item) => html`<li key=${item.code} class="chip"><span lang="ko">${item.name}</span>
      <${IconButton} icon="close" size=${14} label=${t("compare.remove", { name: item.name })} onclick=${() => toggleCompared(item)} /></li>`)}</ul>
    <button type="button" class="button primary small" disabled=${chosen.length < 2} onclick=${ask}>${chosen.length < 2 ? t("compare.more") : t("compare.go", { count: chosen.length })}</button>
  </section>`;
}

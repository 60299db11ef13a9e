// All products on sale, by kind; a press fills the composer.
import { boot } from "../shared/boot.js";
import { html, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { matches } from "../shared/search.js";
import { Dialog } from "../shared/ui/dialog.js";
import { SearchBox } from "../shared/ui/searchbox.js";
import { fillComposer } from "./composer.js";
import { panel } from "./state.js";

export function Catalogue() {
  const [query, setQuery] = useState("");
  const close = () => panel.value === "catalogue" && (panel.value = null);
  const ask = (text) => {
    panel.value = null;
    setTimeout(() => fillComposer(text));
  };
  const found = boot.products.filter((product) => matches(`${product.name} ${product.category}`, query));
  const kinds = [...new Set(found.map((product) => product.category))];
  return html`<${Dialog} open=${panel.value === "catalogue"} onClose=${close} title=${t("catalogue")} wide=${true} back=${true}>
    <${SearchBox} label=${t("catalogue.search")} onSearch=${setQuery} />
    ${kinds.map((kind) => html`<section class="kind" key=${kind} lang="ko"><h3>${kind}</h3>
      <ul class="plain">${found.filter((product) => product.category === kind).map((product) => html`<li key=${product.code}>
        <span class="kind-name"><strong>${product.name}</strong><span class="hint">${product.entry_age} · ${product.renewal}${product.simplified ? " · 간편심사" : ""}</span></span>
        <span class="actions"><button type="button" class="button small" onclick=${() => ask(`${product.name} 보장 내용을 알려 주세요`)}>${t("card.cover")}</button>
          <button type="button" class="button small" onclick=${() => ask(`${product.name} 보험료를 알려 주세요`)}>${t("card.premium")}</button></span></li>`)}</ul></section>`)}
    ${!found.length && html`<p class="hint">${t("nothing.found")}</p>`}
  <//>`;
}

// A tool's arguments as a table; the schema itself stands below for those who want it.
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { fieldsOf, limitsOf } from "./schema.js";

export function Arguments({ schema }) {
  const fields = fieldsOf(schema);
  if (!fields.length) return html`<p class="hint">${t("tools.no-arguments")}</p>`;
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${t("tools.arguments")}><table class="data compact"><caption class="visually-hidden">${t("tools.arguments")}</caption>
    <thead><tr><th scope="col">${t("tools.argument")}</th><th scope="col">${t("tools.kind")}</th><th scope="col">${t("tools.meaning")}</th></tr></thead>
    <tbody>${fields.map((field) => html`<tr key=${field.name}><th scope="row"><code class="argument">${field.name}</code>${field.required && html` <span class="badge">${t("tools.needed")}</span>`}</th>
      <td class="kind">${t(`tools.kind.${field.kind}`)}</td>
      <td lang="ko">${field.plain.description || html`<span class="hint">${t("unknown")}</span>`}${field.plain.enum && html`<span class="sub">${field.plain.enum.join(" · ")}</span>`}${limitsOf(field) && html`<span class="sub">${limitsOf(field)}</span>`}</td></tr>`)}</tbody></table></div>
    <details class="fold"><summary>${t("tools.schema")}</summary><pre class="code" tabindex="0">${JSON.stringify(schema, null, 2)}</pre></details>`;
}

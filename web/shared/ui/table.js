// A table block: sticky first column, grouped rows, differing rows by weight and a sign, one block per row on phones,
// copy as text, CSV.
import { download } from "../api.js";
import { shown } from "../format.js";
import { cx, html } from "../html.js";
import { t } from "../i18n.js";
import { IconButton } from "./icons.js";
import { notify } from "./live.js";

// `data`: {title, columns: [{key, label, align?}], rows, differs?: [row numbers], note?}
export function DataTable({ data, folded = false }) {
  const differs = new Set(data.differs ?? []);
  const compares = differs.size > 0 || data.columns.length > 3;
  const body = html`<div class="table-scroll" tabindex="0" role="region" aria-label=${data.title}>
    <table class=${cx("data", compares && "wide")}>
      <caption class="visually-hidden">${data.title}</caption>
      <thead><tr>${data.columns.map((column) => html`<th scope="col" key=${column.key} class=${column.align}>${column.label}</th>`)}</tr></thead>
      <tbody>${data.rows.map((row, index) => html`
        ${row.group && row.group !== data.rows[index - 1]?.group && html`<tr class="group" key=${`group-${index}`}><th scope="colgroup" colspan=${data.columns.length}>${row.group}</th></tr>`}
        <tr key=${index} class=${differs.has(index) ? "differs" : undefined}>${data.columns.map((column, place) =>
          place === 0
            ? html`<th scope="row" key=${column.key} class=${column.align}>${differs.has(index) && html`<span class="sign" title=${t("table.differs")}>≠<span class="visually-hidden">${t("table.differs")}</span></span>`}${shown(row[column.key])}</th>`
            : html`<td key=${column.key} class=${column.align} data-label=${column.label}>${shown(row[column.key])}</td>`)}</tr>`)}
      </tbody>
    </table></div>
    <div class="table-foot"><p class="hint">${differs.size > 0 && html`<span class="sign" aria-hidden="true">≠</span> ${t("table.differs.note")} `}${data.note}</p>
      <span class="table-tools"><${IconButton} icon="copy" size=${16} label=${t("table.copy")} onclick=${() => copyText(asText(data))} />
        <${IconButton} icon="download" size=${16} label=${t("table.csv")} onclick=${() => download(`${data.title}.csv`, asCsv(data), "text/csv")} /></span></div>`;
  return folded
    ? html`<details class="table-block"><summary>${data.title}</summary>${body}</details>`
    : html`<section class="table-block"><h3>${data.title}</h3>${body}</section>`;
}

const cells = (data) => [data.columns.map((column) => column.label), ...data.rows.map((row) => data.columns.map((column) => shown(row[column.key])))];
const asText = (data) => [data.title, ...cells(data).map((row) => row.join("\t")), data.note].filter(Boolean).join("\n");

// A byte order mark, so that spreadsheets read Korean; a cell that begins like a formula gets an apostrophe.
export const asCsv = (data) => `\ufeff${cells(data).map((row) => row.map(csvCell).join(",")).join("\r\n")}\r\n`;
const csvCell = (text) => `"${(/^[=+\-@\t\r]./.test(text) && !/^[+-]?[\d,.]+[^\w(]*$/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;

export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify(t("copied"));
  } catch {
    notify(t("copy.failed"));
  }
}

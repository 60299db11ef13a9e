// A table of records: sortable headings, pages from the server, rows to choose, CSV; one block per row on phones.
import { download } from "../api.js";
import { count, shown } from "../format.js";
import { cx, html, useState } from "../html.js";
import { t } from "../i18n.js";
import { IconButton, Icon } from "./icons.js";
import { asCsv } from "./table.js";

// `columns`: [{key, label, align?: "right", sort?: true, cell?(row) → markup, text?(row) → text of the CSV, first?: widest}]
// `sort`: "calls" or "-calls" (falling), `onSort(next)`; `page`: {offset, limit, total}, `onPage(offset)`;
// `rows`: those of this page; `csvRows()` fetches all of them (default: these), or `onSave()` brings the server's file;
// `chosen`: Set of row keys with `onChoose(set)` and `nameOf(row)`; `dense`: short values, two beside each other on phones.
export function Grid({ label, columns, rows, rowKey = (row) => row.id, sort, onSort, page, onPage, csvRows, onSave, chosen, onChoose, nameOf, current, dense }) {
  const [busy, setBusy] = useState(false);
  const keys = rows.map(rowKey);
  const all = chosen && keys.length > 0 && keys.every((key) => chosen.has(key));
  const choose = (some, on) => {
    const next = new Set(chosen);
    for (const key of some) next[on ? "add" : "delete"](key);
    onChoose(next);
  };
  const save = async () => {
    setBusy(true);
    try {
      if (onSave) return await onSave();
      const wanted = csvRows ? await csvRows() : rows;
      const text = (column, row) => (column.text ? column.text(row) : row[column.key]);
      const plain = wanted.map((row) => Object.fromEntries(columns.map((column) => [column.key, text(column, row)])));
      download(`${label}.csv`, asCsv({ columns, rows: plain }), "text/csv");
    } finally {
      setBusy(false);
    }
  };
  return html`<div class=${cx("table-block grid", dense && "dense")}>
    <div class="table-scroll" tabindex="0" role="region" aria-label=${label}>
      <table class="data wide">
        <caption class="visually-hidden">${label}</caption>
        <thead><tr>
          ${chosen && html`<th class="pick"><input type="checkbox" aria-label=${t("select.all")} checked=${all} indeterminate=${!all && keys.some((key) => chosen.has(key))} onchange=${(event) => choose(keys, event.target.checked)} /></th>`}
          ${columns.map((column) => html`<${Heading} key=${column.key} column=${column} sort=${sort} onSort=${onSort} />`)}
        </tr></thead>
        <tbody>${rows.map((row, index) => html`<tr key=${keys[index]} class=${cx(chosen?.has(keys[index]) && "chosen", current === keys[index] && "current")}>
          ${chosen && html`<td class="pick"><input type="checkbox" aria-label=${t("select.row", { name: nameOf(row) })} checked=${chosen.has(keys[index])} onchange=${(event) => choose([keys[index]], event.target.checked)} /></td>`}
          ${columns.map((column, place) => {
            const value = column.cell ? column.cell(row) : shown(row[column.key]);
            return place === 0
              ? html`<th scope="row" key=${column.key} class=${column.align}>${value}</th>`
              : html`<td key=${column.key} class=${column.align} data-label=${column.label}><div>${value}</div></td>`;
          })}</tr>`)}
        </tbody>
      </table>
    </div>
    <div class="table-foot">
      <p class="hint number" aria-live="polite">${page ? t("page.of", { from: count(page.total ? page.offset + 1 : 0), to: count(Math.min(page.offset + rows.length, page.total)), total: count(page.total) }) : ""}</p>
      <span class="table-tools">
        ${page && page.total > page.limit && html`
          <${IconButton} icon="left" size=${18} label=${t("page.previous")} disabled=${page.offset === 0} onclick=${() => onPage(Math.max(0, page.offset - page.limit))} />
          <${IconButton} icon="chevron" size=${18} label=${t("page.next")} disabled=${page.offset + page.limit >= page.total} onclick=${() => onPage(page.offset + page.limit)} />`}
        <${IconButton} icon="download" size=${16} label=${t("page.csv")} disabled=${busy} onclick=${save} /></span></div>
  </div>`;
}

function Heading({ column, sort, onSort }) {
  const falling = sort === `-${column.key}`, rising = sort === column.key;
  if (!column.sort || !onSort) return html`<th scope="col" class=${column.align}>${column.label}</th>`;
  return html`<th scope="col" class=${column.align} aria-sort=${falling ? "descending" : rising ? "ascending" : "none"}>
    <button type="button" class=${cx("sort", (falling || rising) && "on")} title=${t("sort.by", { label: column.label })} onclick=${() => onSort(falling ? column.key : rising ? `-${column.key}` : column.align === "right" ? `-${column.key}` : column.key)}>
      ${column.label}<${Icon} name=${falling ? "falling" : rising ? "rising" : "unsorted"} size=${14} /></button></th>`;
}

// Two pictures of a proposal: what the variants cost over the years, and how far one of them covers what is needed.
import { percent, won } from "../../shared/format.js";
import { html, useId, useMemo, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Chart, Spoken } from "../../shared/ui/chart.js";
import { DataTable } from "../../shared/ui/table.js";
import { amountWords, personName, yearWords } from "./words.js";

// Premiums of the household from today to the last renewal, a line a variant; the chosen one's steps are marked.
export function PremiumChart({ variants }) {
  const data = useMemo(() => premiumData(variants), [variants]);
  return data && html`<${Chart} data=${data} />`;
}

function premiumData(variants) {
  const drawn = variants.filter((variant) => variant.premiums_by_year.length);
  if (!drawn.length) return null;
  const own = drawn.find((variant) => variant.chosen) ?? drawn[0];
  const others = drawn.filter((variant) => variant !== own);
  const years = own.premiums_by_year;
  const last = Math.max(...drawn.map((variant) => variant.premiums_by_year.at(-1).year));
  const most = years.reduce((best, step) => (step.premium > best.premium ? step : best));
  return {
    kind: "step",
    lang: "ko",
    title: t("proposal.chart.premiums"),
    x: { label: t("proposal.year"), unit: "", text: yearWords, from: 0, to: last },
    y: { label: t("proposal.premium"), unit: "", text: won },
    series: [own, ...others].map((variant) => ({ name: variant.title, points: variant.premiums_by_year.map((step) => [step.year, step.premium]) })),
    marks: years.map((step) => ({ x: step.year, y: step.premium, label: `${yearWords(step.year)} ${won(step.premium)}` })),
    summary: t("proposal.chart.premiums.summary", { variant: own.title, first: won(years[0].premium), most: won(most.premium), peak: yearWords(most.year), last: yearWords(years.at(-1).year) }),
    note: t("proposal.chart.note"),
  };
}

// Cover against need: for each person and need the sum wanted as a frame, and what the variant covers of it as a bar.
export function CoverChart({ variant, people }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const rows = variant.cover.filter((row) => row.wanted > 0);
  if (!rows.length) return null;
  const full = rows.filter((row) => row.covered >= row.wanted).length;
  const named = (row) => `${personName(row.person, people)} ${row.title}`;
  const column = (key, words, align) => ({ key, label: t(words), align });
  const table = {
    title: t("proposal.chart.cover"),
    columns: [column("x", "proposal.need"), column("covered", "proposal.covered", "right"), column("held", "proposal.held", "right"), column("wanted", "proposal.wanted", "right"), column("share", "proposal.share", "right")],
    rows: rows.map((row) => ({ x: named(row), covered: amountWords(row.covered, row.unit), held: row.held ? amountWords(row.held, row.unit) : null, wanted: amountWords(row.wanted, row.unit), share: percent(row.covered / row.wanted, 0) })),
    note: [...new Set(rows.map((row) => row.basis))].join(" · "),
  };
  return html`<figure class="chart cover" aria-labelledby=${id}>
    <figcaption id=${id}>${t("proposal.chart.cover")}</figcaption>
    <p class="legend"><span class="key covered">${t("proposal.covered")}</span><span class="key held">${t("proposal.held")}</span><span class="key wanted">${t("proposal.wanted")}</span></p>
    <div class="cover-rows" role="img" aria-label=${t("proposal.chart.cover.summary", { variant: variant.title, full, count: rows.length })}>${rows.map((row) => html`<${CoverRow} key=${named(row)} row=${row} name=${named(row)} />`)}</div>
    <button type="button" class="link chart-more" aria-expanded=${String(open)} onclick=${() => setOpen(!open)}>${t(open ? "chart.table.close" : "chart.table")}</button>
    <div lang="ko">${open ? html`<${DataTable} data=${table} />` : html`<${Spoken} data=${table} />`}</div>
  </figure>`;
}

function CoverRow({ row, name }) {
  const share = (amount) => Math.min(100, (amount / row.wanted) * 100);
  return html`<p><span class="cover-name" lang="ko">${name}</span><span class="cover-words number" lang="ko">${won(row.covered)} / ${amountWords(row.wanted, row.unit)}</span>
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="wanted" width="100" height="10" /><rect class="covered" width=${share(row.covered)} height="10" /><rect class="held" width=${share(row.held)} height="10" /></svg></p>`;
}

// The typed blocks of an answer: product cards, tables, charts, notices. Figures stand here, prose only repeats them.
import { won } from "../shared/format.js";
import { cx, html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { DataTable } from "../shared/ui/table.js";
import { Icon } from "../shared/ui/icons.js";

// `Actions`: what a product card offers, `Proposal`: how a proposal is opened, where something can be done with them.
export function Blocks({ blocks, Actions, Proposal = ProposalLink }) {
  const cards = blocks.filter((block) => block.type === "product_card");
  const tables = blocks.filter((block) => block.type === "table");
  return html`${cards.length > 0 && html`<div class=${cx("cards", cards.length > 1 && "many")} lang="ko">${cards.map((block) => html`<${ProductCard} key=${block.id} data=${block.data} Actions=${Actions} />`)}</div>`}
    ${blocks.filter((block) => block.type !== "product_card").map((block) => html`<div class="block" key=${block.id} lang="ko">${
      block.type === "table" ? html`<${DataTable} data=${block.data} folded=${tables.length > 1} />`
      : block.type === "chart" ? html`<${LazyChart} data=${block.data} />`
      : block.type === "notice" ? html`<${Notice} data=${block.data} />`
      : block.type === "proposal" ? html`<${Proposal} data=${block.data} />` : null}</div>`)}`;
}

function ProductCard({ data, Actions }) {
  const facts = [data.entry_age && `가입 ${data.entry_age}`, data.renewal, data.waiting].filter(Boolean);
  return html`<article class="card" aria-label=${data.name}>
    <header><p class="card-kind">${data.category}${data.simplified ? html` <span class="badge">간편심사</span>` : null}</p>
      <h3>${data.name}</h3>
      <p class="product-facts">${facts.map((fact) => html`<span key=${fact}>${fact}</span>`)}</p></header>
    ${data.premium != null && html`<p class="card-premium">월 <strong class="number">${won(data.premium)}</strong></p>`}
    <ul class="points">${(data.points ?? []).slice(0, 3).map((point) => html`<li key=${point}>${point}</li>`)}</ul>
    ${Actions && html`<${Actions} data=${data} />`}
  </article>`;
}

const ProposalLink = ({ data }) => html`<p><a href=${`/?proposal=${encodeURIComponent(data.id)}`}>설계안 ${data.version}번째</a></p>`;

const Notice = ({ data }) => html`<aside class=${cx("notice", data.level)}>
  <p><${Icon} name=${data.level === "warning" ? "warning" : "info"} size=${18} /><strong>${data.title}</strong></p><p>${data.text}</p></aside>`;

// The chart's code comes with the first chart.
function LazyChart({ data }) {
  const [Chart, setChart] = useState(null);
  useEffect(() => {
    import("../shared/ui/chart.js").then((module) => setChart(() => module.Chart));
  }, []);
  return Chart ? html`<${Chart} data=${data} />` : html`<figure class="chart loading"><figcaption>${data.title}</figcaption></figure>`;
}

// A conversation as the person saw it, drawn by the chat's own parts; nothing in it can be pressed to ask or decide.
import { date, shown, time } from "../../../shared/format.js";
import { html, useEffect, useMemo } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { loadMarkdown } from "../../../shared/rich.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Blocks } from "../../../chat/blocks.js";
import { Prose } from "../../../chat/prose.js";
import { fromReply } from "../../../chat/view.js";
import { to } from "../../router.js";
import { titleOf } from "./marks.js";

// `turns`: replies as the server keeps them; the one with `current` stands open, the others fold.
export function Transcript({ turns, current }) {
  return html`<div class="said">${turns.map((turn) => (turn.run_id === current || turns.length === 1
    ? html`<div class="said-turn" key=${turn.run_id}><${Said} turn=${turn} /></div>`
    : html`<details class="said-turn other" key=${turn.run_id}><summary><span lang="ko">${turn.query}</span><span class="hint" lang="ko">${turn.answer}</span></summary><${Said} turn=${turn} link /></details>`))}</div>`;
}

function Said({ turn, link = false }) {
  return html`<div class="asked"><p class="bubble" lang="ko">${turn.query}</p>
      <p class="hint">${turn.created_at && html`<time datetime=${turn.created_at}>${date(turn.created_at)} ${time(turn.created_at)}</time>`}${turn.replaced && ` · ${t("conversations.asked-again")}`}
        ${link && html` · <a href=${to(`conversations/${turn.run_id}`)}>${t("conversations.open")}</a>`}</p></div>
    <${Answer} reply=${turn} />`;
}

export function Answer({ reply }) {
  useEffect(() => void loadMarkdown(), []);
  const view = useMemo(() => fromReply(reply), [reply]);
  const open = (event) => {
    const source = view.sources.find((item) => item.id === Number(event.target.closest?.("[data-source]")?.dataset.source));
    if (source) window.open(pageOf(source), "_blank", "noopener");
  };
  return html`<article class="said-answer" onclick=${open}>
    <${Prose} text=${view.text} sources=${view.sources} />
    <${Blocks} blocks=${view.blocks} />
    ${view.clarify && html`<p class="hint" lang="ko">${t("conversations.asked-back", { names: view.clarify.fields.map((field) => field.label).join(", ") })}</p>`}
    ${view.approvals.map((card) => html`<section class="approval" key=${card.id} lang="ko"><h3><${Icon} name="shield" size=${18} />${card.title ?? titleOf(card.tool)}</h3><p>${card.effect}</p>
      <dl class="facts-list">${Object.entries(card.args ?? {}).filter(([, value]) => value !== null && typeof value !== "boolean").map(([name, value]) => html`<div key=${name}><dt><code>${name}</code></dt><dd>${shown(value)}</dd></div>`)}</dl></section>`)}
    ${view.sources.length > 0 && html`<ul class="source-chips" aria-label=${t("conversations.sources")}>${view.sources.map((source) => html`<li key=${source.id}>
      <a class="source-chip" lang="ko" href=${pageOf(source)}><span class="cite">${source.id}</span><span class="source-name">${source.title} ${source.heading_path?.split(" > ").at(-1) ?? ""}</span>${source.page && html`<span class="hint">${t("conversations.page", { page: source.page })}</span>`}</a></li>`)}</ul>`}
  </article>`;
}

const pageOf = (source) => to(`documents/${source.document_id}`, { page: source.page, chunk: source.chunk_id });

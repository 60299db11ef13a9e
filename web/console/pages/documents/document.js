// One document: the picture of a page with its chunks drawn over it, and the chunks as text beside it.
import { get, withQuery } from "../../../shared/api.js";
import { count, date } from "../../../shared/format.js";
import { cx, html, useEffect, useRef, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon, IconButton } from "../../../shared/ui/icons.js";
import { PageHead } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";

const TINTS = 5;

export function Document({ id, query }) {
  const page = Math.max(1, Number(query.page) || 1);
  const base = `/api/admin/documents/${encodeURIComponent(id)}/chunks`;
  const loaded = useLoaded((signal) => get(withQuery(base, { page }), { signal }), [id, page]);
  const about = loaded.data?.document;
  const turn = (next) => setQuery({ page: next === 1 ? null : next, chunk: null });
  const files = `/api/documents/${encodeURIComponent(id)}`;
  return html`<div class="page">
    <${PageHead} title=${about?.title ?? id} hint=${about && aboutLine(about, loaded.data.total)} back=${{ place: "documents", label: t("nav.documents") }}>
      <a class="button" href=${`${files}/original#page=${page}`} target="_blank" rel="noopener"><${Icon} name="external" size=${16} />${t("documents.original")}</a><//>
    <div class="toolbar pager" role="group" aria-label=${t("documents.pages")}>
      <${IconButton} icon="left" label=${t("documents.before")} disabled=${page <= 1} onclick=${() => turn(page - 1)} />
      <label class="field"><span class="visually-hidden">${t("documents.page")}</span><input type="number" class="page-number" min="1" max=${about?.pages} value=${page} onchange=${(event) => event.target.value && turn(Math.min(about?.pages ?? 1, Math.max(1, Number(event.target.value))))} /></label>
      <span class="number">${t("documents.of", { pages: about?.pages ?? t("unknown") })}</span>
      <${IconButton} icon="chevron" label=${t("documents.after")} disabled=${!about || page >= about.pages} onclick=${() => turn(page + 1)} />
    </div>
    <${Loaded} of=${loaded}>${(data) => html`<div class="split sheet-and-chunks">
      <${Sheet} src=${`${files}/pages/${page}.png`} title=${data.document.title} data=${data} chosen=${query.chunk} />
      <${Chunks} data=${data} chosen=${query.chunk} /></div>`}<//>
  </div>`;
}

const aboutLine = (about, chunks) => [about.product, t(`documents.kind.${about.kind}`), about.revision && t("documents.revision.of", { number: about.revision }), about.effective_date && t("documents.since", { date: date(about.effective_date) }), t("documents.sizes", { pages: count(about.pages), chunks: count(chunks) })].filter(Boolean).join(" · ");

const choose = (id) => setQuery({ chunk: id });

// The boxes are measured in the points of the page, as the server's picture is.
function Sheet({ src, title, data, chosen }) {
  const { number, width, height } = data.page;
  const [missing, setMissing] = useState(false);
  useEffect(() => setMissing(false), [src]);
  if (missing) return html`<p class="notice">${t("documents.no-picture")}</p>`;
  return html`<div class="sheet-of"><img src=${src} alt=${t("documents.picture", { title, page: number })} onerror=${() => setMissing(true)} />
    <svg viewBox=${`0 0 ${width} ${height}`} aria-hidden="true">${data.chunks.map((chunk, index) => html`<g key=${chunk.chunk_id} class=${cx("box", `tint-${index % TINTS}`, chunk.chunk_id === chosen && "chosen")} onclick=${() => choose(chunk.chunk_id)}>
      ${chunk.boxes.map(([x0, y0, x1, y1], place) => html`<rect key=${place} x=${x0 - 2} y=${y0 - 1} width=${x1 - x0 + 4} height=${y1 - y0 + 2} />`)}
      ${chunk.boxes[0] && html`<text x=${Math.max(2, chunk.boxes[0][0] - 6)} y=${chunk.boxes[0][1] + 7}>${chunk.number}</text>`}</g>`)}</svg></div>`;
}

function Chunks({ data, chosen }) {
  const list = useRef(null);
  useEffect(() => list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }), [chosen, data]);
  if (!data.chunks.length) return html`<div class="empty"><p>${t("documents.no-chunks")}</p></div>`;
  return html`<ol class="chunk-list plain" ref=${list}>${data.chunks.map((chunk, index) => html`<li key=${chunk.chunk_id} class=${cx(`tint-${index % TINTS}`, chunk.chunk_id === chosen && "chosen")} aria-current=${chunk.chunk_id === chosen ? "true" : undefined}>
    <button type="button" class="chunk-head" onclick=${() => choose(chunk.chunk_id)}><span class="chunk-number number">${chunk.number}</span><strong lang="ko">${chunk.heading || data.document.title}</strong></button>
    <p class="chunk-text" lang="ko">${chunk.text}</p>
    <p class="hint number">${t("documents.chunk", { page: chunk.page === chunk.page_end ? chunk.page : `${chunk.page}~${chunk.page_end}`, chars: count(chunk.chars) })} · <code>${chunk.chunk_id}</code></p></li>`)}</ol>`;
}

// The ground of an answer: chips under it, and the drawer with the page's picture, the passage marked.
import { get } from "../shared/api.js";
import { date } from "../shared/format.js";
import { cx, html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon, IconButton } from "../shared/ui/icons.js";
import { drawer, openDrawer } from "./state.js";

const place = (source) => source.heading_path?.split(" > ").at(-1) ?? "";

export function SourceChips({ turn, sources }) {
  if (!sources.length) return null;
  return html`<ul class="source-chips" aria-label=${t("sources")}>${sources.map((source) => html`<li key=${source.id}>
    <button type="button" class="source-chip" lang="ko" onclick=${() => openDrawer("sources", turn, source)}><span class="cite">${source.id}</span>
      <span class="source-name">${source.title} ${place(source)}</span>${source.page && html`<span class="hint">${t("page", { page: source.page })}</span>`}</button></li>`)}</ul>`;
}

const documents = { promise: null };
const known = async (id) => {
  documents.promise ??= get("/api/documents").then((found) => found.documents, () => []);
  return (await documents.promise).find((item) => item.documentId === id) ?? null;
};

export function SourcesTab() {
  const { turn, source } = drawer.value;
  const sources = turn?.view.value.sources ?? [];
  if (!sources.length) return html`<p class="hint">${t("sources.none")}</p>`;
  const chosen = source ?? sources[0];
  return html`<div class="sources">
    <ul class="source-list plain">${sources.map((item) => html`<li key=${item.id}>
      <button type="button" class=${cx("source-row", item.id === chosen.id && "chosen")} aria-current=${item.id === chosen.id ? "true" : undefined} lang="ko" onclick=${() => openDrawer("sources", turn, item)}>
        <span class="cite">${item.id}</span><span><strong>${item.title}</strong><span class="hint">${place(item)}${item.page ? ` · ${t("page", { page: item.page })}` : ""}</span></span></button></li>`)}</ul>
    <${Page} key=${chosen.id} source=${chosen} />
  </div>`;
}

// The picture of one page; the passage is marked on its own page, and the passage's text stands below.
export function Page({ source }) {
  const [number, setNumber] = useState(source.page ?? 1);
  const [state, setState] = useState("loading");
  const [about, setAbout] = useState(null);
  const [big, setBig] = useState(false);
  useEffect(() => {
    known(source.document_id).then(setAbout);
  }, [source.document_id]);
  const base = `/api/documents/${encodeURIComponent(source.document_id)}`;
  const image = `${base}/pages/${number}.png?highlight=${encodeURIComponent(source.chunk_id ?? "")}`;
  const turnTo = (next) => {
    setState("loading");
    setNumber(next);
  };
  const last = about?.pages ?? null;
  return html`<section class="page" aria-label=${t("page.of", { title: source.title, page: number })}>
    <p class="page-head" lang="ko"><strong>${source.heading_path ?? source.title}</strong>
      ${about?.revised && html`<span class="hint">${t("revised", { date: date(about.revised) })}</span>`}</p>
    ${source.page && html`<div class="page-tools"><${IconButton} icon="left" label=${t("page.before")} disabled=${number <= 1} onclick=${() => turnTo(number - 1)} />
      <span class="number">${last ? t("page.count", { page: number, pages: last }) : t("page", { page: number })}</span>
      <${IconButton} icon="chevron" label=${t("page.after")} disabled=${state === "missing" || (last !== null && number >= last)} onclick=${() => turnTo(number + 1)} />
      <a class="button small quiet" href=${`${base}/original#page=${number}`} target="_blank" rel="noopener"><${Icon} name="external" size=${16} />${t("page.original")}</a></div>`}
    ${source.page && state !== "missing"
      ? html`<button type="button" class=${cx("page-image", big && "big", state === "loading" && "loading")} aria-label=${big ? t("page.smaller") : t("page.bigger")} onclick=${() => setBig(!big)}>
          <img src=${image} alt=${t("page.alt", { title: source.title, page: number })} onload=${() => setState("here")} onerror=${() => setState("missing")} /></button>`
      : html`<p class="notice">${t("page.missing")}</p>`}
    <blockquote lang="ko">${source.snippet}</blockquote>
  </section>`;
}

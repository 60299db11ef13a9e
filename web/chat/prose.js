// An answer's words. Finished paragraphs are parsed once and never touched again; only the open one is parsed anew.
import { cx, html, useMemo } from "../shared/html.js";
import { Rich } from "../shared/rich.js";

export function Prose({ text, sources, open }) {
  const cited = useMemo(() => new Set(sources.map((source) => source.id)), [sources]);
  if (!text) return null;
  const parts = text.split(/\n{2,}/).filter((part) => part.trim());
  return html`<div class=${cx("prose", open && "open")} lang="ko">
    ${parts.map((part, index) => html`<${Part} key=${index} text=${part} sources=${cited} />`)}
  </div>`;
}

function Part({ text, sources }) {
  return useMemo(() => html`<${Rich} class=${text.startsWith("※") ? "part fine" : "part"} text=${text} sources=${sources} />`, [text, sources]);
}

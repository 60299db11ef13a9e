// Pieces that every page of the console is built of: its heading, a panel, a state, a metric tile.
import { boot } from "../shared/boot.js";
import { cx, html, useEffect, useId, useRef } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { to } from "./router.js";

let opened = false; // the page that was asked for keeps the browser's focus; one come to by a link gets it at its heading

// `back`: {place, label} of the list this page belongs to; children are the page's actions.
export function PageHead({ title, titleLang, hint, back, children }) {
  const heading = useRef(null);
  useEffect(() => {
    document.title = `${title} · ${boot.company} ${t("console")}`;
    if (opened) heading.current.focus({ preventScroll: true });
    opened = true;
  }, [title]);
  return html`<header class="page-head">
    <div class="page-title">
      ${back && html`<a class="back" href=${to(back.place)}><${Icon} name="left" size=${16} />${back.label}</a>`}
      <h1 ref=${heading} tabindex="-1" lang=${titleLang}>${title}</h1>
      ${hint && html`<p class="hint">${hint}</p>`}
    </div>
    ${children && html`<div class="actions">${children}</div>`}
  </header>`;
}

// A titled part of a page.
export function Panel({ title, hint, actions, className, children }) {
  const id = useId();
  return html`<section class=${cx("panel", className)} aria-labelledby=${id}>
    <header class="panel-head"><div><h2 id=${id}>${title}</h2>${hint && html`<p class="hint">${hint}</p>`}</div>${actions && html`<div class="actions">${actions}</div>`}</header>
    <div class="panel-body">${children}</div>
  </section>`;
}

// kind: good | warn | bad | plain; never colour alone: a sign stands before the words.
const SIGNS = { good: "check", warn: "warning", bad: "close" };
export const State = ({ kind = "plain", children }) => html`<span class=${`state ${kind}`}>${SIGNS[kind] && html`<${Icon} name=${SIGNS[kind]} size=${14} />`}${children}</span>`;

// A number that leads to what it counts.
export function Tile({ label, value, note, href, kind }) {
  const inner = html`<span class="tile-label">${label}</span><span class="tile-value number">${value}</span>${note && html`<span class="tile-note">${note}</span>`}`;
  return href ? html`<a class=${cx("tile", kind)} href=${href}>${inner}</a>` : html`<div class=${cx("tile", kind)}>${inner}</div>`;
}

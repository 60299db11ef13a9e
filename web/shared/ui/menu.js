// A button with a menu: arrows, Home, End, Escape, first letter by the browser; a press outside closes it.
import { cx, html, useId, useLayoutEffect, useRef, useState } from "../html.js";
import { Icon } from "./icons.js";

// `items`: [{label, icon?, run, checked?, danger?} | "-" | {heading}]
export function Menu({ label, icon, text, items, align = "end", className }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const root = useRef(null);
  const button = useRef(null);
  const entries = () => [...root.current.querySelectorAll("[role^=menuitem]")];
  const close = (refocus) => {
    setOpen(false);
    if (refocus) button.current.focus();
  };
  useLayoutEffect(() => {
    if (!open) return undefined;
    entries()[0]?.focus();
    const outside = (event) => !root.current.contains(event.target) && setOpen(false);
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [open]);
  const onKey = (event) => {
    if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      close(true);
    } else if (event.key === "Tab") setOpen(false);
    const all = open ? entries() : [];
    const at = all.indexOf(document.activeElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined || !all.length) return;
    event.preventDefault();
    all[(next + all.length) % all.length].focus();
  };
  return html`<div class=${cx("menu", className)} ref=${root} onkeydown=${onKey}>
    <button type="button" ref=${button} class=${text ? "button quiet" : "icon-button"} aria-label=${text ? undefined : label} title=${label} aria-haspopup="menu"
      aria-expanded=${String(open)} aria-controls=${open ? id : undefined} onclick=${() => setOpen(!open)}>${icon && html`<${Icon} name=${icon} />`}${text}</button>
    ${open && html`<ul role="menu" id=${id} class=${cx("menu-list", align)} aria-label=${label}>
      ${items.filter(Boolean).map((item, index) =>
        item === "-" ? html`<li key=${index} role="separator"></li>`
        : item.heading ? html`<li key=${index} role="presentation" class="menu-heading">${item.heading}</li>`
        : html`<li key=${index} role="none"><button type="button" tabindex="-1" role=${item.checked === undefined ? "menuitem" : "menuitemradio"}
            aria-checked=${item.checked === undefined ? undefined : String(item.checked)} class=${cx(item.danger && "danger")}
            onclick=${() => { close(!item.leaves); item.run(); }}>
            ${item.checked !== undefined ? html`<span class="tick">${item.checked && html`<${Icon} name="check" size=${16} />`}</span>` : item.icon ? html`<${Icon} name=${item.icon} size=${18} />` : null}
            <span>${item.label}</span></button></li>`)}
    </ul>`}
  </div>`;
}

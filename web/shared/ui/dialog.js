// Native <dialog>: Escape closes, the rest of the page is inert, focus goes back to where it was.
import { t } from "../i18n.js";
import { cx, html, useEffect, useId, useRef } from "../html.js";
import { IconButton } from "./icons.js";

// kind: "dialog" (middle), "left" and "right" (side panes), "sheet" (from below, on phones). `onClose` must drop `open`.
// `back: true` makes the browser's back button close it first.
export function Dialog({ open, onClose, title, kind = "dialog", wide = false, back = false, bare = false, children, footer }) {
  const box = useRef(null);
  const id = useId();
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const dialog = box.current;
    if (open && !dialog.open) dialog.showModal();
    if (!open && dialog.open) dialog.close();
  }, [open]);
  useEffect(() => (open && back ? closesOnBack(() => close.current()) : undefined), [open, back]);
  // A press that begins and ends on the backdrop closes; selecting text and letting go outside does not.
  const pressed = useRef(false);
  return html`<dialog ref=${box} class=${cx("dialog", kind, wide && "wide")} aria-labelledby=${id}
      onclose=${onClose} onpointerdown=${(event) => (pressed.current = event.target === box.current)}
      onclick=${(event) => event.target === box.current && pressed.current && onClose()}>
    ${open && html`<div class="dialog-box">
      <header class=${bare ? "visually-hidden" : "dialog-head"}><h2 id=${id}>${title}</h2>
        ${!bare && html`<${IconButton} icon="close" label=${t("close")} onclick=${onClose} />`}</header>
      <div class="dialog-body">${children}</div>
      ${footer && html`<footer class="dialog-foot">${footer}</footer>`}
    </div>`}
  </dialog>`;
}

function closesOnBack(close) {
  history.pushState({ ...history.state, sheet: true }, "");
  const onBack = () => close();
  addEventListener("popstate", onBack);
  return () => {
    removeEventListener("popstate", onBack);
    if (history.state?.sheet) history.back();
  };
}


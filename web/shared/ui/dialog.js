// Native <dialog>: Escape closes, the rest of the page is inert, focus goes back to where it was.
import { t } from "../i18n.js";
import { cx, html, useEffect, useId, useRef } from "../html.js";
import { IconButton } from "./icons.js";

// kind: "dialog" (middle), "left" and "right" (side panes), "sheet" (from below, on phones). `onClose` must drop `open`.
// `back: true`: on phones the back button closes it first.
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
  useEffect(() => (open && back && matchMedia("(max-width: 719.98px)").matches ? closesOnBack(() => close.current()) : undefined), [open, back]);
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

// A sheet that closes by itself takes its history entry back; that step back must close nothing else.
let ownSteps = 0;
addEventListener("popstate", (event) => {
  if (!ownSteps) return;
  ownSteps -= 1;
  event.stopImmediatePropagation();
}, true);

function closesOnBack(close) {
  let wentBack = false;
  history.pushState({ ...history.state, sheet: true }, "");
  const onBack = () => {
    wentBack = true;
    close();
  };
  addEventListener("popstate", onBack);
  return () => {
    removeEventListener("popstate", onBack);
    if (wentBack || !history.state?.sheet) return;
    ownSteps += 1;
    history.back();
  };
}

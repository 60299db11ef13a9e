// A question before something that cannot be undone. The harmless answer has the focus.
import { html, useState } from "../html.js";
import { t } from "../i18n.js";
import { Dialog } from "./dialog.js";

export function Confirm({ open, title, effect, action, typed = "", onYes, onClose }) {
  const [text, setText] = useState("");
  const refused = typed !== "" && text.trim() !== typed;
  return html`<${Dialog} open=${open} onClose=${onClose} title=${title}
    footer=${html`<button type="button" class="button" autofocus onclick=${onClose}>${t("cancel")}</button>
      <button type="button" class="button danger" disabled=${refused} onclick=${() => { setText(""); onYes(); }}>${action}</button>`}>
    <p>${effect}</p>
    ${typed && html`<label class="field">${t("confirm.type", { word: typed })}<input value=${text} oninput=${(event) => setText(event.target.value)} autocomplete="off" /></label>`}
  <//>`;
}

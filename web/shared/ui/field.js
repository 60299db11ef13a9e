// A form field with its label, a hint and what is wrong with it; the input gets what ties them together.
import { cx, html, useId } from "../html.js";

// <${Field} label="…" error=${fault}>${(own) => html`<input ...${own} />`}<//>
export function Field({ label, name, hint, error, required, className, children }) {
  const id = useId();
  const told = [hint && `${id}-hint`, error && `${id}-fault`].filter(Boolean).join(" ") || undefined;
  return html`<div class=${cx("field", className)}>
    <label for=${id}>${label}${required && html`<span class="required" aria-hidden="true"> *</span>`}${name && html` <code>${name}</code>`}</label>
    ${children({ id, "aria-describedby": told, "aria-invalid": error ? "true" : undefined, "aria-required": required ? "true" : undefined })}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="fault" id=${`${id}-fault`}>${error}</p>`}
  </div>`;
}

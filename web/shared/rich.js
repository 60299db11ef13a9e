// Markdown arrives after the first paint; until then an answer stands as plain text.
import { html, signal } from "./html.js";

const Html = signal(null);

// Fetches the Markdown code, once.
export async function loadMarkdown() {
  Html.value ??= (await import("./markdown.js")).Html;
}

export const Rich = ({ text, sources, ...rest }) => (Html.value ? html`<${Html.value} text=${text} sources=${sources} ...${rest} />` : html`<div ...${rest} style=${{ whiteSpace: "pre-wrap" }}>${text}</div>`);

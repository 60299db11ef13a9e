// Lines taken out and put in, field by field.
import { html } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";

const nameOf = (field) => (hasWords(`cards.field.${field}`) ? t(`cards.field.${field}`) : field);

export function Differences({ changes, none }) {
  if (!changes.length) return html`<div class="empty"><p>${none}</p></div>`;
  return html`<div class="diffs">${changes.map((one) => html`<section key=${one.field}><h3>${nameOf(one.field)}</h3>
    <ul class="diff">${one.removed.map((line, place) => html`<li class="gone" key=${`-${place}`}><span class="sign" aria-hidden="true">−</span><del>${line}</del></li>`)}
      ${one.added.map((line, place) => html`<li class="come" key=${`+${place}`}><span class="sign" aria-hidden="true">＋</span><ins>${line}</ins></li>`)}</ul></section>`)}</div>`;
}

// A search field that waits for whole syllables: half-composed Korean never searches.
import { html, useId } from "../html.js";
import { composing } from "../keys.js";
import { Icon } from "./icons.js";

export function SearchBox({ label, onSearch, id, value = "" }) {
  const own = useId();
  const tell = (event) => !event.isComposing && onSearch(event.target.value);
  return html`<div class="search-box"><${Icon} name="search" size=${18} />
    <label class="visually-hidden" for=${id ?? own}>${label}</label>
    <input id=${id ?? own} type="search" placeholder=${label} autocomplete="off" spellcheck=${false} defaultValue=${value} oninput=${tell}
      oncompositionend=${(event) => onSearch(event.target.value)}
      onkeydown=${(event) => {
        if (event.key === "Escape" && !composing(event) && event.target.value) {
          event.stopPropagation();
          event.preventDefault();
          event.target.value = "";
          onSearch("");
        }
      }} /></div>`;
}

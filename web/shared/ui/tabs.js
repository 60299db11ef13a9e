// Tabs after the ARIA practices: arrows move, Home and End jump, the panel follows the focus.
import { html, useId } from "../html.js";

// `tabs`: [{id, label, count?}]; children is the chosen tab's content.
export function Tabs({ tabs, chosen, onChoose, label, children }) {
  const id = useId();
  const move = (event) => {
    const at = tabs.findIndex((tab) => tab.id === chosen);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    onChoose(tab.id);
    event.currentTarget.querySelector(`[data-tab="${tab.id}"]`).focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onkeydown=${move}>
      ${tabs.map((tab) => html`<button type="button" role="tab" key=${tab.id} data-tab=${tab.id} id=${`${id}-${tab.id}`} aria-controls=${`${id}-panel`}
        aria-selected=${String(tab.id === chosen)} tabindex=${tab.id === chosen ? 0 : -1} onclick=${() => onChoose(tab.id)}>${tab.label}${
          tab.count ? html` <span class="count">${tab.count}</span>` : null}</button>`)}
    </div>
    <div class="tab-panel" role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${chosen}`} tabindex="0">${children}</div>`;
}

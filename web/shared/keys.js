// Keyboard shortcuts. None acts while somebody types or composes; the single-key ones can be switched off.
import { signal } from "@preact/signals";
import { remember, remembered } from "./store.js";

export const singleKeys = signal(remembered("single-keys", true));
export function setSingleKeys(on) {
  singleKeys.value = on;
  remember("single-keys", on);
}

export const composing = (event) => event.isComposing || event.keyCode === 229;
const typing = (target) => target.closest?.("input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable=true]");

// `shortcuts`: [{keys: "ctrl+k", run(event), typing?: true}]. Returns what takes them off again.
export function listen(shortcuts) {
  const onKey = (event) => {
    if (composing(event) || event.defaultPrevented) return;
    const found = shortcuts.find((item) => item.keys === written(event));
    if (!found || (typing(event.target) && !found.typing)) return;
    if (!/ctrl|alt/.test(found.keys) && found.keys.length === 1 && !singleKeys.value) return;
    if (found.run(event) !== false) event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}

// Letters and digits by their place on the board: a Korean layout types ㅏ where K stands.
function written(event) {
  const key = /^(Key|Digit)/.test(event.code) ? event.code.replace(/^(Key|Digit)/, "").toLowerCase() : event.key.toLowerCase();
  const named = event.key === "?" ? "?" : event.code === "Slash" && !event.shiftKey ? "/" : key;
  return [(event.ctrlKey || event.metaKey) && "ctrl", event.altKey && "alt", event.shiftKey && named !== "?" && "shift", named].filter(Boolean).join("+");
}

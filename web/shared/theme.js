// Light, dark or the system's. The shell sets `data-theme` before the first paint; this keeps it in step.
import { signal } from "@preact/signals";
import { remember, remembered } from "./store.js";

export const THEMES = ["system", "light", "dark"];
export const theme = signal(remembered("theme", "system"));

export function setTheme(next) {
  theme.value = next;
  remember("theme", next);
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
}

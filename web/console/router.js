// Where the console stands: the path names the page and what is open on it, the query string holds filters and tab.
import { batch, signal } from "../shared/html.js";

const ROOT = "/admin";
const partsNow = () => location.pathname.slice(ROOT.length).split("/").filter(Boolean).map(decodeURIComponent);
const queryNow = () => Object.fromEntries(new URLSearchParams(location.search));

export const path = signal(partsNow()); // "/admin/tools/premium_get" → ["tools", "premium_get"]
export const query = signal(queryNow()); // "?tab=card" → {tab: "card"}

const read = () => batch(() => {
  const parts = partsNow();
  if (parts.join("/") !== path.value.join("/")) path.value = parts;
  query.value = queryNow();
});
addEventListener("popstate", read);

// The address of a place in the console: to("tools/premium_get", {tab: "card"}). Empty values are left out.
export function to(place, values = {}) {
  const kept = new URLSearchParams(Object.entries(values).filter(([, value]) => value != null && value !== ""));
  const way = place.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  return `${ROOT}${way && `/${way}`}${kept.size ? `?${kept}` : ""}`;
}

export function navigate(place, values = {}) {
  go(to(place, values));
}

// Changes filters or tab of the page that is open; null takes one out. `push`: the back button undoes it.
export function setQuery(patch, { push = false } = {}) {
  const next = to(path.value.join("/"), { ...query.value, ...patch });
  history[push ? "pushState" : "replaceState"](history.state, "", next);
  read();
}

function go(address) {
  history.pushState(null, "", address);
  read();
  scrollTo(0, 0);
}

// Plain presses on links to the console change the page without loading it anew; with Ctrl or the middle button the
// browser does as always.
export function followLinks() {
  const onClick = (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hash || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname !== ROOT && !link.pathname.startsWith(`${ROOT}/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  };
  document.addEventListener("click", onClick);
  return () => document.removeEventListener("click", onClick);
}

import { remember, remembered } from "./store.js";

// What the server wrote into the page: who looks at it, in which language, which engine answers.
export const boot = JSON.parse(document.getElementById("boot").textContent);

const RANKS = ["customer", "staff", "operator", "admin"];
export const atLeast = (role) => RANKS.indexOf(boot.role) >= RANKS.indexOf(role);

// In a frame on another site there is no cookie: the visitor's token lives as long as the tab, and goes with every call.
export const visitorHeaders = {};
if (boot.embedded) {
  visitorHeaders["X-Visitor"] = remembered("visitor", boot.visitor, "sessionStorage");
  remember("visitor", visitorHeaders["X-Visitor"], "sessionStorage");
}

// Tells the page around the frame to close it or how high it is; nobody but an allowed parent hears it.
export function tellParent(message) {
  const parent = window.location.ancestorOrigins?.[0] ?? (document.referrer && new URL(document.referrer).origin);
  if (boot.parents?.includes(parent)) window.parent.postMessage({ ...message, type: `insurance-widget:${message.type}` }, parent);
}

// The chat page begins here.
import "../shared/base.css";
import "./parts.css";
import "./chat.css";
import "./proposal/proposal.css";
import { boot } from "../shared/boot.js";
import { html, render } from "../shared/html.js";
import { loadWords } from "../shared/i18n.js";
import { App } from "./app.js";
import { loadMarkdown } from "../shared/rich.js";
import ko from "./ko.json";
import { begin } from "./threads.js";

await loadWords(ko, () => import("./en.json"));
const root = document.getElementById("app");
root.replaceChildren();
begin();
render(html`<${App} />`, root);
performance.mark("usable");

// The font's 92 parts are declared after the first paint; the system's Korean font stands in until then.
requestAnimationFrame(() => setTimeout(() => {
  loadMarkdown();
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: boot.fonts }));
}));

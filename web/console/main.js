// The operator console begins here.
import "../shared/base.css";
import "./console.css";
import "./pages.css";
import { boot } from "../shared/boot.js";
import { html, render } from "../shared/html.js";
import { loadWords } from "../shared/i18n.js";
import { App } from "./app.js";
import ko from "./ko.json";

await loadWords(ko, () => import("./en.json"));
const root = document.getElementById("app");
root.replaceChildren();
render(html`<${App} />`, root);
performance.mark("usable");

// The font's 92 parts are declared after the first paint; the system's Korean font stands in until then.
requestAnimationFrame(() => setTimeout(() => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: boot.fonts }))));

// The console's frame: header, the menu of pages at the left, the page.
import { atLeast, boot } from "../shared/boot.js";
import { html, signal, useEffect, useErrorBoundary, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Dialog } from "../shared/ui/dialog.js";
import { Icon, IconButton } from "../shared/ui/icons.js";
import { Live } from "../shared/ui/live.js";
import { Login, loginOpen } from "../shared/ui/login.js";
import { Menu } from "../shared/ui/menu.js";
import { accountItems, appearanceItems } from "../shared/ui/personmenu.js";
import { PageHead } from "./frame.js";
import { Empty, Refused } from "./load.js";
import { PAGES } from "./pages.js";
import { followLinks, path, query, to } from "./router.js";

const menuOpen = signal(false);
const offered = () => PAGES.filter((page) => page.load && atLeast(page.role));

export function App() {
  useEffect(followLinks, []);
  if (!atLeast("staff")) return html`<${Closed} />`;
  const page = offered().find(({ id }) => id === path.value[0]) ?? (path.value.length ? null : offered()[0]);
  return html`
    <a class="skip" href="#page">${t("skip")}</a>
    <${Header} />
    <div class="frame">
      <nav class="side" aria-label=${t("nav")}><${Pages} here=${page?.id} /></nav>
      <main id="page" tabindex="-1">${page ? html`<${Opened} key=${page.id} page=${page} />` : html`<div class="page"><${PageHead} title=${t("nowhere.title")} /><${Empty} text=${t("nowhere")}><a href=${to("")}>${t("nowhere.way")}</a><//></div>`}</main>
    </div>
    <${Dialog} open=${menuOpen.value} onClose=${() => (menuOpen.value = false)} title=${t("nav")} kind="left">
      <nav class="side" aria-label=${t("nav")}><${Pages} here=${page?.id} onChosen=${() => (menuOpen.value = false)} /></nav><//>
    <${Login} /><${Live} />`;
}

// For those whom the console is not open to: what it is, and how to log in.
function Closed() {
  useEffect(() => {
    loginOpen.value = true;
  }, []);
  return html`<${Header} closed />
    <main class="closed" id="page"><h1>${t("console")}</h1><p>${t("closed")}</p>
      <p class="actions"><button type="button" class="button primary" onclick=${() => (loginOpen.value = true)}>${t("login")}</button><a class="button" href="/">${t("to.chat")}</a></p></main>
    <${Login} /><${Live} />`;
}

function Header({ closed }) {
  const person = [
    ...accountItems(),
    { label: t("to.chat"), icon: "chat", run: () => location.assign("/") },
    "-",
    ...appearanceItems(),
  ];
  return html`<header class="bar">
    ${!closed && html`<span class="only-narrow"><${IconButton} icon="menu" label=${t("nav")} onclick=${() => (menuOpen.value = true)} /></span>`}
    <p class="brand"><strong>${boot.company}</strong><span>${t("console")}</span></p>
    <span class="badge simulated">${t("simulated")}</span>
    <div class="bar-end">
      <a class="button quiet small" href="/" aria-label=${t("to.chat")}><${Icon} name="chat" size=${18} /><span class="only-wide">${t("to.chat")}</span></a>
      <${Menu} label=${t("menu")} icon="person" items=${person} />
    </div>
  </header>`;
}

function Pages({ here, onChosen }) {
  const groups = [...new Set(offered().map(({ group }) => group))];
  return groups.map((group) => html`<div class="side-group" key=${group}>
    <h2>${t(`group.${group}`)}</h2>
    <ul class="plain">${offered().filter((page) => page.group === group).map((page) => html`<li key=${page.id}>
      <a href=${to(page.id)} aria-current=${page.id === here ? "page" : undefined} onclick=${onChosen}><${Icon} name=${page.icon} size=${18} />${t(`nav.${page.id}`)}</a></li>`)}</ul>
  </div>`);
}

// A page with its script and words, fetched when it is opened first.
function Opened({ page }) {
  const [Page, setPage] = useState(null);
  const [fault, setFault] = useState(null);
  const [broken, mend] = useErrorBoundary();
  const load = () => {
    setFault(null);
    page.load().then((module) => setPage(() => module.Page), () => setFault({ status: 0 }));
  };
  useEffect(load, []);
  if (broken) return html`<${Refused} error=${{ status: 500, detail: t("broken") }} onRetry=${mend} />`;
  if (fault) return html`<${Refused} error=${fault} onRetry=${load} />`;
  if (!Page) return html`<p class="waiting" role="status"><span class="spinner" aria-hidden="true"></span>${t("loading")}</p>`;
  return html`<${Page} path=${path.value.slice(1)} query=${query.value} />`;
}

// The frame of the page: header, conversations at the left, the conversation, the drawer at the right.
import { atLeast, boot, tellParent } from "../shared/boot.js";
import { cx, html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { listen } from "../shared/keys.js";
import { Dialog } from "../shared/ui/dialog.js";
import { Icon, IconButton } from "../shared/ui/icons.js";
import { Live } from "../shared/ui/live.js";
import { Login } from "../shared/ui/login.js";
import { Menu } from "../shared/ui/menu.js";
import { accountItems, appearanceItems } from "../shared/ui/personmenu.js";
import { Catalogue } from "./catalogue.js";
import { Composer, focusComposer } from "./composer.js";
import { CompareBar } from "./compare.js";
import { Conversation } from "./conversation.js";
import { Drawer } from "./drawer.js";
import { FactChips } from "./facts.js";
import { Handoff } from "./handoff.js";
import { Help } from "./help.js";
import { History } from "./history.js";
import { ProposalPane, ProposalSwitch, watchTalk } from "./proposalpane.js";
import { closeProposal, onTop, open as proposalOpen, openProposal } from "./proposals.js";
import { connection, drawer, openDrawer, panel, running } from "./state.js";
import { stop } from "./runs.js";
import { fresh } from "./threads.js";

export const newChat = () => {
  fresh();
  panel.value = null;
  focusComposer();
};

const openSearch = () => {
  const field = document.getElementById("history-search");
  if (field) field.focus();
  else panel.value = "history";
};

// True while the window is at least that wide.
function useWide(query) {
  const [wide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = () => setWide(list.matches);
    list.addEventListener("change", onChange);
    return () => list.removeEventListener("change", onChange);
  }, [query]);
  return wide;
}

const WIDE = "(min-width: 1100px)"; // room for something beside the conversation
const ROOMY = "(min-width: 1600px)"; // for the conversations and a proposal both
const PHONE = "(max-width: 719.98px)";

export function App() {
  const wide = useWide(WIDE);
  const roomy = useWide(ROOMY);
  const phone = useWide(PHONE);
  const proposing = proposalOpen.value;
  const listed = wide && (roomy || !proposing);
  const drawn = wide && !proposing;
  useEffect(() => watchTalk(wide), [wide]);
  useEffect(() => listen([
    { keys: "/", run: focusComposer },
    { keys: "?", run: () => (panel.value = "help") },
    { keys: "ctrl+k", typing: true, run: openSearch },
    { keys: "ctrl+shift+o", typing: true, run: newChat },
    ...["sources", "trace", "person"].map((tab, index) => ({ keys: `alt+${index + 1}`, typing: true, run: () => openDrawer(tab) })),
    { keys: "alt+4", typing: true, run: () => boot.advice && openProposal() },
    { keys: "escape", typing: true, run: () => {
      if (document.querySelector("dialog[open]")) return false;
      if (drawer.value && drawn) drawer.value = null;
      else if (document.activeElement.closest("aside.proposal")) closeProposal();
      else if (running.value) stop();
      else return false;
      return true;
    } },
  ]), [drawn]);
  const sheet = phone ? "sheet" : "right";
  return html`
    <a class="skip" href="#question">${t("skip")}</a>
    <${Header} listed=${listed} />
    <div class=${cx("frame", proposing && "proposing", proposing && !wide && (onTop.value ? "over" : "under"))}>
      ${proposing && !wide && html`<${ProposalSwitch} />`}
      ${listed && html`<nav class="history" aria-label=${t("history")}><${History} /></nav>`}
      <main class="middle" id="main">
        <${Conversation} />
        <div class="foot">
          ${connection.value === "lost" && html`<p class="strip" role="alert">${t("connection.lost")}</p>`}
          <${CompareBar} />
          <${FactChips} />
          <${Composer} />
        </div>
      </main>
      ${proposing && html`<${ProposalPane} />`}
      ${drawn && drawer.value && html`<aside class="drawer" aria-label=${t("drawer")}><${Drawer} /></aside>`}
    </div>
    ${!listed && html`
      <${Dialog} open=${panel.value === "history"} onClose=${() => panel.value === "history" && (panel.value = null)} title=${t("history")} kind="left" back=${phone}>
        <nav class="history" aria-label=${t("history")}><${History} /></nav><//>`}
    ${!drawn && html`<${Dialog} open=${!!drawer.value} onClose=${() => (drawer.value = null)} title=${t("drawer")} kind=${sheet} wide=${drawer.value?.tall} back=${phone}><${Drawer} sheet=${phone} /><//>`}
    <${Help} /><${Handoff} /><${Catalogue} /><${Login} /><${Live} />`;
}

function Header({ listed }) {
  const person = [
    ...accountItems(),
    boot.advice && { label: t("proposal.begin"), icon: "plan", leaves: true, run: () => openProposal() },
    atLeast("staff") && !boot.embedded && { label: t("console"), icon: "settings", run: () => location.assign("/admin") },
    "-",
    ...appearanceItems(),
    "-",
    { label: t("help"), icon: "help", leaves: true, run: () => (panel.value = "help") },
  ];
  return html`<header class="bar">
    ${!listed && html`<${IconButton} icon="menu" label=${t("history")} onclick=${() => (panel.value = "history")} />`}
    <p class="brand"><strong>${boot.company}</strong><span>${t("product")}</span></p>
    <span class="badge simulated">${t("simulated")}</span>
    <div class="bar-end">
      ${boot.advice && html`<button type="button" class="button quiet plan" aria-expanded=${String(proposalOpen.value)} onclick=${() => openProposal()}><${Icon} name="plan" /><span>${t("proposal.begin")}</span></button>`}
      <button type="button" class="button quiet person" aria-label=${t("person")} onclick=${() => (panel.value = "handoff")}><${Icon} name="headset" /><span>${t("person")}</span></button>
      <${IconButton} icon="plus" label=${t("new")} onclick=${newChat} />
      ${!listed && html`<${IconButton} icon="search" label=${t("search")} onclick=${openSearch} />`}
      <${Menu} label=${t("menu")} icon="person" items=${person} />
      ${boot.embedded && html`<${IconButton} icon="close" label=${t("close")} onclick=${() => tellParent({ type: "close" })} />`}
    </div>
  </header>`;
}

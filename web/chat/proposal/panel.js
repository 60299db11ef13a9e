// The proposal beside the talk: for whom, at what cost, the ways to do it, what stays open, and what it all rests on.
import { date, moment } from "../../shared/format.js";
import { html, useEffect, useRef } from "../../shared/html.js";
import { addWords, t } from "../../shared/i18n.js";
import { Icon, IconButton } from "../../shared/ui/icons.js";
import { Menu } from "../../shared/ui/menu.js";
import { copyText } from "../../shared/ui/table.js";
import { beginAnew, closeProposal, fault, proposal, reload, shown, wantsFocus, working } from "../proposals.js";
import { isStaff } from "../state.js";
import { Begin } from "./begin.js";
import { PremiumChart } from "./charts.js";
import { FigureDialog } from "./figure.js";
import ko from "./ko.json";
import { savePdf, saving } from "./paper.js";
import { People } from "./people.js";
import { Duties, Refused } from "./rest.js";
import { Compare, comparing, Keep, keeping } from "./staff.js";
import { Variants } from "./variants.js";
import { Wishes } from "./wishes.js";

// Resolves once the panel's words are there; nothing of it is drawn before.
export const ready = addWords(ko, () => import("./en.json"));

export function Panel() {
  const heading = useRef(null);
  const told = proposal.value;
  useEffect(() => {
    if (!wantsFocus.value) return;
    wantsFocus.value = false;
    heading.current.focus({ preventScroll: true });
  }, [wantsFocus.value]);
  const menu = [
    { label: t("proposal.link"), icon: "copy", run: () => copyText(location.href) },
    isStaff && { label: t("proposal.keep"), icon: "person", leaves: true, run: () => (keeping.value = true) },
    told?.version > 1 && { label: t("proposal.compare"), icon: "scale", leaves: true, run: () => (comparing.value = true) },
    "-",
    { label: t("proposal.anew"), icon: "plus", leaves: true, run: beginAnew },
  ];
  return html`<header class="proposal-head">
      <div><h2 tabindex="-1" ref=${heading}>${t("proposal")}</h2>
        ${told && html`<p class="hint">${t("proposal.version", { version: told.version })} · ${moment(told.created_at)} · ${t("proposal.until", { day: date(told.valid_until) })}</p>`}</div>
      <div class="row-tools">
        ${told && html`<button type="button" class="button small" disabled=${saving.value} onclick=${savePdf}><${Icon} name="download" size=${16} />PDF</button><${Menu} label=${t("more")} icon="more" items=${menu} />`}
        <${IconButton} icon="close" label=${t("proposal.close")} onclick=${closeProposal} /></div>
    </header>
    <div class="proposal-body" aria-busy=${String(working.value > 0)}>
      ${fault.value && html`<div class="notice warning" role="alert"><p><${Icon} name="warning" size=${18} /><span>${fault.value.message || t("offline")}</span></p>
        <p class="actions"><button type="button" class="button small" onclick=${reload}>${t("retry")}</button><button type="button" class="button small" onclick=${beginAnew}>${t("proposal.anew")}</button></p></div>`}
      ${told ? html`<${Told} told=${told} />` : !shown.value?.id ? html`<${Begin} />` : !fault.value && html`<p class="hint" role="status">${t("proposal.loading")}</p>`}
    </div>
    <${FigureDialog} /><${Keep} /><${Compare} />`;
}

function Told({ told }) {
  const { people } = told.household;
  return html`<${People} people=${people} /><${Wishes} told=${told} />
    ${told.nothing && html`<aside class="notice" lang="ko"><p>${told.nothing}</p></aside>`}
    ${told.variants.length > 0 && html`<${Variants} variants=${told.variants} people=${people} /><${PremiumChart} variants=${told.variants} />`}
    <${Refused} told=${told} /><${Duties} told=${told} />`;
}

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
import { AGAIN } from "./edits.js";
import { Acting } from "./fields.js";
import { PremiumChart } from "./charts.js";
import { FigureDialog } from "./figure.js";
import ko from "./ko.json";
import { savePdf, saving } from "./paper.js";
import { People } from "./people.js";
import { Duties, Refused } from "./rest.js";
import { dialog, Shelf } from "./shelf.js";
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
    told && { label: t("proposal.link"), icon: "copy", run: () => copyText(location.href) },
    told && isStaff && { label: t("proposal.keep"), icon: "person", leaves: true, run: () => (dialog.value = "keep") },
    told?.versions > 1 && { label: t("proposal.compare"), icon: "scale", leaves: true, run: () => (dialog.value = "compare") },
    { label: t("proposal.others"), icon: "search", leaves: true, run: () => (dialog.value = "others") },
    told && { label: t("proposal.anew"), icon: "plus", leaves: true, run: beginAnew },
    ...(told ? ["-", { label: t("proposal.delete"), icon: "trash", danger: true, leaves: true, run: () => (dialog.value = "delete") }] : []),
  ];
  return html`<header class="proposal-head">
      <div><h2 tabindex="-1" ref=${heading}>${t("proposal")}</h2>
        ${told && html`<p class="hint">${t("proposal.version", { version: told.version })} · ${moment(told.created_at)} · ${t("proposal.until", { day: date(told.valid_until) })}</p>`}</div>
      <div class="row-tools">
        ${told && html`<button type="button" class="button small" disabled=${saving.value} onclick=${savePdf}><${Icon} name="download" size=${16} />PDF</button>`}
        <${Menu} label=${t("more")} icon="more" items=${menu} />
        <${IconButton} icon="close" label=${t("proposal.close")} onclick=${closeProposal} /></div>
    </header>
    <div class="proposal-body" aria-busy=${String(working.value > 0)}>
      ${fault.value && html`<div class="notice warning" role="alert"><p><${Icon} name="warning" size=${18} /><span>${fault.value.message || t("offline")}</span></p>
        <p class="actions"><button type="button" class="button small" onclick=${reload}>${t("retry")}</button><button type="button" class="button small" onclick=${beginAnew}>${t("proposal.anew")}</button></p></div>`}
      ${told ? html`<${Told} told=${told} />` : !shown.value?.id ? html`<${Begin} />` : !fault.value && html`<p class="hint" role="status">${t("proposal.loading")}</p>`}
    </div>
    <${FigureDialog} /><${Shelf} />`;
}

function Told({ told }) {
  const { people } = told.household;
  return html`${told.notices.length > 0 && html`<div class="notice warning" role="alert">${told.notices.map((text) => html`<p key=${text} lang="ko"><${Icon} name="warning" size=${18} />${text}</p>`)}
      <p class="actions"><${Acting} edit=${AGAIN} className="button primary small" done=${t("proposal.changed")}>${t("proposal.again")}<//></p></div>`}
    ${told.kept && html`<p class="badge kept"><${Icon} name="check" size=${14} />${t("proposal.kept.with", { customer: told.kept.customer_id, at: moment(told.kept.at) })}</p>`}
    <${People} people=${people} /><${Wishes} told=${told} />
    ${told.nothing && html`<p class="notice" role="status" lang="ko">${told.nothing}</p>`}
    ${told.variants.length > 0 && html`<${Variants} variants=${told.variants} people=${people} /><${PremiumChart} variants=${told.variants} />`}
    <${Refused} told=${told} /><${Duties} told=${told} />`;
}

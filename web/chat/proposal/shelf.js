// What is done with a proposal as a whole: found again, compared with an earlier version, kept with a customer, deleted.
import { call, get, Problem, withQuery } from "../../shared/api.js";
import { moment, won } from "../../shared/format.js";
import { html, signal, useEffect, useState } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { Confirm } from "../../shared/ui/confirm.js";
import { Dialog } from "../../shared/ui/dialog.js";
import { Field } from "../../shared/ui/field.js";
import { notify } from "../../shared/ui/live.js";
import { DataTable } from "../../shared/ui/table.js";
import { closeProposal, forgetProposal, keepWith, openProposal, proposal } from "../proposals.js";
import { isStaff } from "../state.js";
import { FormFoot, useForm } from "./fields.js";

export const dialog = signal(null); // "keep" | "compare" | "others" | "delete"
const close = () => (dialog.value = null);
const path = (more = "") => `/api/proposals/${encodeURIComponent(proposal.value.id)}${more}`;

export function Shelf() {
  const own = (name) => ({ open: dialog.value === name, onClose: () => dialog.value === name && close(), back: true });
  return html`<${Dialog} ...${own("keep")} title=${t("proposal.keep")}>${dialog.value === "keep" && html`<${Keep} />`}<//>
    <${Dialog} ...${own("compare")} title=${t("proposal.compare")} wide=${true}>${dialog.value === "compare" && html`<${Compare} />`}<//>
    <${Dialog} ...${own("others")} title=${t("proposal.others")} wide=${true}>${dialog.value === "others" && html`<${Others} />`}<//>
    <${Confirm} ...${own("delete")} title=${t("proposal.delete")} effect=${t("proposal.delete.effect")} action=${t("proposal.delete")} onYes=${remove} />`;
}

async function remove() {
  close();
  try {
    await call("DELETE", path());
    closeProposal();
    forgetProposal();
    notify(t("proposal.deleted"));
  } catch (refused) {
    if (!(refused instanceof Problem)) throw refused;
    notify(refused.message || t("offline"));
  }
}

function Keep() {
  const kept = proposal.value.kept;
  const form = useForm(async (values) => {
    const text = (name) => values.get(name).trim() || null;
    await keepWith({ customer_id: text("customer_id") ?? "", handed_to: text("handed_to"), note: text("note") });
    notify(t("proposal.kept"));
  }, close);
  const field = (name, more = {}) => html`<${Field} label=${t(`proposal.keep.${name}`)} error=${form.faultAt(name)} hint=${more.hint}>${(own) => html`<input ...${own} name=${name} maxlength="100" autocomplete="off" defaultValue=${more.value ?? ""} />`}<//>`;
  return html`<form ...${form.own}>
    ${field("customer_id", { value: kept?.customer_id ?? proposal.value.customer_id, hint: t("proposal.keep.hint") })}
    ${field("handed_to", { value: kept?.handed_to })}
    <label class="field">${t("proposal.keep.note")}<textarea name="note" rows="3" maxlength="2000" lang="ko" defaultValue=${kept?.note ?? ""}></textarea></label>
    <${FormFoot} form=${form} fields=${["customer_id", "handed_to"]} action=${t("proposal.keep")} /></form>`;
}

// Two versions: what the variants cost, and what came, went and changed in them.
function Compare() {
  const newest = proposal.value.versions;
  const [pair, setPair] = useState([newest - 1, newest]);
  const [state, setState] = useState({});
  useEffect(() => {
    const [before, after] = pair;
    let late = false;
    get(withQuery(path("/compare"), { before, after })).then((told) => !late && setState({ told }), (fault) => !late && setState({ fault }));
    return () => (late = true);
  }, pair);
  const select = (place, label) => html`<label class="field">${label}<select value=${pair[place]} onchange=${(event) => setPair(pair.with(place, Number(event.target.value)))}>
    ${Array.from({ length: newest }, (_, index) => html`<option key=${index} value=${index + 1} selected=${pair[place] === index + 1}>${t("proposal.version", { version: index + 1 })}</option>`)}</select></label>`;
  const { told, fault } = state;
  return html`<div class="compare-pair">${select(0, t("proposal.before"))}${select(1, t("proposal.after"))}</div>
    ${fault && html`<p class="fault" role="alert">${fault.message || t("offline")}</p>`}
    ${told && html`<${Differences} told=${told} />`}`;
}

const signed = (amount) => (amount > 0 ? `+${won(amount)}` : amount < 0 ? `−${won(-amount)}` : won(0));
const lineWords = (line) => [line.name, won(line.sum_insured), t("proposal.a.month", { money: won(line.premium) }), ...line.riders].join(" · ");

function Differences({ told }) {
  const table = {
    title: t("proposal.premium"),
    columns: [{ key: "title", label: t("proposal.variant") }, ...["before", "after", "difference"].map((key) => ({ key, label: t(`proposal.${key}`), align: "right" }))],
    rows: told.variants.map((variant) => ({ title: variant.title, before: variant.before === null ? null : won(variant.before), after: variant.after === null ? null : won(variant.after), difference: signed(variant.difference) })),
  };
  const changed = told.variants.filter((variant) => variant.added.length + variant.removed.length + variant.changed.length > 0);
  return html`${(told.household_changed || told.wishes_changed) && html`<p class="hint">${[told.household_changed && t("proposal.people"), told.wishes_changed && t("proposal.wishes")].filter(Boolean).join(", ")}: ${t("proposal.differs")}</p>`}
    <${DataTable} data=${table} />
    ${changed.map((variant) => html`<section key=${variant.id} class="differences"><h3 lang="ko">${variant.title}</h3><ul class="plain" lang="ko">
      ${variant.added.map((line) => html`<li key=${`+${line.id}`}><span class="sign" aria-hidden="true">+</span><span class="visually-hidden">${t("proposal.added")}</span>${lineWords(line)}</li>`)}
      ${variant.removed.map((line) => html`<li key=${`-${line.id}`}><span class="sign" aria-hidden="true">−</span><span class="visually-hidden">${t("proposal.gone")}</span><del>${lineWords(line)}</del></li>`)}
      ${variant.changed.map(({ id, before, after }) => html`<li key=${id}><span class="sign" aria-hidden="true">≠</span><span class="visually-hidden">${t("table.differs")}</span><del>${lineWords(before)}</del><br />${lineWords(after)}</li>`)}</ul></section>`)}
    ${!changed.length && html`<p class="hint">${t("proposal.no.differences")}</p>`}`;
}

// One's own proposals; staff also find those that are kept with a customer.
function Others() {
  const [state, setState] = useState({});
  const look = async (customer = null) => setState({ found: (await get(withQuery("/api/proposals", { customer_id: customer }))).proposals });
  const form = useForm((values) => look(values.get("customer_id").trim()));
  useEffect(() => {
    look().catch((fault) => setState({ fault }));
  }, []);
  const show = (id) => {
    close();
    openProposal(id);
  };
  const { found, fault } = state;
  return html`${isStaff && html`<form class="find" ...${form.own}><${Field} label=${t("proposal.keep.customer_id")} hint=${t("proposal.keep.hint")} error=${form.faultAt("customer_id")}>${(own) => html`<input ...${own} name="customer_id" maxlength="12" autocomplete="off" />`}<//>
      <${FormFoot} form=${form} fields=${["customer_id"]} action=${t("proposal.find")} /></form>`}
    ${fault && html`<p class="fault" role="alert">${fault.message || t("offline")}</p>`}
    ${found?.length === 0 && html`<p class="hint">${t("nothing.found")}</p>`}
    ${found?.length > 0 && html`<ul class="plain shelf">${found.map((row) => html`<li key=${row.id}><button type="button" class="source-row" onclick=${() => show(row.id)}>
      <span class="cite">${row.version}</span><span><strong lang="ko">${row.people.join(", ")}</strong><span class="hint">${[row.premium !== null && t("proposal.a.month", { money: won(row.premium) }), moment(row.created_at), row.state !== "valid" && t(`proposal.state.${row.state}`), row.customer_id].filter(Boolean).join(" · ")}</span></span></button></li>`)}</ul>`}`;
}

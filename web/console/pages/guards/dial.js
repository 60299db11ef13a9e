// One threshold: how it stands, what every other place of it would cost, a trial, and putting it in force.
import { call } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { count, moment, percent } from "../../../shared/format.js";
import { cx, html, useId, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Chart } from "../../../shared/ui/chart.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { Field } from "../../forms.js";
import { Panel, State } from "../../frame.js";
import { Refused } from "../../load.js";
import { guardOf } from "./telling.js";

const LEAST = 5; // letters of a reason
const SIDES = { wrong: "guards.wrong", missed: "guards.missed.side" };
const digits = (value) => String(Math.round(value * 1000) / 1000);
const share = (part, whole) => (whole ? `${count(part)}/${count(whole)} (${percent(part / whole)})` : t("guards.cost.none"));
const toldCost = (cost) => t("guards.cost.both", { wrong: share(cost.wrong, cost.honest), missed: share(cost.missed, cost.bad) });

export function Dial({ dial, onMoved }) {
  const id = useId();
  const now = dial.curve.findIndex((point) => point.threshold === dial.value);
  const [at, setAt] = useState(now);
  const [tried, setTried] = useState(null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState(null);
  const [asking, setAsking] = useState(false);
  const point = dial.curve[at], before = dial.curve[now];
  const fits = tried?.after === point.threshold;
  const place = (index) => {
    setAt(index);
    setRefused(null);
  };
  const trial = async () => {
    setBusy(true);
    setRefused(null);
    try {
      setTried(await call("POST", `/api/admin/guards/thresholds/${dial.guard}/trial`, { value: point.threshold }));
    } catch (problem) {
      setRefused(problem);
    }
    setBusy(false);
  };
  const move = async (reason) => {
    await call("PUT", `/api/admin/guards/thresholds/${dial.guard}`, { value: point.threshold, reason });
    setAsking(false);
    notify(t("guards.moved", { guard: guardOf(dial.guard) }));
    onMoved();
  };
  const shipped = dial.curve.findIndex((other) => other.threshold === dial.shipped);
  return html`<${Panel} title=${guardOf(dial.guard)} hint=${t(`guards.dial.${dial.guard}`)} actions=${dial.moved ? html`<${State} kind="warn">${t("guards.moved.state")}<//>` : html`<${State}>${t("guards.shipped")}<//>`}>
    ${dial.moved && html`<p class="hint">${t("guards.moved.by", { who: dial.moved.author, time: moment(dial.moved.at), value: digits(dial.shipped) })} “${dial.moved.reason}”</p>`}
    <div class="split">
      <div class="stack tight">
        <div class="dial"><label for=${id}>${t("guards.threshold")} <output class="number" for=${id}>${digits(point.threshold)}</output>${at === now && html` <span class="hint">${t("guards.now")}</span>`}</label>
          <input id=${id} type="range" min="0" max=${dial.curve.length - 1} step="1" value=${at} aria-valuetext=${`${digits(point.threshold)}. ${toldCost(point.own)}`} oninput=${(event) => place(Number(event.target.value))} />
          <p class="ends hint" aria-hidden="true"><span>${t("guards.strict")}</span><span>${t("guards.loose")}</span></p></div>
        <${Costs} title=${t("guards.own")} point=${point.own} before=${before.own} />
        <${Costs} title=${t("guards.stored")} point=${point.stored} before=${before.stored} />
        <p class="actions"><button type="button" class="button" disabled=${busy || at === now} onclick=${trial}><${Icon} name="scale" size=${16} />${t(busy ? "guards.trying" : "guards.try")}</button>
          ${atLeast("admin") && html`<button type="button" class="button primary" disabled=${!fits || at === now} onclick=${() => setAsking(true)}>${t("guards.apply")}</button>`}
          ${shipped !== now && at !== shipped && html`<button type="button" class="link" onclick=${() => place(shipped)}>${t("guards.back")}</button>`}
          ${at !== now && html`<button type="button" class="link" onclick=${() => place(now)}>${t("guards.undo")}</button>`}</p>
        <p class="hint">${t(atLeast("admin") ? "guards.try.first" : "guards.try.only")}</p>
      </div>
      <${Chart} data=${chartOf(dial, at)} />
    </div>
    ${refused && html`<${Refused} error=${refused} />`}
    <div aria-live="polite">${fits && html`<${Tried} tried=${tried} />`}</div>
    <${ApplyDialog} open=${asking} dial=${dial} point=${point} onYes=${move} onClose=${() => setAsking(false)} />
  <//>`;
}

// The steps of the slider stand beside each other evenly, as the slider has them.
const chartOf = (dial, at) => ({
  kind: "line",
  title: t("guards.chart", { guard: guardOf(dial.guard) }),
  summary: dial.curve.map((point) => `${digits(point.threshold)}: ${toldCost(point.own)}`).join(" "),
  x: { label: t("guards.threshold"), unit: "", text: (step) => digits(dial.curve[step].threshold) },
  y: { label: t("guards.texts"), unit: t("guards.unit"), whole: true },
  series: ["wrong", "missed"].map((side) => ({ name: t(SIDES[side]), points: dial.curve.map((point, step) => [step, point.own[side]]) })),
  marks: [{ x: at, y: dial.curve[at].own.missed, label: t("guards.chart.mark", { threshold: digits(dial.curve[at].threshold) }) }],
});

// Both sides of the cost, with what it is more or less than now.
function Costs({ title, point, before }) {
  const sides = [["wrong", "honest"], ["missed", "bad"]];
  return html`<section class="costs"><h3>${title}</h3><dl class="rates">${sides.map(([side, whole]) => {
    const more = point[side] - before[side];
    return html`<div key=${side} class=${cx(more > 0 && "bad", more < 0 && "good")}><dt>${t(SIDES[side])}</dt><dd class="number">${share(point[side], point[whole])}${more !== 0 && html`<span class="more">${t(more > 0 ? "guards.more" : "guards.less", { count: count(Math.abs(more)) })}</span>`}</dd></div>`;
  })}</dl></section>`;
}

function Tried({ tried }) {
  return html`<section class="tried"><h3>${t("guards.tried", { before: digits(tried.before), after: digits(tried.after) })}</h3>
    ${["stored", "own"].map((part) => html`<details key=${part} open=${part === "stored"}><summary>${t(`guards.tried.${part}`, { count: count(tried[part].changed) })}</summary>
      ${tried[part].changes.length ? html`<ul class="plain ruled">${tried[part].changes.map((change, index) => html`<li key=${index}><span lang="ko">${change.text}</span>
        <${State} kind=${change.better ? "good" : "bad"}>${t(`guards.change.${change.will}.${change.better ? "better" : "worse"}`)}<//></li>`)}</ul>` : html`<p class="hint">${t("guards.tried.none")}</p>`}
      ${tried[part].changed > tried[part].changes.length && html`<p class="hint">${t("guards.tried.more", { count: count(tried[part].changed - tried[part].changes.length) })}</p>`}</details>`)}</section>`;
}

function ApplyDialog({ open, dial, point, onYes, onClose }) {
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async (event) => {
    event.preventDefault();
    if (reason.trim().length < LEAST) return setFault(t("reason.short", { count: LEAST }));
    setBusy(true);
    setFault("");
    try {
      await onYes(reason.trim());
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
    return setBusy(false);
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("guards.apply.title", { guard: guardOf(dial.guard) })}>
    <form class="form" onsubmit=${submit} novalidate><p>${t("guards.apply.effect", { before: digits(dial.value), after: digits(point.threshold) })}</p>
      <p>${toldCost(point.own)}</p>
      <${Field} label=${t("reason")} hint=${t("guards.reason.hint")} error=${fault} required>${(own) => html`<input ...${own} value=${reason} maxlength="300" autocomplete="off" autofocus oninput=${(event) => setReason(event.target.value)} />`}<//>
      <p class="actions"><button type="submit" class="button primary" disabled=${busy}>${t("guards.apply")}</button><button type="button" class="button" onclick=${onClose}>${t("cancel")}</button></p></form><//>`;
}

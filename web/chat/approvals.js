// The card of a request that waits for the person's word: exactly what would be done, and three ways to answer.
import { call, get, Problem } from "../shared/api.js";
import { shown, time } from "../shared/format.js";
import { cx, html, useEffect, useRef, useState } from "../shared/html.js";
import { hasWords, t } from "../shared/i18n.js";
import { ArgumentField, argumentsOf, decisionOf, useSecondsLeft } from "../shared/ui/decision.js";
import { Icon } from "../shared/ui/icons.js";
import { tellOtherTabs } from "./runs.js";
import { facts, threadId, toolTitle } from "./state.js";
import { fromReply } from "./view.js";

const fieldName = (name) => (hasWords(`argument.${name}`) ? t(`argument.${name}`) : name);

export function Approval({ card, turn }) {
  const [now, setNow] = useState(card);
  const [mode, setMode] = useState("ask"); // ask | edit | busy
  const [fault, setFault] = useState("");
  const heading = useRef(null);
  const form = useRef(null);
  const pending = now.status === "pending";
  const left = useSecondsLeft(now.expires_at, pending);
  const expired = pending && left <= 0;

  // the kept answer knows only that it waited: ask how it went
  useEffect(() => {
    if (card.status === "unknown") get(`/api/approvals/${encodeURIComponent(card.id)}`).then(setNow, () => setNow({ ...card, status: "gone" }));
    else if (card.status === "pending" && turn.clock.sent) heading.current?.focus();
    else setNow(card);
  }, [card.id, card.status]);
  useEffect(() => {
    if (mode === "edit") form.current?.querySelector("input, textarea")?.focus();
  }, [mode]);

  const values = argumentsOf(now.decided_args ?? now.args);
  const decide = async (decision) => {
    const body = decisionOf(decision, form.current, now.args, mode === "edit");
    setMode("busy");
    setFault("");
    try {
      const decided = await call("POST", `/api/approvals/${encodeURIComponent(now.id)}`, body);
      setNow(decided);
      tellOtherTabs(threadId.value);
      if (decided.reply) {
        turn.view.value = { ...fromReply(decided.reply, turn.view.value), approvals: [decided] };
        if (decided.reply.facts) facts.value = decided.reply.facts;
      }
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      if (problem.status === 409) setNow(await get(`/api/approvals/${encodeURIComponent(now.id)}`));
      setFault(problem.errors?.[0]?.message ?? (problem.detail || t("offline")));
      setMode("ask");
    }
  };

  return html`<section class=${cx("approval", pending && !expired && "open")} aria-labelledby=${`approval-${now.id}`}>
    <h3 id=${`approval-${now.id}`} tabindex="-1" ref=${heading}><${Icon} name="shield" size=${18} />${t("approval.title", { name: now.title ?? toolTitle(now.tool) ?? "" })}</h3>
    <p lang="ko">${now.effect}</p>
    <form ref=${form} onsubmit=${(event) => event.preventDefault()} lang="ko">
      <dl class="facts-list">${now.person && html`<div><dt>${t("approval.person")}</dt><dd>${now.person}</dd></div>`}${values.map(([name, value]) => html`<div key=${name}><dt>${fieldName(name)}</dt>
        <dd>${mode === "edit" ? html`<${ArgumentField} name=${name} value=${value} label=${fieldName(name)} />` : shown(value)}</dd></div>`)}</dl>
      ${pending && !expired && html`
        <label class="field">${t("approval.comment")}<input name="comment" maxlength="500" autocomplete="off" onkeydown=${(event) => event.key === "Enter" && event.preventDefault()} /></label>
        <p class="actions">
          <button type="button" class="button primary" disabled=${mode === "busy"} onclick=${() => decide("approve")}>${mode === "edit" ? t("approval.approve.edited") : t("approval.approve")}</button>
          ${mode !== "edit" && html`<button type="button" class="button" disabled=${mode === "busy"} onclick=${() => setMode("edit")}>${t("approval.edit")}</button>`}
          <button type="button" class="button" disabled=${mode === "busy"} onclick=${() => decide("reject")}>${t("approval.reject")}</button></p>
        <p class="hint number">${t("approval.left", { minutes: Math.floor(left / 60), seconds: String(left % 60).padStart(2, "0") })}</p>`}
    </form>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    ${(!pending || expired) && html`<p class="decided" role="status"><${Icon} name=${["approved", "edited"].includes(now.status) ? "check" : "info"} size=${16} />${outcome(expired ? "expired" : now.status, now)}</p>`}
  </section>`;
}

const outcome = (status, now) =>
  t(`approval.${status}`, { time: now.decided_at ? time(now.decided_at) : "", who: now.decided_by ? t("approval.by", { who: now.decided_by === "local" ? t("role.local") : now.decided_by }) : "" });

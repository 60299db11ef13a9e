// Handing the conversation to a person: what will be passed on stands here, and nothing is before consent.
import { call } from "../shared/api.js";
import { html, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { remember } from "../shared/store.js";
import { Dialog } from "../shared/ui/dialog.js";
import { notify } from "../shared/ui/live.js";
import { factWords } from "./facts.js";
import { facts, handoff, panel, threadId, turns } from "./state.js";

export function Handoff() {
  const close = () => panel.value === "handoff" && (panel.value = null);
  return html`<${Dialog} open=${panel.value === "handoff"} onClose=${close} title=${t("handoff.title")} back=${true}>
    ${panel.value === "handoff" && (turns.value.length ? html`<${Form} onDone=${close} />` : html`<p>${t("handoff.first")}</p>`)}<//>`;
}

function summary() {
  const known = factWords(facts.value).map((row) => row.chip).join(", ");
  const asked = turns.value.slice(-3).map((turn) => `- ${turn.query}`).join("\n");
  return [known && `${t("handoff.known")}: ${known}`, `${t("handoff.asked")}:\n${asked}`].filter(Boolean).join("\n");
}

function Form({ onDone }) {
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const cited = new Set(turns.value.flatMap((turn) => turn.view.value.sources.map((source) => source.title)));
  const submit = async (event) => {
    event.preventDefault();
    const { note, contact, consent } = event.target.elements;
    if (!consent.checked) {
      setFault(t("handoff.consent.needed"));
      consent.focus();
      return;
    }
    setBusy(true);
    try {
      const made = await call("POST", `/api/threads/${encodeURIComponent(threadId.value)}/handoff`, {
        note: note.value.trim(), ...(contact.value.trim() && { contact: contact.value.trim() }), consent: true,
      });
      handoff.value = { id: made.id, at: new Date().toISOString() };
      remember(`handoff:${threadId.value}`, handoff.value, "sessionStorage");
      notify(t("handoff.done"));
      onDone();
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
      setBusy(false);
    }
  };
  return html`<form onsubmit=${submit} novalidate>
    <p>${t("handoff.lead")}</p>
    <label class="field">${t("handoff.note")}<textarea name="note" rows="6" maxlength="2000" lang="ko" defaultValue=${summary()}></textarea></label>
    <p class="hint">${t("handoff.with", { turns: turns.value.length, sources: cited.size })}</p>
    <label class="field">${t("handoff.contact")}<input name="contact" autocomplete="tel" maxlength="200" /></label>
    <label class="check"><input type="checkbox" name="consent" />${t("handoff.consent")}</label>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <p class="actions"><button type="submit" class="button primary" disabled=${busy}>${t("handoff.send")}</button></p>
  </form>`;
}

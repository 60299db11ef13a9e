// Publishing: a note is asked for, the suite decides; a fall may be overridden with a reason, which the audit log keeps.
import { call } from "../../../shared/api.js";
import { html, useEffect, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { notify } from "../../../shared/ui/live.js";
import { Field, requiredFault } from "../../forms.js";
import { Refused } from "../../load.js";
import { Rates } from "./preview.js";

const REASON_LEAST = 5;

export function Publish({ open, onClose, tool, version, draft, onDone }) {
  const [note, setNote] = useState("");
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState(null);
  useEffect(() => {
    if (open) { setTried(false); setFault(null); setReason(""); }
  }, [open]);
  const suite = draft.measured.data && !draft.measured.stale ? draft.measured.data.suite : null;
  const refusedBySuite = fault?.errors?.some((one) => String(one.message ?? one).includes("override_reason"));
  const fell = suite?.fell || refusedBySuite;
  const noteFault = tried ? requiredFault(note) : null;
  const reasonFault = tried && fell && reason.trim().length < REASON_LEAST ? t("cards.reason.short", { least: REASON_LEAST }) : null;
  const publish = async () => {
    setTried(true);
    if (requiredFault(note) || (fell && reason.trim().length < REASON_LEAST)) return;
    setBusy(true);
    setFault(null);
    try {
      if (!(await draft.flush())) throw Object.assign(new Error(t("cards.save.failed")), { status: 0 });
      const done = await call("PUT", `/api/tools/${encodeURIComponent(tool)}/card`, { publish: true, card: draft.card, note: note.trim(), base_version: version, ...(fell && { override_reason: reason.trim() }) });
      notify(t("cards.published", { version: done.version }));
      setNote("");
      onDone();
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("cards.publish.title")} wide
      footer=${html`<button type="button" class="button" onclick=${onClose}>${t("cancel")}</button><button type="button" class=${fell ? "button danger" : "button primary"} disabled=${busy} onclick=${publish}>${t(busy ? "cards.publishing" : fell ? "cards.publish.anyway" : "cards.publish")}</button>`}>
    <p>${t("cards.publish.effect")}</p>
    ${suite ? html`<${Rates} suite=${suite} />` : html`<p class="hint">${t("cards.publish.unmeasured")}</p>`}
    ${fell && html`<div class="notice warning"><p><strong>${t("cards.fell")}</strong></p>
      ${suite && html`<ul class="effects">${suite.lost.slice(0, 6).map((one) => html`<li key=${one.query}><p>${one.query}</p><p class="hint"><code>${one.first_before}</code> → <code>${one.first_after ?? t("cards.rank.none")}</code></p></li>`)}</ul>`}</div>`}
    ${fault && !refusedBySuite && html`<${Refused} error=${fault} />`}
    <${Field} label=${t("cards.note")} hint=${t("cards.note.hint")} error=${noteFault} required>${(own) => html`<textarea ...${own} rows="2" maxlength="500" value=${note} oninput=${(event) => setNote(event.target.value)}></textarea>`}<//>
    ${fell && html`<${Field} label=${t("cards.reason")} hint=${t("cards.reason.hint")} error=${reasonFault} required>${(own) => html`<textarea ...${own} rows="2" maxlength="500" value=${reason} oninput=${(event) => setReason(event.target.value)}></textarea>`}<//>`}
  <//>`;
}

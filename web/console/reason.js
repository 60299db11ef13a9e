// A reason before somebody's data is shown; it is written to the audit log.
import { html, useRef, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Dialog } from "../shared/ui/dialog.js";
import { Field } from "./forms.js";

const LEAST = 5;

// `onReason(reason)` may refuse by throwing a Problem.
export function ReasonDialog({ open, title, effect, onReason, onClose }) {
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  const submit = async (event) => {
    event.preventDefault();
    const reason = field.current.value.trim();
    if (reason.length < LEAST) {
      setFault(t("reason.short", { count: LEAST }));
      field.current.focus();
      return;
    }
    setBusy(true);
    setFault("");
    try {
      await onReason(reason);
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
    setBusy(false);
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${title}>
    <form onsubmit=${submit} novalidate><p>${effect}</p>
      <${Field} label=${t("reason")} error=${fault} required>${(own) => html`<input ...${own} ref=${field} maxlength="300" autocomplete="off" autofocus />`}<//>
      <p class="actions"><button type="submit" class="button primary" disabled=${busy}>${t("reason.show")}</button><button type="button" class="button" onclick=${onClose}>${t("cancel")}</button></p></form><//>`;
}

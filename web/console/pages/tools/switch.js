// Switching tools off or on: what it does, why it is done, and a way back.
import { call } from "../../../shared/api.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { notify } from "../../../shared/ui/live.js";
import { Field, requiredFault } from "../../forms.js";
import { Refused } from "../../load.js";

const send = (tools, off, reason) => call("POST", "/api/admin/tools/switch", { tools, off, reason });

// `tools`: [{name, title, off}]; those that stand as wanted already are left out.
export function SwitchDialog({ open, off, tools, onClose, onDone }) {
  const [reason, setReason] = useState("");
  const [fault, setFault] = useState(null);
  const [refused, setRefused] = useState(null);
  const [busy, setBusy] = useState(false);
  const concerned = tools.filter((tool) => tool.off !== off);
  const close = () => {
    setReason("");
    setFault(null);
    setRefused(null);
    onClose();
  };
  const submit = async (event) => {
    event.preventDefault();
    if (requiredFault(reason)) return setFault(requiredFault(reason));
    setBusy(true);
    setRefused(null);
    try {
      const done = await send(concerned.map((tool) => tool.name), off, reason);
      const back = async () => {
        await send(done.switched, !off, t("tools.undone"));
        onDone();
      };
      notify(t(off ? "tools.switched.off" : "tools.switched.on", { count: done.switched.length }), { label: t("tools.undo"), run: back });
      setReason("");
      onDone();
    } catch (problem) {
      setRefused(problem);
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  return html`<${Dialog} open=${open} onClose=${close} title=${t(off ? "tools.turn-off.title" : "tools.turn-on.title")}>
    ${concerned.length === 0 ? html`<p>${t(off ? "tools.off.already" : "tools.on.already")}</p>` : html`
      <p>${t(off ? "tools.turn-off.effect" : "tools.turn-on.effect")}</p>
      <ul class="concerned">${concerned.map((tool) => html`<li key=${tool.name}>${tool.title} <code>${tool.name}</code></li>`)}</ul>
      <form class="form" onsubmit=${submit}>
        <${Field} label=${t("tools.reason")} hint=${t("tools.reason.hint")} error=${fault} required>${(own) => html`<input ...${own} value=${reason} maxlength="300" autocomplete="off" oninput=${(event) => { setReason(event.target.value); setFault(null); }} />`}<//>
        ${refused && html`<${Refused} error=${refused} />`}
        <p class="actions"><button type="submit" class=${off ? "button danger" : "button primary"} disabled=${busy}>${t(off ? "tools.turn-off" : "tools.turn-on")}</button><button type="button" class="button" onclick=${close}>${t("cancel")}</button></p>
      </form>`}
  <//>`;
}

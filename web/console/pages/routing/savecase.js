// "평가에 추가": the question as a case, with the tools (and, if wanted, the arguments) that are right for it.
import { call } from "../../../shared/api.js";
import { html, useEffect, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { notify } from "../../../shared/ui/live.js";
import { Field } from "../../forms.js";
import { Refused } from "../../load.js";
import { navigate } from "../../router.js";

const OFFERED = 6;

export function SaveCase({ open, onClose, tried, tools }) {
  const [chosen, setChosen] = useState([]);
  const [withArgs, setWithArgs] = useState(false);
  const [note, setNote] = useState("");
  const [fault, setFault] = useState(null);
  const [busy, setBusy] = useState(false);
  const { now } = tried;
  const calls = now.planned.calls;
  useEffect(() => {
    if (!open) return;
    setChosen(calls.length ? [...new Set(calls.map((one) => one.tool))] : now.no_call ? [] : now.candidates.slice(0, 1).map((one) => one.tool));
    setWithArgs(false);
    setNote("");
    setFault(null);
  }, [open]);
  const titles = new Map(tools.map((tool) => [tool.name, tool.title]));
  const offered = [...new Set([...chosen, ...now.candidates.slice(0, OFFERED).map((one) => one.tool)])];
  const args = Object.fromEntries(calls.filter((one) => chosen.includes(one.tool)).map((one) => [one.tool, one.args]));
  const toggle = (name, on) => setChosen(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  const save = async () => {
    setBusy(true);
    setFault(null);
    try {
      // Arguments are judged where the talk is held, so such a case is one of a talk.
      await call("POST", "/api/admin/cases", { kind: withArgs ? "dialogue" : "routing", query: tried.query, history: tried.history, expected_tools: chosen, expected_args: withArgs ? args : {}, note: note.trim() });
      onClose();
      notify(t("routing.saved"), { label: t("routing.saved.see"), run: () => navigate("evaluation", { tab: "cases" }) });
    } catch (error) {
      setFault(error);
    } finally {
      setBusy(false);
    }
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("routing.save")}
      footer=${html`<button type="button" class="button" onclick=${onClose}>${t("cancel")}</button><button type="button" class="button primary" disabled=${busy} onclick=${save}>${t("save")}</button>`}>
    <blockquote class="case-quote">${tried.history.map((line, place) => html`<p class="hint" key=${place}>${line}</p>`)}<p>${tried.query}</p></blockquote>
    <fieldset class="right-tools"><legend>${t("routing.right")}</legend>
      ${offered.map((name) => html`<label class="check" key=${name}><input type="checkbox" checked=${chosen.includes(name)} onchange=${(event) => toggle(name, event.target.checked)} /><span>${titles.get(name) ?? name} <code>${name}</code></span></label>`)}
    </fieldset>
    <${Field} label=${t("routing.right.other")}>${(own) => html`<select ...${own} value="" onchange=${(event) => { if (event.target.value) toggle(event.target.value, true); event.target.value = ""; }}><option value="">${t("routing.choose")}</option>
      ${tools.filter((tool) => !offered.includes(tool.name)).map((tool) => html`<option key=${tool.name} value=${tool.name}>${tool.title}</option>`)}</select>`}<//>
    <p class="hint">${t(chosen.length ? (chosen.length > 1 ? "routing.right.many" : "routing.right.one") : "routing.right.none")}</p>
    ${Object.keys(args).length > 0 && html`<label class="check"><input type="checkbox" checked=${withArgs} onchange=${(event) => setWithArgs(event.target.checked)} /><span>${t("routing.with-args")}</span></label>`}
    <${Field} label=${t("routing.note")}>${(own) => html`<input ...${own} maxlength="1000" value=${note} oninput=${(event) => setNote(event.target.value)} />`}<//>
    <p class="hint">${t("routing.masked")}</p>
    ${fault && html`<${Refused} error=${fault} />`}
  <//>`;
}

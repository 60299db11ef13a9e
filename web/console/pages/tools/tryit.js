// A form made of the tool's schema. What is wrong is told at its field, by this page or by the server.
import { call } from "../../../shared/api.js";
import { took } from "../../../shared/format.js";
import { html, useRef, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { copyText } from "../../../shared/ui/table.js";
import { Icon } from "../../../shared/ui/icons.js";
import { say } from "../../../shared/ui/live.js";
import { Field } from "../../forms.js";
import { Panel, State } from "../../frame.js";
import { Refused } from "../../load.js";
import { to } from "../../router.js";
import { fieldsOf, limitsOf, valueOf } from "./schema.js";

export function TryIt({ tool }) {
  const fields = fieldsOf(tool.schema);
  const [held, setHeld] = useState({});
  const [faults, setFaults] = useState({});
  const [done, setDone] = useState(null);
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  const put = (name, value) => {
    setHeld({ ...held, [name]: value });
    if (faults[name]) setFaults({ ...faults, [name]: undefined });
  };
  const refuse = (found) => {
    setFaults(found);
    setTimeout(() => form.current?.querySelector("[aria-invalid=true]")?.focus());
  };
  const submit = async (event) => {
    event.preventDefault();
    const { args, found } = read(fields, held);
    setDone(null);
    if (Object.keys(found).length) return refuse(found);
    setFaults({});
    setBusy(true);
    try {
      setDone(await call("POST", `/api/admin/tools/${encodeURIComponent(tool.name)}/try`, { args }));
      say(t("tools.ran"));
    } catch (problem) {
      const named = Object.fromEntries((problem.errors ?? []).map((item) => [fields.find(({ name }) => item.field === name || item.field.startsWith(`${name}.`) || item.field.startsWith(`${name}[`))?.name, item.message]).filter(([name]) => name));
      if (Object.keys(named).length) refuse(named);
      else setDone({ status: "refused", problem });
    } finally {
      setBusy(false);
    }
    return undefined;
  };
  return html`<div class="split">
    <${Panel} title=${t("tools.try.title")} hint=${t("tools.try.hint")}>
      <form class="form" ref=${form} onsubmit=${submit} novalidate>
        ${fields.length === 0 && html`<p class="hint">${t("tools.no-arguments")}</p>`}
        ${fields.map((field) => html`<${Field} key=${field.name} label=${field.label} name=${field.name} required=${field.required} hint=${limitsOf(field)} error=${faults[field.name]}>${(own) => control(field, held[field.name], own, (value) => put(field.name, value))}<//>`)}
        <p class="actions"><button type="submit" class="button primary" disabled=${busy || tool.off}>${t("tools.run")}</button>
          <button type="button" class="button" onclick=${() => { setHeld({}); setFaults({}); setDone(null); }}>${t("tools.empty-form")}</button></p>
      </form>
    <//>
    <${Panel} title=${t("tools.result")}>${done ? html`<${Result} done=${done} />` : html`<p class="hint">${t(tool.off ? "tools.result.off" : "tools.result.none")}</p>`}<//>
  </div>`;
}

function read(fields, held) {
  const args = {}, found = {};
  for (const field of fields) {
    try {
      const value = valueOf(field, held[field.name]);
      if (value !== undefined) args[field.name] = value;
      else if (field.required) found[field.name] = t("required");
    } catch (fault) {
      found[field.name] = fault.message;
    }
  }
  return { args, found };
}

function control(field, held, own, put) {
  const onInput = (event) => put(event.target.value);
  switch (field.kind) {
    case "choice":
      return html`<select ...${own} value=${held ?? ""} onchange=${onInput}><option value="">${t("tools.choose")}</option>${(field.plain.enum ?? [field.plain.const]).map((item) => html`<option key=${item} value=${String(item)}>${String(item)}</option>`)}</select>`;
    case "yesno":
      return html`<select ...${own} value=${held ?? ""} onchange=${onInput}><option value="">${t("tools.choose")}</option><option value="true">${t("yes")}</option><option value="false">${t("no")}</option></select>`;
    case "choices":
      return html`<div role="group" ...${own} class="choices">${field.items.enum.map((item) => html`<label class="check" key=${item}><input type="checkbox" checked=${(held ?? []).includes(item)} onchange=${(event) => put(event.target.checked ? [...(held ?? []), item] : held.filter((other) => other !== item))} />${item}</label>`)}</div>`;
    case "list":
    case "json":
    case "long":
      return html`<textarea ...${own} rows=${field.kind === "list" ? 3 : 5} spellcheck=${false} placeholder=${field.kind === "list" ? t("tools.one-a-line") : field.kind === "json" ? "{ }" : ""} value=${held ?? ""} oninput=${onInput}></textarea>`;
    default:
      return html`<input ...${own} type=${field.kind === "date" ? "date" : "text"} inputmode=${field.kind === "integer" ? "numeric" : field.kind === "number" ? "decimal" : undefined} autocomplete="off" value=${held ?? ""} oninput=${onInput} />`;
  }
}

function Result({ done }) {
  if (done.status === "refused") return html`<${Refused} error=${done.problem} />`;
  if (done.status === "pending") return html`<div class="notice"><p><strong>${t("tools.pending")}</strong></p><p>${done.approval.effect}</p><p><a href=${to("approvals")}>${t("nav.approvals")}</a></p></div>`;
  const text = JSON.stringify(done.result, null, 2);
  return html`<p class="actions"><${State} kind="good">${t("tools.ok")}<//><span class="hint number">${done.kind} · ${took(done.duration_ms)}</span>
      <button type="button" class="button small quiet" onclick=${() => copyText(text)}><${Icon} name="copy" size=${16} />${t("tools.copy")}</button></p>
    <pre class="code" tabindex="0" aria-label=${t("tools.result")}>${text}</pre>`;
}

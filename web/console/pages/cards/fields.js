// The fields of a card. A line is found, changed, taken out and added one by one; several are added by pasting.
import { count } from "../../../shared/format.js";
import { cx, html, useId, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { composing } from "../../../shared/keys.js";
import { IconButton } from "../../../shared/ui/icons.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Panel } from "../../frame.js";
import { Field } from "../../forms.js";
import { argumentLines, declaredLines, labelLines, readArguments } from "./draft.js";

const PURPOSE_MOST = 300, SHOWN = 40;
const of = (faults, field) => faults.filter((fault) => fault.startsWith(field)).map((fault) => fault.replace(/^[\w.]+: /, "")).join(" / ") || null;

export function Fields({ draft, inForce, disclaimers }) {
  const { card, change, faults } = draft, declared = declaredLines(card.dialogue);
  const known = ["title", "purpose", "when_to_use", "when_not_to_use", "tags", "disclaimers", "labels", "arguments"];
  const rest = faults.filter((fault) => !known.some((field) => fault.startsWith(field)));
  return html`<div class="stack">
    ${rest.length > 0 && html`<div class="refused" role="alert"><p><strong>${t("cards.faults")}</strong></p><ul class="fault-list">${rest.map((fault) => html`<li key=${fault}>${fault}</li>`)}</ul></div>`}
    <${Panel} title=${t("cards.about")}><div class="form">
      <${Field} label=${t("cards.title")} hint=${t("cards.title.hint")} error=${of(faults, "title")}>${(own) => html`<input ...${own} value=${card.title} oninput=${(event) => change({ title: event.target.value })} />`}<//>
      <${Field} label=${t("cards.purpose")} hint=${t("cards.purpose.hint", { count: card.purpose.length, most: PURPOSE_MOST })} error=${of(faults, "purpose")}>${(own) => html`<textarea ...${own} rows="3" value=${card.purpose} oninput=${(event) => change({ purpose: event.target.value })}></textarea>`}<//>
    </div><//>
    <${Lines} title=${t("cards.when")} hint=${t("cards.when.hint")} adding=${t("cards.when.add")} lines=${card.when_to_use} held=${inForce.when_to_use} error=${of(faults, "when_to_use")} onChange=${(when_to_use) => change({ when_to_use })} searched />
    <${Lines} title=${t("cards.not")} hint=${t("cards.not.hint")} adding=${t("cards.not.add")} lines=${card.when_not_to_use} held=${inForce.when_not_to_use} error=${of(faults, "when_not_to_use")} onChange=${(when_not_to_use) => change({ when_not_to_use })} />
    <${Panel} title=${t("cards.tags")} hint=${t("cards.tags.hint")}><${Tags} tags=${card.tags} onChange=${(tags) => change({ tags })} />${of(faults, "tags") && html`<p class="fault">${of(faults, "tags")}</p>`}<//>
    <details class="panel fold"><summary>${t("cards.disclaimers", { count: card.disclaimers.length })}</summary><fieldset class="checks"><legend class="visually-hidden">${t("cards.disclaimers.legend")}</legend>
      ${Object.entries(disclaimers).map(([id, text]) => html`<label class="check" key=${id}><input type="checkbox" checked=${card.disclaimers.includes(id)}
        onchange=${(event) => change({ disclaimers: event.target.checked ? [...card.disclaimers, id] : card.disclaimers.filter((other) => other !== id) })} /><span>${text} <code>${id}</code></span></label>`)}</fieldset></details>
    <details class="panel fold"><summary>${t("cards.labels", { count: Object.keys(card.labels).length })}</summary><div class="form">
      <${Field} label=${t("cards.labels.lines")} hint=${t("cards.labels.hint")} error=${of(faults, "labels")}>${(own) => html`<${Labels} own=${own} labels=${card.labels} onChange=${(labels) => change({ labels })} />`}<//></div></details>
    <details class="panel fold"><summary>${t("cards.arguments", { count: Object.keys(card.arguments ?? {}).length })}</summary><div class="form">
      <${Field} label=${t("cards.arguments.lines")} hint=${t("cards.arguments.hint")} error=${of(faults, "arguments")}>${(own) => html`<${Arguments} own=${own} hints=${card.arguments} onChange=${(hints) => change({ arguments: hints })} />`}<//></div></details>
    ${declared.length > 0 && html`<details class="panel fold"><summary>${t("cards.declared", { count: declared.length })}</summary><p class="hint">${t("cards.declared.hint")}</p><pre class="code" tabindex="0">${declared.join("\n")}</pre></details>`}
  </div>`;
}

// `held`: the lines in force; a line that is not among them is marked as new. New ones stand at the end of the card and at the top here.
function Lines({ title, hint, adding, lines, held, error, onChange, searched = false }) {
  const id = useId();
  const [text, setText] = useState("");
  const [wanted, setWanted] = useState("");
  const [all, setAll] = useState(false);
  const known = new Set(held);
  const order = lines.map((line, place) => ({ line, place, fresh: !known.has(line) }));
  const found = [...order.filter((one) => one.fresh).reverse(), ...order.filter((one) => !one.fresh)].filter((one) => !wanted || one.line.replaceAll(" ", "").includes(wanted.replaceAll(" ", "")));
  const shown = all || wanted ? found : found.slice(0, SHOWN);
  const add = (some) => {
    const fresh = some.map((line) => line.trim()).filter((line) => line && !lines.includes(line));
    if (fresh.length) onChange([...lines, ...fresh]);
    setText("");
  };
  return html`<${Panel} title=${html`${title} <span class="count">${count(lines.length)}</span>`} hint=${hint}>
    <div class="line-tools">
      <div class="line-add"><label class="visually-hidden" for=${id}>${adding}</label>
        <input id=${id} placeholder=${adding} value=${text} autocomplete="off" oninput=${(event) => setText(event.target.value)}
          onpaste=${(event) => { const pasted = event.clipboardData.getData("text").split(/\r?\n/); if (pasted.length > 1) { event.preventDefault(); add(pasted); } }}
          onkeydown=${(event) => { if (event.key === "Enter" && !composing(event) && !event.repeat) { event.preventDefault(); add([event.target.value]); } }} />
        <button type="button" class="button" disabled=${!text.trim()} onclick=${() => add([text])}>${t("cards.add")}</button></div>
      ${searched && lines.length > 10 && html`<${SearchBox} label=${t("cards.find-line")} onSearch=${setWanted} />`}
    </div>
    ${error && html`<p class="fault" role="alert">${error}</p>`}
    ${lines.length === 0 ? html`<p class="hint">${t("cards.no-lines")}</p>` : html`<ul class="line-list">${shown.map((one) => html`<li key=${one.place} class=${cx(one.fresh && "fresh")}>
        ${one.fresh && html`<span class="sign" title=${t("cards.line.new")}>＋<span class="visually-hidden">${t("cards.line.new")}</span></span>`}
        <input value=${one.line} aria-label=${t("cards.line", { number: one.place + 1 })} oninput=${(event) => onChange(lines.map((line, place) => (place === one.place ? event.target.value : line)))} />
        <${IconButton} icon="close" size=${16} label=${t("cards.line.remove", { line: one.line })} onclick=${() => onChange(lines.filter((_, place) => place !== one.place))} /></li>`)}</ul>`}
    ${!all && !wanted && found.length > SHOWN && html`<button type="button" class="link" onclick=${() => setAll(true)}>${t("cards.all-lines", { count: found.length - SHOWN })}</button>`}
    ${wanted && !found.length && html`<p class="hint">${t("page.none")}</p>`}
  <//>`;
}

function Tags({ tags, onChange }) {
  const [text, setText] = useState("");
  const add = () => {
    const fresh = text.split(",").map((tag) => tag.trim()).filter((tag) => tag && !tags.includes(tag));
    if (fresh.length) onChange([...tags, ...fresh]);
    setText("");
  };
  return html`<div class="tag-edit">${tags.map((tag) => html`<span class="badge" key=${tag}>${tag}<button type="button" aria-label=${t("cards.tag.remove", { tag })} onclick=${() => onChange(tags.filter((other) => other !== tag))}>×</button></span>`)}
    <input aria-label=${t("cards.tag.add")} placeholder=${t("cards.tag.add")} value=${text} autocomplete="off" oninput=${(event) => setText(event.target.value)} onblur=${add}
      onkeydown=${(event) => { if (event.key === "Enter" && !composing(event)) { event.preventDefault(); add(); } }} /></div>`;
}

// One "field: label" a line. The text is the person's own while it is written; a line without both is not yet a label.
function Labels({ own, labels, onChange }) {
  const [text, setText] = useState(labelLines(labels).join("\n"));
  const read = (written) => {
    setText(written);
    const pairs = written.split("\n").map((line) => line.split(":").map((part) => part.trim())).filter(([field, label]) => field && label);
    onChange(Object.fromEntries(pairs));
  };
  return html`<textarea ...${own} rows="4" spellcheck="false" value=${text} oninput=${(event) => read(event.target.value)}></textarea>`;
}

// What the card says of arguments, a value a line; the text is the person's own while it is written.
function Arguments({ own, hints, onChange }) {
  const [text, setText] = useState(argumentLines(hints).join("\n"));
  const read = (written) => {
    setText(written);
    onChange(readArguments(written));
  };
  return html`<textarea ...${own} rows="6" spellcheck="false" value=${text} oninput=${(event) => read(event.target.value)}></textarea>`;
}

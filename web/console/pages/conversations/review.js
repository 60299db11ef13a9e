// What an operator judges of a turn: right or wrong, tags, the answer it should have been; and the way to a case.
import { call } from "../../../shared/api.js";
import { moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { composing } from "../../../shared/keys.js";
import { Dialog } from "../../../shared/ui/dialog.js";
import { Icon, IconButton } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { Field, Segments } from "../../forms.js";
import { Panel } from "../../frame.js";
import { to } from "../../router.js";
import { titleOf } from "./marks.js";

const VERDICTS = ["", "right", "wrong"];

export function ReviewPanel({ turn, onSaved }) {
  const [verdict, setVerdict] = useState(turn.review?.verdict ?? "");
  const [tags, setTags] = useState(turn.review?.tags ?? []);
  const [answer, setAnswer] = useState(turn.review?.answer ?? "");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setFault("");
    try {
      const saved = await call("PUT", `/api/admin/conversations/${turn.run_id}/review`, { verdict, tags, answer });
      notify(t("conversations.saved"));
      onSaved(saved.review);
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
    setBusy(false);
  };
  return html`<${Panel} title=${t("conversations.review")} hint=${turn.review && t("conversations.review.by", { who: turn.review.author, time: moment(turn.review.updated_at) })}>
    <${Segments} label=${t("conversations.verdict")} name="verdict" chosen=${verdict} onChoose=${setVerdict} options=${VERDICTS.map((id) => ({ id, label: t(id ? `conversations.verdict.${id}` : "conversations.verdict.open") }))} />
    <${Tags} tags=${tags} onChange=${setTags} />
    <${Field} label=${t("conversations.right-answer")}>${(own) => html`<textarea ...${own} rows="3" maxlength="4000" value=${answer} oninput=${(event) => setAnswer(event.target.value)}></textarea>`}<//>
    ${fault && html`<p class="fault" role="alert">${fault}</p>`}
    <p class="actions"><button type="button" class="button primary small" disabled=${busy} onclick=${save}>${t("save")}</button></p>
  <//>`;
}

function Tags({ tags, onChange }) {
  const add = (field) => {
    const tag = field.value.trim().replaceAll("|", " ");
    if (tag && !tags.includes(tag)) onChange([...tags, tag]);
    field.value = "";
  };
  return html`<${Field} label=${t("conversations.tags")} hint=${t("conversations.tags.hint")}>${(own) => html`<div class="tags-input">
    ${tags.map((tag) => html`<span class="tag" key=${tag}>${tag}<${IconButton} icon="close" size=${13} label=${t("conversations.tag.remove", { tag })} onclick=${() => onChange(tags.filter((other) => other !== tag))} /></span>`)}
    <input ...${own} maxlength="40" autocomplete="off" onkeydown=${(event) => {
      if (event.key !== "Enter" || composing(event)) return;
      event.preventDefault();
      add(event.target);
    }} onblur=${(event) => add(event.target)} /></div>`}<//>`;
}

export function CaseDialog({ turn, open, onClose }) {
  const [tools, setTools] = useState(turn.tools);
  const [kind, setKind] = useState("routing");
  const [note, setNote] = useState(turn.review?.answer ?? "");
  const [made, setMade] = useState(null);
  const [fault, setFault] = useState("");
  const save = async () => {
    setFault("");
    try {
      setMade(await call("POST", `/api/admin/conversations/${turn.run_id}/case`, { kind, expected_tools: tools, note }));
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
  };
  const offered = [...new Set([...turn.tools, ...(turn.candidates ?? [])])].slice(0, 12);
  const toggle = (tool, on) => setTools(on ? [...tools, tool].slice(0, 5) : tools.filter((other) => other !== tool));
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("conversations.case")}
    footer=${made ? html`<button type="button" class="button" onclick=${onClose}>${t("close")}</button>` : html`<button type="button" class="button" onclick=${onClose}>${t("cancel")}</button><button type="button" class="button primary" onclick=${save}>${t("save")}</button>`}>
    ${made ? html`<p role="status"><${Icon} name="check" size=${16} /> ${t("conversations.case.made")}</p><p><a href=${to("evaluation", { tab: "cases" })} onclick=${onClose}>${t("conversations.case.open")}</a></p>` : html`
      <p class="hint">${t("conversations.case.hint", { count: turn.earlier })}</p>
      <p lang="ko"><strong>${turn.query}</strong></p>
      <${Segments} label=${t("conversations.case.kind")} name="kind" chosen=${kind} onChoose=${setKind} options=${["routing", "dialogue"].map((id) => ({ id, label: t(`conversations.case.${id}`) }))} />
      <fieldset class="reasons"><legend>${t("conversations.case.tools")}</legend>${offered.map((tool) => html`<label class="check" key=${tool}><input type="checkbox" checked=${tools.includes(tool)} onchange=${(event) => toggle(tool, event.target.checked)} />${titleOf(tool)} <code>${tool}</code></label>`)}
        ${!tools.length && html`<p class="hint">${t("conversations.case.no-tool")}</p>`}</fieldset>
      <${Field} label=${t("conversations.right-answer")}>${(own) => html`<textarea ...${own} rows="3" maxlength="4000" value=${note} oninput=${(event) => setNote(event.target.value)}></textarea>`}<//>
      ${fault && html`<p class="fault" role="alert">${fault}</p>`}`}
  <//>`;
}

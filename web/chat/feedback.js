// Under every answer: copy, sources, thumbs, again, more.
import { call, download, send, withQuery } from "../shared/api.js";
import { html, useId, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { IconButton } from "../shared/ui/icons.js";
import { Dialog } from "../shared/ui/dialog.js";
import { Menu } from "../shared/ui/menu.js";
import { notify } from "../shared/ui/live.js";
import { copyText } from "../shared/ui/table.js";
import { askAgain } from "./runs.js";
import { openDrawer, panel, running, threadId } from "./state.js";

const REASONS = ["wrong", "incomplete", "unclear", "source", "other"];

// Fetched and saved rather than linked: in a frame on another site only a call of the page names its visitor.
export async function exportAs(format) {
  try {
    const file = await send("GET", withQuery(`/api/threads/${encodeURIComponent(threadId.value)}/export`, { format }));
    download(`thread.${format}`, await file.text(), file.headers.get("content-type"));
  } catch (problem) {
    notify(problem.message || t("offline"));
  }
}

export function AnswerActions({ turn, view }) {
  const [asking, setAsking] = useState(false);
  const rate = async (rating, more = {}) => {
    try {
      await call("POST", "/api/feedback", { run_id: turn.runId, rating, ...more });
      turn.rating.value = rating;
      notify(t("feedback.thanks"));
    } catch (problem) {
      notify(problem.message || t("offline"));
    }
  };
  const down = () => {
    rate("down");
    setAsking(true);
  };
  return html`<div class="answer-actions" role="group" aria-label=${t("answer.actions")}>
    <${IconButton} icon="copy" size=${18} label=${t("copy")} onclick=${() => copyText(view.text)} />
    ${view.sources.length > 0 && html`<${IconButton} icon="book" size=${18} label=${t("sources")} onclick=${() => openDrawer("sources", turn, view.sources[0])} />`}
    <${IconButton} icon="up" size=${18} label=${t("feedback.up")} aria-pressed=${String(turn.rating.value === "up")} onclick=${() => rate("up")} />
    <${IconButton} icon="down" size=${18} label=${t("feedback.down")} aria-pressed=${String(turn.rating.value === "down")} onclick=${down} />
    <${IconButton} icon="again" size=${18} label=${t("again")} disabled=${running.value !== null} onclick=${() => askAgain(turn)} />
    <${Menu} label=${t("more")} icon="more" align="start" items=${[
      { label: t("share.copy"), icon: "copy", run: () => copyText(asShared(turn, view)) },
      { label: t("export.md"), icon: "download", run: () => exportAs("md") },
      { label: t("export.json"), icon: "download", run: () => exportAs("json") },
      { label: t("print"), icon: "file", run: () => setTimeout(() => print()) },
      "-",
      { label: t("report"), icon: "warning", leaves: true, run: () => setAsking(true) },
      { label: t("person"), icon: "headset", leaves: true, run: () => (panel.value = "handoff") },
    ]} />
    <${Why} open=${asking} onClose=${() => setAsking(false)} onSend=${(more) => { setAsking(false); rate("down", more); }} />
  </div>`;
}

function Why({ open, onClose, onSend }) {
  const id = useId();
  const submit = (event) => {
    event.preventDefault();
    const values = new FormData(event.target);
    onSend({ reason: values.get("reason") ?? "", comment: values.get("comment").trim() });
  };
  return html`<${Dialog} open=${open} onClose=${onClose} title=${t("feedback.why")}>
    <form onsubmit=${submit}>
      <fieldset class="reasons"><legend class="visually-hidden">${t("feedback.why")}</legend>
        ${REASONS.map((reason) => html`<label class="check" key=${reason}><input type="radio" name="reason" value=${reason} />${t(`feedback.${reason}`)}</label>`)}</fieldset>
      <label class="field" for=${id}>${t("feedback.comment")}<textarea id=${id} name="comment" maxlength="2000" rows="3"></textarea></label>
      <p class="actions"><button type="submit" class="button primary">${t("feedback.send")}</button></p>
    </form><//>`;
}

function asShared(turn, view) {
  const cited = view.sources.map((source) => `[${source.id}] ${source.title} ${source.heading_path ?? ""}${source.page ? ` ${t("page", { page: source.page })}` : ""}`);
  return [`Q. ${turn.query}`, view.text, cited.join("\n")].filter(Boolean).join("\n\n");
}

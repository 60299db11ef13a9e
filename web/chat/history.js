// The conversations of this person: found by name, renamed, taken along, deleted.
import { call, get, withQuery } from "../shared/api.js";
import { html, signal, useEffect, useRef, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { matches } from "../shared/search.js";
import { Confirm } from "../shared/ui/confirm.js";
import { Dialog } from "../shared/ui/dialog.js";
import { Icon } from "../shared/ui/icons.js";
import { notify } from "../shared/ui/live.js";
import { Menu } from "../shared/ui/menu.js";
import { SearchBox } from "../shared/ui/searchbox.js";
import { newChat } from "./app.js";
import { exportAs } from "./feedback.js";
import { historyVersion, panel, threadId } from "./state.js";
import { fresh, open } from "./threads.js";

const threads = signal(null);
const query = signal("");
const said = signal({ query: "", found: new Map() }); // threads in which it was said, with the question, by id
const DAY_MS = 86_400_000;
const PAUSE_MS = 250;

async function load() {
  try {
    threads.value = (await get("/api/threads?limit=200")).threads;
  } catch (problem) {
    notify(problem.message || t("offline"));
    threads.value ??= [];
  }
}

// Titles are matched at once on the page; what was said in a conversation is asked of the server.
async function searchSaid(wanted) {
  let threadsFound = [];
  try {
    threadsFound = (await get(withQuery("/api/threads", { q: wanted, limit: 50 }))).threads;
  } catch (problem) {
    notify(problem.message || t("offline"));
  }
  if (wanted === query.value) said.value = { query: wanted, found: new Map(threadsFound.map((thread) => [thread.thread_id, thread])) };
}

function groupOf(thread) {
  const today = new Date().setHours(0, 0, 0, 0);
  const at = new Date(thread.updated_at).getTime();
  return at >= today ? "today" : at >= today - DAY_MS ? "yesterday" : at >= today - 7 * DAY_MS ? "week" : "older";
}

export function History() {
  useEffect(() => void load(), [historyVersion.value]);
  const [renaming, setRenaming] = useState(null);
  const [deleting, setDeleting] = useState(null);
  useEffect(() => {
    const wanted = query.value;
    if (!wanted.trim()) {
      said.value = { query: "", found: new Map() };
      return undefined;
    }
    const timer = setTimeout(() => searchSaid(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [query.value]);
  const inTalks = said.value.found;
  const known = new Set((threads.value ?? []).map((thread) => thread.thread_id));
  const found = [...(threads.value ?? []).filter((thread) => matches(thread.title, query.value) || inTalks.has(thread.thread_id)), ...[...inTalks.values()].filter((thread) => !known.has(thread.thread_id))];
  const groups = ["today", "yesterday", "week", "older"].map((name) => [name, found.filter((thread) => groupOf(thread) === name)]).filter(([, all]) => all.length);
  const show = (thread) => {
    panel.value = null;
    open(thread.thread_id);
  };
  const remove = async (thread) => {
    setDeleting(null);
    try {
      await call("DELETE", `/api/threads/${encodeURIComponent(thread.thread_id)}`);
      if (thread.thread_id === threadId.value) fresh();
      said.value = { ...said.value, found: new Map([...said.value.found].filter(([id]) => id !== thread.thread_id)) };
      await load();
      notify(t("history.deleted"));
    } catch (problem) {
      notify(problem.message || t("offline"));
    }
  };
  return html`<div class="history-box">
    <button type="button" class="button new-chat" onclick=${newChat}><${Icon} name="plus" size=${18} />${t("new")}</button>
    <${SearchBox} id="history-search" label=${t("history.search")} value=${query.value} onSearch=${(text) => (query.value = text)} />
    <div class="history-list">
      ${threads.value !== null && !found.length && said.value.query === query.value && html`<p class="hint">${query.value ? t("nothing.found") : t("history.empty")}</p>`}
      ${groups.map(([name, all]) => html`<section key=${name} aria-labelledby=${`group-${name}`}><h2 id=${`group-${name}`}>${t(`history.${name}`)}</h2>
        <ul class="plain">${all.map((thread) => html`<li key=${thread.thread_id} class="thread">
          <button type="button" class="thread-name" lang="ko" aria-current=${thread.thread_id === threadId.value ? "page" : undefined} onclick=${() => show(thread)}>${thread.title}${query.value && inTalks.has(thread.thread_id) && inTalks.get(thread.thread_id).found !== thread.title && html`<span class="thread-found">${inTalks.get(thread.thread_id).found}</span>`}</button>
          <${Menu} label=${t("history.menu", { title: thread.title })} icon="more" items=${[
            { label: t("rename"), icon: "edit", leaves: true, run: () => setRenaming(thread) },
            thread.thread_id === threadId.value && { label: t("export.md"), icon: "download", run: () => exportAs("md") },
            { label: t("delete"), icon: "trash", danger: true, leaves: true, run: () => setDeleting(thread) },
          ]} /></li>`)}</ul></section>`)}
    </div>
    <${Rename} thread=${renaming} onClose=${() => setRenaming(null)} />
    <${Confirm} open=${!!deleting} title=${t("delete")} effect=${t("history.delete", { title: deleting?.title ?? "" })} action=${t("delete")} onYes=${() => remove(deleting)} onClose=${() => setDeleting(null)} />
  </div>`;
}

function Rename({ thread, onClose }) {
  const field = useRef(null);
  const [fault, setFault] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    try {
      await call("PATCH", `/api/threads/${encodeURIComponent(thread.thread_id)}`, { title: field.current.value });
      await load();
      onClose();
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
  };
  return html`<${Dialog} open=${!!thread} onClose=${onClose} title=${t("rename")}>
    <form onsubmit=${submit}><label class="field">${t("history.title")}<input ref=${field} defaultValue=${thread?.title} maxlength="200" required autofocus autocomplete="off" /></label>
      ${fault && html`<p class="fault" role="alert">${fault}</p>`}
      <p class="actions"><button type="submit" class="button primary">${t("save")}</button></p></form><//>`;
}

// What a screen reader hears of an answer: that it is being written, sentences in batches of at least 3 s, that it is done.
import { t } from "../shared/i18n.js";
import { say, sayAlert } from "../shared/ui/live.js";
import { readAloud } from "./state.js";

const BATCH_MS = 3000;
let waiting = "";
let timer = 0;
let begun = false;

export function announceText(text) {
  if (!begun) {
    begun = true;
    say(t("status.writing"));
  }
  if (readAloud.value !== "batches") return;
  waiting += text;
  timer ||= setTimeout(() => {
    timer = 0;
    say(waiting.trim());
    waiting = "";
  }, BATCH_MS);
}

export function announceDone(view) {
  clearTimeout(timer);
  timer = 0;
  begun = false;
  const rest = waiting.trim();
  waiting = "";
  if (view.status === "error") {
    sayAlert(view.fault?.error ?? t("fault.unknown"));
    return;
  }
  const end = view.status === "stopped" ? t("status.stopped") : view.sources.length ? t("status.done.sources", { count: view.sources.length }) : t("status.done");
  say(readAloud.value === "batches" ? `${rest} ${end}`.trim() : end);
}

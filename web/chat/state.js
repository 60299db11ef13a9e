// What the page knows: the conversation and its turns, what waits, what is open beside it.
import { atLeast, boot } from "../shared/boot.js";
import { computed, signal } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { remember, remembered } from "../shared/store.js";
import { EMPTY, live } from "./view.js";

export const isStaff = atLeast("staff");
export const toolTitle = (tool) => boot.titles[tool] ?? null;
export const productName = (code) => boot.products?.find((product) => product.code === code)?.name ?? code;

export const engineName = (name = boot.engine) => (name === "embedded-planner" ? t("engine.embedded") : name);

export const threadId = signal(null);
export const turns = signal([]);
export const queue = signal([]);
export const facts = signal({});
export const connection = signal("ok");
export const restoring = signal(false);
export const handoff = signal(null); // {id, at} once the conversation was passed on
export const compared = signal([]); // product cards in 비교
export const drawer = signal(null); // {tab: "sources" | "trace" | "person", turn, source}
export const panel = signal(null); // which dialog is open: search, help, handoff, catalogue, history
export const historyVersion = signal(0);

export const newest = computed(() => turns.value.at(-1) ?? null);
export const running = computed(() => turns.value.find((turn) => live(turn.view.value)) ?? null);

// One question and its answer.
export class Turn {
  constructor({ messageId = crypto.randomUUID(), query, at = new Date().toISOString(), runId = null, view = EMPTY, rerunOf = null }) {
    Object.assign(this, { messageId, query, at, runId, rerunOf, threadId: threadId.value });
    this.view = signal(view);
    this.pending = view;
    this.lastId = 0;
    this.clock = {}; // ms on this page: sent, event, sentence, done
    this.rating = signal(null);
  }
}

export function openDrawer(tab, turn = newest.value, source = null) {
  drawer.value = { tab, turn, source };
}

// Which way Enter goes, how answers are read aloud.
export const enterSends = signal(remembered("enter-sends", true));
export const readAloud = signal(remembered("read-aloud", "batches"));
export function choose(name, target, value) {
  target.value = value;
  remember(name, value);
}

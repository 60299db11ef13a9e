// Runs a question: sends it once, reads its events, comes back after a lost connection, stops, asks again.
import { call, problemOf, Problem, send } from "../shared/api.js";
import { eventsOf } from "../shared/sse.js";
import { remember, remembered } from "../shared/store.js";
import { announceDone, announceText } from "./announce.js";
import { connection, facts, historyVersion, queue, running, threadId, Turn, turns } from "./state.js";
import { EMPTY, halted, live, reduce } from "./view.js";

const SILENCE_MS = 40_000; // the server says something every 15 s
const PAUSES_MS = [300, 800, 2000, 4000, 8000];
const tabs = "BroadcastChannel" in window ? new BroadcastChannel("conversations") : null;

export const onOtherTab = (listener) => tabs?.addEventListener("message", (event) => listener(event.data));
export const tellOtherTabs = (id) => tabs?.postMessage(id);

// Asks, or queues the question while another one of this conversation runs.
export function ask(text) {
  const query = text.trim();
  if (!query) return;
  if (running.value) {
    queue.value = [...queue.value, { id: crypto.randomUUID(), query }];
    return;
  }
  start(new Turn({ query }));
}

export const unqueue = (id) => (queue.value = queue.value.filter((item) => item.id !== id));

// The same question again: after a fault or a stop with the same message id (never twice on the server), after an
// answer as a rerun with the facts as they are now.
export function askAgain(turn) {
  if (running.value) return;
  const view = turn.view.value;
  const again = view.status === "done"
    ? new Turn({ query: turn.query, rerunOf: turn.runId })
    : new Turn({ query: turn.query, messageId: turn.messageId, at: turn.at });
  turns.value = turns.value.filter((other) => other !== turn);
  start(again);
}

// Goes on after a stop: what is read already stays until the new text has caught up.
export function goOn(turn) {
  if (running.value) return;
  const shown = turn.view.value;
  turn.held = shown.text;
  turn.runId = null;
  turn.lastId = 0;
  turn.pending = EMPTY;
  turn.view.value = { ...shown, status: "streaming", fault: null };
  follow(turn);
}

export async function stop() {
  const turn = running.value;
  if (!turn) return;
  turn.wantsStop = true;
  if (turn.runId) await call("POST", `/api/runs/${turn.runId}/cancel`).catch(() => ended(turn, "stopped"));
}

// A run that a reloaded page had under way: the same message id brings back the same run.
export function pickUp(known) {
  const open = remembered("run", null, "sessionStorage");
  if (!open || open.threadId !== threadId.value || known.has(open.messageId)) return;
  start(new Turn({ query: open.query, messageId: open.messageId, at: open.at, rerunOf: open.rerunOf }));
}

function start(turn) {
  turn.clock.sent = performance.now();
  turns.value = [...turns.value, turn];
  const open = { threadId: turn.threadId, messageId: turn.messageId, query: turn.query, at: turn.at, rerunOf: turn.rerunOf };
  remember("run", open, "sessionStorage");
  follow(turn);
}

// Somebody may have gone to another conversation meanwhile.
const here = (turn) => turn.threadId === threadId.value;

const post = (turn) => send("POST", "/api/chat/stream", {
  ...(turn.rerunOf ? { rerun_of: turn.rerunOf } : { query: turn.query }), thread_id: turn.threadId, message_id: turn.messageId,
});
const resume = (turn) => send("GET", `/api/runs/${turn.runId}/events`, undefined, { headers: { "Last-Event-ID": String(turn.lastId) } });

async function follow(turn) {
  let tries = 0;
  while (live(turn.view.value)) {
    try {
      const response = await (turn.runId ? resume(turn) : post(turn));
      if (!response.headers.get("content-type")?.startsWith("text/event-stream")) throw await problemOf(response);
      for await (const event of eventsOf(response, SILENCE_MS)) {
        connection.value = "ok";
        tries = 0;
        take(turn, event);
        if (!live(turn.pending)) break;
      }
      if (!live(turn.pending)) break;
    } catch (fault) {
      if (fault instanceof Problem && fault.status === 404 && turn.runId) {
        turn.runId = null; // the server no longer has this run: the message id finds the answer, or begins anew
      } else if (fault instanceof Problem && fault.status && ![502, 503, 504].includes(fault.status)) {
        return ended(turn, "error", fault);
      } else if (fault instanceof Problem && fault.status && tries >= PAUSES_MS.length) {
        return ended(turn, "error", fault);
      }
    }
    if (turn.wantsStop && !turn.runId) return ended(turn, "stopped");
    if (here(turn)) connection.value = "lost";
    await pause(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)]);
    tries += 1;
  }
  flush(turn);
  finish(turn);
}

function take(turn, { type, data: text, id }) {
  const data = JSON.parse(text);
  const number = Number(id) || 0;
  if (data.run_id && data.run_id !== turn.runId) {
    if (turn.runId || turn.pending.text) turn.pending = EMPTY;
    turn.runId = data.run_id;
    turn.lastId = 0;
    if (turn.wantsStop) call("POST", `/api/runs/${turn.runId}/cancel`).catch(() => {});
  }
  if (number && number <= turn.lastId) return;
  turn.lastId = number || turn.lastId;
  turn.clock.event ??= performance.now();
  if (type === "token") turn.clock.sentence ??= performance.now();
  turn.pending = reduce(turn.pending, type, data, performance.now());
  if (here(turn) && type === "facts") facts.value = turn.pending.facts;
  if (here(turn) && type === "token") announceText(data.text);
  draw(turn);
}

// At most one change of the page per frame.
function draw(turn) {
  if (turn.frame) return;
  const paint = () => flush(turn);
  turn.frame = document.hidden ? setTimeout(paint, 100) : requestAnimationFrame(paint);
}

function flush(turn) {
  if (turn.frame) {
    cancelAnimationFrame(turn.frame);
    clearTimeout(turn.frame);
    turn.frame = 0;
  }
  const { held } = turn;
  const behind = held && live(turn.pending) && turn.pending.text.length < held.length && held.startsWith(turn.pending.text);
  turn.view.value = behind ? { ...turn.pending, status: "streaming", text: held } : turn.pending;
}

function ended(turn, status, problem = null) {
  const fault = problem && {
    error: problem.errors?.[0]?.message ?? problem.detail ?? problem.title, type: problem.type, request_id: problem.requestId,
    status: problem.status, retryAfter: problem.retryAfter,
  };
  turn.pending = halted(turn.pending, status, fault);
  flush(turn);
  finish(turn);
}

function finish(turn) {
  turn.clock.done = performance.now();
  turn.held = null;
  turn.wantsStop = false;
  tellOtherTabs(turn.threadId);
  historyVersion.value += 1;
  if (!here(turn)) return;
  connection.value = "ok";
  remember("run", null, "sessionStorage");
  const view = turn.view.value;
  if (view.status === "done" && view.facts) facts.value = view.facts;
  announceDone(view);
  const [next, ...rest] = queue.value;
  if (!next || view.status === "error") return;
  queue.value = rest;
  start(new Turn({ query: next.query }));
}

// Waits, but not longer than until the browser is online again.
function pause(ms) {
  return new Promise((go) => {
    const wait = ms * (0.8 + 0.4 * Math.random());
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      go();
    };
    const timer = setTimeout(done, wait);
    addEventListener("online", done);
  });
}

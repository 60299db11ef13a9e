// The turns, oldest first. Follows the end only while the reader is there; nothing else ever moves the view.
import { dayMonth, sameDay } from "../shared/format.js";
import { html, signal, useEffect, useLayoutEffect, useRef, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { Empty } from "./empty.js";
import { handoff, queue, restoring, threadId, turns } from "./state.js";
import { unqueue } from "./runs.js";
import { TurnView } from "./turn.js";

const SHOWN = 30;
const NEAR = 80; // px from the end that still count as reading along

const away = signal(false);

export function Conversation() {
  const view = useRef(null);
  const content = useRef(null);
  const following = useRef(true);
  const [shown, setShown] = useState(SHOWN);
  const all = turns.value;
  const visible = all.slice(-shown);

  useEffect(() => setShown(SHOWN), [threadId.value]);
  const toEnd = (smooth) => {
    following.current = true;
    away.value = false;
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    view.current.scrollTo({ top: view.current.scrollHeight, behavior: smooth && !calm ? "smooth" : "instant" });
  };
  // A new question comes into view; its answer is followed only while nobody scrolled away, and never so far that the
  // question leaves the top: a long answer is read from its beginning.
  const last = all.at(-1)?.messageId;
  useLayoutEffect(() => {
    following.current = true;
    if (last) follow(view.current);
  }, [last]);
  useEffect(() => {
    const watch = new ResizeObserver(() => {
      if (following.current) follow(view.current);
      away.value = distance(view.current) > NEAR;
    });
    watch.observe(content.current);
    watch.observe(view.current);
    return () => watch.disconnect();
  }, []);
  const top = useRef(0);
  const onScroll = () => {
    const box = view.current;
    if (box.scrollTop < top.current - 2) following.current = false; // somebody went back up
    if (distance(box) <= NEAR) following.current = true;
    top.current = box.scrollTop;
    away.value = distance(box) > NEAR;
  };
  const older = () => {
    const before = view.current.scrollHeight - view.current.scrollTop;
    following.current = false;
    setShown(shown + SHOWN);
    requestAnimationFrame(() => (view.current.scrollTop = view.current.scrollHeight - before));
  };

  return html`<div class="view"><div class="scroll" ref=${view} onscroll=${onScroll} tabindex="-1">
      <div class="column" ref=${content}>
        ${all.length === 0 && !restoring.value && html`<${Empty} />`}
        ${all.length > 0 && html`<h1 class="visually-hidden">${t("conversation")}</h1>`}
        ${restoring.value && all.length === 0 && html`<p class="hint loading">${t("restoring")}</p>`}
        ${all.length > visible.length && html`<p class="older"><button type="button" class="button small" onclick=${older}>${t("older", { count: all.length - visible.length })}</button></p>`}
        ${visible.map((turn, index) => {
          const before = visible[index - 1];
          return html`${(!before || !sameDay(before.at, turn.at)) && all.length > 1 && html`<p class="day" key=${`day-${turn.messageId}`}><span>${dayMonth(turn.at)}</span></p>`}
            ${drawn(turn, turn === all.at(-1))}`;
        })}
        ${queue.value.map((item) => html`<article class="mine waiting" key=${item.id} aria-label=${t("queued")}>
          <p class="bubble">${item.query}</p>
          <p class="hint">${t("queued")} · <button type="button" class="link" onclick=${() => unqueue(item.id)}>${t("queued.remove")}</button></p></article>`)}
        ${handoff.value && html`<p class="day passed"><span>${t("handoff.line", { id: handoff.value.id.slice(0, 8) })}</span></p>`}
      </div>
    </div>
    ${away.value && all.length > 0 && html`<button type="button" class="button to-end" onclick=${() => toEnd(true)}><${Icon} name="arrowdown" size=${18} />${t("to.end")}</button>`}</div>`;
}

// One drawing a turn, the same object as long as nothing of it changes: a long conversation is not compared again for
// every new question. What changes inside a turn is drawn by its own signal.
const drawings = new WeakMap();
function drawn(turn, newest) {
  const before = drawings.get(turn);
  if (before?.newest === newest) return before.drawing;
  const drawing = html`<${TurnView} key=${turn.messageId} turn=${turn} newest=${newest} />`;
  drawings.set(turn, { newest, drawing });
  return drawing;
}

function follow(box) {
  const question = box.querySelector(".turn.newest");
  if (!question) return;
  const end = box.scrollHeight - box.clientHeight;
  const start = question.offsetTop - box.firstElementChild.offsetTop;
  if (end > box.scrollTop) box.scrollTop = Math.max(box.scrollTop, Math.min(end, start));
}

const distance = (box) => box.scrollHeight - box.scrollTop - box.clientHeight;

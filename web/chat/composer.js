// Where questions are typed. The text lives in the element alone: nothing re-renders or sets it while it is composed.
import { html, signal, useLayoutEffect, useRef } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { composing } from "../shared/keys.js";
import { remember, remembered } from "../shared/store.js";
import { Icon } from "../shared/ui/icons.js";
import { masked, personalKinds } from "./personal.js";
import { ask, stop } from "./runs.js";
import { engineName, enterSends, running, threadId } from "./state.js";
import { nameInAddress } from "./threads.js";

const MOST = 5000;
const COUNT_FROM = 4500;
const touch = matchMedia("(hover: none) and (pointer: coarse)");

const length = signal(0);
const kinds = signal([]); // personal data found in what was pasted or typed
let composes = false; // told by the element's own events, no timer

const field = () => document.getElementById("question");

export function focusComposer() {
  field()?.focus();
}

// A suggestion or a card puts words here; sending them stays with the person.
export function fillComposer(text) {
  const box = field();
  if (!box || composes) return;
  box.value = text;
  box.focus();
  box.setSelectionRange(text.length, text.length);
  changed(box);
}
export const editQuestion = fillComposer;

// Says exactly this, at the press of a quick reply or an inline form.
export function sendNow(text) {
  nameInAddress();
  ask(masked(text));
}

function changed(box) {
  length.value = box.value.length;
  kinds.value = personalKinds(box.value);
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight}px`;
  remember(`draft:${threadId.value}`, box.value || null, "sessionStorage");
}

function submit() {
  const box = field();
  const text = box.value;
  if (!text.trim() || composes) return;
  box.value = "";
  changed(box);
  sendNow(text);
}

export function Composer() {
  const box = useRef(null);
  const shift = useRef(false);
  // At once: later, it would take the focus from whoever has gone on by keyboard.
  useLayoutEffect(() => {
    box.current.value = remembered(`draft:${threadId.value}`, "", "sessionStorage");
    changed(box.current);
    if (!touch.matches) box.current.focus({ preventScroll: true });
  }, [threadId.value]);

  const enterIsSend = () => enterSends.value && !touch.matches;
  const onKey = (event) => {
    shift.current = event.shiftKey;
    if (event.key !== "Enter" || composing(event) || event.repeat) return;
    const sends = enterIsSend() ? !event.shiftKey : event.ctrlKey || event.metaKey;
    if (!sends) return;
    event.preventDefault();
    submit();
  };
  // An Enter pressed while a syllable is composed ends the composition; its line break must not stay.
  const onBefore = (event) => {
    const breaks = event.inputType === "insertLineBreak" || event.inputType === "insertParagraph";
    if (breaks && enterIsSend() && !shift.current) event.preventDefault();
  };
  const busy = running.value !== null;
  return html`<form class="composer" onsubmit=${(event) => { event.preventDefault(); submit(); }}>
    ${kinds.value.length > 0 && html`<p class="personal" role="status"><${Icon} name="shield" size=${16} />${t("personal", { kinds: kinds.value.map((kind) => t(`personal.${kind}`)).join(", ") })}</p>`}
    <div class="composer-box">
      <label class="visually-hidden" for="question">${t("question")}</label>
      <textarea id="question" ref=${box} rows="1" maxlength=${MOST} placeholder=${t("placeholder")} aria-describedby="composer-hint" enterkeyhint=${touch.matches ? "enter" : "send"} spellcheck=${false}
        onkeydown=${onKey} onbeforeinput=${onBefore} oninput=${(event) => changed(event.target)}
        oncompositionstart=${() => (composes = true)} oncompositionend=${() => (composes = false)}></textarea>
      ${busy && html`<button type="button" class="round stop" aria-label=${t("stop")} title=${t("stop")} onclick=${stop}><${Icon} name="stop" /></button>`}
      ${(!busy || length.value > 0) && html`<button type="submit" class="round" aria-label=${busy ? t("send.next") : t("send")} title=${t("send")} disabled=${length.value === 0}><${Icon} name="send" /></button>`}
    </div>
    <p class="composer-hint" id="composer-hint"><span>${t("ai.notice")}</span>
      <span class="engine">${t("engine", { name: engineName() })}</span>
      ${length.value >= COUNT_FROM && html`<span class="number" role="status">${t("counter", { now: length.value.toLocaleString(), most: MOST.toLocaleString() })}</span>`}</p>
  </form>`;
}

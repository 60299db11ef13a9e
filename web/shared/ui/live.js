// What is said aloud: one polite status, one alert, and short notes that are seen too.
import { html, signal } from "../html.js";

const status = signal("");
const alarm = signal("");
const note = signal(null);
let timer = 0;

export const say = (text) => (status.value = text);
export const sayAlert = (text) => {
  alarm.value = "";
  queueMicrotask(() => (alarm.value = text));
};

// A short note at the foot of the page, e.g. after copying. `undo`: {label, run}.
export function notify(text, undo = null) {
  clearTimeout(timer);
  note.value = { text, undo };
  status.value = text;
  timer = setTimeout(() => (note.value = null), undo ? 8000 : 3000);
}

export const Live = () => html`<div class="visually-hidden" role="status" id="status">${status}</div>
  <div class="visually-hidden" role="alert">${alarm}</div>
  <${Note} />`;

function Note() {
  const shown = note.value;
  if (!shown) return null;
  return html`<div class="toast"><span>${shown.text}</span>
    ${shown.undo && html`<button type="button" onclick=${() => { note.value = null; shown.undo.run(); }}>${shown.undo.label}</button>`}</div>`;
}

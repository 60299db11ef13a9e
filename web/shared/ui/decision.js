// What every card of a request for approval does alike: the time left, the arguments to edit, what is sent.
import { html, useEffect, useState } from "../html.js";

export const argumentsOf = (args) => Object.entries(args ?? {}).filter(([, value]) => value !== null && typeof value !== "boolean");

export const ArgumentField = ({ name, value, label }) => typeof value === "number"
  ? html`<input type="number" name=${`arg:${name}`} defaultValue=${value} aria-label=${label} />`
  : html`<textarea name=${`arg:${name}`} rows="2" aria-label=${label} defaultValue=${String(value)}></textarea>`;

// `edits`: the fields of the form stand for the arguments, so approving them is approving others.
export function decisionOf(decision, form, args, edits) {
  const comment = form.elements.comment.value.trim();
  const body = { decision, ...(comment && { comment }) };
  return decision === "approve" && edits ? { ...body, decision: "edit", args: edited(form, args) } : body;
}

const edited = (form, args) => Object.fromEntries(Object.entries(args).map(([name, value]) => {
  const field = form.elements[`arg:${name}`];
  return [name, field ? (typeof value === "number" ? Number(field.value) : field.value) : value];
}));

export function useSecondsLeft(until, on = true) {
  const count = () => Math.max(0, Math.round((new Date(until) - Date.now()) / 1000));
  const [left, setLeft] = useState(count);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setInterval(() => setLeft(count()), 1000);
    return () => clearInterval(timer);
  }, [until, on]);
  return left;
}

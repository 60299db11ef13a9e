// A card that is being edited: kept on the server a moment after the last key, then measured. Nothing here publishes.
import { call } from "../../../shared/api.js";
import { useCallback, useEffect, useRef, useState } from "../../../shared/html.js";

const SAVE_AFTER_MS = 700, MEASURE_AFTER_MS = 500;
const address = (tool) => `/api/tools/${encodeURIComponent(tool)}/card`;

// {card, change(patch), saved: {at, busy, error}, faults, measured: {data, busy, error}, flush(), reset(card)}
export function useDraft(tool, first, hasDraft) {
  const [card, setCard] = useState(first);
  const [saved, setSaved] = useState({ at: null, busy: false, error: null });
  const [faults, setFaults] = useState([]);
  const [measured, setMeasured] = useState({ data: null, busy: false, error: null });
  const latest = useRef(first), dirty = useRef(false), timer = useRef(0), measuring = useRef(null);

  const measure = useCallback(async () => {
    measuring.current?.abort();
    const own = (measuring.current = new AbortController());
    setMeasured((before) => ({ ...before, busy: true, error: null }));
    try {
      const { faults: found, preview } = await call("POST", `${address(tool)}/preview`, { card: latest.current }, { signal: own.signal });
      if (measuring.current !== own) return;
      setFaults(found);
      setMeasured((before) => ({ data: preview ?? before.data, stale: !preview, busy: false, error: null }));
    } catch (error) {
      if (measuring.current === own && error.name !== "AbortError") setMeasured((before) => ({ ...before, busy: false, error }));
    }
  }, [tool]);

  const flush = useCallback(async () => {
    clearTimeout(timer.current);
    if (!dirty.current) return true;
    dirty.current = false;
    setSaved((before) => ({ ...before, busy: true, error: null }));
    try {
      const kept = await call("PUT", address(tool), { card: latest.current, preview: false });
      setSaved({ at: kept.updated_at, busy: false, error: null });
      setFaults(kept.faults);
      if (!kept.faults.length && !dirty.current) timer.current = setTimeout(measure, MEASURE_AFTER_MS);
      return true;
    } catch (error) {
      dirty.current = true;
      setSaved((before) => ({ ...before, busy: false, error }));
      return false;
    }
  }, [tool]);

  const change = useCallback((patch) => {
    latest.current = { ...latest.current, ...patch };
    dirty.current = true;
    setCard(latest.current);
    measuring.current?.abort();
    setMeasured((before) => ({ ...before, busy: false, stale: true }));
    clearTimeout(timer.current);
    timer.current = setTimeout(flush, SAVE_AFTER_MS);
  }, [flush]);

  // Another card in its place (a draft thrown away, a version put back): nothing is to be saved.
  const reset = useCallback((next) => {
    clearTimeout(timer.current);
    measuring.current?.abort();
    dirty.current = false;
    latest.current = next;
    setCard(next);
    setFaults([]);
    setSaved({ at: null, busy: false, error: null });
    setMeasured({ data: null, busy: false, error: null });
    measure();
  }, [measure]);

  useEffect(() => {
    measure();
    const leaving = (event) => dirty.current && event.preventDefault();
    addEventListener("beforeunload", leaving);
    return () => {
      removeEventListener("beforeunload", leaving);
      measuring.current?.abort();
      flush();
    };
  }, []);
  return { card, change, saved, faults, measured, flush, reset, measure, touched: saved.at !== null || hasDraft };
}

export const labelLines = (labels) => Object.entries(labels).map(([field, label]) => `${field}: ${label}`);

// What a card says of arguments, a value a line: "people.unit: 명", "method.synonyms.post: 우편, 등기".
export const argumentLines = (hints) => Object.entries(hints ?? {}).flatMap(([name, hint]) => Object.entries(hint).flatMap(([part, value]) =>
  part === "synonyms" ? Object.entries(value).map(([choice, words]) => `${name}.${part}.${choice}: ${words.join(", ")}`)
    : value?.length ? [`${name}.${part}: ${Array.isArray(value) ? value.join(", ") : value}`] : []));

// What the card declares for the talk, a value a line: "words.1.says: 연납". It is written in the card's file and only shown here.
export const declaredLines = (value, place = "") => (value == null || value === "" || value.length === 0 ? []
  : typeof value !== "object" || (Array.isArray(value) && value.every((one) => typeof one !== "object")) ? [`${place}: ${[value].flat().join(", ")}`]
  : Object.entries(value).flatMap(([name, part]) => declaredLines(part, [place, Array.isArray(value) ? Number(name) + 1 : name].filter(Boolean).join("."))));

// The other way; a line that names no argument, part and value says nothing yet. An unknown part is kept, so that the server names it.
export function readArguments(text) {
  const found = {};
  for (const line of text.split("\n")) {
    const [place, ...rest] = line.split(":"), told = rest.join(":").trim(), [name, part, ...choice] = place.trim().split(".");
    if (!name || !part || !told) continue;
    const words = told.split(",").map((word) => word.trim()).filter(Boolean), hint = (found[name] ??= {});
    if (part === "synonyms") (hint.synonyms ??= {})[choice.join(".")] = words;
    else hint[part] = part === "examples" ? words : told;
  }
  return found;
}

// What two cards have different, field by field, for the eye.
export function differences(before, after) {
  const lines = (value) => (value == null ? [] : Array.isArray(value) ? value : typeof value === "object" ? labelLines(value) : [value]);
  return Object.keys(after).flatMap((field) => {
    const [old, now] = [before[field], after[field]].map({ arguments: argumentLines, dialogue: (value) => declaredLines(value) }[field] ?? lines);
    const gone = old.filter((line) => !now.includes(line)), come = now.filter((line) => !old.includes(line));
    return gone.length || come.length ? [{ field, removed: gone, added: come }] : [];
  });
}

// Every number and date on the pages is written by these.
import { lang, locale } from "./i18n.js";

const number = new Intl.NumberFormat(locale);
const dates = new Intl.DateTimeFormat(locale, { dateStyle: "long" });
const koreanDates = new Intl.DateTimeFormat("ko-KR", { dateStyle: "long" }); // values of blocks are Korean text
const shortDates = new Intl.DateTimeFormat(locale, { month: "long", day: "numeric" });
const times = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const moments = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

export const count = (value) => number.format(value);

// 32450 → "32,450원"; 30000000 → "3,000만원"; 150000000 → "1억 5,000만원"; English: "₩32,450".
export function won(value) {
  if (lang === "en") return `₩${number.format(value)}`;
  if (value >= 100_000_000 && value % 10_000 === 0) {
    const rest = (value % 100_000_000) / 10_000;
    return `${number.format(Math.floor(value / 100_000_000))}억${rest ? ` ${number.format(rest)}만` : ""}원`;
  }
  return value >= 10_000 && value % 10_000 === 0 ? `${number.format(value / 10_000)}만원` : `${number.format(value)}원`;
}
export const age = (value) => (lang === "en" ? `age ${value}` : `만 ${value}세`);
export const percent = (share, digits = 1) => new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits }).format(share);
export const date = (value) => dates.format(new Date(value));
export const dayMonth = (value) => shortDates.format(new Date(value));
export const time = (value) => times.format(new Date(value));
export const moment = (value) => moments.format(new Date(value));

// 850 → "0.9초"; 50 → "50ms"
export function duration(ms) {
  if (ms < 100) return `${Math.round(ms)}ms`;
  const seconds = (ms / 1000).toFixed(1);
  return lang === "en" ? `${seconds}s` : `${seconds}초`;
}

// Times that are compared with each other: 123 → "123ms", 1234 → "1.2초".
export const took = (ms) => (ms < 1000 ? `${Math.round(ms)}ms` : duration(ms));

export function ago(value) {
  const seconds = (new Date(value) - Date.now()) / 1000;
  for (const [unit, size] of [["day", 86_400], ["hour", 3600], ["minute", 60]]) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit);
  }
  return relative.format(0, "second");
}

// A value of a typed block as text. Plain numbers get separators; the rest is text already.
const isDay = (value) => typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
export const shown = (value) =>
  isDay(value) ? koreanDates.format(new Date(`${value}T00:00`)) : value == null || value === "" ? "-" : typeof value === "number" ? number.format(value) : typeof value === "boolean" ? (value ? "✓" : "–") : String(value);

export const sameDay = (one, other) => new Date(one).toDateString() === new Date(other).toDateString();

// The page's words. Each page brings ko and en with the same keys; the server decided the language (cookie or browser).
import ko from "./ko.json";

export const lang = document.documentElement.lang === "en" ? "en" : "ko";
export const locale = lang === "en" ? "en-US" : "ko-KR";
const words = { ...ko };
const plural = new Intl.PluralRules(locale);

// `korean` is the page's ko.json; `english` loads its en.json, and only when it is wanted.
export async function loadWords(korean, english) {
  Object.assign(words, korean);
  if (lang === "en") {
    const [shared, own] = await Promise.all([import("./en.json"), english()]);
    Object.assign(words, shared.default, own.default);
  }
}

// The words of a part that is loaded later, under keys of its own.
export async function addWords(korean, english) {
  Object.assign(words, korean);
  if (lang === "en") Object.assign(words, (await english()).default);
}

// t("turns", {count: 3}): {name} is filled in; a value of {one, other} is chosen by `count`.
export function t(key, values = {}) {
  const found = words[key];
  if (found === undefined) throw new Error(`no words for ${key}`);
  const text = typeof found === "string" ? found : (found[plural.select(values.count)] ?? found.other);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

export const hasWords = (key) => key in words;

export function setLanguage(next) {
  document.cookie = `lang=${next}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}

// A stop in words: which guard, what became of it, why, how sure it was; and the buttons that judge it.
import { call } from "../../../shared/api.js";
import { html, useState } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { State } from "../../frame.js";

export const GUARDS = ["injection", "domain", "crisis", "phrase", "personal_data", "grounding", "internal_name", "leak", "empty"];
export const DEEDS = ["refused", "restricted", "fenced", "sent_back", "replaced", "masked", "dropped"];
export const guardOf = (guard) => t(`guards.guard.${guard}`);
export const deedOf = (did) => t(`guards.did.${did}`);
const SOFT = ["restricted", "fenced", "sent_back", "masked"];

export function whyOf(stop) {
  if (stop.guard === "injection") {
    const family = hasWords(`guards.family.${stop.family}`) ? t(`guards.family.${stop.family}`) : stop.family || stop.rule;
    return t(stop.rule.startsWith("talk:") ? "guards.why.talk" : "guards.why.injection", { family });
  }
  if (stop.guard === "domain" && stop.rule === "L3") return t("guards.why.model");
  if (stop.guard === "domain") return t(stop.score != null && stop.score < stop.threshold ? "guards.why.apart" : "guards.why.domain");
  return stop.why || t(`guards.why.${stop.guard}`);
}

const rounded = (value) => String(Math.round(value * 100) / 100);
export const scoreOf = (stop) => (stop.score == null ? "" : t("guards.score", { score: rounded(stop.score), threshold: rounded(stop.threshold) }));

export const Deed = ({ stop }) => html`<${State} kind=${SOFT.includes(stop.did) ? "plain" : "warn"}>${guardOf(stop.guard)} · ${deedOf(stop.did)}<//>`;

// `onJudged(case)`: the case as it is now, null when the verdict was taken back. A pressed button takes it back.
export function Verdict({ runId, stop, note = "", onJudged }) {
  const [busy, setBusy] = useState(false);
  const now = stop.case?.verdict ?? "";
  const judge = async (wanted) => {
    const verdict = wanted === now ? "" : wanted;
    setBusy(true);
    try {
      const kept = await call("PUT", `/api/admin/guards/${runId}/verdict`, { place: stop.place, verdict, note });
      notify(t(verdict ? "guards.kept" : "guards.taken-back"));
      onJudged(verdict ? { id: kept.case_id, verdict, note } : null);
    } catch (problem) {
      notify(problem.message || t("offline"));
    }
    setBusy(false);
  };
  return html`<span class="verdict" role="group" aria-label=${t("guards.verdict.of", { guard: guardOf(stop.guard) })}>
    ${["right", "wrong"].map((id) => html`<button type="button" key=${id} class=${`filter ${id}`} aria-pressed=${String(now === id)} disabled=${busy} onclick=${() => judge(id)}><${Icon} name=${id === "right" ? "check" : "close"} size=${14} />${t(`guards.verdict.${id}`)}</button>`)}</span>`;
}

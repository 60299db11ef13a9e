// The measures of a run, in one order and with one way to say them.
import { percent } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { State } from "../../frame.js";

export const MEASURES = ["hit_at_1", "recall_at_3", "recall_at_5", "no_call_accuracy", "slot_accuracy", "facts_carried", "guard", "grounded_share"];
export const nameOf = (measure) => t(`evaluation.measure.${measure}`);
export const rateOf = (run, measure) => run.rates[measure]?.rate ?? null;
export const told = (rate) => (rate == null ? "–" : percent(rate));
export const suiteName = (suite) => t(`evaluation.suite.${suite}`);

const KINDS = { done: "good", running: "plain", stopped: "warn", failed: "bad" };
export const RunState = ({ run }) => html`<${State} kind=${KINDS[run.status]}>${t(`evaluation.status.${run.status}`)}<//>`;

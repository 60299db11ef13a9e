// How sure the embedded planner may be: what it said against what was right, what a threshold keeps, what a model costs.
import { get } from "../../../shared/api.js";
import { percent } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Chart } from "../../../shared/ui/chart.js";
import { Panel } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";

const share = (value) => Math.round(value * 1000) / 10;
const SETS = ["unread", "unread_first", "dialogues"];
const MODEL_ERRS = [0.05, 0.1, 0.2];
const axis = (label) => ({ label, unit: "%", from: 0, to: 100 });

export function Confidence() {
  const loaded = useLoaded((signal) => get("/api/admin/evaluation/confidence", { signal }), []);
  return html`<${Loaded} of=${loaded} empty=${(data) => !data.report && t("evaluation.confidence.none")}>${(data) => {
    const sets = SETS.filter((name) => data.report.sets[name]).map((name) => ({ name, title: t(`evaluation.confidence.${name}`), ...data.report.sets[name] }));
    return html`<div class="stack">
      <${Panel} title=${t("evaluation.confidence.now")}><dl class="pairs">
        <dt>${t("evaluation.confidence.engine")}</dt><dd>${t(`evaluation.confidence.engine.${data.engine}`)}${data.model && html` <code>${data.model}</code>`}</dd>
        <dt>${t("evaluation.confidence.rate")}</dt><dd>${percent(data.error_rate)}</dd>
        ${data.threshold !== null && html`<dt>${t("evaluation.confidence.threshold")}</dt><dd>${t("evaluation.confidence.thresholds", { first: percent(data.threshold_first), within: percent(data.threshold) })}</dd>`}
        <dt>${t("evaluation.confidence.made")}</dt><dd>${data.report.made_of}</dd>
        ${sets.map((set) => html`<dt key=${set.name}>${set.title}</dt><dd>${t("evaluation.confidence.set", { turns: set.turns, wrong: percent(set.wrong), ece: set.ece.toFixed(3) })}</dd>`)}</dl>
        <p class="hint">${t("evaluation.confidence.again")} <code>python -m scripts.calibrate</code></p><//>
      <div class="panels"><${Chart} data=${reliability(sets)} /><${Chart} data=${coverage(sets)} /><${Chart} data=${cost(sets[0])} /></div>
    </div>`;
  }}<//>`;
}

const reliability = (sets) => ({
  kind: "line", dots: true, title: t("evaluation.confidence.reliability"), x: axis(t("evaluation.confidence.told")), y: axis(t("evaluation.confidence.right")),
  series: [...sets.map((set) => ({ name: set.title, points: set.reliability.map((row) => [share(row.told), share(row.right)]) })), { name: t("evaluation.confidence.ideal"), points: [[0, 0], [100, 100]] }],
  summary: sets.map((set) => `${set.title} ECE ${set.ece.toFixed(3)}`).join(", "),
});

const coverage = (sets) => ({
  kind: "line", title: t("evaluation.confidence.coverage"), x: axis(t("evaluation.confidence.kept")), y: { ...axis(t("evaluation.confidence.wrong")), to: 50 },
  series: sets.map((set) => ({ name: set.title, points: set.curve.map((point) => [share(point.kept), share(point.wrong)]) })),
  summary: sets.map((set) => `${set.title} ${Object.entries(set.kept).map(([rate, kept]) => `${percent(Number(rate))}: ${percent(kept)}`).join(", ")}`).join("; "),
});

// Of all turns, how many are wrong, by the share that goes to a model which itself gets some wrong.
const cost = (set) => ({
  kind: "line", title: t("evaluation.confidence.cost"), x: axis(t("evaluation.confidence.model-share")), y: { ...axis(t("evaluation.confidence.wrong-all")), to: 50 },
  series: MODEL_ERRS.map((errs) => ({
    name: t("evaluation.confidence.model-errs", { share: percent(errs) }),
    points: [...set.curve].reverse().map((point) => [share(1 - point.kept), share(point.wrong * point.kept + errs * (1 - point.kept))]).concat([[100, share(errs)]]),
  })),
  summary: t("evaluation.confidence.cost"),
});

// Two runs: the measures before and after, what fails now and did not, and the other way round.
import { get, withQuery } from "../../../shared/api.js";
import { moment } from "../../../shared/format.js";
import { cx, html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { PageHead, Panel } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { to } from "../../router.js";
import { MEASURES, nameOf, suiteName, told } from "./measures.js";
import { outcomeColumns } from "./run.js";

export function Compared({ before, after }) {
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/evaluation/compare", { before, after }), { signal }), [before, after]);
  const head = loaded.data && html`${suiteName(loaded.data.after.suite)} · <a href=${to("evaluation", { run: before })}>${moment(loaded.data.before.started_at)}</a> → <a href=${to("evaluation", { run: after })}>${moment(loaded.data.after.started_at)}</a>`;
  return html`<div class="page">
    <${PageHead} title=${t("evaluation.compared")} back=${{ place: "evaluation", label: t("nav.evaluation") }} hint=${head}><a class="button" href=${to("evaluation", { run: after, with: before })}>${t("evaluation.swap")}</a><//>
    <${Loaded} of=${loaded}>${(data) => html`
      <dl class="rates">${MEASURES.filter((measure) => data.rates[measure]).map((measure) => html`<${Change} key=${measure} name=${nameOf(measure)} rate=${data.rates[measure]} />`)}</dl>
      <p class="hint">${t("evaluation.compared.note", { both: data.in_both, failing: data.failing_in_both, before: data.only_before, after: data.only_after })}</p>
      <${Listed} title=${t("evaluation.newly-failing")} rows=${data.newly_failing} none=${t("evaluation.newly-failing.none")} />
      <${Listed} title=${t("evaluation.newly-passing")} rows=${data.newly_passing} none=${t("evaluation.newly-passing.none")} />`}<//>
  </div>`;
}

function Change({ name, rate }) {
  const old = rate.before?.rate, now = rate.after?.rate;
  const kind = old == null || now == null || old === now ? "" : now < old ? "bad" : "good";
  return html`<div class=${cx(kind)}><dt>${name}</dt><dd class="number">${old === now ? told(now) : html`${told(old)} → <strong>${told(now)}</strong>${kind && (kind === "bad" ? " ▼" : " ▲")}`}</dd></div>`;
}

const Listed = ({ title, rows, none }) => html`<${Panel} title=${html`${title} <span class="count">${rows.length}</span>`}>
  ${rows.length ? html`<${Grid} label=${title} columns=${outcomeColumns(true)} rows=${rows} />` : html`<p class="hint">${none}</p>`}<//>`;

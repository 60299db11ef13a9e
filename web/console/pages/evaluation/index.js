// The evaluation: runs over time, saved cases, one run (?run=), two compared (?run=…&with=…).
import { html } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead } from "../../frame.js";
import { setQuery } from "../../router.js";
import { Cases } from "./cases.js";
import { Compared } from "./compared.js";
import { Confidence } from "./confidence.js";
import "./evaluation.css";
import ko from "./ko.json";
import { Lessons } from "./lessons.js";
import { Run } from "./run.js";
import { Runs } from "./runs.js";

await addWords(ko, () => import("./en.json"));

const TABS = ["runs", "cases", "confidence", "lessons"];

export function Page({ query }) {
  if (query.run && query.with) return html`<${Compared} key=${`${query.run}-${query.with}`} before=${query.run} after=${query.with} />`;
  if (query.run) return html`<${Run} key=${query.run} id=${query.run} query=${query} />`;
  const tab = TABS.includes(query.tab) ? query.tab : "runs";
  return html`<div class="page">
    <${PageHead} title=${t("nav.evaluation")} hint=${t("evaluation.hint")} />
    <${Tabs} label=${t("nav.evaluation")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "runs" ? null : id, offset: null })} tabs=${TABS.map((id) => ({ id, label: t(`evaluation.tab.${id}`) }))}>
      ${tab === "runs" ? html`<${Runs} query=${query} />` : tab === "cases" ? html`<${Cases} query=${query} />` : tab === "confidence" ? html`<${Confidence} />` : html`<${Lessons} />`}<//>
  </div>`;
}

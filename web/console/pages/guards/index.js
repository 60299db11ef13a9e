// What the guards stopped, and the thresholds by which they do: /admin/guards, one stop at /admin/guards/<run id>.
import { html } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead } from "../../frame.js";
import { setQuery } from "../../router.js";
import { Stopped } from "./stopped.js";
import { StopPage } from "./stop.js";
import { Thresholds } from "./thresholds.js";
import "./guards.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const TABS = ["stopped", "thresholds"];

export function Page({ path, query }) {
  if (path[0]) return html`<${StopPage} key=${path[0]} runId=${path[0]} />`;
  const tab = TABS.includes(query.tab) ? query.tab : "stopped";
  return html`<div class="page">
    <${PageHead} title=${t("nav.guards")} hint=${t("guards.hint")} />
    <${Tabs} label=${t("nav.guards")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "stopped" ? null : id, offset: null })} tabs=${TABS.map((id) => ({ id, label: t(`guards.tab.${id}`) }))}>
      ${tab === "stopped" ? html`<${Stopped} query=${query} />` : html`<${Thresholds} />`}<//>
  </div>`;
}

// Keys, the people that were here, what roles may do, and the limits in force.
import { html } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead } from "../../frame.js";
import { setQuery } from "../../router.js";
import { Keys } from "./keys.js";
import { People } from "./people.js";
import { Limits, Roles } from "./rules.js";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const TABS = { keys: Keys, people: People, roles: Roles, limits: Limits };

export function Page({ query }) {
  const tab = query.tab in TABS ? query.tab : "keys";
  const Chosen = TABS[tab];
  return html`<div class="page">
    <${PageHead} title=${t("nav.access")} hint=${t("access.hint")} />
    <div><${Tabs} label=${t("nav.access")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "keys" ? null : id, q: null, kind: null, offset: null })} tabs=${Object.keys(TABS).map((id) => ({ id, label: t(`access.tab.${id}`) }))}>
      <${Chosen} query=${query} /><//></div>
  </div>`;
}

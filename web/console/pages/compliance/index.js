// What may not be said, what must be said, what was stopped; and a box to try a text in.
import { get, withQuery } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { count, moment } from "../../../shared/format.js";
import { html } from "../../../shared/html.js";
import { addWords, hasWords, t } from "../../../shared/i18n.js";
import { matches } from "../../../shared/search.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { copyText } from "../../../shared/ui/table.js";
import { Select } from "../../forms.js";
import { PageHead, Panel, State } from "../../frame.js";
import { Empty, Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { Check } from "./check.js";
import "./compliance.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const TABS = ["check", "phrases", "duties", "scripts", "stopped"];
const LIMIT = 20;
const categoryOf = (name) => (hasWords(`compliance.category.${name}`) ? t(`compliance.category.${name}`) : name);

export function Page({ query }) {
  const tab = TABS.includes(query.tab) ? query.tab : "check";
  const loaded = useLoaded((signal) => get("/api/admin/compliance", { signal }), []);
  const show = (id) => setQuery({ tab: id === "check" ? null : id, q: null, channel: null, offset: null });
  const Part = { phrases: Phrases, duties: Duties, scripts: Scripts }[tab];
  return html`<div class="page">
    <${PageHead} title=${t("nav.compliance")} hint=${t("compliance.hint")} />
    <${Tabs} label=${t("nav.compliance")} chosen=${tab} onChoose=${show} tabs=${TABS.map((id) => ({ id, label: t(`compliance.tab.${id}`) }))}>
      ${tab === "check" ? html`<${Check} />` : tab === "stopped" ? html`<${Stopped} query=${query} />` : html`<${Loaded} of=${loaded}>${(data) => html`<${Part} data=${data} query=${query} />`}<//>`}<//>
  </div>`;
}

function Phrases({ data, query }) {
  const found = data.phrases.filter((rule) => matches([rule.category, categoryOf(rule.category), rule.why, rule.basis, rule.rewording, ...rule.examples].join(" "), query.q ?? ""));
  const groups = [...new Set(found.map((rule) => rule.category))];
  return html`<div class="stack">
    <div class="toolbar" role="search"><${SearchBox} label=${t("compliance.search")} value=${query.q ?? ""} onSearch=${(q) => setQuery({ q })} /><p class="hint">${t("compliance.count", { count: count(found.length) })}</p></div>
    ${groups.length ? groups.map((group) => html`<${Panel} key=${group} title=${categoryOf(group)}><ul class="plain ruled">${found.filter((rule) => rule.category === group).map((rule) => html`<li key=${rule.id} lang="ko">
      <p class="examples">${rule.examples.map((example) => html`<span key=${example}>“${example}”</span>`)}</p>
      <p>${rule.why} <span class="hint">${rule.basis}</span></p>
      <p class="instead"><${Icon} name="check" size=${15} /><span><span class="visually-hidden">${t("compliance.instead")}: </span>${rule.rewording}</span></p>
      <code>${rule.id}</code></li>`)}</ul><//>`) : html`<${Empty} text=${t("page.none")} />`}</div>`;
}

const channelsOf = (item) => (item.channels.length ? item.channels : [t("compliance.every-channel")]);
const channelsIn = (rows) => [...new Set(rows.flatMap((row) => row.channels))].sort();
const fits = (item, channel) => !channel || !item.channels.length || item.channels.includes(channel);

const Toolbar = ({ rows, query, found }) => html`<div class="toolbar" role="search"><${SearchBox} label=${t("compliance.search")} value=${query.q ?? ""} onSearch=${(q) => setQuery({ q })} />
  <${Select} label=${t("compliance.channel")} value=${query.channel} all=${t("compliance.all")} options=${channelsIn(rows).map((id) => ({ id, label: id }))} onChange=${(channel) => setQuery({ channel })} />
  <p class="hint">${t("compliance.count", { count: count(found) })}</p></div>`;

function Duties({ data, query }) {
  const wanted = (duty) => fits(duty, query.channel) && matches([duty.item, duty.text, duty.basis, duty.name ?? ""].join(" "), query.q ?? "");
  const common = data.duties.filter(wanted), own = data.product_duties.filter(wanted);
  const products = [...new Set(own.map((duty) => duty.name))];
  return html`<div class="stack"><${Toolbar} rows=${[...data.duties, ...data.product_duties]} query=${query} found=${common.length + own.length} />
    ${common.length > 0 && html`<${Panel} title=${t("compliance.common")} hint=${t("compliance.common.hint")}><${DutyList} duties=${common} /><//>`}
    ${products.map((name) => html`<details class="panel fold" key=${name} open=${!!query.q}><summary lang="ko">${name} <span class="hint">${t("compliance.count", { count: own.filter((duty) => duty.name === name).length })}</span></summary><div class="panel-body"><${DutyList} duties=${own.filter((duty) => duty.name === name)} /></div></details>`)}
    ${!common.length && !own.length && html`<${Empty} text=${t("page.none")} />`}</div>`;
}

const DutyList = ({ duties }) => html`<ul class="plain ruled">${duties.map((duty, index) => html`<li key=${index} lang="ko"><p><strong>${duty.item}</strong></p><p>${duty.text}</p><p class="hint">${duty.basis}${duty.channels.length > 0 && ` · ${duty.channels.join(", ")}`}</p></li>`)}</ul>`;

function Scripts({ data, query }) {
  const found = data.scripts.filter((script) => fits(script, query.channel) && matches([script.kind, script.topic, script.text, ...script.keywords].join(" "), query.q ?? ""));
  const kinds = [...new Set(found.map((script) => script.kind))];
  const standing = data.disclaimers.filter((item) => matches(item.text, query.q ?? ""));
  return html`<div class="stack"><${Toolbar} rows=${data.scripts} query=${query} found=${found.length} />
    ${kinds.map((kind) => html`<${Panel} key=${kind} title=${t(`compliance.script.${kind}`)}><ul class="plain ruled">${found.filter((script) => script.kind === kind).map((script) => html`<li key=${script.id} lang="ko" class="script"><div><p><strong>${script.topic}</strong> <span class="hint">${channelsOf(script).join(", ")}</span></p><p>${script.text}</p></div>
      <button type="button" class="button small" onclick=${() => copyText(script.text)}><${Icon} name="copy" size=${15} />${t("compliance.copy")}</button></li>`)}</ul><//>`)}
    ${!query.channel && standing.length > 0 && html`<${Panel} title=${t("compliance.disclaimers")} hint=${t("compliance.disclaimers.hint")}><ul class="plain ruled">${standing.map((item) => html`<li key=${item.id} lang="ko"><p>${item.text}</p><code>${item.id}</code></li>`)}</ul><//>`}
    ${!kinds.length && !standing.length && html`<${Empty} text=${t("page.none")} />`}</div>`;
}

const stoppedColumns = () => [
  { key: "query", label: t("compliance.asked"), cell: (row) => html`${atLeast("operator") ? html`<a class="row-link" lang="ko" href=${to(`conversations/${row.run_id}`)}>${row.query}</a>` : html`<span lang="ko">${row.query}</span>`}<span class="sub" lang="ko">${row.answer}</span>` },
  { key: "created_at", label: t("compliance.time"), cell: (row) => html`<time datetime=${row.created_at}>${moment(row.created_at)}</time>` },
  { key: "role", label: t("compliance.role"), cell: (row) => (row.role ? t(`role.${row.role}`) : t("unknown")) },
  { key: "what", label: t("compliance.what"), text: (row) => t(row.blocked ? "compliance.refused" : "compliance.reworded"), cell: (row) => html`<${State} kind="warn">${t(row.blocked ? "compliance.refused" : "compliance.reworded")}<//>` },
  { key: "why", label: t("compliance.rule"), text: (row) => row.guard.reason ?? row.guard.output, cell: (row) => html`<code>${[row.guard.layer, row.guard.reason ?? row.guard.output].filter(Boolean).join(" · ")}</code>` },
];

function Stopped({ query }) {
  const offset = Number(query.offset) || 0;
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/compliance/stopped", { offset, limit: LIMIT }), { signal }), [offset]);
  return html`<${Loaded} of=${loaded} empty=${(data) => !data.total && t("compliance.stopped.none")}>${(data) => html`<${Grid} label=${t("compliance.tab.stopped")} columns=${stoppedColumns()} rows=${data.turns} rowKey=${(row) => row.run_id}
    page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })} />`}<//>`;
}

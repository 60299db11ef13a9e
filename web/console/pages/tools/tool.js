// One tool: what it takes and gives, trying it, what it was called for, what was changed of it.
import { get } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { ago, count, moment, percent, took } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { lang, t } from "../../../shared/i18n.js";
import { Chart } from "../../../shared/ui/chart.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead, Panel, State, Tile } from "../../frame.js";
import { Empty, Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { Arguments } from "./arguments.js";
import { SwitchDialog } from "./switch.js";
import { TryIt } from "./tryit.js";

const TABS = ["about", "try", "calls", "history"];

export function Tool({ name, query }) {
  const loaded = useLoaded((signal) => get(`/api/admin/tools/${encodeURIComponent(name)}`, { signal }), [name]);
  const [switching, setSwitching] = useState(false);
  const tool = loaded.data;
  const tab = TABS.includes(query.tab) ? query.tab : "about";
  return html`<div class="page">
    <${PageHead} title=${tool?.title ?? name} titleLang=${tool ? "ko" : undefined} hint=${html`<code>${name}</code>`} back=${{ place: "tools", label: t("nav.tools") }}>
      ${tool && atLeast("operator") && html`<a class="button" href=${to(`cards/${name}`)}><${Icon} name="edit" size=${16} />${t("tools.edit-card")}</a>
        <button type="button" class="button" onclick=${() => setSwitching(true)}><${Icon} name="power" size=${16} />${t(tool.off ? "tools.turn-on" : "tools.turn-off")}</button>`}
    <//>
    <${Loaded} of=${loaded}>${(data) => html`
      ${data.off && html`<div class="notice warning"><p><${Icon} name="warning" size=${18} /><strong>${t("tools.is-off")}</strong></p>
        <p>${data.switch ? t("tools.is-off.why", { reason: data.switch.reason, author: data.switch.author, time: moment(data.switch.at) }) : ""}</p></div>`}
      <div><${Tabs} label=${t("tools.tabs")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "about" ? null : id })} tabs=${TABS.map((id) => ({ id, label: t(`tools.tab.${id}`), count: id === "history" ? data.events.length : 0 }))}>
        ${tab === "about" && html`<${About} tool=${data} />`}
        ${tab === "try" && html`<${TryIt} tool=${data} />`}
        ${tab === "calls" && html`<${Calls} tool=${data} />`}
        ${tab === "history" && html`<${History} tool=${data} />`}<//></div>
      <${SwitchDialog} open=${switching} off=${!data.off} tools=${[data]} onClose=${() => setSwitching(false)} onDone=${() => { setSwitching(false); loaded.reload(); }} />`}<//>
  </div>`;
}

const Lines = ({ items }) => (items?.length ? html`<ul class="lines" lang="ko">${items.map((line) => html`<li key=${line}>${line}</li>`)}</ul>` : html`<span class="hint">${t("unknown")}</span>`);

function About({ tool }) {
  const { card } = tool;
  const writes = tool.hints.readOnlyHint === false || tool.hints.destructiveHint === true || tool.writes_when.length > 0;
  return html`<div class="split narrow-last"><div class="stack">
      <${Panel} title=${t("tools.arguments")} hint=${t("tools.arguments.hint")}><${Arguments} schema=${tool.schema} /><//>
      <${Panel} title=${t("tools.model-reads")} hint=${t("tools.model-reads.hint")}><p class="reads" lang="ko">${tool.description}</p><//>
      ${tool.output_schema && html`<details class="panel fold"><summary>${t("tools.output")}</summary><pre class="code" tabindex="0">${JSON.stringify(tool.output_schema, null, 2)}</pre></details>`}
    </div>
    <div class="stack">
      <${Panel} title=${t("tools.facts")}><dl class="pairs">
        <dt>${t("tools.module")}</dt><dd>${tool.module} <span class="hint">${tool.source}</span></dd>
        <dt>${t("tools.role")}</dt><dd>${t(`role.${tool.role}`)}</dd>
        <dt>${t("tools.channels")}</dt><dd>${tool.channels.map((id) => t(`tools.channel.${id}`)).join(", ")}</dd>
        <dt>${t("tools.writes")}</dt><dd>${writes ? html`<${State} kind="warn">${t("tools.writes.yes")}<//>${tool.writes_when.length > 0 && html` <code>${tool.writes_when.join(", ")}</code>`}` : t("tools.writes.no")}</dd>
      </dl><//>
      <${Panel} title=${t("tools.card")} actions=${atLeast("operator") && html`<a href=${to(`cards/${tool.name}`)}>${t("tools.edit-card")}</a>`}
        hint=${tool.card_version ? t("tools.card.version", { version: tool.card_version }) : t(tool.has_own_card ? "tools.card.shipped" : "tools.card.none")}>
        <dl class="card-facts">
          <dt>${t("tools.card.purpose")}</dt><dd lang="ko">${card.purpose}</dd>
          <dt>${t("tools.card.when", { count: card.when_to_use.length })}</dt><dd><${Lines} items=${card.when_to_use.slice(0, 5)} />${card.when_to_use.length > 5 && html`<span class="hint">${t("tools.card.more", { count: card.when_to_use.length - 5 })}</span>`}</dd>
          <dt>${t("tools.card.not")}</dt><dd><${Lines} items=${card.when_not_to_use} /></dd>
          ${card.tags?.length > 0 && html`<dt>${t("tools.card.tags")}</dt><dd class="filters">${card.tags.map((tag) => html`<span class="badge" key=${tag}>${tag}</span>`)}</dd>`}
        </dl><//>
    </div></div>`;
}

const day = new Intl.DateTimeFormat(lang === "en" ? "en-US" : "ko-KR", { month: "numeric", day: "numeric" });

function Calls({ tool }) {
  const led = (place, values) => (atLeast("operator") ? to(place, values) : undefined);
  const total = tool.series.reduce((sum, part) => sum + part.calls, 0);
  return html`<div class="stack">
    <div class="tiles">
      <${Tile} label=${t("tools.calls.week")} value=${count(tool.calls)} href=${led("conversations", { tool: tool.name })} />
      <${Tile} label=${t("tools.errors.week")} value=${count(tool.errors)} note=${tool.calls ? percent(tool.errors / tool.calls) : null} kind=${tool.errors ? "bad" : ""} href=${led("conversations", { tool: tool.name, flag: "failed" })} />
      <${Tile} label=${t("tools.p95")} value=${tool.p95_ms == null ? t("unknown") : took(tool.p95_ms)} />
      <${Tile} label=${t("tools.last")} value=${tool.last_called_at ? ago(tool.last_called_at) : t("unknown")} />
      <${Tile} label=${t("tools.hit")} value=${tool.hit ? percent(tool.hit.right / tool.hit.asked, 0) : t("unknown")} note=${tool.hit ? t("tools.hit.title", tool.hit) : t("tools.hit.none")} href=${led("evaluation", tool.hit ? { run: tool.hit.run_id } : {})} />
    </div>
    ${total > 0 ? html`<${Chart} data=${{
      kind: "bar", title: t("tools.chart"), x: { label: t("tools.day"), unit: "", text: (place) => day.format(new Date(tool.series[place].start)) }, y: { label: t("tools.calls"), unit: t("tools.times"), whole: true },
      series: [{ name: t("tools.calls"), points: tool.series.map((part, place) => [place, part.calls]) }], summary: t("tools.chart.summary", { total: count(total) }),
    }} />` : html`<${Empty} text=${t("tools.no-calls")} />`}
  </div>`;
}

const told = (event) => {
  const { details } = event;
  if (event.action === "tools.switch") return t(details.off ? "tools.event.off" : "tools.event.on", { reason: details.reason ?? "" });
  if (event.action === "card.publish") return t("tools.event.publish", { version: details.version });
  if (event.action === "card.rollback") return t("tools.event.rollback", { to: details.to, version: details.version });
  if (event.action === "tools.delete") return t("tools.event.delete");
  return event.result === "ok" ? t("tools.event.reload", { version: details.registry_version }) : t("tools.event.reload-failed");
};

function History({ tool }) {
  if (!tool.events.length) return html`<${Empty} text=${t("tools.no-events")} />`;
  return html`<ol class="plain timeline">${tool.events.map((event, index) => html`<li key=${index}>
    <time datetime=${event.at}>${moment(event.at)}</time><p>${told(event)}</p><p class="hint">${event.actor}${event.target !== tool.name ? ` · ${event.target}` : ""}</p></li>`)}</ol>`;
}

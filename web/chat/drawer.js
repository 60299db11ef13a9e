// Beside the conversation: the ground, how the answer came about, what is known of the person.
import { duration, shown } from "../shared/format.js";
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { IconButton } from "../shared/ui/icons.js";
import { Tabs } from "../shared/ui/tabs.js";
import { factWords } from "./facts.js";
import { SourcesTab } from "./sources.js";
import { drawer, facts, isStaff, newest, panel, toolTitle } from "./state.js";
import { toolLines } from "./view.js";

export function Drawer({ sheet = false }) {
  const { tab, turn, tall } = drawer.value;
  const view = turn?.view.value;
  const tabs = [
    { id: "sources", label: t("drawer.sources"), count: view?.sources.length },
    { id: "trace", label: t("drawer.trace") },
    { id: "person", label: t("drawer.person") },
  ];
  const panels = { sources: SourcesTab, trace: Trace, person: Person };
  const Panel = panels[tab];
  return html`<div class="drawer-box">
    <div class="drawer-head">${sheet
      ? html`<button type="button" class="button small quiet" onclick=${() => (drawer.value = { ...drawer.value, tall: !tall })}>${tall ? t("drawer.lower") : t("drawer.taller")}</button>`
      : html`<${IconButton} icon="close" label=${t("close")} onclick=${() => (drawer.value = null)} />`}</div>
    <${Tabs} label=${t("drawer")} tabs=${tabs} chosen=${tab} onChoose=${(id) => (drawer.value = { ...drawer.value, tab: id, turn: turn ?? newest.value })}><${Panel} view=${view} /><//>
  </div>`;
}

function Trace({ view }) {
  if (!view) return html`<p class="hint">${t("trace.none")}</p>`;
  if (!isStaff) {
    return html`<ol class="trace">${toolLines(view.steps).map((line) => html`<li key=${line.tool}><span>${toolTitle(line.tool) ?? t("tool.unnamed")}</span><span class="hint number">${duration(line.ms)}</span></li>`)}</ol>
      ${!view.steps.length && html`<p class="hint">${t("trace.no.tools")}</p>`}`;
  }
  return html`<ol class="trace">${view.trace.map((row, index) => html`<li key=${index}>
      ${row.node === "tools" && row.tool
        ? html`<${ToolRun} row=${row} step=${view.steps.find((step) => step.tool === row.tool && JSON.stringify(step.input) === JSON.stringify(row.input))} />`
        : html`<span class="trace-node"><code>${row.node}</code>${row.action && html`<span class="badge">${row.action}</span>`}</span><span class="hint number">${row.duration_ms != null ? duration(row.duration_ms) : ""}</span>
          ${row.rewritten && html`<p class="trace-more" lang="ko">${row.rewritten}</p>`}`}</li>`)}</ol>
    ${view.candidates.length > 0 && html`<h3>${t("trace.candidates")}</h3>
      <ol class="candidates">${view.candidates.map((item) => html`<li key=${item.tool}><span>${toolTitle(item.tool) ?? ""} <code>${item.tool}</code></span><span class="number">${item.score.toFixed(3)}</span></li>`)}</ol>`}
    ${view.usage && html`<h3>${t("trace.usage")}</h3><dl class="facts-list">${Object.entries(view.usage).filter(([, value]) => typeof value !== "object").map(([name, value]) => html`<div key=${name}><dt>${name}</dt><dd>${shown(value)}</dd></div>`)}</dl>`}
    ${view.engineFault && html`<p class="notice warning">${view.engineFault}</p>`}`;
}

const ToolRun = ({ row, step }) => html`<details><summary><span>${toolTitle(row.tool) ?? row.tool} <code>${row.tool}</code></span><span class="hint number">${duration(row.duration_ms)} · ${row.status}</span></summary>
  <dl class="facts-list">${Object.entries(row.input ?? {}).map(([name, value]) => html`<div key=${name}><dt><code>${name}</code></dt><dd>${typeof value === "object" && value !== null ? JSON.stringify(value) : shown(value)}</dd></div>`)}</dl>
  ${step?.result !== undefined && html`<p class="hint">${t("trace.version", { version: step.version })}</p><pre class="call-result" tabindex="0">${JSON.stringify(step.result, null, 1)}</pre>`}</details>`;

function Person() {
  const rows = factWords(facts.value);
  return html`${rows.length
    ? html`<dl class="facts-list">${rows.map((row) => html`<div key=${row.name}><dt>${row.label}</dt><dd lang="ko">${row.words}</dd></div>`)}</dl><p class="hint">${t("person.change")}</p>`
    : html`<p class="hint">${t("person.nothing")}</p>`}
    <p class="actions"><button type="button" class="button" onclick=${() => (panel.value = "handoff")}>${t("person")}</button></p>`;
}

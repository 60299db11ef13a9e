// Turns that a model got wrong: which tool was right is learned at the next training.
import { call, get } from "../../../shared/api.js";
import { ago } from "../../../shared/format.js";
import { html, useId, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { notify } from "../../../shared/ui/live.js";
import { Loaded, Refused, useLoaded } from "../../load.js";
import { to } from "../../router.js";

const NO_TOOL = "no_tool";

export function Lessons() {
  const loaded = useLoaded((signal) => get("/api/admin/lessons", { signal }), []);
  const tools = useLoaded((signal) => get("/api/tools", { signal }), []);
  const [fault, setFault] = useState(null);
  const names = (tools.data?.tools ?? tools.data ?? []).map((tool) => tool.name);
  const make = async (one, tool) => {
    setFault(null);
    try {
      await call("PUT", `/api/admin/lessons/${one.run_id}`, { tool });
      notify(t("evaluation.lesson.kept"));
      loaded.reload();
    } catch (error) {
      setFault(error);
    }
  };
  const columns = [
    { key: "line", label: t("evaluation.question"), text: (one) => one.line, cell: (one) => html`<a class="row-link" href=${to(`conversations/${one.run_id}`)}>${one.line}</a><span class="sub">${one.engine} · ${ago(one.created_at)}</span>` },
    { key: "called", label: t("evaluation.lesson.called"), text: (one) => one.called.join(" "), cell: (one) => (one.called.length ? one.called.map((tool) => html`<code class="tool-code" key=${tool}>${tool}</code> `) : html`<span class="hint">${t("evaluation.no-tool")}</span>`) },
    { key: "tool", label: t("evaluation.lesson.right"), text: (one) => one.tool ?? "", cell: (one) => html`<${Choice} one=${one} names=${names} onChoose=${make} />` },
  ];
  return html`<div class="stack"><p class="hint">${t("evaluation.lesson.hint")} <code>make train</code></p>
    ${fault && html`<${Refused} error=${fault} />`}
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t("evaluation.lesson.none")}>${(data) => html`<${Grid} label=${t("evaluation.tab.lessons")} columns=${columns} rows=${data.lessons} />`}<//></div>`;
}

function Choice({ one, names, onChoose }) {
  const id = useId();
  const [tool, setTool] = useState(one.tool ?? "");
  return html`<form class="toolbar" onsubmit=${(event) => { event.preventDefault(); onChoose(one, tool); }}>
    <label class="visually-hidden" for=${id}>${t("evaluation.lesson.right")}</label>
    <select id=${id} value=${tool} onchange=${(event) => setTool(event.target.value)}><option value="" disabled>${t("evaluation.lesson.choose")}</option><option value=${NO_TOOL}>${t("evaluation.no-tool")}</option>${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>
    <button class="button small" disabled=${!tool || tool === one.tool}>${t("evaluation.lesson.learn")}</button></form>`;
}

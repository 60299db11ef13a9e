// What is being done: the stage in words, one line a tool; folded to one line when the answer is there.
import { duration } from "../shared/format.js";
import { html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { isStaff, openDrawer, toolTitle } from "./state.js";
import { toolLines } from "./view.js";

const STAGES = { input_guardrail: "stage.reading", query_rewriter: "stage.reading", agent: "stage.choosing", tools: "stage.looking", output_guardrail: "stage.checking" };

const MARKS = { ok: "check", waiting: "clock", stopped: "pause" };

export function Steps({ view, turn, busy }) {
  const lines = toolLines(view.steps);
  if (busy) {
    return html`<div class="steps running">
      ${lines.map((line) => html`<${Line} key=${line.tool} line=${line} />`)}
      ${!view.text && !lines.some((line) => line.status === "running") && html`<p class="step"><span class="spinner"></span>${t(STAGES[view.node] ?? "stage.reading")}</p>`}
    </div>`;
  }
  if (!lines.length) return null;
  const total = lines.reduce((sum, line) => sum + line.ms, 0);
  return html`<details class="steps">
    <summary><${Icon} name="tool" size=${15} />${t("tools.done", { count: lines.length, time: duration(total) })}</summary>
    ${lines.map((line) => html`<${Line} key=${line.tool} line=${line} />`)}
    ${isStaff && html`<p><button type="button" class="link" onclick=${() => openDrawer("trace", turn)}>${t("trace.open")}</button></p>`}
  </details>`;
}

function Line({ line }) {
  const seconds = useSeconds(line.status === "running", line.at);
  const times = line.count > 1 ? ` ${t("times", { count: line.count })}` : "";
  const took = line.status === "running" ? (seconds >= 1 ? duration(seconds * 1000) : "") : line.ms >= 1000 ? duration(line.ms) : "";
  return html`<p class="step">
    ${line.status === "running" ? html`<span class="spinner"></span>` : html`<${Icon} name=${MARKS[line.status] ?? "warning"} size=${15} />`}
    <span>${toolTitle(line.tool) ?? t("tool.unnamed")}${times}</span>${took && html`<span class="took number">${took}</span>`}
    ${line.status === "error" && html`<span class="took">${t("tool.failed")}</span>`}</p>`;
}

function useSeconds(on, since) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setInterval(() => setSeconds((performance.now() - since) / 1000), 500);
    return () => clearInterval(timer);
  }, [on, since]);
  return seconds;
}

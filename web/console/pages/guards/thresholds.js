// The thresholds with what they cost on both sides; and a text that slipped past, to be kept as a case.
import { call, get } from "../../../shared/api.js";
import { count } from "../../../shared/format.js";
import { html, useRef, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { notify } from "../../../shared/ui/live.js";
import { Field, Segments, Select, requiredFault } from "../../forms.js";
import { Panel } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { to } from "../../router.js";
import { Dial } from "./dial.js";
import { guardOf } from "./telling.js";

export function Thresholds() {
  const loaded = useLoaded((signal) => get("/api/admin/guards/thresholds", { signal }), []);
  return html`<${Loaded} of=${loaded}>${(data) => html`
    <p class="hint">${t("guards.costs.hint")}</p>
    ${data.thresholds.map((dial) => html`<${Dial} key=${`${dial.guard}-${dial.value}`} dial=${dial} onMoved=${loaded.reload} />`)}
    <div class="split">
      <${Missed} guards=${data.thresholds.map((dial) => dial.guard)} onKept=${loaded.reload} />
      <${Panel} title=${t("guards.judged")} hint=${t("guards.judged.hint")}>
        <dl class="rates">${Object.entries(data.judged).map(([guard, found]) => html`<div key=${guard}><dt>${guardOf(guard)}</dt><dd><a href=${to("guards", { guard })}>${t("guards.judged.count", { right: count(found.right), wrong: count(found.wrong) })}</a></dd></div>`)}</dl><//>
    </div>`}<//>`;
}

function Missed({ guards, onKept }) {
  const [guard, setGuard] = useState(guards[0]);
  const [label, setLabel] = useState("stop");
  const [fault, setFault] = useState(null);
  const field = useRef(null);
  const keep = async (event) => {
    event.preventDefault();
    const query = field.current.value.trim();
    setFault(requiredFault(query));
    if (requiredFault(query)) return field.current.focus();
    try {
      await call("POST", "/api/admin/cases", { kind: "guard", query, guard, label });
      field.current.value = "";
      notify(t("guards.kept"));
      onKept();
    } catch (problem) {
      setFault(problem.errors?.[0]?.message ?? (problem.message || t("offline")));
    }
    return undefined;
  };
  return html`<${Panel} title=${t("guards.missed")} hint=${t("guards.missed.hint")}>
    <form class="form" onsubmit=${keep} novalidate>
      <${Field} label=${t("guards.missed.text")} error=${fault} required>${(own) => html`<textarea ...${own} ref=${field} rows="3" maxlength="5000" lang="ko"></textarea>`}<//>
      <div class="toolbar"><${Select} label=${t("guards.guard")} value=${guard} options=${guards.map((id) => ({ id, label: guardOf(id) }))} onChange=${setGuard} />
        <${Segments} label=${t("guards.should")} name="label" chosen=${label} onChoose=${setLabel} options=${["stop", "pass"].map((id) => ({ id, label: t(`guards.should.${id}`) }))} /></div>
      <p class="actions"><button type="submit" class="button">${t("guards.missed.keep")}</button></p></form><//>`;
}

// Tool modules: what reloading them would come to, reloading them, and the answers that go on with an older set.
import { call, get } from "../../../shared/api.js";
import { count, moment } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify, say } from "../../../shared/ui/live.js";
import { PageHead, Panel, State, Tile } from "../../frame.js";
import { Empty, Loaded, useLoaded } from "../../load.js";
import { to } from "../../router.js";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

export function Page() {
  const loaded = useLoaded((signal) => get("/api/admin/reload", { signal }), []);
  const [chosen, setChosen] = useState(new Set());
  const [results, setResults] = useState([]);
  const [busy, setBusy] = useState("");
  const [asking, setAsking] = useState(false);
  // One module after the other: each of them stands or falls for itself.
  const each = async (what, work) => {
    setBusy(what);
    setResults([]);
    const found = [];
    for (const module of chosen) {
      found.push({ what, module, ...(await work(module).catch((problem) => ({ ok: false, faults: faultsOf(problem) }))) });
      setResults([...found]);
    }
    setBusy("");
    const failed = found.filter((item) => !item.ok).length;
    if (what === "check") say(t("reload.checked", { count: found.length, failed }));
    else notify(failed ? t("reload.some-failed", { count: failed }) : t("reload.done", { count: found.length }));
    loaded.reload();
  };
  const check = () => each("check", (module) => call("POST", `/api/admin/reload/${module}/check`));
  const reload = () => each("reload", async (module) => ({ ok: true, faults: [], ...(await call("POST", `/api/tools/reload-module/${module}`)) }));
  const changed = (loaded.data?.modules ?? []).filter((module) => module.changed).map((module) => module.name);
  return html`<div class="page">
    <${PageHead} title=${t("nav.reload")} hint=${t("reload.hint")}>
      <button type="button" class="button" disabled=${!chosen.size || !!busy} onclick=${check}>${t(busy === "check" ? "reload.checking" : "reload.check")}</button>
      <button type="button" class="button primary" disabled=${!chosen.size || !!busy} onclick=${() => setAsking(true)}><${Icon} name="again" size=${16} />${t(busy === "reload" ? "reload.reloading" : "reload.reload")}</button>
    <//>
    <${Loaded} of=${loaded}>${(data) => html`
      <div class="tiles">
        <${Tile} label=${t("reload.version")} value=${count(data.registry_version)} note=${data.worker ? t("reload.worker", { name: data.worker }) : null} />
        <${Tile} label=${t("reload.tools")} value=${count(data.tools_count)} href=${to("tools")} />
        <${Tile} label=${t("reload.changed")} value=${count(changed.length)} kind=${changed.length ? "warn" : ""} note=${t("reload.changed.note")} />
        <${Tile} label=${t("reload.in-use")} value=${count(data.in_use.reduce((sum, item) => sum + item.turns, 0))} note=${oldOnes(data)} />
      </div>
      <div class="toolbar"><p>${t("chosen", { count: chosen.size })}</p>
        <button type="button" class="link" disabled=${!changed.length} onclick=${() => setChosen(new Set(changed))}>${t("reload.choose-changed")}</button>
        <button type="button" class="link" onclick=${() => setChosen(new Set(data.modules.map((module) => module.name)))}>${t("reload.choose-all")}</button></div>
      <${Grid} dense label=${t("reload.modules")} rows=${data.modules} rowKey=${(row) => row.name} nameOf=${(row) => row.name} chosen=${chosen} onChoose=${setChosen} columns=${columns()} />`}<//>
    ${results.length > 0 && html`<${Panel} title=${t(results[0].what === "check" ? "reload.results.check" : "reload.results")} hint=${results[0].what === "check" ? t("reload.results.hint") : null}>
      <ul class="plain rows">${results.map((result) => html`<${Result} key=${result.module} result=${result} />`)}</ul><//>`}
    ${loaded.data && html`<${Panel} title=${t("reload.history")}>${loaded.data.events.length ? html`<ul class="plain rows">${loaded.data.events.map((event, index) => html`<${Event} key=${index} event=${event} />`)}</ul>` : html`<${Empty} text=${t("reload.no-history")} />`}<//>`}
    <${Confirm} open=${asking} title=${t("reload.confirm")} effect=${t("reload.confirm.effect", { modules: [...chosen].join(", ") })} action=${t("reload.reload")} onClose=${() => setAsking(false)} onYes=${() => { setAsking(false); reload(); }} />
  </div>`;
}

const faultsOf = (problem) => (problem.errors?.length ? problem.errors.map((item) => item.message) : [problem.status ? problem.message : t("offline")]);

const oldOnes = (data) => {
  const old = data.in_use.filter((item) => item.version !== data.registry_version);
  return old.length ? old.map((item) => t("reload.old", { version: item.version, turns: item.turns })).join(" · ") : t("reload.no-old");
};

const columns = () => [
  { key: "name", label: t("reload.module"), text: (row) => row.name, cell: (row) => html`<span>${row.name}</span><code class="sub">${[row.file, row.cards].filter(Boolean).join(" · ")}</code>` },
  { key: "source", label: t("reload.source"), cell: (row) => t(`reload.source.${row.source}`) },
  { key: "tools", label: t("reload.tools"), align: "right", cell: (row) => html`<a href=${to("tools", { module: row.name })}>${row.tools}</a>${row.off ? html` <span class="hint">${t("reload.off", { count: row.off })}</span>` : ""}` },
  { key: "changed", label: t("reload.files"), cell: (row) => (row.fault ? html`<${State} kind="bad">${row.fault}<//>` : row.changed ? html`<${State} kind="warn">${t("reload.files.changed")}<//>` : html`<span class="hint">${t("reload.files.same")}</span>`) },
];

function Result({ result }) {
  return html`<li class="result"><div><strong>${result.module}</strong>${result.ok ? html`<${Outcome} result=${result} />` : html`<ul class="fault-list">${result.faults.map((fault) => html`<li key=${fault}>${fault}</li>`)}</ul>`}
    ${result.warnings?.map((warning) => html`<p class="hint" key=${warning}>${warning}</p>`)}</div>
    <${State} kind=${result.ok ? "good" : "bad"}>${t(result.ok ? (result.what === "check" ? "reload.can" : "reload.reloaded") : result.what === "check" ? "reload.cannot" : "reload.kept")}<//></li>`;
}

function Outcome({ result }) {
  if (result.what === "reload") return html`<p class="hint">${t("reload.outcome", { tools: result.registered.length, version: result.registry_version })}${result.removed.length > 0 && ` ${t("reload.removed", { names: result.removed.join(", ") })}`}</p>`;
  const changes = Object.entries(result.changed);
  return html`<p class="hint">${t("reload.same", { count: result.same })}</p>
    ${result.added.length > 0 && html`<p>${t("reload.added", { names: result.added.join(", ") })}</p>`}
    ${result.removed.length > 0 && html`<p class="fault">${t("reload.removed", { names: result.removed.join(", ") })}</p>`}
    ${changes.map(([name, parts]) => html`<p key=${name}>${t("reload.differs", { name, parts: parts.map((part) => t(`reload.part.${part}`)).join(", ") })}</p>`)}`;
}

function Event({ event }) {
  const { details } = event;
  const good = event.result === "ok";
  return html`<li class="result"><div><span>${t(`reload.event.${event.action}`, { target: event.target })}</span>
    <p class="hint">${moment(event.at)} · ${event.actor}${details.registry_version ? ` · ${t("reload.to-version", { version: details.registry_version })}` : ""}</p>
    ${details.faults?.length > 0 && html`<ul class="fault-list">${details.faults.map((fault) => html`<li key=${fault}>${fault}</li>`)}</ul>`}</div>
    <${State} kind=${good ? "good" : "bad"}>${t(good ? "reload.good" : "reload.bad")}<//></li>`;
}

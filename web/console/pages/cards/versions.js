// Every version of a card: who, when, why, what changed, how the suite went; any of them can be put back.
import { call, get } from "../../../shared/api.js";
import { moment, percent } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { notify } from "../../../shared/ui/live.js";
import { State } from "../../frame.js";
import { Empty, Loaded, Refused, useLoaded } from "../../load.js";
import { to } from "../../router.js";
import { Differences } from "./differences.js";

export function Versions({ tool, version, onChanged }) {
  const loaded = useLoaded((signal) => get(`/api/tools/${encodeURIComponent(tool)}/card/versions`, { signal }), [tool, version]);
  const [back, setBack] = useState(null);
  const [fault, setFault] = useState(null);
  const rollBack = async () => {
    const wanted = back;
    setBack(null);
    setFault(null);
    try {
      const done = await call("POST", `/api/tools/${encodeURIComponent(tool)}/card/rollback`, { version: wanted.version });
      notify(t("cards.rolled-back", { version: wanted.version, next: done.version }));
      onChanged();
    } catch (error) {
      setFault(error);
    }
  };
  return html`<div class="stack">
    ${fault && html`<${Refused} error=${fault} />`}
    <${Loaded} of=${loaded}>${(data) => (data.count === 0 ? html`<${Empty} text=${t("cards.versions.none")} />` : html`<ol class="versions">${data.versions.map((one) => html`<li key=${one.version} class="panel">
      <div class="version-head"><h3>${t("cards.version.of", { version: one.version })}</h3>${one.active && html`<${State} kind="good">${t("cards.active")}<//>`}<${State}>${t(`cards.origin.${one.origin}`)}<//>
        <span class="hint">${one.author} · <time datetime=${one.created_at}>${moment(one.created_at)}</time></span>
        <span class="actions">${!one.active && html`<a class="button small" href=${to("routing", { against: tool, version: one.origin === "file" ? 0 : one.version })}>${t("cards.try")}</a><button type="button" class="button small" onclick=${() => setBack(one)}>${t("cards.roll-back")}</button>`}</span></div>
      ${one.note && html`<p>${one.note}</p>`}
      ${one.report.rates && html`<p class="hint number">${["hit_at_1", "recall_at_5", "no_call_accuracy"].map((name) => `${t(`cards.rate.${name}`)} ${percent(one.report.rates[name].before)} → ${percent(one.report.rates[name].after)}`).join(" · ")}</p>`}
      ${one.version > 1 && one.diff.length > 0 && html`<details><summary>${t("cards.what-changed")}</summary><${Differences} changes=${one.diff} /></details>`}
    </li>`)}</ol>`)}<//>
    <${Confirm} open=${!!back} title=${t("cards.roll-back")} effect=${back ? t("cards.roll-back.effect", { version: back.version }) : ""} action=${t("cards.roll-back")} onYes=${rollBack} onClose=${() => setBack(null)} />
  </div>`;
}

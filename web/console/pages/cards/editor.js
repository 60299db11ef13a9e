// The editor of one card: fields at the left, what they would change at the right; differences and versions in tabs.
import { call, get } from "../../../shared/api.js";
import { ago, time } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify, sayAlert } from "../../../shared/ui/live.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { Differences } from "./differences.js";
import { differences, useDraft } from "./draft.js";
import { Fields } from "./fields.js";
import { Preview } from "./preview.js";
import { Publish } from "./publish.js";
import { Versions } from "./versions.js";

const TABS = ["edit", "diff", "versions"];

export function Editor({ tool, query }) {
  const loaded = useLoaded((signal) => get(`/api/tools/${encodeURIComponent(tool)}/card`, { signal }), [tool]);
  return html`<div class="page"><${Loaded} of=${loaded}>${(data) => html`<${Opened} key=${`${data.version}`} data=${data} tool=${tool} query=${query} onChanged=${loaded.reload} />`}<//></div>`;
}

function Opened({ data, tool, query, onChanged }) {
  const draft = useDraft(tool, data.draft?.card ?? data.card, !!data.draft);
  const [publishing, setPublishing] = useState(false);
  const [dropping, setDropping] = useState(false);
  const changes = differences(data.card, draft.card);
  const tab = TABS.includes(query.tab) ? query.tab : "edit";
  const drop = async () => {
    setDropping(false);
    try {
      await call("DELETE", `/api/tools/${encodeURIComponent(tool)}/card/draft`);
    } catch (error) {
      if (error.status !== 404) return sayAlert(error.detail || t("offline"));
    }
    const thrown = draft.card;
    draft.reset(data.card);
    notify(t("cards.dropped"), { label: t("cards.undo"), run: () => draft.change(thrown) });
  };
  return html`<div class="stack">
    <${PageHead} title=${data.card.title} back=${{ place: "cards", label: t("nav.cards") }}
        hint=${html`<code>${tool}</code> · ${data.version ? t("cards.version.of", { version: data.version }) : t(data.has_own_card ? "cards.file" : "cards.none")} · <a href=${to(`tools/${tool}`)}>${t("cards.to-tool")}</a>`}>
      <${Saved} draft=${draft} data=${data} changed=${changes.length > 0} />
      ${changes.length > 0 && html`<button type="button" class="button" onclick=${() => setDropping(true)}><${Icon} name="trash" size=${16} />${t("cards.drop")}</button>`}
      <button type="button" class="button primary" disabled=${!changes.length || draft.faults.length > 0} onclick=${() => setPublishing(true)}>${t("cards.publish")}</button>
    <//>
    <${Tabs} label=${t("cards.tabs")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "edit" ? null : id })}
        tabs=${TABS.map((id) => ({ id, label: t(`cards.tab.${id}`), count: id === "diff" ? changes.reduce((sum, one) => sum + one.added.length + one.removed.length, 0) : 0 }))}>
      ${tab === "edit" && html`<div class="split card-editor"><${Fields} draft=${draft} inForce=${data.card} disclaimers=${data.disclaimers} /><${Preview} draft=${draft} tool=${tool} /></div>`}
      ${tab === "diff" && html`<${Differences} changes=${changes} none=${t("cards.diff.none")} />`}
      ${tab === "versions" && html`<${Versions} tool=${tool} version=${data.version} onChanged=${onChanged} />`}
    <//>
    <${Publish} open=${publishing} onClose=${() => setPublishing(false)} tool=${tool} version=${data.version} draft=${draft} onDone=${() => { setPublishing(false); onChanged(); }} />
    <${Confirm} open=${dropping} title=${t("cards.drop")} effect=${t("cards.drop.effect")} action=${t("cards.drop")} onYes=${drop} onClose=${() => setDropping(false)} />
  </div>`;
}

function Saved({ draft, data, changed }) {
  const { saved } = draft;
  if (saved.error) return html`<span role="alert"><${State} kind="bad">${t("cards.save.failed")}<//> <button type="button" class="link" onclick=${draft.flush}>${t("retry")}</button></span>`;
  if (saved.busy) return html`<span class="hint">${t("cards.saving")}</span>`;
  if (saved.at) return html`<span class="hint" role="status">${t("cards.saved", { time: time(saved.at) })}</span>`;
  if (data.draft && changed) return html`<span class="hint">${t("cards.draft.by", { author: data.draft.author, ago: ago(data.draft.updated_at) })}</span>`;
  return html`<span class="hint">${t("cards.unchanged")}</span>`;
}

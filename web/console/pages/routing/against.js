// The other card to compare with: a tool, and its draft or one of its versions. It stands in the address.
import { get } from "../../../shared/api.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";

// {tool, version: number|null (the draft)} as the server takes it; null: nothing is compared.
export const against = (query) => (query.against && query.version ? { tool: query.against, version: query.version === "draft" ? null : Number(query.version) } : null);

const versionName = (version) => (version === null ? t("routing.draft") : version === 0 ? t("routing.file") : t("routing.version", { version }));
export const nameOf = (other, titles) => `${titles.get(other.tool) ?? other.tool}: ${versionName(other.version)}`;

export function Against({ query, tools }) {
  const tool = query.against ?? "";
  const loaded = useLoaded(async (signal) => {
    if (!tool) return [];
    const address = `/api/tools/${encodeURIComponent(tool)}/card`;
    const [card, held] = await Promise.all([get(address, { signal }), get(`${address}/versions`, { signal })]);
    const older = held.versions.filter((one) => !one.active && one.version > 1).map((one) => one.version);
    return [...(card.draft ? ["draft"] : []), ...older.map(String), ...(card.version ? ["0"] : [])];
  }, [tool]);
  const choices = loaded.data ?? [];
  return html`<label class="field">${t("routing.against")}<select value=${tool} onchange=${(event) => setQuery({ against: event.target.value || null, version: null })}>
      <option value="">${t("routing.against.none")}</option>${tools.map((one) => html`<option key=${one.name} value=${one.name} selected=${one.name === tool}>${one.title}</option>`)}</select></label>
    ${tool && (loaded.error ? html`<span class="fault">${loaded.error.detail}</span>` : loaded.data && !choices.length ? html`<span class="hint">${t("routing.against.nothing")}</span>`
      : html`<label class="field">${t("routing.which")}<select value=${query.version ?? ""} onchange=${(event) => setQuery({ version: event.target.value || null })}>
        <option value="">${t("routing.choose")}</option>${choices.map((id) => html`<option key=${id} value=${id} selected=${id === query.version}>${versionName(id === "draft" ? null : Number(id))}</option>`)}</select></label>`)}`;
}

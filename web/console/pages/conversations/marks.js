// What happened in a turn and what people thought of it, as small states.
import { boot } from "../../../shared/boot.js";
import { html } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { State } from "../../frame.js";

export const titleOf = (tool) => boot.titles[tool] ?? tool;
export const roleOf = (role) => (role ? t(`role.${role}`) : t("unknown"));
export const verdictKind = { right: "good", wrong: "bad" };

export function Marks({ turn }) {
  return html`<span class="marks">
    ${turn.blocked && html`<${State} kind="warn">${t("conversations.blocked")}<//>`}
    ${turn.replaced_text && html`<${State} kind="warn">${t("conversations.replaced")}<//>`}
    ${turn.failed && html`<${State} kind="bad">${t("conversations.failed")}<//>`}
    ${turn.rating && html`<span class="state" title=${t(`conversations.rating.${turn.rating}`)}><${Icon} name=${turn.rating} size=${14} /><span class="visually-hidden">${t(`conversations.rating.${turn.rating}`)}</span></span>`}
    ${turn.verdict && html`<${State} kind=${verdictKind[turn.verdict]}>${t(`conversations.verdict.${turn.verdict}`)}<//>`}
    ${turn.tags?.map((tag) => html`<span class="state" key=${tag}>${tag}</span>`)}
  </span>`;
}

// A turn that failed: what happened, whether anything was saved, what to do next.
import { html, useEffect, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";
import { loginOpen } from "../shared/ui/login.js";
import { editQuestion } from "./composer.js";
import { askAgain } from "./runs.js";
import { panel } from "./state.js";

const kind = ({ status, type }) =>
  status === 401 ? "login" : status === 422 ? "field" : status === 429 ? "busy" : type === "timeout" || status === 504 ? "timeout" : status >= 500 || type === "internal" ? "server" : "other";

export function ErrorCard({ turn, fault, partial }) {
  const sort = kind(fault ?? {});
  const wait = useCountdown(sort === "busy" ? (fault.retryAfter ?? 10) : 0);
  return html`<section class="fault-card" role="group" aria-label=${t("fault")}>
    ${partial && html`<p class="badge">${t("fault.cut")}</p>`}
    <p class="fault-title"><${Icon} name="warning" size=${18} /><strong>${t(`fault.${sort}`)}</strong></p>
    ${fault?.error && html`<p>${fault.error}</p>`}
    <p class="hint">${t("fault.saved")}${fault?.request_id ? ` ${t("fault.reference", { id: fault.request_id.slice(0, 12) })}` : ""}</p>
    <p class="actions">
      ${sort === "login" && html`<button type="button" class="button primary small" onclick=${() => (loginOpen.value = true)}>${t("login")}</button>`}
      ${sort === "field"
        ? html`<button type="button" class="button small" onclick=${() => editQuestion(turn.query)}>${t("edit.question")}</button>`
        : html`<button type="button" class="button small" disabled=${wait > 0} onclick=${() => askAgain(turn)}>${wait > 0 ? t("retry.in", { count: wait }) : t("retry")}</button>`}
      <button type="button" class="button small quiet" onclick=${() => (panel.value = "handoff")}>${t("person")}</button>
    </p>
  </section>`;
}

function useCountdown(from) {
  const [left, setLeft] = useState(from);
  useEffect(() => {
    if (left <= 0) return undefined;
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  return left;
}

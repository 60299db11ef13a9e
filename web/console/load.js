// Data of the server with its three other states: on its way, refused, nothing there.
import { html, useCallback, useEffect, useRef, useState } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { Icon } from "../shared/ui/icons.js";

// useLoaded((signal) => get("/api/…", {signal}), [what it depends on]) → {data, error, loading, reload, set}.
// While it loads again the data before stays; an answer that came too late is dropped.
export function useLoaded(fn, deps) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const latest = useRef(null);
  const reload = useCallback(async () => {
    latest.current?.abort();
    const own = new AbortController();
    latest.current = own;
    setState((before) => ({ ...before, loading: true }));
    try {
      const data = await fn(own.signal);
      if (latest.current === own) setState({ data, error: null, loading: false });
    } catch (error) {
      if (latest.current === own && error.name !== "AbortError") setState((before) => ({ data: before.data, error, loading: false }));
    }
  }, deps);
  useEffect(() => {
    reload();
    return () => latest.current?.abort();
  }, [reload]);
  const set = useCallback((data) => setState({ data, error: null, loading: false }), []);
  return { ...state, reload, set };
}

// <${Loaded} of=${loaded} empty=${(data) => !data.count && t("…")}>${(data) => html`…`}<//>
export function Loaded({ of, empty, children }) {
  if (of.error) return html`<${Refused} error=${of.error} onRetry=${of.reload} />`;
  if (of.data === null) return html`<p class="waiting" role="status"><span class="spinner" aria-hidden="true"></span>${t("loading")}</p>`;
  const nothing = empty?.(of.data);
  if (nothing) return html`<${Empty} text=${nothing} />`;
  return html`<div class="loaded" aria-busy=${String(of.loading)}>${children(of.data)}</div>`;
}

export const Empty = ({ text, children }) => html`<div class="empty"><p>${text}</p>${children}</div>`;

// What the server refused, in its words, with the faults it found and its reference.
export function Refused({ error, onRetry }) {
  return html`<div class="refused" role="alert">
    <p class="fault-title"><${Icon} name="warning" size=${18} /><strong>${t("refused")}</strong></p>
    <p>${error.status ? error.detail || error.message : t("offline")}</p>
    ${error.errors?.length > 0 && html`<ul class="fault-list">${error.errors.map((fault, index) => html`<li key=${index}>${faultText(fault)}</li>`)}</ul>`}
    <p class="actions">${onRetry && html`<button type="button" class="button small" onclick=${onRetry}>${t("retry")}</button>`}
      ${error.requestId && html`<span class="hint">${t("fault.reference", { id: error.requestId })}</span>`}</p>
  </div>`;
}

const faultText = (fault) => (typeof fault === "string" ? fault : [fault.field ?? fault.loc?.join("."), fault.message ?? fault.msg].filter(Boolean).join(": "));

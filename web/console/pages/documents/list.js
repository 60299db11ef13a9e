// Every document that answers may cite, what is being read in now, and what was left out.
import { call, get } from "../../../shared/api.js";
import { atLeast } from "../../../shared/boot.js";
import { ago, count, date } from "../../../shared/format.js";
import { html, useEffect, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { matches } from "../../../shared/search.js";
import { Confirm } from "../../../shared/ui/confirm.js";
import { Grid } from "../../../shared/ui/grid.js";
import { Icon, IconButton } from "../../../shared/ui/icons.js";
import { notify } from "../../../shared/ui/live.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Select } from "../../forms.js";
import { PageHead, Panel, State } from "../../frame.js";
import { Loaded, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";
import { Upload } from "./upload.js";

const LIMIT = 50, POLL_MS = 1500;
const KINDS = ["terms", "summary", "company"];
const moving = (job) => job.state === "waiting" || job.state === "reading";
const JOB_KINDS = { ready: "good", failed: "bad" };

const columns = (onRemove) => [
  { key: "title", label: t("documents.document"), sort: true, cell: (row) => html`<a class="row-link" lang="ko" href=${to(`documents/${row.document_id}`)}>${row.title}</a><span class="sub">${row.path}</span>` },
  { key: "product", label: t("documents.product"), sort: true, cell: (row) => (row.product ? html`<span lang="ko">${row.product}</span><code class="sub">${row.product_code}</code>` : t("unknown")) },
  { key: "kind", label: t("documents.kind"), sort: true, text: (row) => t(`documents.kind.${row.kind}`), cell: (row) => html`<span class="nowrap">${t(`documents.kind.${row.kind}`)}</span>` },
  { key: "revision", label: t("documents.revision"), sort: true, align: "right", cell: (row) => (row.revision ? t("documents.revision.of", { number: row.revision }) : t("unknown")) },
  { key: "effective_date", label: t("documents.effective"), sort: true, cell: (row) => (row.effective_date ? html`<span class="nowrap">${date(row.effective_date)}</span>` : t("unknown")) },
  { key: "pages", label: t("documents.pages"), sort: true, align: "right", cell: (row) => count(row.pages) },
  { key: "chunks", label: t("documents.chunks"), sort: true, align: "right", cell: (row) => count(row.chunks) },
  { key: "state", label: t("documents.state"), text: (row) => t(`documents.state.${row.state}`), cell: (row) => html`<span class="row-end"><${State} kind=${row.state === "ready" ? "good" : "warn"}>${t(`documents.state.${row.state}`)}<//>
    ${row.removable && atLeast("admin") && html`<${IconButton} icon="trash" size=${16} label=${t("documents.remove.of", { title: row.title })} onclick=${() => onRemove(row)} />`}</span>` },
];

// All documents of a project are here at once (tens, not thousands): found, ordered and paged on the page.
export function List({ query }) {
  const loaded = useLoaded((signal) => get("/api/admin/documents", { signal }), []);
  const [removing, setRemoving] = useState(null);
  const busy = loaded.data?.jobs.some(moving);
  useEffect(() => {
    if (!busy) return undefined;
    const timer = setTimeout(loaded.reload, POLL_MS);
    return () => clearTimeout(timer);
  }, [loaded.data, busy]);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const sort = query.sort ?? "title", falling = query.order === "desc", offset = Number(query.offset) || 0;
  const remove = async (row) => {
    setRemoving(null);
    try {
      await call("DELETE", `/api/documents/${encodeURIComponent(row.document_id)}`);
      notify(t("documents.removed", { title: row.title }));
    } catch (problem) {
      notify(problem.detail || t("offline"));
    }
    loaded.reload();
  };
  return html`<div class="page">
    <${PageHead} title=${t("nav.documents")} hint=${loaded.data ? t("documents.hint.count", { documents: count(loaded.data.index.documents), chunks: count(loaded.data.index.chunks) }) : t("documents.hint")}>
      ${atLeast("operator") && html`<${Upload} onSent=${loaded.reload} />`}<//>
    <div class="toolbar" role="search">
      <${SearchBox} label=${t("documents.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
      <${Select} label=${t("documents.kind")} value=${query.kind} all=${t("documents.all")} options=${KINDS.map((id) => ({ id, label: t(`documents.kind.${id}`) }))} onChange=${(kind) => filter({ kind })} />
    </div>
    <${Loaded} of=${loaded} empty=${(data) => !data.documents.length && !data.jobs.length && t("documents.none")}>${(data) => {
      const found = data.documents.filter((row) => (!query.kind || row.kind === query.kind) && matches(`${row.title} ${row.path} ${row.product ?? ""} ${row.product_code ?? ""}`, query.q ?? ""));
      const sorted = found.toSorted((one, other) => compared(one[sort], other[sort]) * (falling ? -1 : 1));
      const shownJobs = data.jobs.filter((job, index) => moving(job) || index < 3);
      return html`
        ${shownJobs.length > 0 && html`<${Panel} title=${t("documents.jobs")} hint=${t("documents.jobs.hint")}><ul class="plain rows" aria-live="polite">${shownJobs.map((job) => html`<li key=${job.job_id}><span lang="ko">${job.name} <span class="hint">${ago(job.created_at)}${job.reason && ` · ${job.reason}`}</span></span>
          <${State} kind=${JOB_KINDS[job.state] ?? "plain"}>${moving(job) && html`<span class="spinner small" aria-hidden="true"></span>`}${t(`documents.job.${job.state}`, { chunks: count(job.chunks) })}<//></li>`)}</ul><//>`}
        ${found.length ? html`<${Grid} label=${t("nav.documents")} columns=${columns(setRemoving)} rows=${sorted.slice(offset, offset + LIMIT)} rowKey=${(row) => row.document_id}
          sort=${falling ? `-${sort}` : sort} onSort=${(next) => filter({ sort: next.replace("-", ""), order: next.startsWith("-") ? "desc" : null })}
          page=${{ offset, limit: LIMIT, total: found.length }} onPage=${(next) => setQuery({ offset: next || null })} csvRows=${() => sorted} />` : html`<div class="empty"><p>${t("page.none")}</p></div>`}
        ${data.left_out.length > 0 && html`<${Panel} title=${t("documents.left-out")} hint=${t("documents.left-out.hint")}><ul class="plain rows">${data.left_out.map((item) => html`<li key=${item.path}><span><${Icon} name="warning" size=${16} /> ${item.path}</span><span class="hint" lang="ko">${item.reason}</span></li>`)}</ul><//>`}`;
    }}<//>
    <${Confirm} open=${!!removing} title=${t("documents.remove")} effect=${t("documents.remove.effect", { title: removing?.title ?? "", chunks: count(removing?.chunks ?? 0) })} typed=${removing?.document_id ?? ""} action=${t("documents.remove")} onYes=${() => remove(removing)} onClose=${() => setRemoving(null)} />
  </div>`;
}

const compared = (one, other) => (one == null ? 1 : other == null ? -1 : typeof one === "number" ? one - other : String(one).localeCompare(String(other), "ko", { numeric: true }));

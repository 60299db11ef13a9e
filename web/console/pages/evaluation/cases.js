// The cases that were saved from trials and conversations.
import { call, get, withQuery } from "../../../shared/api.js";
import { ago } from "../../../shared/format.js";
import { html, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Grid } from "../../../shared/ui/grid.js";
import { notify } from "../../../shared/ui/live.js";
import { SearchBox } from "../../../shared/ui/searchbox.js";
import { Filter } from "../../forms.js";
import { Loaded, Refused, useLoaded } from "../../load.js";
import { setQuery, to } from "../../router.js";

const LIMIT = 50, KINDS = ["routing", "dialogue", "guard"];
const wantedOf = (one) => (one.kind === "guard" ? t(`evaluation.label.${one.label}`) : one.expected_tools.join(" / "));

export function Cases({ query }) {
  const offset = Number(query.offset) || 0, wanted = { kind: query.kind, search: query.q };
  const loaded = useLoaded((signal) => get(withQuery("/api/admin/cases", { ...wanted, offset, limit: LIMIT }), { signal }), [query.kind, query.q, offset]);
  const [fault, setFault] = useState(null);
  const filter = (patch) => setQuery({ offset: null, ...patch });
  const remove = async (one) => {
    setFault(null);
    try {
      await call("DELETE", `/api/admin/cases/${one.id}`);
      const { kind, query: text, history, expected_tools, expected_args, note, source_run_id, guard, label, place } = one;
      notify(t("evaluation.case.removed"), { label: t("evaluation.undo"), run: () => call("POST", "/api/admin/cases", { kind, query: text, history, expected_tools, expected_args, note, source_run_id, guard, label, place }).then(loaded.reload, setFault) });
      loaded.reload();
    } catch (error) {
      setFault(error);
    }
  };
  const columns = [
    { key: "query", label: t("evaluation.question"), text: (one) => one.query, cell: (one) => html`${one.history.length > 0 && html`<span class="sub">${one.history.join(" → ")}</span>`}<a class="row-link" href=${to("routing", { q: one.query, before: one.history.length ? one.history.join("\n") : null })}>${one.query}</a>${one.note && html`<span class="sub">${one.note}</span>`}` },
    { key: "expected_tools", label: t("evaluation.expected"), text: wantedOf, cell: (one) => (one.kind === "guard" ? wantedOf(one) : one.expected_tools.length ? one.expected_tools.map((tool) => html`<code class="tool-code" key=${tool}>${tool}</code> `) : html`<span class="hint">${t("evaluation.no-tool")}</span>`) },
    { key: "kind", label: t("evaluation.kind"), text: (one) => t(`evaluation.kind.${one.kind}`), cell: (one) => html`${t(`evaluation.kind.${one.kind}`)}${one.source_run_id && html`<span class="sub">${t("evaluation.from-talk")}</span>`}` },
    { key: "created_at", label: t("evaluation.saved"), text: (one) => one.created_at, cell: (one) => html`${ago(one.created_at)}<span class="sub">${one.created_by}</span>` },
    { key: "remove", label: t("evaluation.action"), text: () => "", cell: (one) => html`<button type="button" class="link" onclick=${() => remove(one)}>${t("remove")}</button>` },
  ];
  return html`<div class="stack">
    <div class="toolbar" role="search"><${SearchBox} label=${t("evaluation.search")} value=${query.q ?? ""} onSearch=${(q) => filter({ q })} />
      <div class="filters">${KINDS.map((kind) => html`<${Filter} key=${kind} on=${query.kind === kind} onToggle=${(on) => filter({ kind: on ? kind : null })}>${t(`evaluation.kind.${kind}`)}<//>`)}</div>
      <a class="button spread" href=${to("evaluation", { suite: "saved" })}>${t("evaluation.run-saved")}</a></div>
    ${fault && html`<${Refused} error=${fault} />`}
    <${Loaded} of=${loaded} empty=${(data) => !data.total && t(query.q || query.kind ? "page.none" : "evaluation.no-cases")}>${(data) => html`
      <${Grid} label=${t("evaluation.tab.cases")} columns=${columns} rows=${data.cases} page=${{ offset, limit: LIMIT, total: data.total }} onPage=${(next) => setQuery({ offset: next || null })}
        csvRows=${async () => (await get(withQuery("/api/admin/cases", { ...wanted, limit: 500 }))).cases} />`}<//>
  </div>`;
}

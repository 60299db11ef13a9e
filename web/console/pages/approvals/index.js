// What waits for a person: writing calls to be approved, and people who want to talk to somebody.
import { get } from "../../../shared/api.js";
import { html, useState } from "../../../shared/html.js";
import { addWords, t } from "../../../shared/i18n.js";
import { Tabs } from "../../../shared/ui/tabs.js";
import { PageHead } from "../../frame.js";
import { useLoaded } from "../../load.js";
import { setQuery } from "../../router.js";
import { Decided, Pending } from "./approvals.js";
import { Handoffs } from "./handoffs.js";
import "../../../chat/parts.css";
import "./approvals.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

const TABS = ["pending", "handoffs", "decided"];

export function Page({ path, query }) {
  const tab = TABS.includes(query.tab) ? query.tab : "pending";
  const waiting = useLoaded(async (signal) => {
    const [approvals, handoffs] = await Promise.all([get("/api/approvals?decided=false&limit=1", { signal }), get("/api/admin/handoffs/queue?limit=1", { signal })]);
    return { pending: approvals.total, handoffs: handoffs.total };
  }, [tab]);
  // A decision may be stored only after its history was opened: that is read again then.
  const [changes, setChanges] = useState(0);
  const changed = () => {
    waiting.reload();
    setChanges((count) => count + 1);
  };
  const Part = { pending: Pending, decided: Decided, handoffs: Handoffs }[tab];
  return html`<div class="page">
    <${PageHead} title=${t("nav.approvals")} hint=${t("approvals.hint")} />
    <${Tabs} label=${t("nav.approvals")} chosen=${tab} onChoose=${(id) => setQuery({ tab: id === "pending" ? null : id, offset: null, status: null, open: null })} tabs=${TABS.map((id) => ({ id, label: t(`approvals.tab.${id}`), count: waiting.data?.[id] }))}>
      <${Part} key=${tab} query=${query} changes=${changes} onChange=${changed} /><//>
  </div>`;
}

// The console's pages in the order of the menu. `role` is what its calls ask for; one without `load` is not offered.
export const PAGES = [
  { id: "overview", group: "watch", role: "operator", icon: "chart", load: () => import("./pages/overview/index.js") },
  { id: "conversations", group: "watch", role: "operator", icon: "chat", load: () => import("./pages/conversations/index.js") },
  { id: "guards", group: "watch", role: "operator", icon: "warning", load: () => import("./pages/guards/index.js") },
  { id: "approvals", group: "watch", role: "staff", icon: "headset", load: () => import("./pages/approvals/index.js") },
  { id: "tools", group: "tools", role: "staff", icon: "tool", load: () => import("./pages/tools/index.js") },
  { id: "cards", group: "tools", role: "operator", icon: "edit", load: () => import("./pages/cards/index.js") },
  { id: "routing", group: "tools", role: "staff", icon: "route", load: () => import("./pages/routing/index.js") },
  { id: "evaluation", group: "tools", role: "operator", icon: "scale", load: () => import("./pages/evaluation/index.js") },
  { id: "reload", group: "tools", role: "admin", icon: "again", load: () => import("./pages/reload/index.js") },
  { id: "documents", group: "knowledge", role: "staff", icon: "book", load: () => import("./pages/documents/index.js") },
  { id: "compliance", group: "knowledge", role: "staff", icon: "shield", load: () => import("./pages/compliance/index.js") },
  { id: "access", group: "people", role: "admin", icon: "key", load: () => import("./pages/access/index.js") },
  { id: "audit", group: "people", role: "operator", icon: "file", load: () => import("./pages/audit/index.js") },
];

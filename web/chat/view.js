// What one answer looks like as data, and how each event changes it. Pure: live and reloaded turns go through here alike.

// status: sending | streaming | done | stopped | error
export const EMPTY = Object.freeze({
  status: "sending", node: null, text: "", steps: [], candidates: [], blocks: [], sources: [], clarify: null, approvals: [],
  guard: {}, facts: null, usage: null, engine: null, engineFault: null, trace: [], fault: null, taken: false,
});

export const live = (view) => view.status === "sending" || view.status === "streaming";

const STEPS = {
  node_start: (view, { node }) => ({ ...view, node }),
  tools_selected: (view, { candidates, tools }) => ({ ...view, candidates: candidates ?? [], offered: tools ?? [] }),
  tool_start: (view, { tool, input }, at) => ({ ...view, steps: [...view.steps, { tool, input, status: "running", at }] }),
  tool_end: (view, { tool, duration_ms: ms, status, result, registry_version: version }) => {
    const open = view.steps.findIndex((step) => step.tool === tool && step.status === "running");
    if (open < 0) return view;
    return { ...view, steps: view.steps.with(open, { ...view.steps[open], status, ms, result, version }) };
  },
  token: (view, { text }) => ({ ...view, status: "streaming", text: view.text + text }),
  guard: (view, { stage, action, reason, layer }) => {
    if (stage === "input") return { ...view, guard: { input: action, reason, layer } };
    return action === "retry" || action === "replaced" ? { ...view, text: "" } : view;
  },
  block: (view, { run_id: _, ...block }) => (view.blocks.some((known) => known.id === block.id) ? view : { ...view, blocks: [...view.blocks, block] }),
  sources: (view, { sources }) => ({ ...view, sources }),
  clarify: (view, { fields, text }) => ({ ...view, clarify: { fields, text } }),
  approval: (view, { run_id: _, ...card }) => ({ ...view, approvals: [...view.approvals, card] }),
  facts: (view, { run_id: _, ...facts }) => ({ ...view, facts }),
  usage: (view, { run_id: _, ...usage }) => ({ ...view, usage }),
  done: (view, reply) => fromReply(reply, view),
  error: (view, fault) => halted(view, fault.type === "cancelled" ? "stopped" : "error", fault.type === "cancelled" ? null : fault),
};

// The view of a turn that ends without an answer; a tool that was still running is shown as given up.
export function halted(view, status, fault) {
  const steps = view.steps.map((step) => (step.status === "running" ? { ...step, status: "stopped" } : step));
  return { ...view, status, steps, node: null, fault };
}

// The view after one event; unknown events change nothing. `at` is the page's clock in ms.
export const reduce = (view, type, data, at = 0) => STEPS[type]?.(view, data, at) ?? view;

// The view of a whole reply. What only the stream told staff (results, candidates) is kept from `before`; a history brings it.
export function fromReply(reply, before = EMPTY) {
  const ran = (reply.trace ?? []).filter((row) => row.node === "tools" && row.tool);
  const steps = ran.map((row) => {
    const seen = before.steps.find((step) => step.tool === row.tool && JSON.stringify(step.input) === JSON.stringify(row.input));
    const kept = reply.results?.find((item) => item.tool === row.tool && JSON.stringify(item.input) === JSON.stringify(row.input));
    return { tool: row.tool, input: row.input, status: row.status, ms: row.duration_ms, result: seen?.result ?? kept?.result, version: seen?.version ?? reply.registry_version };
  });
  return {
    ...EMPTY,
    status: "done",
    text: reply.answer ?? "",
    steps: steps.length ? steps : before.steps.filter((step) => step.status !== "running"),
    candidates: reply.candidates ?? before.candidates,
    blocks: reply.blocks ?? [],
    sources: reply.sources ?? [],
    clarify: reply.needs_input_form ?? null,
    approvals: reply.approvals ?? (reply.approval ? [reply.approval] : []),
    guard: reply.guard ?? {},
    facts: reply.facts ?? null,
    usage: reply.usage ?? null,
    engine: reply.engine ?? null,
    engineFault: reply.engine_fault ?? null,
    trace: reply.trace ?? [],
  };
}

// Tools as people see them: one line a tool, however often it ran. {tool, count, status, ms (the longest), at}
export function toolLines(steps) {
  const lines = new Map();
  for (const step of steps) {
    const line = lines.get(step.tool) ?? { tool: step.tool, count: 0, status: "ok", ms: 0, at: step.at };
    line.count += 1;
    line.ms = Math.max(line.ms, step.ms ?? 0);
    if (step.status !== "ok") line.status = step.status;
    lines.set(step.tool, line);
  }
  return [...lines.values()];
}

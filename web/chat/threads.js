// Which conversation is shown: its address, its restored turns, a new one.
import { get, Problem, withQuery } from "../shared/api.js";
import { batch } from "../shared/html.js";
import { remembered } from "../shared/store.js";
import { notify } from "../shared/ui/live.js";
import { t } from "../shared/i18n.js";
import { forgetProposal, openProposal, proposal, proposalInAddress, shown } from "./proposals.js";
import { onOtherTab, pickUp } from "./runs.js";
import { compared, drawer, facts, handoff, queue, restoring, running, threadId, Turn, turns } from "./state.js";
import { fromReply } from "./view.js";

const inAddress = () => new URL(location.href).searchParams.get("thread");
const address = (id, offer = null) => withQuery(location.pathname, { thread: id, proposal: offer });

export function begin() {
  const id = inAddress();
  if (id) open(id, { push: false });
  else fresh({ push: false });
  reopen(id);
  addEventListener("popstate", () => {
    const wanted = inAddress();
    if (wanted && wanted !== threadId.value) open(wanted, { push: false });
    else if (!wanted && turns.value.length) fresh({ push: false });
    else return;
    reopen(wanted);
  });
  onOtherTab((changed) => changed === threadId.value && !running.value && restore());
}

// The proposal that the address names. A link to it alone brings the conversation it was made in, where one may read it.
async function reopen(thread) {
  const offer = proposalInAddress();
  if (!offer) return;
  await openProposal(offer, { focus: false });
  const id = proposal.value?.id === offer && proposal.value.thread_id;
  if (thread || !id || turns.value.length) return;
  const found = await get(`/api/threads/${encodeURIComponent(id)}`).catch(() => null);
  if (!found || turns.value.length || inAddress()) return;
  history.replaceState(history.state, "", address(id, offer));
  await open(id, { push: false, keep: true });
}

// The address names a conversation once something was said in it.
export function nameInAddress() {
  if (inAddress() !== threadId.value) history.pushState({}, "", address(threadId.value, shown.value?.id));
}

export function fresh({ push = true } = {}) {
  clear(crypto.randomUUID());
  if (push && (inAddress() || proposalInAddress())) history.pushState({}, "", location.pathname);
}

export async function open(id, { push = true, keep = false } = {}) {
  clear(id, keep);
  if (push) history.pushState({}, "", address(id));
  restoring.value = true;
  try {
    await restore();
  } finally {
    restoring.value = false;
  }
}

async function restore() {
  const id = threadId.value;
  let thread;
  try {
    thread = await get(`/api/threads/${encodeURIComponent(id)}`);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (problem.status !== 404) notify(problem.message || t("offline"));
    thread = { turns: [], facts: {} };
  }
  if (id !== threadId.value || running.value) return;
  const requests = thread.turns.length ? await get("/api/approvals").then((found) => found.approvals, () => []) : [];
  batch(() => {
    turns.value = thread.turns.map((reply) => restored(reply, requests));
    facts.value = thread.facts ?? {};
  });
  pickUp(new Set(thread.turns.map((reply) => reply.message_id)));
}

// A kept answer does not tell how its requests stand now, and a turn that went on after a decision no longer has them.
function restored(reply, requests) {
  const view = fromReply(reply);
  const own = requests.filter((card) => card.run_id === reply.run_id);
  const approvals = own.length ? own : view.approvals.map((card) => ({ ...card, status: "unknown" }));
  const turn = new Turn({
    query: reply.query, runId: reply.run_id, at: reply.created_at ?? undefined, messageId: reply.message_id ?? undefined, view: { ...view, approvals },
  });
  turn.rating.value = reply.rating ?? null;
  return turn;
}

function clear(id, keepProposal = false) {
  batch(() => {
    threadId.value = id;
    turns.value = [];
    facts.value = {};
    queue.value = [];
    compared.value = [];
    drawer.value = null;
    handoff.value = remembered(`handoff:${id}`, null, "sessionStorage");
    if (!keepProposal) forgetProposal();
  });
}

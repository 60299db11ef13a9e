// The proposal beside the talk: which one is shown, what the server last told of it, and how it is asked for and changed.
// Nothing is drawn before the server has said it; the talk and the panel change the same proposal.
import { call, get, Problem } from "../shared/api.js";
import { batch, computed, signal } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { say } from "../shared/ui/live.js";
import { threadId } from "./state.js";

export const shown = signal(null); // {id} while a panel is open; no id: nothing is proposed yet
export const proposal = signal(null); // as the server last told it
export const fault = signal(null); // why it could not be read
export const working = signal(0); // changes on their way
export const onTop = signal(true); // on small screens: whether the panel lies over the talk
export const wantsFocus = signal(false); // somebody opened the panel: its heading takes the focus

export const open = computed(() => shown.value !== null);
export const chosenVariant = computed(() => proposal.value?.variants.find((variant) => variant.chosen) ?? proposal.value?.variants[0] ?? null);

const path = (id) => `/api/proposals/${encodeURIComponent(id)}`;
let opener = null;
let asked = 0;

export const proposalInAddress = () => new URL(location.href).searchParams.get("proposal");

// The address names the open proposal and its conversation, so that a reload and a copied link show both.
function nameInAddress() {
  const url = new URL(location.href);
  const told = proposal.value;
  if (shown.value?.id) url.searchParams.set("proposal", shown.value.id);
  else url.searchParams.delete("proposal");
  if (shown.value?.id && told?.thread_id === threadId.value) url.searchParams.set("thread", told.thread_id);
  if (url.href !== location.href) history.replaceState(history.state, "", url);
}

// Opens the panel: with that proposal, else with the one at hand, else with the questions for a new one. Resolves when
// it is read. `over`: on small screens it comes to the front.
export async function openProposal(id = proposal.value?.id ?? null, { over = true, focus = true } = {}) {
  if (!open.value) opener = document.activeElement;
  batch(() => {
    if (id !== proposal.value?.id) proposal.value = null;
    fault.value = null;
    shown.value = { id };
    if (over) onTop.value = true;
    if (focus) wantsFocus.value = true;
  });
  nameInAddress();
  if (id) await reload();
}

export function closeProposal() {
  shown.value = null;
  nameInAddress();
  const back = opener?.isConnected && opener !== document.body ? opener : document.getElementById("question");
  opener = null;
  setTimeout(() => back?.focus());
}

// Another conversation: nothing of it stays. The address is left to whoever goes there.
export function forgetProposal() {
  asked += 1;
  shown.value = proposal.value = fault.value = null;
}

export function beginAnew() {
  forgetProposal();
  openProposal(null);
}

// What the server answered takes the place of what stood there, unless something later was asked for meanwhile.
function take(number, told) {
  if (number !== asked) return;
  batch(() => {
    proposal.value = told;
    fault.value = null;
    if (shown.value) shown.value = { id: told.id };
  });
  nameInAddress();
}

export async function reload() {
  const { id } = shown.value ?? {};
  if (!id) return;
  const number = (asked += 1);
  try {
    take(number, await get(path(id)));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (number === asked) fault.value = problem;
  }
}

// A turn of the talk carries a proposal: a newer version is read, another one takes its place. On small screens the
// answer stays in front.
export async function toldInTalk({ id, version }, { beside }) {
  const known = proposal.value?.id === id;
  if (known && proposal.value.version >= version) return;
  if (!open.value && !beside) return;
  await openProposal(id, { over: false, focus: false });
  say(t(known ? "proposal.changed" : "proposal.made"));
}

// A change of the panel. Throws the server's Problem, and what stood there stays.
async function changing(run) {
  const number = (asked += 1);
  working.value += 1;
  try {
    const told = await run();
    take(number, told);
    return told;
  } finally {
    working.value -= 1;
  }
}

export const propose = (household, wishes) => changing(() => call("POST", "/api/proposals", { household, wishes, thread_id: threadId.value }));
export const keepWith = (customer) => changing(() => call("POST", `${path(proposal.value.id)}/keep`, customer));
export const change = (...edits) => changing(() => call("PATCH", path(proposal.value.id), { version: proposal.value.version, edits }));

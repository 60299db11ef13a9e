// The card of a request that waits for the person's word: exactly what would be done, and three ways to answer.
import { csrfHeaders } from "./csrf.js";
import { el, shown } from "./dom.js";

const DECIDED = { approved: "승인했습니다", edited: "고쳐서 승인했습니다", rejected: "거절했습니다", expired: "시간이 지나 진행하지 않습니다", withdrawn: "거두었습니다" };
const ARGUMENTS = { action: "업무", contract_id: "계약 번호", details: "내용", case_summary: "상담 내용", customer_id: "고객 번호" };

// `onReply` gets the answer of the turn that went on.
export function drawApproval(card, onReply) {
  const heading = el("h4", { tabindex: "-1" }, card.title ?? "승인 요청");
  const left = el("p", { class: "note" });
  const values = Object.entries(card.args).filter(([, value]) => typeof value !== "boolean" && value != null);
  const list = el("dl", {}, ...values.flatMap(([name, value]) => [el("dt", {}, ARGUMENTS[name] ?? name), el("dd", {}, shown(value))]));
  const comment = el("input", { type: "text", maxlength: 500, "aria-label": "남기는 말", placeholder: "남기는 말 (선택)" });
  const status = el("p", { role: "status" });
  const button = (label, decide) => el("button", { type: "button", onclick: decide }, label);
  const actions = el("p", { class: "actions" },
    button("승인", () => decide("approve")), button("수정", edit), button("거절", () => decide("reject")));
  const box = el("section", { class: "card approval", "aria-label": "승인 요청" }, heading, el("p", {}, card.effect), list, comment, actions, left, status);
  const until = new Date(card.expires_at);
  const clock = setInterval(tick, 1000);
  let fields = null;
  tick();

  function tick() {
    const seconds = Math.max(0, Math.round((until - Date.now()) / 1000));
    left.textContent = seconds ? `${Math.floor(seconds / 60)}분 ${seconds % 60}초 안에 결정해 주세요. 지나면 진행하지 않습니다.` : "";
    if (!seconds) close(DECIDED.expired);
  }

  function close(text) {
    clearInterval(clock);
    actions.remove();
    comment.remove();
    left.remove();
    status.textContent = text;
  }

  // Shows the arguments as fields; 승인 then sends them as they were changed.
  function edit() {
    fields ??= values.map(([name, value]) => [name, value, el(typeof value === "number" ? "input" : "textarea", { "aria-label": ARGUMENTS[name] ?? name })]);
    for (const [, value, field] of fields) field.value = value;
    list.replaceChildren(...fields.flatMap(([name, , field]) => [el("dt", {}, ARGUMENTS[name] ?? name), el("dd", {}, field)]));
    actions.children[0].textContent = "이대로 승인";
    actions.children[1].hidden = true;
    fields[0]?.[2].focus();
  }

  async function decide(decision) {
    const body = { decision, ...(comment.value.trim() && { comment: comment.value.trim() }) };
    if (decision === "approve" && fields) {
      body.decision = "edit";
      body.args = { ...card.args, ...Object.fromEntries(fields.map(([name, old, field]) => [name, typeof old === "number" ? Number(field.value) : field.value])) };
    }
    for (const child of actions.children) child.disabled = true;
    try {
      const response = await fetch(`/api/approvals/${encodeURIComponent(card.id)}`, {
        method: "POST", headers: { "Content-Type": "application/json", ...csrfHeaders() }, body: JSON.stringify(body),
      });
      const answer = await response.json();
      if (response.status === 409) return close(answer.detail);
      if (!response.ok) {
        status.textContent = answer.errors?.[0]?.message ?? answer.detail;
      } else {
        const at = new Intl.DateTimeFormat("ko-KR", { timeStyle: "short" }).format(new Date(answer.decided_at));
        close(`${at}에 ${DECIDED[answer.status]}.`);
        onReply(answer);
        return;
      }
    } catch {
      status.textContent = "연결이 끊겼습니다. 잠시 뒤 다시 눌러 주세요.";
    }
    for (const child of actions.children) child.disabled = false;
  }

  queueMicrotask(() => heading.focus());
  return box;
}

// The requests of this conversation that still wait: after a reload of the page, or opened in another tab.
export async function waitingApprovals(threadId) {
  const response = await fetch("/api/approvals?status=pending");
  if (!response.ok) return [];
  return (await response.json()).approvals.filter((card) => card.thread_id === threadId);
}

// The chat page: one composer, one stream reader, one small function per event type.
import { drawApproval, waitingApprovals } from "./approvals.js";
import { drawBlock } from "./blocks.js";
import { csrfHeaders } from "./csrf.js";
import { el, shown } from "./dom.js";
import { readEvents } from "./events.js";

const $ = (id) => document.getElementById(id);
const turns = $("turns"), composer = $("composer"), question = $("question"), send = $("send"), status = $("status");
const earlier = sessionStorage.getItem("spoken");
let threadId = sessionStorage.getItem("thread") ?? crypto.randomUUID();
sessionStorage.setItem("thread", threadId);
let running = null;

const FACT_LABELS = {
  age: (v) => `만 ${v}세`, gender: (v) => (v === "M" ? "남성" : "여성"), who: (v) => (["본인", "고객"].includes(v) ? null : v), job: (v) => v,
  history: (v) => v, monthly_budget: (v) => `월 예산 ${shown(v)}원`, customer_name: (v) => `${v} 고객`, birth_year: (v) => `${v}년생`,
};

function newTurn(text) {
  $("welcome").hidden = true;
  const lines = el("ul", { class: "steps" });
  const body = el("div", { class: "text" });
  const extras = el("div", { class: "extras" });
  const answer = el("article", { class: "answer", "aria-label": "도우미", "aria-busy": "true" }, lines, body, extras);
  turns.append(el("article", { class: "mine", "aria-label": "나" }, el("p", {}, text)), answer);
  return { answer, lines, body, extras, text: "", tools: new Map() };
}

const nearEnd = () => window.innerHeight + window.scrollY >= document.body.scrollHeight - 80;

// A tool that runs for several products is one line with its count, not the same words again and again.
function drawStep({ line, count, open, slowest, result }, tool) {
  line.className = open ? "running" : result;
  const times = count > 1 ? ` ${count}번` : "", seconds = slowest >= 1000 && !open ? ` · ${(slowest / 1000).toFixed(1)}초` : "";
  line.textContent = `${titles.get(tool) ?? "확인하는 중"}${times}${seconds}`;
}

// The picture of the page that a passage stands on, the passage marked.
const pageLink = ({ document_id, page, chunk_id }) => document_id && page
  ? el("a", { href: `/api/documents/${encodeURIComponent(document_id)}/pages/${page}.png?highlight=${encodeURIComponent(chunk_id)}`, target: "_blank", rel: "noopener" }, "쪽 그림 보기")
  : null;

const panels = {
  token(turn, { text }) {
    const follow = nearEnd();
    turn.text += text;
    turn.body.textContent = turn.text;
    if (follow) window.scrollTo({ top: document.body.scrollHeight });
  },
  guard(turn, { action }) {
    if (action === "retry" || action === "replaced") {
      turn.text = "";
      turn.body.textContent = "";
    }
    if (action === "block") turn.answer.classList.add("blocked");
  },
  tool_start(turn, { tool }) {
    let step = turn.tools.get(tool);
    if (!step) {
      step = { line: el("li"), count: 0, open: 0, slowest: 0, result: "ok" };
      turn.tools.set(tool, step);
      turn.lines.append(step.line);
    }
    step.count += 1;
    step.open += 1;
    drawStep(step, tool);
  },
  tool_end(turn, { tool, duration_ms, status: result }) {
    const step = turn.tools.get(tool);
    if (!step) return;
    step.open -= 1;
    step.slowest = Math.max(step.slowest, duration_ms);
    if (result !== "ok") step.result = result;
    drawStep(step, tool);
  },
  block(turn, block) {
    const drawn = drawBlock(block, fill);
    if (drawn) turn.extras.append(drawn);
  },
  sources(turn, { sources }) {
    turn.extras.append(
      el("details", { class: "sources" }, el("summary", {}, `근거 ${sources.length}개`),
        el("ol", {}, ...sources.map((s) => el("li", {}, el("strong", {}, s.title), ` ${s.heading_path ?? ""}${s.page ? ` · ${s.page}쪽` : ""} `, pageLink(s), el("blockquote", {}, s.snippet))))),
    );
  },
  clarify(turn, { fields }) {
    const choices = fields.filter((f) => f.options?.length && f.options.length <= 12);
    if (fields.length === 1 && choices.length === 1) {
      turn.extras.append(el("p", { class: "quick" }, ...choices[0].options.map((o) => el("button", { type: "button", onclick: () => ask(o.label) }, o.label))));
    } else {
      turn.extras.append(form(fields));
    }
  },
  facts(_, facts) {
    const chips = Object.entries(FACT_LABELS).map(([key, label]) => (facts[key] == null || facts[key] === "" ? null : label(facts[key]))).filter(Boolean);
    $("facts").replaceChildren(...chips.map((text) => el("span", { class: "chip" }, text)));
  },
  approval(turn, card) {
    turn.extras.append(drawApproval(card, (decided) => told(turn, decided)));
  },
  error(turn, { error, request_id }) {
    turn.extras.append(el("p", { class: "error", role: "alert" }, `${error} (번호 ${request_id})`));
  },
  done(turn, reply) {
    turn.text = reply.answer;
    turn.body.textContent = reply.answer;
    turn.answer.removeAttribute("aria-busy");
    const tables = turn.extras.querySelectorAll("details.table");
    if (tables.length === 1) tables[0].open = true;
    turn.answer.append(el("p", { class: "tools" }, el("button", { type: "button", onclick: (e) => copy(e.target, reply.answer) }, "복사")));
    status.textContent = "답변 완료";
  },
};

// What came of an approval: the answer of the turn that went on, or that the request was carried out by itself.
function told(turn, { reply, outcome }) {
  const fallback = outcome?.status === "ok" ? "요청을 처리했습니다." : outcome?.data?.message;
  const text = reply?.answer ?? fallback;
  if (!text) return;
  turn.extras.append(el("div", { class: "text" }, text));
  for (const block of reply?.blocks ?? []) panels.block(turn, block);
}

function form(fields) {
  const inputs = fields.map((field) => {
    const control = field.options?.length
      ? el("select", { name: field.name }, el("option", { value: "" }, "선택"), ...field.options.map((o) => el("option", { value: o.label }, o.label)))
      : el("input", { name: field.name, type: field.type === "number" ? "number" : field.type === "date" ? "date" : "text", min: 0 });
    return el("label", {}, field.label, control);
  });
  return el("form", { class: "ask", onsubmit(event) {
    event.preventDefault();
    const values = [...new FormData(event.target)].filter(([, value]) => value).map(([name, value]) => (name === "age" ? `${value}세` : value));
    if (values.length) ask(values.join(" "));
  } }, ...inputs, el("button", { type: "submit" }, "이대로 답하기"));
}

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  button.textContent = "복사했어요";
}

function fill(text) {
  question.value = text;
  grow();
  question.focus();
}

async function ask(text) {
  if (running || !text.trim()) return;
  question.value = "";
  grow();
  running = new AbortController();
  send.textContent = "멈추기";
  status.textContent = "답변 작성 중";
  sessionStorage.setItem("spoken", threadId);
  const turn = newTurn(text.trim());
  window.scrollTo({ top: document.body.scrollHeight });
  try {
    const response = await fetch("/api/chat/stream", {
      method: "POST", headers: { "Content-Type": "application/json", ...csrfHeaders() }, signal: running.signal,
      body: JSON.stringify({ query: text, thread_id: threadId }),
    });
    if (!response.ok) {
      const problem = await response.json();
      panels.error(turn, { error: problem.errors?.[0]?.message ?? problem.detail, request_id: problem.request_id });
      return;
    }
    for await (const { type, data } of readEvents(response)) panels[type]?.(turn, data);
  } catch (fault) {
    const text = fault.name === "AbortError" ? "중지했습니다." : "연결이 끊겼습니다. 잠시 뒤 다시 시도해 주세요.";
    turn.extras.append(el("p", { class: "error", role: "alert" }, text));
  } finally {
    turn.answer.removeAttribute("aria-busy");
    running = null;
    send.textContent = "보내기";
  }
}

function grow() {
  question.style.height = "auto";
  question.style.height = `${Math.min(question.scrollHeight, 200)}px`;
}

question.addEventListener("input", grow);
question.addEventListener("keydown", (event) => {
  // An Enter that only ends a Korean composition must not send.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229 || event.repeat) return;
  event.preventDefault();
  if (!running) ask(question.value);
});
composer.addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else ask(question.value);
});
for (const button of document.querySelectorAll(".suggestions button")) button.addEventListener("click", () => fill(button.textContent));
$("new-chat").addEventListener("click", () => {
  threadId = crypto.randomUUID();
  sessionStorage.setItem("thread", threadId);
  turns.replaceChildren();
  $("facts").replaceChildren();
  $("welcome").hidden = false;
  question.focus();
});

const titles = new Map(Object.entries(JSON.parse(document.getElementById("tool-titles").textContent)));

// A page that was reloaded shows again what was said in this conversation, and what still waits for an answer.
async function restore() {
  if (earlier !== threadId) return;
  const response = await fetch(`/api/threads/${encodeURIComponent(threadId)}`);
  if (!response.ok || running || turns.children.length) return;
  const { turns: said } = await response.json();
  for (const reply of said) {
    const turn = newTurn(reply.query);
    for (const block of reply.blocks ?? []) panels.block(turn, block);
    if (reply.sources?.length) panels.sources(turn, reply);
    panels.facts(turn, reply.facts ?? {});
    panels.done(turn, reply);
  }
  status.textContent = "";
  window.scrollTo({ top: document.body.scrollHeight });
}

restore().catch(() => {}).then(() => waitingApprovals(threadId)).then((cards) => {
  if (!cards.length) return;
  $("welcome").hidden = true;
  const extras = el("div", { class: "extras" });
  turns.append(el("article", { class: "answer", "aria-label": "도우미" }, extras));
  for (const card of cards) panels.approval({ extras }, card);
}).catch(() => {});

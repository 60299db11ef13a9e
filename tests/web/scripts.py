"""Scripted streams for every state of the chat page, with the shapes that the server really sends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.web.stage import Cut, Hold, Step

CARD = {
    "code": "B00115023",
    "name": "뉴스타트암보험",
    "category": "암",
    "entry_age": "20~65세",
    "renewal": "10년 갱신형",
    "simplified": False,
    "waiting": "90일 면책",
    "summary": "암 진단부터 수술·입원까지",
    "points": ["암 진단보험금 3,000만원에 고액암은 3,000만원을 더해 드려요", "유사암도 보장해요", "납입을 면제해요"],
    "premium": 20625,
}
OTHER = {
    **CARD,
    "code": "B00355005",
    "name": "첫날부터암보험",
    "waiting": "면책 없음",
    "premium": 15600,
    "simplified": True,
}
TABLE = {
    "title": "상품 비교",
    "columns": [
        {"key": "fact", "label": "항목", "align": "left"},
        {"key": "B00115023", "label": "뉴스타트암보험", "align": "left"},
        {"key": "B00355005", "label": "첫날부터암보험", "align": "left"},
    ],
    "rows": [
        {"group": "가입", "fact": "가입 나이", "B00115023": "20~65세", "B00355005": "20~64세"},
        {"group": "가입", "fact": "납입 기간", "B00115023": "10년납", "B00355005": "10년납"},
        {"group": "보장", "fact": "면책", "B00115023": "90일 면책", "B00355005": "면책 없음"},
        {"group": "보장", "fact": "암 진단", "B00115023": "3,000만원", "B00355005": "2,000만원"},
    ],
    "differs": [0, 2, 3],
    "note": "기본 플랜 기준",
}
CHART = {
    "kind": "step",
    "title": "뉴스타트암보험 갱신 보험료",
    "x": {"label": "나이", "unit": "세"},
    "y": {"label": "월 보험료", "unit": "원"},
    "series": [{"name": "만 45세 남성", "points": [[45, 20625], [55, 41300], [65, 88700], [75, 140200]]}],
    "marks": [
        {"x": 45, "y": 20625, "label": "만 45세 20,625원"},
        {"x": 55, "y": 41300, "label": "55세 갱신 41,300원"},
        {"x": 65, "y": 88700, "label": "65세 갱신 88,700원"},
        {"x": 75, "y": 140200, "label": "75세 갱신 140,200원"},
    ],
    "summary": "만 45세 남성: 45세 20,625원에서 75세 140,200원까지 바뀝니다.",
    "note": "남성, 기본형, 가입금액 3,000만원, 2025년 4월 1일 기준. 예시이며 실제와 다를 수 있습니다.",
}
SOURCES = [
    {
        "id": 1,
        "document_id": "암보험_약관",
        "chunk_id": "",
        "title": "암보험 약관",
        "heading_path": "암보험 약관 > 제2관 보험계약의 성립과 유지 > 제6조(청약의 철회)",
        "snippet": "청약한 날부터 30일이 지나면 철회할 수 없습니다.",
        "page": 12,
    },
    {
        "id": 2,
        "document_id": "없는_문서",
        "chunk_id": "x",
        "title": "사라진 약관",
        "heading_path": "사라진 약관 > 제1조",
        "snippet": "이 문서는 더 이상 없습니다.",
        "page": 3,
    },
]
FIELDS = [
    {"name": "age", "label": "나이", "type": "number", "options": []},
    {
        "name": "gender",
        "label": "성별",
        "type": "choice",
        "options": [{"label": "여성", "value": "F"}, {"label": "남성", "value": "M"}],
    },
]
FACTS = {"who": "본인", "age": 54, "gender": "F", "job": "택시기사", "history": "고혈압"}


def reply(answer: str, **more: Any) -> dict[str, Any]:
    """A whole reply as `done` carries it."""
    return {
        "answer": answer,
        "session_id": "t",
        "thread_id": "t",
        "engine": "embedded-planner",
        "engine_fault": None,
        "usage": None,
        "tools_used": [],
        "blocks": [],
        "sources": [],
        "facts": {},
        "needs_input": [],
        "needs_input_form": None,
        "approval": None,
        "approvals": [],
        "guard": {"input": "pass", "output": "pass"},
        "trace": [],
        **more,
    }


def approval(minutes: float = 15) -> dict[str, Any]:
    until = datetime.now(UTC) + timedelta(minutes=minutes)
    return {
        "id": "0f" * 16,
        "tool": "contract_manage",
        "title": "계약 변경 접수",
        "args": {"action": "해지", "contract_id": "C-10001", "details": "본인 요청"},
        "effect": "계약 C-10001의 해지를 접수합니다.",
        "status": "pending",
        "expires_at": until.isoformat(),
    }


OPENING: list[Step] = [
    ("node_start", {"node": "input_guardrail"}),
    ("node_end", {"node": "input_guardrail", "duration_ms": 2.0}),
    ("node_start", {"node": "agent"}),
    (
        "tools_selected",
        {
            "tools": ["premium_estimate"],
            "candidates": [{"tool": "premium_estimate", "score": 0.31}, {"tool": "product_search", "score": 0.22}],
        },
    ),
    ("node_end", {"node": "agent", "duration_ms": 9.0}),
]
TOOL: list[Step] = [
    ("node_start", {"node": "tools"}),
    ("tool_start", {"tool": "premium_estimate", "input": {"age": 45, "gender": "M"}}),
]
TOOL_DONE: list[Step] = [
    (
        "tool_end",
        {
            "tool": "premium_estimate",
            "duration_ms": 812.0,
            "status": "ok",
            "result": {"premium": 20625},
            "registry_version": 1,
        },
    ),
    ("node_end", {"node": "tools", "duration_ms": 813.0}),
]
TRACE = [
    {"node": "input_guardrail", "action": "pass", "duration_ms": 2.0},
    {
        "node": "tools",
        "tool": "premium_estimate",
        "input": {"age": 45, "gender": "M"},
        "status": "ok",
        "duration_ms": 812.0,
    },
]
SENTENCES = (
    "월 보험료는 20,625원입니다.",
    "\n• 면책 기간은 **90일**입니다.",
    "\n• 가입 나이는 40~60세, 10~20년납입니다.",
)
ANSWER = "".join(SENTENCES)


def tokens(*texts: str) -> list[Step]:
    return [("token", {"text": text}) for text in texts]


def blocks(*given: tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"id": f"b{number}", "type": kind, "data": data} for number, (kind, data) in enumerate(given, 1)]


def answered(answer: str = ANSWER, *, said: tuple[str, ...] = SENTENCES, **more: Any) -> list[Step]:
    """A whole run with one tool: every kind of event, then `done`."""
    told: list[Step] = [*OPENING, *TOOL, *TOOL_DONE, *tokens(*said)]
    told += [("block", block) for block in more.get("blocks", ())]
    if more.get("sources"):
        told.append(("sources", {"sources": more["sources"]}))
    if more.get("facts"):
        told.append(("facts", more["facts"]))
    return [*told, ("done", reply(answer, trace=TRACE, **more))]


def asking(fields: list[dict[str, Any]]) -> list[Step]:
    form = {"fields": fields, "text": "보험료를 계산하려면 필요합니다."}
    text = "보험료를 계산해 드릴게요. 아래 내용을 알려 주세요."
    return [
        *OPENING,
        *tokens(text),
        ("clarify", form),
        ("done", reply(text, needs_input_form=form, needs_input=[f["name"] for f in fields])),
    ]


def blocked() -> list[Step]:
    text = "죄송합니다. 해당 요청은 처리할 수 없습니다."
    guard = {"input": "block", "layer": "L1", "reason": "extraction_01", "output": "pass"}
    return [
        ("node_start", {"node": "input_guardrail"}),
        ("guard", {"stage": "input", "action": "block", "layer": "L1", "reason": "extraction_01"}),
        *tokens(text),
        ("done", reply(text, guard=guard)),
    ]


def waiting_for_approval() -> list[Step]:
    card = approval()
    text = "요청하신 내용을 준비했습니다. 아직 진행되지 않았습니다."
    return [*OPENING, *tokens(text), ("approval", card), ("done", reply(text, approvals=[card], approval=card))]


def failed(kind: str = "internal") -> list[Step]:
    fault = {"error": "일시적인 오류로 답변하지 못했습니다.", "type": kind, "request_id": "0123456789abcdef"}
    return [*OPENING, *tokens("월 보험료는"), ("error", fault)]


def held(*before: Step) -> tuple[list[Step], Hold]:
    """A run that stops after `before` until it is released."""
    hold = Hold()
    return [*before, hold, *tokens(*SENTENCES), ("done", reply(ANSWER))], hold


def cut_at(steps: list[Step], place: int) -> list[Step]:
    return [*steps[:place], Cut(), *steps[place:]]

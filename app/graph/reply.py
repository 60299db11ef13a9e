"""The reply of a finished turn, built from the graph's state: what `done` and `POST /api/chat` hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage

from app.adapters.approval_store import Approval
from app.graph.deciding import answering, shown
from app.graph.state import ThreadState
from app.graph.turn import final_message, this_turn, tool_results
from app.messages import worded
from app.planner.facts import Facts
from app.planner.speak import without_codes

RESULT_CHARS = 40_000
"""A result longer than this is not kept beside its turn."""


def build_reply(
    state: ThreadState,
    *,
    thread_id: str,
    run_id: str,
    engine: str,
    trace: list[dict[str, Any]],
    sees_codes: bool,
    usage: dict[str, Any] | None = None,
    approvals: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The whole reply as JSON data (docs/api.md, "Chat"). `approvals` are the cards of what the turn waits for."""
    form = needs_input_form(state)
    runs = state.get("tool_runs") or []
    final = final_message(state["messages"]) if state.get("messages") else None
    used = [run["tool"] for run in runs if run["status"] == "ok"]
    used += final.additional_kwargs.get("tools", ()) if final else ()  # those that a proposal was made by
    return {
        "answer": waiting_text(approvals) if approvals else state.get("answer", ""),
        "session_id": thread_id,
        "thread_id": thread_id,
        "run_id": run_id,
        "engine": engine,
        "engine_fault": state.get("engine_fault"),
        "decision": shown(state.get("decision")),
        "usage": usage,
        "tools_used": list(dict.fromkeys(used)),
        "blocks": blocks(state),
        "sources": sources(state, sees_codes=sees_codes),
        "facts": shown_facts(state.get("facts") or {}),
        "needs_input": [field["name"] for field in form["fields"]] if form else [],
        "needs_input_form": form,
        "approval": approvals[0] if approvals else None,
        "approvals": list(approvals),
        "guard": guard(state),
        "trace": trace,
    }


def approval_card(approval: Approval, title: str, person: str | None = None) -> dict[str, Any]:
    """What a person must see to decide: exactly what will be done, for whom, with which arguments, and until when."""
    return {
        "id": approval.approval_id,
        "tool": approval.tool,
        "title": title,
        "args": approval.args,
        "effect": approval.effect,
        "person": person,
        "status": approval.status,
        "expires_at": approval.expires_at.isoformat(),
    }


def waiting_text(approvals: Sequence[dict[str, Any]]) -> str:
    """The answer of a turn that waits for approvals."""
    effects = "\n".join(f"• {card['effect']}" for card in approvals)
    return worded("reply.prepared", effects=effects)


def shown_facts(facts: dict[str, Any]) -> dict[str, Any]:
    """What the page shows as understood: what the person told, and the products in focus."""
    read = Facts.model_validate(facts)
    return {**read.told(), **({"product_codes": list(read.product_codes)} if read.product_codes else {})}


def guard(state: ThreadState) -> dict[str, Any]:
    """What both guardrails decided."""
    found = state.get("guard") or {}
    shown: dict[str, Any] = {key: found[key] for key in ("input", "layer", "reason") if key in found}
    return {**shown, "output": (state.get("output") or {}).get("action", "pass")}


def blocks(state: ThreadState) -> list[dict[str, Any]]:
    """The blocks of this turn's tool results, numbered b1, b2, … (forms stand in `needs_input_form`)."""
    if (state.get("guard") or {}).get("input") == "block":
        return []
    found = [
        block
        for message in answering(state)
        for block in (message.artifact or {}).get("blocks", ())
        if block["type"] != "form"
    ]
    final = final_message(state["messages"])
    found += final.additional_kwargs.get("blocks", ()) if final else ()
    return [{**block, "id": f"b{number}"} for number, block in enumerate(found, 1)]


def results(state: ThreadState) -> list[dict[str, Any]]:
    """What each call of this turn gave, in the order of its message; one too long to keep says so."""
    if (state.get("guard") or {}).get("input") == "block":
        return []
    asked = {call["id"]: call for m in this_turn(state.get("messages", [])) for call in getattr(m, "tool_calls", ())}
    found = []
    for message in tool_results(state.get("messages", [])):
        call = asked.get(message.tool_call_id)
        data = (message.artifact or {}).get("data")
        if len(json.dumps(data, ensure_ascii=False, default=str)) > RESULT_CHARS:
            data = {"left_out": True, "chars": len(str(data))}
        name, given = (call["name"], call["args"]) if call else (message.name, None)
        found.append({"tool": name, "input": given, "result": data})
    return found


def sources(state: ThreadState, *, sees_codes: bool) -> list[dict[str, Any]]:
    """The cited passages of this turn's document searches, numbered as the answer cites them."""
    if (state.get("guard") or {}).get("input") == "block":
        return []
    told = ("title", "heading_path", "snippet")
    keys = ("document_id", "chunk_id", *told, "page")
    passages = [
        passage
        for message in answering(state)
        for passage in ((message.artifact or {}).get("data") or {}).get("passages", ())
    ]
    final = final_message(state["messages"])
    cited = final.additional_kwargs.get("cites") if final else None
    if cited is not None:
        passages = [passage for passage in passages if passage.get("chunk_id") in cited]
    found = [{"id": number, **{key: p.get(key) for key in keys}} for number, p in enumerate(passages, 1)]
    if not sees_codes:
        found = [{**source, **{key: without_codes(source[key] or "") for key in told}} for source in found]
    return found


def needs_input_form(state: ThreadState) -> dict[str, Any] | None:
    """The question back, as a form: from the newest tool that lacked facts, or from the model itself."""
    if (state.get("guard") or {}).get("input") == "block":
        return None
    final = final_message(state["messages"])
    asked = final.additional_kwargs.get("needs_input") if isinstance(final, AIMessage) else None
    if asked is None:
        lacking = [m.artifact["data"] for m in answering(state) if (m.artifact or {}).get("kind") == "NeedsInput"]
        asked = lacking[-1] if lacking else None
    return {"fields": asked["fields"], "text": asked["reason"]} if asked else None

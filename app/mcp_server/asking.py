"""Approvals over MCP: the person behind the client is asked by elicitation, where the client can do that.

Up to 2025-11-25 the server asks while the call waits; from 2026-07-28 on the result says what is to be asked, and the
client sends the call again with the answers. The decision goes through the same desk as over REST.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mcp_types as types
from mcp import MCPError
from mcp.shared.exceptions import NoBackChannelError

from app.adapters.approval_store import Approval
from app.graph.approvals import ApprovalDesk
from app.mcp_server.call import Call

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "approve": {"type": "boolean", "title": "승인", "description": "내용대로 진행하려면 true"},
        "comment": {"type": "string", "title": "남길 말", "maxLength": 500},
    },
    "required": ["approve"],
}
CANNOT_ASK = (
    "사람의 승인이 필요한 호출이라 아직 실행하지 않았습니다. 이 MCP 클라이언트는 승인을 물을 수 없으니, "
    "아래 요청을 {until}까지 REST로 결정해 주세요."
)
STILL_OPEN = "승인 여부가 정해지지 않아 아직 실행하지 않았습니다. {until}까지 다음 요청으로 결정할 수 있습니다."
_KEY = "approval_"


@dataclass(frozen=True)
class Decided:
    """How it was decided; `reply` is the turn that went on, where one waited."""

    approvals: tuple[Approval, ...]
    reply: dict[str, Any] | None


@dataclass(frozen=True)
class Undecided:
    """Nobody decided: the client cannot ask (`asked` False), or the person closed the question."""

    cards: tuple[Mapping[str, Any], ...]
    asked: bool

    def told(self) -> str:
        """What is waited for, and the REST call that decides it."""
        until = str(self.cards[0]["expires_at"])[:16].replace("T", " ") + " (UTC)"
        lines = [(STILL_OPEN if self.asked else CANNOT_ASK).format(until=until)]
        lines += [
            f'• {card["effect"]}\n  POST /api/approvals/{card["id"]} {{"decision": "approve"}} 또는 "reject"'
            for card in self.cards
        ]
        return "\n".join(lines)


async def decide(
    call: Call, desk: ApprovalDesk, cards: Sequence[Mapping[str, Any]], wait_s: float
) -> Decided | Undecided | types.InputRequiredResult:
    """Ask for every card and carry the decisions out. Raises what ApprovalDesk.decide raises."""
    if not _can_be_asked(call):
        return Undecided(tuple(cards), asked=False)
    if call.modern:
        requests: dict[str, types.InputRequest] = {f"{_KEY}{card['id']}": _question(card) for card in cards}
        state = {"tool": call.name, "args": _digest(call.args), "cards": [dict(card) for card in cards]}
        return types.InputRequiredResult(
            input_requests=requests, request_state=json.dumps(state, ensure_ascii=False, separators=(",", ":"))
        )
    answers: dict[str, types.ElicitResult] = {}
    for card in cards:
        try:
            async with asyncio.timeout(wait_s):
                answers[card["id"]] = await call.ctx.session.elicit_form(
                    _words(card), SCHEMA, related_request_id=call.ctx.request_id
                )
        except (TimeoutError, NoBackChannelError):
            return Undecided(tuple(cards), asked=False)
    return await _carried_out(call, desk, cards, answers)


async def continued(call: Call, desk: ApprovalDesk) -> Decided | Undecided | None:
    """The decisions that a call sent again brings with it; None for a call that is new.

    Raises MCPError when the answers belong to another call.
    """
    if call.params.request_state is None:
        return None
    state = json.loads(call.params.request_state)
    if state.get("tool") != call.name or state.get("args") != _digest(call.args):
        raise MCPError(types.INVALID_PARAMS, "requestState가 다른 호출의 것입니다. 처음부터 다시 불러 주세요.")
    given = call.params.input_responses or {}
    answers = {}
    for card in state["cards"]:
        answer = given.get(f"{_KEY}{card['id']}")
        if isinstance(answer, types.ElicitResult):
            answers[card["id"]] = answer
    return await _carried_out(call, desk, state["cards"], answers)


async def _carried_out(
    call: Call, desk: ApprovalDesk, cards: Sequence[Mapping[str, Any]], answers: Mapping[str, types.ElicitResult]
) -> Decided | Undecided:
    verdicts = {card["id"]: _verdict(answers.get(card["id"])) for card in cards}
    if None in verdicts.values():
        return Undecided(tuple(cards), asked=True)
    ended: list[Approval] = []
    reply: dict[str, Any] | None = None
    for card in cards:
        content = answers[card["id"]].content or {}
        comment = str(content["comment"])[:500] if content.get("comment") else None
        verdict = verdicts[card["id"]]
        assert verdict is not None
        approval, went_on = await desk.decide(card["id"], call.principal, verdict, comment=comment)
        ended.append(approval)
        reply = went_on or reply
    return Decided(tuple(ended), reply)


def _verdict(answer: types.ElicitResult | None) -> Literal["approve", "reject"] | None:
    if answer is None or answer.action == "cancel":
        return None
    if answer.action == "decline":
        return "reject"
    return "approve" if (answer.content or {}).get("approve") is True else "reject"


def _can_be_asked(call: Call) -> bool:
    """A bare `elicitation: {}` means forms; one that names only urls does not."""
    known = call.ctx.session.client_capabilities
    elicitation = known.elicitation if known is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return call.modern or call.ctx.session.can_send_request


def _words(card: Mapping[str, Any]) -> str:
    return f"{card['effect']}\n이대로 진행할까요? 승인하셔야 접수됩니다."


def _question(card: Mapping[str, Any]) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=_words(card), requested_schema=SCHEMA))


def _digest(args: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(args, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

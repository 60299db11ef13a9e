"""Proposals over MCP: the tool `make_proposal` and a resource for one that is kept."""

from __future__ import annotations

from typing import Any

import mcp_types as types

from app.advice.models import ProposalRequest
from app.api.proposals import ProposalBody, ProposalShape, desk_of
from app.insurance.wording import won
from app.mcp_server.call import Call
from app.mcp_server.own_tools import Outcome, OwnTool, read_args, schema_of, told
from app.mcp_server.resources import Reading, ResourceSpec
from app.services import Talk


def proposal_tool(talk: Talk) -> OwnTool:
    """A proposal computed and kept as the caller's, as by `POST /api/proposals`."""

    async def run(call: Call) -> Outcome:
        args: ProposalBody = read_args(ProposalBody, call.args)
        await call.caller.spend_turn()
        request = ProposalRequest(household=args.household, wishes=args.wishes, customer_id=args.customer_id)
        made = await desk_of(talk).create(call.principal, request, thread_id=args.thread_id, channel="mcp")
        data = made.as_data(call.principal)
        lines = [f"{variant['title']}: 월 {won(variant['premium'])}" for variant in data["variants"]]
        text = "\n".join([f"제안서 {data['id']}", *lines]) if lines else str(data["nothing"])
        return told(text, data)

    tool = types.Tool(
        name="make_proposal",
        title="보험 제안서",
        description=(
            "가족 구성원의 나이·성별·건강과 예산으로 보험 제안서를 계산한다. 예산 안의 여러 안, 보험료, 면책, 갱신, "
            "남는 빈틈과 권하지 않는 상품의 이유를 함께 돌려준다.\n"
            "Compute a proposal for a household: variants within the budget, what is left open and what is refused."
        ),
        input_schema=schema_of(ProposalBody),
        output_schema=schema_of(ProposalShape, "serialization"),
        annotations=types.ToolAnnotations(
            title="보험 제안서", read_only_hint=False, destructive_hint=False, idempotent_hint=False,
            open_world_hint=False,
        ),
    )  # fmt: skip
    return OwnTool(tool, run, scope="chat")


async def _kept(reading: Reading, name: str) -> dict[str, Any]:
    return (await desk_of(reading.talk).read(reading.principal, name)).as_data(reading.principal)


PROPOSAL = ResourceSpec(
    "insurance://proposals/{proposal_id}", "proposal", "제안서", "보관된 제안서 하나의 최신 판", _kept
)

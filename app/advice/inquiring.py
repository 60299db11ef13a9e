"""How a proposal calls tools: through the gate of everybody's calls, on one state of the tool set."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import ToolCall

from app.access import Principal
from app.advice.calls import Invoke, Told
from app.errors import Forbidden, ToolBroken, ToolFailed
from app.toolbox.approvals import ApprovalGate, Errand, awaited
from app.toolbox.snapshot import Channel, ToolSnapshot
from app.tools.context import ToolContext


def inquirer(
    make_context: Callable[[Principal, str, str], Any],
    gate: ApprovalGate,
    catch_up: Callable[[], Awaitable[object]],
) -> Callable[[Principal, str, Channel], Awaitable[Invoke]]:
    """Opens the tool calls of one proposal for a principal, by the id of its run, through a face.

    A call raises ToolNotFound, Forbidden, ToolFailed with the tool's own message, ToolBroken where its own code failed.
    """

    async def opened(principal: Principal, run_id: str, channel: Channel) -> Invoke:
        await catch_up()
        context = make_context(principal, f"proposal-{run_id}", run_id)
        snapshot: ToolSnapshot = context.snapshot
        errand = Errand(run_id, None, awaited)

        async def invoke(tool: str, args: dict[str, Any]) -> Told:
            entry = snapshot.entry(tool)
            if not principal.at_least(entry.role):
                raise Forbidden(tool)
            call = ToolCall(name=tool, args=args, id=run_id, type="tool_call")
            tools: ToolContext = context
            [run] = await gate(snapshot, [call], tools, errand, channel=channel)
            if run.broken:
                raise ToolBroken
            if not run.ok:
                raise ToolFailed(str(run.message.content))
            artifact = run.message.artifact
            return Told(artifact["kind"], artifact["data"], entry.card.title)

        return invoke

    return opened

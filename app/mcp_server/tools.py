"""The tools that a caller may use, and calling them: the registry's tools through the same gate as over REST.

Who may call tools one by one is staff, as at `POST /api/tools/{name}/invoke`; customers have the assistant and the
document search.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mcp_types as types
from mcp import MCPError

from app.access import Principal, Role
from app.errors import AppError, Forbidden, ToolNotFound
from app.graph.reply import approval_card
from app.mcp_server.asking import Decided, Undecided, continued, decide
from app.mcp_server.call import Call
from app.mcp_server.own_tools import Outcome, OwnTool, compact_json, failed, told
from app.mcp_server.paging import page
from app.services import Talk, Tools
from app.settings import Settings
from app.toolbox.approvals import REJECTED, ApprovalAwaited
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

LEAST_ROLE: Role = "staff"
_EXAMPLES = 3


@dataclass
class ToolFace:
    """Lists and calls tools. `own` come first in the list; a registered tool of the same name is hidden behind one."""

    settings: Settings
    toolset: Tools
    talk: Talk
    own: Sequence[OwnTool]
    page_size: int
    _shown: dict[str, tuple[ToolEntry, types.Tool]] = field(default_factory=dict, repr=False)

    def listed(self, principal: Principal, cursor: str | None) -> types.ListToolsResult:
        """One page of what the principal may call. Raises MCPError for a wrong cursor."""
        snapshot = self.toolset.registry.snapshot()
        tools = [own.tool for own in self.own if _reaches(own, principal)]
        names = {tool.name for tool in tools}
        tools += [self._tool(entry) for entry in self._allowed(snapshot, principal) if entry.name not in names]
        found, following = page(tools, cursor, self.page_size, snapshot.version)
        return types.ListToolsResult(tools=found, next_cursor=following)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """The arguments of a tool, for the SDK's check of headers; None for an unknown one."""
        own = next((item for item in self.own if item.tool.name == name), None)
        if own is not None:
            return own.tool.input_schema
        snapshot = self.toolset.registry.snapshot()
        return _arguments(snapshot.entry(name)) if name in snapshot else None

    async def call(self, call: Call) -> Outcome:
        """Run one call. What is wrong with the call itself is an error result, so that a model can mend it.

        Raises MCPError for a tool that does not exist or that the caller may not use.
        """
        own = next((item for item in self.own if item.tool.name == call.name), None)
        try:
            if own is not None:
                own.check(call)
                return await own.run(call)
            if not call.principal.at_least(LEAST_ROLE):
                raise Forbidden("도구를 직접 부를 권한이 없습니다. insurance_chat으로 물어봐 주세요.")
            return await self._registered(call)
        except ToolNotFound as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from error
        except AppError as error:
            await call.log("warning", {"event": "tool_error", "tool": call.name, "type": error.code})
            return failed(str(error), error=error.code)

    async def _registered(self, call: Call) -> Outcome:
        decided = await continued(call, self.talk.approvals)
        if decided is not None:
            return _after(decided)
        try:
            done = await self.talk.invoke(call.name, call.args, call.principal, uuid.uuid4().hex, "mcp")
        except ApprovalAwaited as waiting:
            title = self.toolset.registry.snapshot().entry(call.name).card.title
            cards = [approval_card(item, title) for item in waiting.approvals]
            asked = await decide(call, self.talk.approvals, cards, self.settings.approval_ttl_s)
            return asked if isinstance(asked, types.InputRequiredResult) else _after(asked)
        await call.log("info", {"event": "tool_end", "tool": call.name, "duration_ms": done["duration_ms"]})
        return told(compact_json(done["result"]), done["result"], kind=done["kind"], duration_ms=done["duration_ms"])

    def _allowed(self, snapshot: ToolSnapshot, principal: Principal) -> list[ToolEntry]:
        if not principal.at_least(LEAST_ROLE):
            return []
        allowed = snapshot.allowed_for(principal, "mcp")
        return [entry for entry in snapshot.entries if entry.name in allowed]

    def _tool(self, entry: ToolEntry) -> types.Tool:
        """The entry as MCP shows it; made once for as long as the entry lives."""
        known = self._shown.get(entry.name)
        if known is not None and known[0] is entry:
            return known[1]
        made = _as_mcp(entry)
        self._shown[entry.name] = (entry, made)
        return made


def _reaches(own: OwnTool, principal: Principal) -> bool:
    scopes = principal.scopes
    return principal.at_least(own.role) and (not scopes or own.scope is None or own.scope in scopes)


def _arguments(entry: ToolEntry) -> dict[str, Any]:
    parameters: dict[str, Any] = entry.openai_schema["function"].get("parameters") or {}
    return {"type": "object", "properties": {}, **parameters}


def _as_mcp(entry: ToolEntry) -> types.Tool:
    hints = entry.annotations
    annotations = None
    if hints is not None:
        annotations = types.ToolAnnotations(
            title=entry.card.title,
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        )
    return types.Tool(
        name=entry.name,
        title=entry.card.title,
        description=entry.description,
        input_schema=_arguments(entry),
        output_schema=entry.output_schema,
        annotations=annotations,
        _meta={
            "insurance/group": entry.module,
            "insurance/role": entry.role,
            "insurance/examples": list(entry.card.when_to_use[:_EXAMPLES]),
        },
    )


def _after(asked: Decided | Undecided) -> types.CallToolResult:
    """What a decided call came to."""
    if isinstance(asked, Undecided):
        return failed(asked.told(), approvals=[dict(card) for card in asked.cards])
    [approval] = asked.approvals
    meta = {"approval_id": approval.approval_id, "status": approval.status}
    outcome = approval.outcome
    if outcome is None:
        return failed(f"{REJECTED} {approval.comment or ''}".strip(), **meta)
    if outcome["status"] != "ok":
        return failed(str(outcome.get("data", outcome).get("message", approval.effect)), **meta)
    return told(f"승인에 따라 진행했습니다: {approval.effect}", outcome["data"], kind=outcome["kind"], **meta)

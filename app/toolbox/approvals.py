"""The approval gate: a decorator around dispatch. Calls that write wait for a person; everything else passes through.

What needs approval: tools declared with `writes_when`, if such an argument is set; other tools annotated as writing or
destroying; imported tools without any hint (MCP's own default is that they may destroy); and REQUIRE_APPROVAL.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from langchain_core.messages import ToolCall
from pydantic import BaseModel, ValidationError

from app.access import Principal
from app.adapters.approval_store import Approval
from app.errors import AppError, ToolBroken, ToolFailed
from app.messages import worded
from app.toolbox.argument_faults import argument_faults, named_faults
from app.toolbox.calling import refused
from app.toolbox.dispatch import Started, ToolRun, dispatch, refusal
from app.toolbox.imported import argument_errors
from app.toolbox.snapshot import ALL_CHANNELS, Channel, ToolEntry, ToolSnapshot
from app.tools.context import ToolContext

WAITING = worded("approvals.not_approved")
EXPIRED = worded("approvals.expired")
REJECTED = worded("approvals.refused")
WITHDRAWN = worded("approvals.withdrawn")
UNKNOWN_END = worded("approvals.interrupted")
USED = worded("approvals.used")


class Dispatch(Protocol):
    """Runs calls against a snapshot; see app.toolbox.dispatch.dispatch."""

    async def __call__(
        self,
        snapshot: ToolSnapshot,
        calls: Sequence[ToolCall],
        context: ToolContext,
        *,
        offered: frozenset[str] | None = None,
        facts: dict[str, Any] | None = None,
        started: Started | None = None,
        channel: Channel = "chat",
    ) -> list[ToolRun]: ...


class Approvals(Protocol):
    """Where approvals are kept; see app.adapters.approval_store."""

    async def find(
        self, owner: str, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any]
    ) -> Approval | None: ...

    async def request(
        self, owner: Principal, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any], effect: str
    ) -> Approval: ...

    async def get(self, approval_id: str) -> Approval: ...

    async def withdraw(self, owner: str, thread_id: str) -> int: ...

    async def use(self, approval_id: str) -> bool: ...

    async def finish(self, approval_id: str, outcome: Mapping[str, Any]) -> None: ...


@dataclass(frozen=True)
class Errand:
    """Where calls come from. `thread_id` is None outside a conversation.

    `pause` is told of the approvals that are waited for; it returns once they may have been decided (a graph's
    interrupt) or raises.
    """

    run_id: str
    thread_id: str | None
    pause: Callable[[list[Approval]], None]


class ApprovalAwaited(AppError):
    """Calls outside a conversation wait for a person; `approvals` were recorded and can be decided."""

    code = "approval-awaited"

    def __init__(self, approvals: Sequence[Approval]) -> None:
        self.approvals = tuple(approvals)
        super().__init__(worded("approvals.needed"))


def awaited(approvals: list[Approval]) -> None:
    """The `pause` of calls that nothing can wait for."""
    raise ApprovalAwaited(approvals)


class ApprovalGate:
    """Dispatch with approvals. A granted approval runs one call, once, for its owner, with the arguments agreed to."""

    def __init__(self, store: Approvals, required: Collection[str] = (), inner: Dispatch = dispatch) -> None:
        self._store, self._required, self._inner = store, frozenset(required), inner

    async def approval(self, approval_id: str) -> Approval:
        """An approval as it stands now. Raises NotFound."""
        return await self._store.get(approval_id)

    async def withdraw(self, context: ToolContext) -> int:
        """Take back what still waits in this conversation: the person called it off."""
        return await self._store.withdraw(context.principal.id, context.thread_id) if context.thread_id else 0

    def needs_approval(self, entry: ToolEntry, args: dict[str, Any]) -> bool:
        """Whether this call writes. Flags are read as the tool itself would read them ("true" is true)."""
        if entry.name in self._required:
            return True
        if entry.writes_when:
            values = _validated(entry, args)
            return any(values.get(flag) not in (None, False) for flag in entry.writes_when)
        hints = entry.annotations
        if hints is None or (hints.read_only is None and hints.destructive is None):
            return entry.source.partition(":")[0] not in ("builtin", "local")
        return hints.destructive is True or hints.read_only is False

    async def __call__(
        self,
        snapshot: ToolSnapshot,
        calls: Sequence[ToolCall],
        context: ToolContext,
        errand: Errand,
        *,
        offered: frozenset[str] | None = None,
        facts: dict[str, Any] | None = None,
        started: Started | None = None,
        channel: Channel = "chat",
    ) -> list[ToolRun]:
        """As `dispatch`; calls that write are first asked for, then `errand.pause` is called, once for all of them.

        Nothing has run when it pauses, so it may start from the top afterwards (LangGraph does).
        """
        held: dict[int, Approval] = {}
        ended: dict[int, ToolRun] = {}
        for place, call in enumerate(calls):
            if refusal(call["name"], snapshot, context, offered, channel) is not None:
                continue
            if not self.needs_approval(snapshot.entry(call["name"]), call["args"]):
                continue
            asked = await self._asked(snapshot, call, context, errand, facts, channel)
            if isinstance(asked, Approval):
                held[place] = asked
            else:
                ended[place] = asked
        if waiting := [approval for approval in held.values() if approval.status == "pending"]:
            errand.pause(waiting)
            held = {place: await self._store.get(approval.approval_id) for place, approval in held.items()}
        for place, approval in held.items():
            if (reason := await self._not_granted(approval, snapshot)) is not None:
                ended[place] = ToolRun(refused(calls[place], reason), 0.0)
        left = [place for place in range(len(calls)) if place not in ended]
        mine = [_as_agreed(calls[place], held.get(place)) for place in left]
        granted = frozenset(held[place].approval_id for place in left if place in held)
        cleared = replace(context, approved=granted)
        ran = await self._inner(snapshot, mine, cleared, offered=offered, facts=facts, started=started, channel=channel)
        for place, run in zip(left, ran, strict=True):
            ended[place] = await self._finished(run, calls[place], held.get(place))
        return [ended[place] for place in range(len(calls))]

    async def carry_out(self, snapshot: ToolSnapshot, approval: Approval, context: ToolContext) -> ToolRun:
        """Run a granted approval that no conversation waits for."""
        call = ToolCall(name=approval.tool, args=approval.args, id=approval.approval_id, type="tool_call")
        if (reason := await self._not_granted(approval, snapshot)) is not None:
            return ToolRun(refused(call, reason), 0.0)
        cleared = replace(context, approved=frozenset((approval.approval_id,)))
        [run] = await self._inner(
            snapshot, [_as_agreed(call, approval)], cleared, channel=_channel_of(snapshot, approval.tool)
        )
        return await self._finished(run, call, approval)

    async def edited_args(
        self, snapshot: ToolSnapshot, approval: Approval, args: dict[str, Any], context: ToolContext
    ) -> dict[str, Any]:
        """The changed arguments, checked as the owner's own call would be. Raises ToolFailed with the tool's reason,
        ToolBroken where its own code failed.

        What makes the call a writing one cannot be edited away: that would be another call than the one agreed to.
        """
        entry = snapshot.entry(approval.tool)
        kept = {flag: approval.args[flag] for flag in entry.writes_when if flag in approval.args}
        wanted = {**args, **kept}
        call = ToolCall(name=approval.tool, args=wanted, id=f"edit-{approval.approval_id}", type="tool_call")
        prepared = await self._prepared(snapshot, call, context, None, _channel_of(snapshot, approval.tool))
        if isinstance(prepared, ToolRun) and prepared.broken:
            raise ToolBroken
        if isinstance(prepared, ToolRun):
            raise ToolFailed(str(prepared.message.artifact["data"].get("reason") or prepared.message.content))
        return wanted

    async def _asked(
        self,
        snapshot: ToolSnapshot,
        call: ToolCall,
        context: ToolContext,
        errand: Errand,
        facts: dict[str, Any] | None,
        channel: Channel,
    ) -> Approval | ToolRun:
        """The approval of a call, asked for if nobody did; or its end, when it could not be done anyway."""
        who, name = context.principal, call["name"]
        known = await self._store.find(who.id, errand.thread_id, errand.run_id, name, call["args"])
        if known is not None:
            return known
        prepared = await self._prepared(snapshot, call, context, facts, channel)
        if isinstance(prepared, ToolRun):
            return prepared
        return await self._store.request(who, errand.thread_id, errand.run_id, name, call["args"], prepared)

    async def _prepared(
        self,
        snapshot: ToolSnapshot,
        call: ToolCall,
        context: ToolContext,
        facts: dict[str, Any] | None,
        channel: Channel,
    ) -> str | ToolRun:
        """What the call would do, in words; or how it ends at once: a refusal, wrong arguments, a question back."""
        entry = snapshot.entry(call["name"])
        if not entry.writes_when:
            try:
                _checked(entry, call["args"])
            except ValidationError as error:
                return ToolRun(refused(call, argument_faults(error.errors())), 0.0)
            schema = entry.tool.args_schema
            if isinstance(schema, dict) and (faults := argument_errors(schema, call["args"])):
                return ToolRun(refused(call, worded("files.bad_arguments") + "; ".join(faults)), 0.0)
            title, purpose = entry.card.title, entry.card.purpose
            return purpose if purpose.startswith(title) else f"{title}: {purpose}"
        [run] = await self._inner(
            snapshot, [call], replace(context, approved=frozenset()), facts=facts, channel=channel
        )
        return run if run.effect is None else run.effect

    async def _not_granted(self, approval: Approval, snapshot: ToolSnapshot) -> str | None:
        """Why the call may not run; None spends the approval."""
        match approval.status:
            case "pending":
                return WAITING
            case "expired":
                return EXPIRED
            case "withdrawn":
                return WITHDRAWN
            case "rejected":
                return (
                    worded("approvals.refused_with_words", rejected=REJECTED, comment=approval.comment)
                    if approval.comment
                    else REJECTED
                )
        if await self._store.use(approval.approval_id):
            return None
        if approval.outcome is not None:
            return USED
        # The process died while the call ran. Tools with `writes_when` come to the same end when they run again.
        again = approval.tool in snapshot and snapshot.entry(approval.tool).writes_when
        if again:
            return None
        await self._store.finish(approval.approval_id, {"status": "unknown", "message": UNKNOWN_END})
        return UNKNOWN_END

    async def _finished(self, run: ToolRun, call: ToolCall, approval: Approval | None) -> ToolRun:
        if approval is None:
            return run
        artifact = run.message.artifact
        outcome = {"status": "ok" if run.ok else "error", "kind": artifact["kind"], "data": artifact["data"]}
        await self._store.finish(approval.approval_id, outcome)
        message = run.message.model_copy(update={"tool_call_id": call["id"] or ""})
        changed = None if approval.decided_args is None else ToolCall(**{**call, "args": approval.decided_args})
        return replace(run, message=message, call=changed, effect=None)


def _channel_of(snapshot: ToolSnapshot, tool: str) -> Channel:
    """A face through which the tool may be called: the one that it was asked through is not kept."""
    channels = snapshot.entry(tool).channels if tool in snapshot else ALL_CHANNELS
    return "api" if "api" in channels or not channels else sorted(channels)[0]


def _as_agreed(call: ToolCall, approval: Approval | None) -> ToolCall:
    """The call as it runs: a granted one with the arguments agreed to, under the approval's own id.

    A model's call ids are unique in their message only; the approval's is unique for good.
    """
    if approval is None:
        return call
    return ToolCall(name=call["name"], args=approval.run_args, id=approval.approval_id, type="tool_call")


def argument_problems(entry: ToolEntry, args: dict[str, Any]) -> list[tuple[str, str]]:
    """Each argument that the tool would not take, with what is wrong with it; empty when nothing is."""
    try:
        _checked(entry, args)
    except ValidationError as error:
        return named_faults(error.errors())
    schema = entry.tool.args_schema
    told = argument_errors(schema, args) if isinstance(schema, dict) else []
    return [(name, text) for name, _, text in (fault.partition(": ") for fault in told)]


def _checked(entry: ToolEntry, args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as the tool's schema reads them. Raises ValidationError."""
    schema = entry.tool.tool_call_schema
    if isinstance(schema, type) and issubclass(schema, BaseModel):
        read = schema.model_validate(args)
        return {name: getattr(read, name) for name in schema.model_fields}
    return dict(args)


def _validated(entry: ToolEntry, args: dict[str, Any]) -> dict[str, Any]:
    try:
        return _checked(entry, args)
    except ValidationError:
        return args

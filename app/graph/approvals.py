"""Approvals are decided once, by the owner or an operator, outside the model; then the call runs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any, Literal

from app.access import Principal
from app.adapters.approval_store import Approval, ApprovalStore, Status
from app.errors import BadRequest, Conflict, NotFound, TurnFailed
from app.graph.runner import Runner
from app.graph.turn import TurnContext
from app.messages import worded
from app.toolbox.approvals import ApprovalGate

log = logging.getLogger(__name__)

Decision = Literal["approve", "edit", "reject"]
_STATUS: dict[Decision, Literal["approved", "edited", "rejected"]] = {
    "approve": "approved",
    "edit": "edited",
    "reject": "rejected",
}


class ApprovalDesk:
    """Lists approvals and carries out decisions. The call always runs as its owner, never as the one who decides."""

    def __init__(
        self,
        store: ApprovalStore,
        gate: ApprovalGate,
        runner: Runner,
        make_context: Callable[[Principal, str, str], TurnContext],
    ) -> None:
        self._store, self._gate, self._runner, self._make_context = store, gate, runner, make_context

    async def listed(self, principal: Principal, status: Status | None = None) -> tuple[Approval, ...]:
        """The principal's own, newest first; everybody's for operators."""
        return await self._store.listed(None if principal.at_least("operator") else principal.id, status)

    async def page(
        self, principal: Principal, statuses: Collection[Status], *, offset: int, limit: int
    ) -> tuple[tuple[Approval, ...], int]:
        """As `listed`, by page, with how many there are in all."""
        owner = None if principal.at_least("operator") else principal.id
        return await self._store.page(owner, statuses, offset=offset, limit=limit)

    async def get(self, approval_id: str, principal: Principal) -> Approval:
        """One approval. Raises NotFound for unknown ones and for another's."""
        found = await self._store.get(approval_id)
        if found.owner != principal.id and not principal.at_least("operator"):
            raise NotFound(worded("files.no_approval", approval_id=approval_id))
        return found

    async def decide(
        self,
        approval_id: str,
        principal: Principal,
        decision: Decision,
        *,
        args: dict[str, Any] | None = None,
        comment: str | None = None,
    ) -> tuple[Approval, dict[str, Any] | None]:
        """Decide, then carry out: the approval afterwards, and the reply of the turn that went on (None outside one).

        Raises NotFound, Conflict (decided or expired), BadRequest (arguments without `edit`, or none with it) and
        ToolFailed when the changed arguments cannot be run; then nothing is decided.
        """
        found = await self.get(approval_id, principal)
        if (decision == "edit") != (args is not None):
            raise BadRequest(worded("approval_turns.args_only"))
        changed = None
        if args is not None:
            if found.status != "pending":
                raise Conflict(worded("approval_turns.decided"))
            context = self._context(found, principal)
            changed = await self._gate.edited_args(context.snapshot, found, args, context)
        decided = await self._store.decide(approval_id, _STATUS[decision], principal.id, args=changed, comment=comment)
        reply = await self._carried_out(decided, principal)
        return await self._store.get(approval_id), reply

    async def recover(self, older_s: float = 0.0) -> None:
        """Carry out what was approved when the process died. Called once at the start; `older_s` leaves what was
        decided just now to the worker that carries it out."""
        for approval in await self._store.unfinished():
            if approval.decided_at is not None and (datetime.now(UTC) - approval.decided_at).total_seconds() < older_s:
                continue
            log.warning(worded("approval_turns.goes_on"), approval.approval_id, approval.tool)
            try:
                await self._carried_out(approval, approval.principal)
            except TurnFailed:
                log.exception(worded("approval_turns.not_run"), approval.approval_id)

    async def _carried_out(self, approval: Approval, decider: Principal) -> dict[str, Any] | None:
        owner = self._owner(approval, decider)
        if approval.thread_id is not None:
            waiting = await self._runner.waiting(owner, approval.thread_id)
            if approval.approval_id in waiting:
                others = [await self._store.get(item) for item in waiting]
                if any(other.status == "pending" for other in others):
                    return None  # the turn goes on with the last of its decisions
                return await self._resumed(approval, owner)
        if approval.granted:
            context = self._context(approval, decider)
            await self._gate.carry_out(context.snapshot, approval, context)
        return None

    async def _resumed(self, approval: Approval, owner: Principal) -> dict[str, Any] | None:
        assert approval.thread_id is not None
        failure: TurnFailed | None = None
        async for event in self._runner.resume(owner, approval.thread_id, approval):
            if event.type == "done":
                return event.data
            if event.type == "error":
                failure = TurnFailed(event.data["error"], event.data["type"])
        ended = await self._store.get(approval.approval_id)
        if failure is not None and approval.granted and ended.outcome is None:
            raise failure
        return None

    def _context(self, approval: Approval, decider: Principal) -> TurnContext:
        thread = approval.thread_id or f"approval-{approval.approval_id}"
        return self._make_context(self._owner(approval, decider), thread, approval.run_id)

    @staticmethod
    def _owner(approval: Approval, decider: Principal) -> Principal:
        """Who the call runs as: the owner as of now where they decide themselves, else as they asked."""
        return decider if decider.id == approval.owner else approval.principal

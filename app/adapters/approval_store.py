"""Approvals in the service database: asked for, decided once, used once."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Update, func, insert, select, update

from app.access import Principal, Role
from app.adapters.database import Database
from app.adapters.tables import approvals
from app.errors import Conflict, NotFound
from app.messages import worded

Status = Literal["pending", "approved", "edited", "rejected", "expired", "withdrawn"]
GRANTED: tuple[Status, ...] = ("approved", "edited")
DECIDED: tuple[Status, ...] = ("approved", "edited", "rejected", "expired", "withdrawn")
_LISTED = 200
_LOOKED_BACK = timedelta(days=1)


class Approval(BaseModel):
    """A writing call that waits for a person, or how it was decided. Times are UTC.

    It belongs to one owner, tool and set of arguments. `thread_id` is None for a call outside a conversation.
    `decided_args` are the arguments as a person changed them, `outcome` what the call came to.
    """

    model_config = ConfigDict(frozen=True)

    approval_id: str
    owner: str
    owner_role: Role
    owner_customer_id: str | None
    thread_id: str | None
    run_id: str
    tool: str
    args: dict[str, Any]
    args_hash: str
    effect: str
    status: Status
    decided_args: dict[str, Any] | None
    comment: str | None
    decided_by: str | None
    decided_at: datetime | None
    used_at: datetime | None
    outcome: dict[str, Any] | None
    created_at: datetime
    expires_at: datetime

    @classmethod
    def asked_for(
        cls,
        owner: Principal,
        thread_id: str | None,
        run_id: str,
        tool: str,
        args: Mapping[str, Any],
        effect: str,
        lasts: timedelta,
    ) -> Self:
        """A new one that waits from now on and expires after `lasts`."""
        now = datetime.now(UTC)
        return cls(
            approval_id=f"ap_{secrets.token_hex(12)}",
            owner=owner.id,
            owner_role=owner.role,
            owner_customer_id=owner.customer_id,
            thread_id=thread_id,
            run_id=run_id,
            tool=tool,
            args=dict(args),
            args_hash=hash_of(args),
            effect=effect,
            status="pending",
            decided_args=None,
            comment=None,
            decided_by=None,
            decided_at=None,
            used_at=None,
            outcome=None,
            created_at=now,
            expires_at=now + lasts,
        )

    @property
    def principal(self) -> Principal:
        """Who asked, with the rights of that moment."""
        return Principal(self.owner, self.owner_role, self.owner_customer_id)

    @property
    def granted(self) -> bool:
        """Approved as it was or with changed arguments."""
        return self.status in GRANTED

    @property
    def run_args(self) -> dict[str, Any]:
        """The arguments that were agreed to."""
        return self.args if self.decided_args is None else self.decided_args


def hash_of(args: Mapping[str, Any]) -> str:
    """The same for equal arguments in any order of keys."""
    return hashlib.sha256(json.dumps(args, sort_keys=True, ensure_ascii=False, default=str).encode()).hexdigest()


Told = Callable[[Approval], Awaitable[None]]


class ApprovalStore:
    """Every method is one transaction. Raises Unavailable while the database is down."""

    def __init__(self, database: Database, ttl_s: float, told: Told | None = None) -> None:
        """`ttl_s`: how long a request waits for its decision (s). `told` hears of each request and each decision."""
        self._database, self._ttl, self._told = database, timedelta(seconds=ttl_s), told

    async def find(
        self, owner: str, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any]
    ) -> Approval | None:
        """The approval of this very call: that of this run, or one still waiting from an earlier run of the thread."""
        same = (
            approvals.c.owner == owner,
            approvals.c.tool == tool,
            approvals.c.args_hash == hash_of(args),
            approvals.c.thread_id.is_(None) if thread_id is None else approvals.c.thread_id == thread_id,
        )
        newest = approvals.c.created_at.desc()
        async with self._database.writing() as connection:
            await connection.execute(_expiring())
            own = select(approvals).where(*same, approvals.c.run_id == run_id).order_by(newest).limit(1)
            if row := (await connection.execute(own)).first():
                return Approval(**row._mapping)
            if thread_id is None:
                return None
            waiting = select(approvals).where(*same, approvals.c.status == "pending").order_by(newest).limit(1)
            if (row := (await connection.execute(waiting)).first()) is None:
                return None
            taken = update(approvals).where(approvals.c.approval_id == row.approval_id).values(run_id=run_id)
            await connection.execute(taken)
            return Approval(**row._mapping).model_copy(update={"run_id": run_id})

    async def request(
        self, owner: Principal, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any], effect: str
    ) -> Approval:
        """Record that a call waits for its approval."""
        made = Approval.asked_for(owner, thread_id, run_id, tool, args, effect, self._ttl)
        await self._database.change(insert(approvals).values(made.model_dump()))
        if self._told is not None:
            await self._told(made)
        return made

    async def get(self, approval_id: str) -> Approval:
        """The approval as it stands now. Raises NotFound."""
        async with self._database.writing() as connection:
            await connection.execute(_expiring())
            row = (await connection.execute(select(approvals).where(approvals.c.approval_id == approval_id))).first()
        if row is None:
            raise NotFound(worded("files.no_approval", approval_id=approval_id))
        return Approval(**row._mapping)

    async def listed(self, owner: str | None, status: Status | None = None) -> tuple[Approval, ...]:
        """The newest 200 of one owner, or of everybody (`owner` None)."""
        query = select(approvals).order_by(approvals.c.created_at.desc(), approvals.c.approval_id).limit(_LISTED)
        if owner is not None:
            query = query.where(approvals.c.owner == owner)
        if status is not None:
            query = query.where(approvals.c.status == status)
        async with self._database.writing() as connection:
            await connection.execute(_expiring())
            return tuple(Approval(**row._mapping) for row in await connection.execute(query))

    async def page(
        self, owner: str | None, statuses: Collection[Status], *, offset: int, limit: int
    ) -> tuple[tuple[Approval, ...], int]:
        """A page of those in these states, of one owner or of everybody, the newest first; and how many in all."""
        wanted: list[ColumnElement[bool]] = [approvals.c.status.in_(statuses)]
        if owner is not None:
            wanted.append(approvals.c.owner == owner)
        query = select(approvals).where(*wanted).order_by(approvals.c.created_at.desc(), approvals.c.approval_id)
        async with self._database.writing() as connection:
            await connection.execute(_expiring())
            total = (await connection.execute(select(func.count()).select_from(approvals).where(*wanted))).scalar_one()
            rows = await connection.execute(query.offset(offset).limit(limit))
            return tuple(Approval(**row._mapping) for row in rows), total

    async def decide(
        self,
        approval_id: str,
        status: Literal["approved", "edited", "rejected", "withdrawn"],
        by: str,
        *,
        args: Mapping[str, Any] | None = None,
        comment: str | None = None,
    ) -> Approval:
        """Decide a pending approval, once. Raises Conflict when it was decided or has expired, NotFound."""
        now = datetime.now(UTC)
        values = {
            "status": status,
            "decided_by": by,
            "decided_at": now,
            "decided_args": dict(args) if args is not None else None,
            "comment": comment,
        }
        async with self._database.writing() as connection:
            await connection.execute(_expiring())
            pending = (approvals.c.approval_id == approval_id, approvals.c.status == "pending")
            decided = (await connection.execute(update(approvals).where(*pending).values(values))).rowcount
        found = await self.get(approval_id)
        if not decided:
            if found.status == "expired":
                raise Conflict(worded("approval_store.expired"))
            raise Conflict(worded("approval_store.decided"))
        if self._told is not None:
            await self._told(found)
        return found

    async def withdraw(self, owner: str, thread_id: str) -> int:
        """Take back what still waits in a thread; returns how many."""
        own = (approvals.c.owner == owner, approvals.c.thread_id == thread_id, approvals.c.status == "pending")
        values = {"status": "withdrawn", "decided_by": owner, "decided_at": datetime.now(UTC)}
        return await self._database.change(update(approvals).where(*own).values(values))

    async def use(self, approval_id: str) -> bool:
        """Spend a granted approval. True the first time only."""
        unused = (
            approvals.c.approval_id == approval_id,
            approvals.c.used_at.is_(None),
            approvals.c.status.in_(GRANTED),
        )
        return await self._database.change(update(approvals).where(*unused).values(used_at=datetime.now(UTC))) == 1

    async def finish(self, approval_id: str, outcome: Mapping[str, Any]) -> None:
        """Keep what an approved call came to."""
        change = update(approvals).where(approvals.c.approval_id == approval_id).values(outcome=dict(outcome))
        await self._database.change(change)

    async def unfinished(self) -> tuple[Approval, ...]:
        """Granted approvals whose call never came to an end: the process died in between."""
        recent = approvals.c.decided_at > datetime.now(UTC) - _LOOKED_BACK
        query = select(approvals).where(approvals.c.status.in_(GRANTED), recent)
        rows = await self._database.rows(query.order_by(approvals.c.created_at))
        return tuple(Approval(**row._mapping) for row in rows if row.outcome is None)


def _expiring() -> Update:
    """What nobody decided in time is refused; every look at the table comes after this."""
    late = (approvals.c.status == "pending", approvals.c.expires_at <= datetime.now(UTC))
    return update(approvals).where(*late).values(status="expired")

"""Runs of the evaluation in the service database: one goes on at a time, over all workers."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import delete, insert, select, update

from app.adapters.console_tables import evaluation_runs as runs
from app.adapters.database import Database
from app.errors import Conflict, NotFound
from app.messages import worded

RunStatus = Literal["running", "done", "stopped", "failed"]
# A worker writes every few seconds while it measures; one that has been silent for so long is gone.
SILENT_S = 120
# So many runs are kept with their outcomes (some 100 kB each); older ones go when a new one begins.
KEPT = 300
_TOLD = [column for column in runs.c if column.name != "outcomes"]


@dataclass(frozen=True)
class EvaluationRun:
    """One run of a suite, without its single outcomes. Times are UTC.

    `under` says what was measured (registry version, engine, embedder), `rates` holds {rate, low, high, n} by measure.
    """

    run_id: str
    suite: str
    status: RunStatus
    done: int
    total: int
    stop_asked: bool
    note: str
    under: dict[str, Any]
    rates: dict[str, Any]
    problem: str
    started_by: str
    started_at: datetime
    seen_at: datetime
    ended_at: datetime | None = None


@dataclass(frozen=True)
class Ending:
    """How a run ended: what it found, and why it failed."""

    status: RunStatus
    done: int
    rates: Mapping[str, Any] = field(default_factory=dict)
    outcomes: Sequence[Mapping[str, Any]] = ()
    problem: str = ""


class EvaluationStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(
        self, suite: str, total: int, started_by: str, *, note: str, under: Mapping[str, Any]
    ) -> EvaluationRun:
        """A new run. Raises Conflict while another one goes on; one whose worker is silent counts as failed."""
        now = datetime.now(UTC)
        run = EvaluationRun(
            run_id=f"eval_{secrets.token_hex(8)}",
            suite=suite,
            status="running",
            done=0,
            total=total,
            stop_asked=False,
            note=note,
            under=dict(under),
            rates={},
            problem="",
            started_by=started_by,
            started_at=now,
            seen_at=now,
        )
        async with self._database.writing(alone=True) as connection:
            lost = {"status": "failed", "problem": worded("evaluation_store.server_stopped"), "ended_at": now}
            silent = (runs.c.status == "running", runs.c.seen_at < now - timedelta(seconds=SILENT_S))
            await connection.execute(update(runs).where(*silent).values(lost))
            if (await connection.execute(select(runs.c.run_id).where(runs.c.status == "running"))).first():
                raise Conflict(worded("evaluation_store.other_running"))
            await connection.execute(insert(runs).values(**run.__dict__, outcomes=[]))
            newest = select(runs.c.run_id).order_by(runs.c.started_at.desc(), runs.c.run_id).limit(KEPT)
            await connection.execute(delete(runs).where(runs.c.run_id.not_in(newest)))
        return run

    async def progress(self, run_id: str, done: int) -> bool:
        """So many cases are measured. Answers whether to go on (nobody asked to stop, the row is still there)."""
        here = (runs.c.run_id == run_id, runs.c.status == "running")
        async with self._database.writing() as connection:
            await connection.execute(update(runs).where(*here).values(done=done, seen_at=datetime.now(UTC)))
            row = (await connection.execute(select(runs.c.stop_asked).where(*here))).first()
        return row is not None and not row.stop_asked

    async def ask_to_stop(self, run_id: str) -> EvaluationRun:
        """Ask the worker of a run to stop. Raises NotFound, and Conflict when it has ended."""
        here = (runs.c.run_id == run_id, runs.c.status == "running")
        asked = await self._database.change(update(runs).where(*here).values(stop_asked=True))
        run = await self.get(run_id)
        if not asked:
            raise Conflict(worded("evaluation_store.ended"))
        return run

    async def end(self, run_id: str, ending: Ending) -> None:
        """Write down how a run ended; one that somebody else ended stays as it is."""
        now = datetime.now(UTC)
        values = {
            "status": ending.status,
            "done": ending.done,
            "rates": dict(ending.rates),
            "outcomes": [dict(outcome) for outcome in ending.outcomes],
            "problem": ending.problem,
            "seen_at": now,
            "ended_at": now,
        }
        await self._database.change(
            update(runs).where(runs.c.run_id == run_id, runs.c.status == "running").values(values)
        )

    async def get(self, run_id: str) -> EvaluationRun:
        """One run. Raises NotFound."""
        row = await self._database.row(select(*_TOLD).where(runs.c.run_id == run_id))
        if row is None:
            raise _unknown(run_id)
        return EvaluationRun(**row._mapping)

    async def outcomes(self, run_id: str) -> list[dict[str, Any]]:
        """Every case of a run as it went. Raises NotFound."""
        row = await self._database.row(select(runs.c.outcomes).where(runs.c.run_id == run_id))
        if row is None:
            raise _unknown(run_id)
        return list(row.outcomes)

    async def list(
        self, suite: str | None = None, *, offset: int = 0, limit: int = 50
    ) -> tuple[tuple[EvaluationRun, ...], int]:
        """A page of runs, the newest first, and how many there are in all."""
        wanted = [runs.c.suite == suite] if suite else []
        page = select(*_TOLD).where(*wanted).order_by(runs.c.started_at.desc(), runs.c.run_id)
        rows, total = await self._database.page(page, offset=offset, limit=limit)
        return tuple(EvaluationRun(**row._mapping) for row in rows), total

    async def remove(self, run_id: str) -> EvaluationRun:
        """Forget a run; answers what it was. Raises NotFound, and Conflict while it goes on."""
        run = await self.get(run_id)
        ended = (runs.c.run_id == run_id, runs.c.status != "running")
        if not await self._database.change(delete(runs).where(*ended)):
            raise Conflict(worded("evaluation_store.running"))
        return run


def _unknown(run_id: str) -> NotFound:
    return NotFound(worded("evaluation_store.not_found", run_id=run_id))

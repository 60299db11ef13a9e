"""What is kept of a finished turn, and the statements that keep it: made once, because putting one together costs more
than running it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from app.adapters.tables import threads, tool_calls, turn_details, turns

_THREAD = ("owner", "thread_id")
_TURN = ("run_id", "owner", "thread_id", "message_id", "query", "reply", "replaced", "created_at")


class TurnWriting:
    """Writes a turn's rows in a transaction of the caller. A row that is there already is brought up to date."""

    def __init__(self, dialect: str) -> None:
        """`dialect`: 'sqlite' or 'postgresql'."""
        insert_or = sqlite_insert if dialect == "sqlite" else postgres_insert
        thread = insert_or(threads)
        self._thread = thread.on_conflict_do_update(
            set_={"updated_at": thread.excluded.updated_at}, index_elements=_THREAD
        )
        last = select(func.coalesce(func.max(turns.c.number), 0) + 1).where(
            turns.c.owner == bindparam("its_owner"), turns.c.thread_id == bindparam("its_thread_id")
        )
        given: dict[str, Any] = {name: bindparam(f"its_{name}") for name in _TURN}
        turn = insert_or(turns).values({**given, "number": last.scalar_subquery()})
        self._turn = turn.on_conflict_do_update(
            set_={"reply": turn.excluded.reply}, index_elements=["run_id"], where=turns.c.owner == turn.excluded.owner
        )
        detail = insert_or(turn_details)
        changed = {c.name: detail.excluded[c.name] for c in turn_details.c if c.name not in ("run_id", "created_at")}
        self._detail = detail.on_conflict_do_update(set_=changed, index_elements=["run_id"])
        self._no_calls = delete(tool_calls).where(tool_calls.c.run_id == bindparam("its_run_id"))
        self._calls = insert(tool_calls)

    def thread(self, connection: Connection, row: Mapping[str, Any]) -> None:
        """A thread, or the time at which it was used last."""
        connection.execute(self._thread, row)

    def turn(self, connection: Connection, row: Mapping[str, Any]) -> None:
        """A turn with the thread's next number, or its new reply."""
        connection.execute(self._turn, {f"its_{name}": row[name] for name in _TURN})

    def detail(self, connection: Connection, row: Mapping[str, Any]) -> None:
        """What is kept beside a turn; every column of its table."""
        connection.execute(self._detail, row)

    def calls(self, connection: Connection, run_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """The calls of a turn in place of those that were kept of it."""
        connection.execute(self._no_calls, {"its_run_id": run_id})
        connection.execute(self._calls, rows)


def detail_row(reply: Mapping[str, Any]) -> dict[str, Any]:
    """What the console's list filters by, as the reply tells it."""
    trace, guard, usage = reply.get("trace") or (), reply.get("guard") or {}, reply.get("usage") or {}
    return {
        "tokens": usage.get("total_tokens") or 0,
        "cost_usd": usage.get("cost_usd"),
        "engine": str(reply.get("engine") or "")[:100],
        "blocked": guard.get("input") == "block",
        "replaced_text": guard.get("output", "pass") != "pass",
        "failed": bool(reply.get("engine_fault")) or any(row.get("status") == "error" for row in trace),
        "sources": len(reply.get("sources") or ()),
        "tools": f" {' '.join(reply.get('tools_used') or ())} ",
    }


def call_rows(run_id: str, reply: Mapping[str, Any], at: datetime) -> list[dict[str, Any]]:
    """The tool calls of a turn, in their order."""
    made = [row for row in reply.get("trace") or () if row.get("tool")]
    return [
        {
            "run_id": run_id,
            "place": place,
            "tool": str(row["tool"])[:64],
            "status": row["status"],
            "took_ms": row["duration_ms"],
            "created_at": at,
        }
        for place, row in enumerate(made)
    ]

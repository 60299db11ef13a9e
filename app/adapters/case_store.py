"""Questions saved as evaluation cases, from the routing playground, a conversation or what a guard stopped."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, delete, func, insert, select

from app.adapters.console_tables import evaluation_cases as cases
from app.adapters.database import Database
from app.errors import NotFound
from app.messages import worded

CaseKind = Literal["routing", "dialogue", "guard"]
Label = Literal["stop", "pass"]


@dataclass(frozen=True)
class SavedCase:
    """A question with what is right for it.

    `history` holds what the person said before, the oldest first. No `expected_tools` means that no tool is needed;
    the first one counts, the others are fair twins. `expected_args` is by tool. `note` tells what the answer must hold.

    Of a guard's case `query` is the text that it judges, `label` what it should do, and `place` which stop of the turn
    it was made of.
    """

    case_id: str
    kind: CaseKind
    query: str
    history: tuple[str, ...]
    expected_tools: tuple[str, ...]
    expected_args: dict[str, dict[str, Any]]
    note: str
    source_run_id: str | None
    created_by: str
    created_at: datetime
    guard: str | None = None
    label: Label | None = None
    place: int | None = None


class CaseStore:
    """Saved cases in the service database. Texts are kept as given: the caller masks personal data."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self,
        kind: CaseKind,
        query: str,
        created_by: str,
        *,
        history: Sequence[str] = (),
        expected_tools: Sequence[str] = (),
        expected_args: Mapping[str, Mapping[str, Any]] | None = None,
        note: str = "",
        source_run_id: str | None = None,
        guard: str | None = None,
        label: Label | None = None,
        place: int | None = None,
    ) -> SavedCase:
        """Keep a case; one of the same stop of a turn gives way. Raises Unavailable."""
        case = SavedCase(
            case_id=f"case_{secrets.token_hex(8)}",
            kind=kind,
            query=query,
            history=tuple(history),
            expected_tools=tuple(expected_tools),
            expected_args={tool: dict(args) for tool, args in (expected_args or {}).items()},
            note=note,
            source_run_id=source_run_id,
            created_by=created_by,
            created_at=datetime.now(UTC),
            guard=guard,
            label=label,
            place=place,
        )
        values = {**case.__dict__, "history": list(case.history), "expected_tools": list(case.expected_tools)}
        async with self._database.writing() as connection:
            if source_run_id is not None and place is not None:
                await connection.execute(delete(cases).where(*_of_stop(source_run_id, place)))
            await connection.execute(insert(cases).values(values))
        return case

    async def withdraw(self, run_id: str, place: int) -> bool:
        """Forget what was judged of a stop; False where nothing was. Raises Unavailable."""
        return bool(await self._database.change(delete(cases).where(*_of_stop(run_id, place))))

    async def of_stops(self, run_ids: Collection[str]) -> dict[tuple[str, int], SavedCase]:
        """What was judged of these turns' stops, by turn and place. Raises Unavailable."""
        query = select(cases).where(cases.c.kind == "guard", cases.c.source_run_id.in_(run_ids))
        rows = await self._database.rows(query.where(cases.c.place.is_not(None)))
        return {(row.source_run_id, row.place): _case(row) for row in rows}

    async def labels(self) -> dict[str, dict[str, int]]:
        """How many cases each guard has, by what it should do. Raises Unavailable."""
        query = select(cases.c.guard, cases.c.label, func.count().label("number")).where(cases.c.kind == "guard")
        found: dict[str, dict[str, int]] = {}
        for row in await self._database.rows(query.group_by(cases.c.guard, cases.c.label)):
            found.setdefault(row.guard, {})[row.label] = row.number
        return found

    async def get(self, case_id: str) -> SavedCase:
        """One case. Raises NotFound, Unavailable."""
        row = await self._database.row(select(cases).where(cases.c.case_id == case_id))
        if row is None:
            raise _unknown(case_id)
        return _case(row)

    async def list(
        self, kind: CaseKind | None = None, *, search: str = "", offset: int = 0, limit: int | None = None
    ) -> tuple[tuple[SavedCase, ...], int]:
        """A page of cases, the newest first, and how many there are in all. `search` is looked for in the question."""
        wanted = [cases.c.kind == kind] if kind else []
        if search:
            wanted.append(cases.c.query.contains(search, autoescape=True))
        page = select(cases).where(*wanted).order_by(cases.c.created_at.desc(), cases.c.case_id)
        rows, total = await self._database.page(page, offset=offset, limit=limit)
        return tuple(map(_case, rows)), total

    async def remove(self, case_id: str) -> SavedCase:
        """Forget a case; answers what it was. Raises NotFound, Unavailable."""
        async with self._database.writing() as connection:
            row = (await connection.execute(select(cases).where(cases.c.case_id == case_id))).first()
            if row is None:
                raise _unknown(case_id)
            await connection.execute(delete(cases).where(cases.c.case_id == case_id))
        return _case(row)


def _of_stop(run_id: str, place: int) -> tuple[ColumnElement[bool], ...]:
    return cases.c.kind == "guard", cases.c.source_run_id == run_id, cases.c.place == place


def _unknown(case_id: str) -> NotFound:
    return NotFound(worded("case_store.not_found", case_id=case_id))


def _case(row: Row[Any]) -> SavedCase:
    return SavedCase(**{**row._mapping, "history": tuple(row.history), "expected_tools": tuple(row.expected_tools)})

"""Who was here: principals that asked something or did something that was written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import Integer, func, literal, select, union_all

from app.adapters.database import Database
from app.adapters.tables import audit_log, turn_details, turns

Kind = Literal["key", "token", "visitor", "local"]
_NOBODY = ("-", "", "system", "bootstrap")


@dataclass(frozen=True)
class Person:
    """A principal. `role` is that of its newest turns (None: it asked nothing); `acts` are entries of the audit log."""

    owner: str
    role: str | None
    turns: int
    acts: int
    last: datetime


class PeopleStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, *, kind: Kind | None, words: str, offset: int, limit: int) -> tuple[tuple[Person, ...], int]:
        """Those who were here last come first; and how many there are. `words` is a part of an id."""
        asked = select(
            turns.c.owner.label("owner"), turn_details.c.role.label("role"), turns.c.created_at.label("at"),
            literal(1, Integer).label("turns"), literal(0, Integer).label("acts"),
        ).select_from(turns.outerjoin(turn_details, turn_details.c.run_id == turns.c.run_id))  # fmt: skip
        acted = select(
            audit_log.c.actor, literal(None), audit_log.c.at, literal(0, Integer), literal(1, Integer)
        ).where(audit_log.c.actor.not_in(_NOBODY))
        every = union_all(asked, acted).subquery()
        columns = every.c
        found = select(
            columns.owner, func.max(columns.role).label("role"), func.sum(columns.turns).label("turns"),
            func.sum(columns.acts).label("acts"), func.max(columns.at).label("last"),
        ).group_by(columns.owner)  # fmt: skip
        if kind is not None:
            same = (
                columns.owner == "local" if kind == "local" else columns.owner.startswith(f"{kind}:", autoescape=True)
            )
            found = found.where(same)
        if words:
            found = found.where(columns.owner.contains(words, autoescape=True))
        page = found.order_by(func.max(columns.at).desc(), columns.owner)
        rows, total = await self._database.page(page, offset=offset, limit=limit)
        return tuple(Person(row.owner, row.role or None, row.turns, row.acts, row.last) for row in rows), total

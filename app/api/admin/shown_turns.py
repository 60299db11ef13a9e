"""How turns are shown to operators: a line of a list, a page of its own, a row of a table."""

from __future__ import annotations

import csv
import io
from typing import Any

from fastapi import Response

from app.adapters.turn_store import FoundTurn, Review
from app.editing.veil import Veiling

_LINE_CHARS = 400


def line(turn: FoundTurn, over: Veiling | None) -> dict[str, Any]:
    """A turn as one line of a list, in plain where nothing is drawn `over` it."""
    veil = over(turn.query, turn.reply) if over else _plain
    answer = " ".join(str(turn.reply.get("answer", "")).split())
    guard = turn.reply.get("guard") or {}
    return {
        "run_id": turn.run_id,
        "thread_id": turn.thread_id,
        "created_at": turn.created_at.isoformat(),
        "role": turn.role,
        "engine": turn.engine,
        "query": veil(turn.query)[:_LINE_CHARS],
        "answer": veil(answer)[:_LINE_CHARS],
        "tools": list(turn.tools),
        "took_ms": turn.took_ms,
        "blocked": turn.blocked,
        "replaced_text": turn.replaced_text,
        "failed": turn.failed,
        "sources": turn.sources,
        "guard": {name: guard[name] for name in ("layer", "reason", "output") if guard.get(name)},
        "rating": turn.rating,
        "verdict": turn.review.verdict if turn.review else "",
        "tags": list(turn.review.tags) if turn.review else [],
    }


def csv_response(name: str, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> Response:
    """A table that spreadsheets read as it is: a byte order mark, and no cell that begins like a formula."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _cell(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def whole(turn: FoundTurn, thread: tuple[FoundTurn, ...], version: int, over: Veiling | None) -> dict[str, Any]:
    """A turn with its talk, as one page shows it; in plain where nothing is drawn `over` it."""
    veil = over(*((other.query, other.reply) for other in thread)) if over else _plain
    customer = (f"C***{turn.customer_id[-2:]}" if over else turn.customer_id) if turn.customer_id else None
    said = [
        {**veil(other.reply), "query": veil(other.query), "created_at": other.created_at.isoformat(),
         "replaced": other.replaced, "shown": veil(other.shown) if other.run_id == turn.run_id else {},
         "rating": other.rating}
        for other in thread
    ]  # fmt: skip
    return {
        **line(turn, over),
        "customer_id": customer,
        "owner": turn.owner if over is None else turn.owner.partition(":")[0],
        "message_number": turn.number,
        "registry_version": turn.shown.get("registry_version"),
        "registry_version_now": version,
        "feedback": {"rating": turn.rating, "reason": turn.reason, "comment": turn.comment} if turn.rating else None,
        "review": shown_review(turn.review),
        "veiled": over is not None,
        "turns": said,
    }


def _plain(value: Any) -> Any:
    return value


def shown_review(found: Review | None) -> dict[str, Any] | None:
    """What was judged of a turn."""
    if found is None:
        return None
    return {
        "verdict": found.verdict,
        "tags": list(found.tags),
        "answer": found.answer,
        "author": found.author,
        "updated_at": found.updated_at.isoformat(),
    }


def earlier_of(turn: FoundTurn, thread: tuple[FoundTurn, ...]) -> list[str]:
    """What was asked in the talk before a turn, oldest first."""
    return [other.query for other in thread if other.number < turn.number and not other.replaced]

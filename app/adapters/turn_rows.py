"""What is kept beside a turn, as its reply tells it: rows that lists and figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any


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

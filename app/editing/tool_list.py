"""The tools as the console lists them: found by name, Korean name or first consonants, and sorted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.adapters.database import Database
from app.adapters.evaluation_store import EvaluationStore
from app.adapters.turn_figures import ToolSums
from app.language.initials import all_initials, initials, searchable
from app.toolbox.snapshot import ToolEntry

ToolState = Literal["on", "off", "failing", "unused"]
ToolSort = Literal["name", "title", "module", "role", "calls", "errors", "p95_ms", "hit", "last_called_at"]
ROUTING_SUITE = "routing"


@dataclass(frozen=True)
class ToolFilter:
    """Which tools. `failing`: a call ended in an error lately; `unused`: none was made."""

    words: str = ""
    module: str | None = None
    state: ToolState | None = None


@dataclass(frozen=True)
class HitRate:
    """Of `asked` questions of the newest routing run that are for this tool, `right` put it first."""

    right: int
    asked: int
    run_id: str

    @property
    def share(self) -> float:
        """From 0 to 1."""
        return self.right / self.asked


def found_tools(
    entries: Sequence[ToolEntry],
    sums: Mapping[str, ToolSums],
    hits: Mapping[str, HitRate],
    wanted: ToolFilter,
    sort: ToolSort,
    *,
    down: bool,
) -> list[ToolEntry]:
    """The tools that fit, sorted; those without a value stand last either way, and equal ones in registration order."""
    rows = [entry for entry in entries if _fits(entry, sums.get(entry.name), wanted)]
    if sort == "module":
        return rows[::-1] if down else rows
    value = _value(sort, sums, hits)
    known = [entry for entry in rows if value(entry) is not None]
    return sorted(known, key=value, reverse=down) + [entry for entry in rows if value(entry) is None]


async def hit_rates(database: Database) -> dict[str, HitRate]:
    """By tool, from the newest finished run of the routing suite; empty before the first."""
    store = EvaluationStore(database)
    runs, _ = await store.list(ROUTING_SUITE, limit=20)
    newest = next((run for run in runs if run.status == "done"), None)
    if newest is None:
        return {}
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for outcome in await store.outcomes(newest.run_id):
        for tool in (outcome.get("expected") or ())[:1]:
            asked[tool] += 1
            right[tool] += bool(outcome["ok"])
    return {tool: HitRate(right[tool], count, newest.run_id) for tool, count in asked.items()}


def _fits(entry: ToolEntry, used: ToolSums | None, wanted: ToolFilter) -> bool:
    if wanted.module is not None and entry.module != wanted.module:
        return False
    match wanted.state:
        case "on" if entry.off:
            return False
        case "off" if not entry.off:
            return False
        case "failing" if used is None or not used.errors:
            return False
        case "unused" if used is not None:
            return False
    words = searchable(wanted.words)
    if not words:
        return True
    title = searchable(entry.card.title)
    if all_initials(words):
        return words in initials(title)
    return any(words in text for text in (searchable(entry.name), title, searchable(entry.card.purpose)))


def _value(sort: ToolSort, sums: Mapping[str, ToolSums], hits: Mapping[str, HitRate]) -> Callable[[ToolEntry], Any]:
    def value(entry: ToolEntry) -> Any:
        used, hit = sums.get(entry.name), hits.get(entry.name)
        match sort:
            case "title":
                return entry.card.title
            case "role":
                return entry.role
            case "calls":
                return used.calls if used else 0
            case "errors":
                return used.errors if used else 0
            case "p95_ms":
                return used.took.p95 if used else None
            case "hit":
                return hit.share if hit else None
            case "last_called_at":
                return used.last if used else None
            case _:
                return entry.name

    return value

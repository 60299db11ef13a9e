"""Which products were judged for the person spoken of, and which of them 되는 쪽으로 means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.language.mentions import Entities
from app.planner.facts import Facts
from app.planner.words import PlannerWords
from app.toolbox.declared import Joining


def verdicts(says: Joining | None, asked: Sequence[str], data: Mapping[str, Any]) -> dict[str, int]:
    """Whether the product `asked` about, or each one listed, may be had: 0 no, 1 doubtful, 2 yes."""
    if says is None:
        return {}
    records: list[tuple[str, Mapping[str, Any]]] = [(code, data) for code in asked[:1]]
    if not asked:
        rows = [row for row in data.get("products") or () if isinstance(row, dict)]
        records = [(str(row["code"]), row) for row in rows if row.get("code")]
    return {code: level for code, record in records if (level := says.of(record)) is not None}


def to_be_had(
    words: PlannerWords, entities: Entities, facts: Facts, kinds: Mapping[str, str]
) -> tuple[str, ...] | None:
    """되는 쪽으로: of the products judged for the person those that can be had, else what was offered in the place of
    those that cannot; None where that is not meant. `kinds` of products by code: those of the talk go first."""
    covers = (*entities.benefits, *entities.riders, *entities.medical, *entities.coverages)
    said = words.focus.to_be_had.search(entities.text) and not words.focus.looked_for.search(entities.text)
    if not facts.judged or covers or not said:
        return None
    judged = {code: level for code, level in facts.judged.items() if kinds.get(code) in facts.kinds}
    judged = judged if any(judged.values()) else facts.judged
    best = max(judged.values())
    if best:
        return tuple(code for code, level in judged.items() if level == best)
    return tuple(code for code in facts.shown_products if code not in judged)

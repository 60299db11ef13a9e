"""Which facts a correction replaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.planner.facts import Facts


@dataclass(frozen=True)
class Correction:
    """A fact that was replaced: its field, what was held before and what holds now."""

    field: str
    old: Any
    new: Any


def corrected(before: Facts, after: Facts) -> tuple[Correction, ...]:
    """The facts that were held and now hold something else; nothing of what the talk itself remembers."""
    found = []
    skip = {
        "people",
        "mentioned_products",
        "last_question",
        "last_tool",
        "last_args",
        "last_who",
        "calls",
        "kinds",
        "money_role",
        "meant",
        "earlier_customers",
    }
    for name in type(before).model_fields:
        old, new = getattr(before, name), getattr(after, name)
        if name not in skip and old not in (None, ()) and old != new and new is not None:
            found.append(Correction(name, old, new))
    return tuple(found)

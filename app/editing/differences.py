"""What two cards have different, for people to read."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from app.toolbox.cards import ToolCard


def as_data(card: ToolCard) -> dict[str, Any]:
    """A card as JSON data."""
    return card.model_dump(mode="json")


def card_diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What changed, field by field, as removed and added lines."""
    changes = []
    for field in dict.fromkeys((*before, *after)):
        old, new = _lines(before.get(field)), _lines(after.get(field))
        if old != new:
            steps = [line for line in difflib.ndiff(old, new) if line[:2] in ("- ", "+ ")]
            changes.append(
                {
                    "field": field,
                    "removed": [line[2:] for line in steps if line[0] == "-"],
                    "added": [line[2:] for line in steps if line[0] == "+"],
                }
            )
    return changes


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    if isinstance(value, Mapping):
        return [line for name, item in value.items() for line in _named(str(name), item)]
    return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]


def _named(name: str, item: Any) -> list[str]:
    """A value with its place, those within it each in its own line (people.unit: 명); nothing for an empty one."""
    if isinstance(item, Mapping):
        return [line for key, part in item.items() for line in _named(f"{name}.{key}", part)]
    if isinstance(item, list | tuple) and any(isinstance(part, Mapping) for part in item):
        return [line for place, part in enumerate(item, 1) for line in _named(f"{name}.{place}", part)]
    if item in (None, "", [], ()):
        return []
    return [f"{name}: {', '.join(map(str, item)) if isinstance(item, list | tuple) else item}"]

"""What changed between two versions of a proposal. Pure."""

from __future__ import annotations

from typing import Any

from app.advice.models import Line, Proposal, Variant
from app.answering.calculator import apart


def compared(before: Proposal, after: Proposal) -> dict[str, Any]:
    """By variant: the premiums, their difference (after less before, 원) with its derivation, and the lines added,
    removed and changed; and whether household or wishes are others."""
    old, new = ({variant.id: variant for variant in one.variants} for one in (before, after))
    return {
        "household_changed": before.household != after.household,
        "wishes_changed": before.wishes != after.wishes,
        "variants": [_variant(name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))],
    }


def _variant(name: str, before: Variant | None, after: Variant | None) -> dict[str, Any]:
    was, now = before.premium if before else 0, after.premium if after else 0
    old, new = _lines(before), _lines(after)
    both = [key for key in old if key in new]
    title = after.title if after else before.title if before else name
    return {
        "id": name,
        "title": title,
        "before": was if before else None,
        "after": now if after else None,
        "difference": now - was,
        "derivation": apart(was, now).model_dump(mode="json"),
        "added": [_told(new[key]) for key in new if key not in old],
        "removed": [_told(old[key]) for key in old if key not in new],
        "changed": [
            {"id": key, "product": new[key].product.model_dump(), "before": _told(old[key]), "after": _told(new[key])}
            for key in both
            if _told(old[key]) != _told(new[key])
        ],
    }


def _lines(variant: Variant | None) -> dict[str, Line]:
    return {line.id: line for part in variant.people for line in part.lines} if variant else {}


def _told(line: Line) -> dict[str, Any]:
    return {
        "id": line.id,
        "name": line.product.name,
        "sum_insured": line.sum_insured,
        "premium": line.premium,
        "riders": [rider.name for rider in line.riders],
    }

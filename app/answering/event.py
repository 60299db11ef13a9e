"""One thing that happened, told over several messages: which of the covers shown pay for it, and which of them are paid
beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown

Told = tuple[Item, tuple[int, str] | None]
"""A cover with the days or pieces that were counted for it."""
_SEVERAL = 2


def of_one_event(shown: Sequence[Shown], fields: FieldLexicon) -> list[Told]:
    """The covers that several answers, newest first, told of one contract, in the order in which they were told, each
    with the days or pieces counted for it; of a kind that the newest answer `replaces` only that (갑상선암은요, behind
    유방암)."""
    found: list[Told] = []
    for answer in shown:
        paid = [i for i in answer.items if any(fields.figures[name].each_from for name in i.figures)]
        if not answer.items:
            continue  # a sum of all that was told
        if not paid or (found and paid[0].code != found[0][0].code):
            break
        gone = {kind for item, _ in found if (kind := item.facts.get("coverage_type")) in fields.replaces}
        known = {item.key for item, _ in found}
        fresh = [i for i in paid if i.key not in known and i.facts.get("coverage_type") not in gone]
        found = [(item, answer.terms.times) for item in fresh] + found
    return found


def of_event(shown: Sequence[Shown], fields: FieldLexicon) -> list[Item]:
    """The covers of `of_one_event` alone."""
    return [item for item, _ in of_one_event(shown, fields)]


def main_of(event: Sequence[Told]) -> list[Told]:
    """The covers without the riders of what the main contract pays."""
    kept = {item.key for group in _groups(item for item, _ in event) for item in group}
    return [(item, times) for item, times in event if item.key in kept]


def lone_cause(items: Iterable[Item]) -> str:
    """What brought the event about, where a thing told is paid by one cover alone, which asks for that; '' else."""
    causes = {str(group[0].facts.get("cause") or "") for group in _groups(items) if len(group) == 1} - {""}
    return causes.pop() if len(causes) == 1 else ""


def together(items: Sequence[Item], *, asked: bool, counted: bool = False) -> list[Item]:
    """The covers that are paid beside each other: one of each thing asked for that no rule pays instead of another
    (none does where each is `counted` by itself), of different kinds where their sum was not `asked` for, or all of
    those that a rule adds up; none where that is not sure."""
    main = [item for item in items if not item.facts.get("optional")]
    if len(main) > 1 and all(item.facts.get("adds") for item in main):
        return main
    # Riders count only where too little else is left to add up.
    for among in (main, items):
        groups = _groups(among)
        one_each = [group[0] for group in groups if len(group) == 1 or _differ_in_cause(group)]
        kinds = {item.facts.get("coverage_type") for item in one_each}
        if not asked and len(kinds) < len(one_each):
            continue
        if 1 < len(one_each) == len(groups) and len({item.of for item in one_each}) == 1 and (
            counted or _beside(one_each)
        ):
            return one_each
    return []


def of_several(items: Sequence[Item], *, asked: bool, counted: bool) -> list[Item]:
    """The covers that are paid beside each other, by the contracts of several products as well: of each product the
    only one of the main contract, or those surely paid beside each other; none where that is not sure of each."""
    products: dict[str, list[Item]] = {}
    for item in items:
        products.setdefault(item.code, []).append(item)
    if not asked or len(products) < _SEVERAL:
        return together(items, asked=asked, counted=counted)
    found: list[Item] = []
    for own in products.values():
        main = [item for item in own if not item.facts.get("optional")]
        beside = main if len(main) == 1 else together(own, asked=asked, counted=counted)
        if not beside:
            return []
        found += beside
    return found


def paid_in_all(lines: Sequence[tuple[Item, Mapping[str, Any]]], beside: Sequence[Item]) -> list[int]:
    """The results that are added up, or the only one that is not of a rider."""
    if beside:
        return [int(line["result"]) for item, line in lines if item in beside]
    main = [line for item, line in lines if not item.facts.get("optional")] or [line for _, line in lines]
    return [int(main[0]["result"])] if len(main) == 1 else []


def _groups(items: Iterable[Item]) -> list[list[Item]]:
    """The covers by what they were found for, those of the main contract alone where there are any."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.group, []).append(item)
    return [[i for i in group if not i.facts.get("optional")] or group for group in groups.values()]


def _differ_in_cause(group: Sequence[Item]) -> bool:
    """Whether they are one cover, of an illness and of an accident, that pays the same for either."""
    causes = {item.facts.get("cause") for item in group}
    return None not in causes and len(causes) == len(group) and all(i.figures == group[0].figures for i in group)


def _beside(items: Sequence[Item]) -> bool:
    rivals = [str(item.facts.get("one_of") or "").split(", ") for item in items]
    return not any(word and word in item.name for words in rivals for word in words for item in items)

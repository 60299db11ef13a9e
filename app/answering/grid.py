"""The table that answers show, of things, people and terms, added up over what a question leaves out."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from app.answering.calculator import Derivation, added
from app.answering.question import Question
from app.answering.wording import person_of
from app.dialogue.items import FieldLexicon, Item


def crossed(items: Sequence[Item]) -> bool:
    """Whether each of several things is told for each of several people: neither a sum nor a difference of two."""
    things, persons = {_thing(item, items) for item in items}, {person_of(item) for item in items}
    return len(persons) > 1 and len(items) > max(len(things), len(persons))


def folded(question: Question, items: tuple[Item, ...], fields: FieldLexicon) -> tuple[Item, ...]:
    """Of a crossed table one item a thing, or one a person where the message asks who, its figures added up over the
    other; of a thing that not all of them may have, none. Other tables as they are."""
    if not crossed(items):
        return items
    by_person = question.says(fields.who)
    groups: dict[Hashable, list[Item]] = {}
    for item in items:
        groups.setdefault(person_of(item) if by_person else _thing(item, items), []).append(item)
    most = max(map(len, groups.values()))
    return tuple(_together(group, fields, by_person) for group in groups.values() if len(group) == most)


def at_several_terms(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """The items of each of several things that are all told at several terms; empty where they are not."""
    groups: dict[str, list[Item]] = {}
    for item in items:
        groups.setdefault(item.code or item.name, []).append(item)
    several = len(groups) > 1 and all(len({item.terms for item in group}) > 1 for group in groups.values())
    return [tuple(group) for group in groups.values()] if several else []


def whole(items: Sequence[Item], fields: FieldLexicon) -> Item | None:
    """All items of one thing as one; None of a single one, of several things, or of several terms."""
    alike = len({(item.code or item.name, *item.terms) for item in items}) == 1
    return _together(items, fields, by_person=False) if alike and len(items) > 1 else None


def sums_of(items: Sequence[Item], name: str) -> list[Derivation]:
    """How a figure of folded items was added up."""
    return [added(item.parts[name]) for item in items if name in item.parts]


def _thing(item: Item, items: Sequence[Item]) -> Hashable:
    """What an item is of: a product, at its terms where one person is told of it at several."""
    name = item.code or item.name
    own = [other for other in items if (other.code or other.name) == name and other.person == item.person]
    return (name, *item.terms) if len(own) > 1 else name


def _together(group: Sequence[Item], fields: FieldLexicon, by_person: bool) -> Item:
    first = group[0]
    parts = {
        name: tuple(item.figures[name] for item in group)
        for name in first.figures
        if fields.figures[name].adds and all(name in i.figures and i.each == first.each for i in group)
    }
    same = {key: value for key, value in first.facts.items() if all(item.facts.get(key) == value for item in group)}
    return first.model_copy(
        update={
            "figures": {name: sum(figures) for name, figures in parts.items()},
            "parts": parts,
            "facts": same,
            "person": first.person if by_person else {},
            "name": ", ".join(dict.fromkeys(item.name for item in group)),
        }
    )

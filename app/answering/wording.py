"""How items and their figures are said, and what an operator answers with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from app.answering.calculator import Derivation
from app.dialogue.items import FieldLexicon, FigureKind, Item
from app.dialogue.state import Terms
from app.insurance.entry_age import FULL_AGE, INSURANCE_AGE, AgeKind
from app.language.formatting import age, gender, money, won
from app.understanding.forms import Form

WON = "원"


@dataclass(frozen=True)
class Answered:
    """A first sentence with its arithmetic. `total`: the sum it told, 원; `operator`: the form that made it; `terms`:
    what it was reckoned by; `of_all`: it sums up several answers; `about`: the codes of what it is of, which
    the talk goes on with; `settled`: nothing else is to be looked at before it; `riders`: those that it names;
    `beside`: what a tool tells is asked for, too;
    `grounds`: what it rests on that the calendar tells."""

    text: str
    operator: Form
    derivations: tuple[Derivation, ...] = ()
    total: int | None = None
    terms: Terms = field(default_factory=Terms)
    of_all: bool = False
    about: tuple[str, ...] = ()
    settled: bool = False
    riders: tuple[str, ...] = ()
    beside: bool = False
    grounds: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """An item's name that tells it from others, and a figure of it in words and as a number."""

    label: str
    worth: str
    value: int


def labelled(items: Sequence[Item], name: str, fields: FieldLexicon) -> list[Named]:
    """Each item with a name that tells it from the others: its person, its terms or whose part it is, where several
    have one name."""
    names = {item.name for item in items}
    several = len({item.of for item in items}) > 1
    found = []
    for item in items:
        alike = [other for other in items if other.name == item.name]
        person = person_of(item) if len({person_of(other) for other in alike}) > 1 else ""
        told = item.name if len(names) > 1 or not person else ""
        terms = _terms_of(item, [other for other in alike if other.person == item.person], fields)
        label = " ".join(part for part in (item.of if several else "", person, told, *terms) if part)
        value = item.figures[name]
        worth = worth_of(value, item.each.get(name, ""), fields.figures[name], fields)
        if parts := item.parts.get(name):
            worth = f"{' + '.join(map(won, parts))} = {worth}"
        found.append(Named(label, worth, value))
    return found


def _terms_of(item: Item, alike: Sequence[Item], fields: FieldLexicon) -> list[str]:
    """The terms that tell an item from others of its name and person: 2,000만원, 고급형."""
    differ = [n for n in fields.alike if len({other.facts.get(n) for other in alike} - {None}) > 1 and n in item.facts]
    return [money(int(item.facts[n])) if fields.figures.get(n) else str(item.facts[n]) for n in differ]


def worth_of(value: int, each: str, kind: FigureKind, fields: FieldLexicon) -> str:
    """A figure with what it is for: 월 20,000원, 1일당 2만원, 90일."""
    if kind.unit != WON:
        return f"{value}{kind.unit}"
    if each in fields.front:
        return f"{fields.front[each]} {won(value)}"
    return f"{each} {money(value)}".strip()


def person_of(item: Item) -> str:
    """만 45세 여성; '' where the item is of nobody."""
    years, code = item.person.get("age"), item.person.get("gender")
    kind: AgeKind = INSURANCE_AGE if item.person.get("age_kind") == INSURANCE_AGE else FULL_AGE
    return " ".join(([age(int(years), kind)] if years is not None else []) + ([gender(str(code))] if code else []))


def joined(text: Any) -> str:
    """A template's text without its empty lines."""
    return "\n".join(line.strip() for line in str(text).splitlines() if line.strip())

"""The facts that a result shows: its items, each with its figures, read by the declared names of fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import BaseModel, ConfigDict

from app.yaml_text import read_model

FIGURES = Path("language") / "figures.yaml"
# Whose contract an item is, by the names of its facts.
HOLDER, HOLDER_ID = "holder", "holder_id"
_MOST_ITEMS = 12
_MOST_REASONS = 3


class FigureKind(BaseModel):
    """What a numeric field of results means. `each`: what one of it is for (매월); `each_from`: the field that says.
    `more`, `less`: how the most and the least of it are called, before a noun and at the end of a sentence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    unit: str
    more: tuple[str, str]
    less: tuple[str, str]
    each: str = ""
    each_from: str = ""
    adds: bool = False
    words: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    most: tuple[str, ...] = ()


class HeldFact(BaseModel):
    """A fact of a contract: its name, the pattern that asks for it, and what is said of one that has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    label: str
    asked: str
    none: str = ""


class HeldState(BaseModel):
    """A state of a contract: the patterns that name those in it, ask whether one is and when it came to it, the fact
    that says since when, and what that day is called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    named: str
    asked: str
    when: str
    since: str
    label: str


class HeldAsks(BaseModel):
    """What is asked of contracts as a table, a pattern each: how many there are (`count`), what they cost and are made
    for together (`sum`, `worth`), the first and the last one made, what was paid in all, what is still to be paid, what
    is overdue, whether one gave cover on a day, why one lapsed, which of them to give up, whether there is one of a
    kind, whether premiums rise, and that they be shown."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    count: str
    sum: str
    worth: str
    first: str
    last: str
    paid: str
    unpaid: str
    overdue: str
    that_day: str
    why: str
    give_up: str
    exists: str
    rises: str
    open: str


class HeldLexicon(BaseModel):
    """What somebody's contract tells of itself, and the patterns for one to be made and for the one that is held.
    `state`: the fact that tells the state in words; `told_with`: labels of what is told behind it; `when` asks for
    the day of what was just told; `holder` is whoever holds them; `any` asks whether there are any of a state;
    `years_after`, `years_before` stand behind a year; `among` means those told last; `left_out` stands behind what
    is put aside; `since` and `left` ask how long ago a day was and how far off it is, `lasting` how far off
    whatever comes next; `holder_facts` are of who holds them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: dict[str, HeldFact]
    states: dict[str, HeldState]
    asks: HeldAsks
    since: dict[str, str]
    left: dict[str, str]
    lasting: str
    among: str
    state: str
    holder: str
    any: str
    told_with: dict[str, str]
    when: str
    procedure: str
    figures: tuple[str, ...]
    anew: str
    of_it: str
    which: str
    years_after: str
    years_before: str
    living: str
    lapsed: str
    left_out: str
    ended: tuple[str, ...]
    holder_facts: dict[str, HeldFact]


class FieldLexicon(BaseModel):
    """The declarations of data/language/figures.yaml; what each means stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    names: tuple[str, ...]
    people: tuple[str, ...]
    figures: dict[str, FigureKind]
    facts: dict[str, str]
    alike: tuple[str, ...]
    marks: tuple[str, ...]
    listed: tuple[str, ...]
    shared: tuple[str, ...]
    groups: tuple[str, ...]
    reasons: tuple[str, ...]
    reason_rows: tuple[str, ...]
    each_other: str
    why: str
    rests_on: str
    moments: str
    ages: str
    left_out: tuple[str, ...]
    left_out_called: dict[str, str]
    refused_why: str
    refused: str
    sources: tuple[str, ...]
    pieces: dict[str, tuple[str, ...]]
    numerals: dict[str, int]
    of_front: str
    daily: str
    monthly: str
    front: dict[str, str]
    day: str
    month: str
    periods: dict[str, int]
    truth: tuple[str, str]
    which: str
    person: str
    a_day: tuple[str, ...]
    causes: dict[str, str]
    cause_codes: dict[str, str]
    since: dict[str, str]
    whole: str
    in_all: str
    everything: str
    no_amount: str
    fixed: str
    than_before: str
    among: str
    one: str
    recalled: str
    first_day: str
    already: str
    again: str
    without_riders: str
    worse: str
    replaces: tuple[str, ...]
    one_by_one: str
    apart: str
    who: str
    no_waiting: str
    reduced: str
    holder: str
    each_holder: str
    without: str
    held_apart: str
    later: str
    asked_facts: dict[str, str]
    fact_units: dict[str, str]
    years: str
    held: HeldLexicon


class Item(BaseModel):
    """One thing that an answer showed: a product's quote, a cover, a contract. Figures are whole numbers by field; `of`
    is whose part it is (the product of a cover), `group` what was asked for when it was found, `parts` what a figure
    was added up from, `terms` what one thing may be told at several of (sum insured, plan)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    code: str = ""
    figures: dict[str, int] = {}
    facts: dict[str, str | int | bool] = {}
    each: dict[str, str] = {}
    person: dict[str, str | int] = {}
    of: str = ""
    group: str = ""
    parts: dict[str, tuple[int, ...]] = {}
    terms: tuple[str | int | bool, ...] = ()

    @property
    def key(self) -> tuple[str, ...]:
        """What is the same for the same thing shown twice."""
        return (self.code, self.of, self.name, *map(str, self.person.values()))

    def is_same(self, other: Item) -> bool:
        """Whether it is the same thing shown again: at the same terms, as far as both tell them."""
        alike = self.terms == other.terms or not (self.terms and other.terms)
        return alike and self.key == other.key


class Reason(BaseModel):
    """Why something does not fit, in a sentence that goes on from its name; `listed`: in sentences of their own."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    text: str
    code: str = ""
    listed: bool = False


@dataclass(frozen=True)
class Facts:
    """What one result shows."""

    items: tuple[Item, ...] = ()
    sources: tuple[str, ...] = ()
    reasons: tuple[Reason, ...] = ()


def load_fields(content_dir: Path) -> FieldLexicon:
    """The declarations. Raises DataFaults for a file that cannot be read."""
    return read_model(content_dir / FIGURES, FieldLexicon)


def facts_of(data: Mapping[str, Any], fields: FieldLexicon) -> Facts:
    """The items of a result: the rows of its longest list that has figures, else the result itself; and where it says
    that something is written."""
    rows = [_asked(found, data, fields) for rows in _lists(data) if (found := _items(rows, data, fields))]
    if data.get(fields.refused):
        rows = []  # what is offered instead is none of what was asked for
    own = _item(data, {}, fields)
    items = max(rows, key=len, default=(own,) if own else ())
    said = (record.get(name) for record in _records(data) for name in fields.sources)
    sources = tuple(dict.fromkeys(str(source) for source in said if source))
    return Facts(items[:_MOST_ITEMS], sources, tuple(_reasons(data, fields)))


def _asked(rows: tuple[Item, ...], data: Mapping[str, Any], fields: FieldLexicon) -> tuple[Item, ...]:
    """The one row that a result was asked for by its name, where it says so; else all of them."""
    named = [data[key] for key in fields.groups if isinstance(data.get(key), str)]
    return tuple(item for item in rows if item.name in named) or rows


def _reasons(data: Mapping[str, Any], fields: FieldLexicon) -> Iterator[Reason]:
    rows = [row for rows in _lists(data) for row in rows if isinstance(row, Mapping)]
    for record in (data, *rows):
        name = next((str(record[key]) for key in fields.names if record.get(key)), None)
        said = [record[key] for key in fields.reasons if record.get(key)]
        if name and said:
            text = " ".join(said[0]) if isinstance(said[0], list | tuple) else str(said[0])
            yield Reason(name=name, code=str(record.get("code") or ""), text=text)
        elif name and record is data and (listed := _listed(rows, fields)):
            yield Reason(name=name, code=str(record.get("code") or ""), text=listed, listed=True)


def _listed(rows: Sequence[Mapping[str, Any]], fields: FieldLexicon) -> str:
    """What the rows of a result say why, each with what it is of."""
    told = []
    for row in rows:
        of = next((str(row[key]) for key in fields.reason_rows if row.get(key)), None)
        why = next((str(row[key]) for key in fields.reasons if isinstance(row.get(key), str)), None)
        if of and why:
            told.append(f"{of}: {why}")
    return " / ".join(dict.fromkeys(told[:_MOST_REASONS]))


def _items(rows: Sequence[Any], parent: Mapping[str, Any], fields: FieldLexicon) -> tuple[Item, ...]:
    found = (_item(row, parent, fields) for row in rows if isinstance(row, Mapping))
    return tuple(item for item in found if item is not None)


def _item(row: Mapping[str, Any], parent: Mapping[str, Any], fields: FieldLexicon) -> Item | None:
    name = next((str(row[key]) for key in fields.names if row.get(key)), None)
    figures = {key: row[key] for key in fields.figures if _is_number(row.get(key))}
    if name is None or not figures:
        return None
    facts = {key: row[key] for key in (*fields.facts, *fields.marks) if isinstance(row.get(key), str | int | bool)}
    facts |= {key: ", ".join(row[key]) for key in fields.listed if _are_words(row.get(key))}
    if isinstance(ages := row.get(fields.ages), Mapping):
        facts |= {"min_age": int(ages["min"]), "max_age": int(ages["max"])}
    if isinstance(holder := parent.get(fields.holder), Mapping):
        facts |= {HOLDER: str(holder.get("name", "")), HOLDER_ID: str(holder.get("id", ""))}
        told = {name: holder.get(name) for name in fields.held.holder_facts}
        facts |= {f"{HOLDER}_{name}": value for name, value in told.items() if isinstance(value, str | int)}
    facts |= {key: parent[key] for key in fields.shared if isinstance(parent.get(key), bool)}
    each = {
        key: str(row[kind.each_from]) if kind.each_from and row.get(kind.each_from) else kind.each
        for key, kind in fields.figures.items()
        if key in figures
    }
    person = {key: row.get(key, parent.get(key)) for key in fields.people}
    return Item(
        name=name,
        code=str(row.get("product_code") or row.get("code") or parent.get("code") or ""),
        figures=figures,
        facts=facts,
        each={key: value for key, value in each.items() if value},
        person={key: value for key, value in person.items() if value is not None},
        of=next((str(parent[key]) for key in fields.names if parent.get(key) and row is not parent), ""),
        terms=tuple(facts[name] for name in fields.alike if name in facts),
        group=next((value for key in fields.groups if isinstance(value := parent.get(key), str)), ""),
    )


def _are_words(value: object) -> TypeGuard[Sequence[str]]:
    """Whether it is a list of words: a tool that lists riders as records tells them itself."""
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(word, str) for word in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _lists(data: Mapping[str, Any]) -> Iterator[Sequence[Any]]:
    return (value for value in data.values() if isinstance(value, list | tuple))


def _records(data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The records that say where they are from: rows, else the result itself."""
    rows = [row for rows in _lists(data) for row in rows if isinstance(row, Mapping)]
    yield from rows or [data]

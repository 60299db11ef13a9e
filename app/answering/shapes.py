"""Speaks a result of any tool by its shape: a record in labelled lines, records in a table, a value in a sentence.

What is said is words of the schema, the card and the dictionary, and values of the result: no field name, no printed
dict, no wrapping. Everything here is a pure function of plain values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from app.answering.choices import value_names
from app.answering.envelope import Core, unwrapped
from app.answering.faults import fault_of, is_fault
from app.answering.labels import Labels
from app.answering.schema import SchemaView
from app.answering.tables import MOST_ROWS, columns_of, cut, table
from app.answering.values import is_empty, said
from app.answering.words import FieldWords, plain_name
from app.language.formatting import josa
from app.messages import worded
from app.safety.figures import said_figures

MOST_LINES, MOST_ITEMS = 30, 20
_MOST_INLINE, _MOST_DEPTH, _MOST_SENTENCE, _LEAST_SUM = 6, 2, 60, 100
_MOST_TEXT, _MOST_VALUE, _MOST_MEMBERS = 4_000, 400, 300
_WON = "원"
_NAMING = ("name", "title")
NOTHING = worded("shapes.nothing")
MORE = worded("shapes.more")
FAILED = worded("shapes.failed")


@dataclass(frozen=True)
class Telling:
    """What is known of the tool whose result is told: its title, the JSON schema of its results, the labels that its
    card gives to fields, whether it writes, and what its arguments' values are called, by the argument's name."""

    title: str = ""
    schema: Mapping[str, Any] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    writes: bool = False
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Spoken:
    """A text, and what of it is reckoned here or named by a schema, so that it stands in no result."""

    text: str
    grounds: tuple[str, ...] = ()


def spoken(value: Any, words: FieldWords, telling: Telling | None = None) -> Spoken:
    """The result in words. Never empty."""
    return _Speech(words, telling or Telling()).whole(value)


class _Speech:
    """One result, told."""

    def __init__(self, words: FieldWords, telling: Telling) -> None:
        self._words, self._telling = words, telling
        self._labels = Labels(words, telling.labels)
        self._grounds: list[str] = []

    def whole(self, value: Any) -> Spoken:
        core = unwrapped(value, SchemaView.of(self._telling.schema), self._words)
        parts = [self._core(core), *(remark.strip() for remark in core.remarks)]
        text = "\n\n".join(part for part in dict.fromkeys(parts) if part)
        return Spoken(text or NOTHING, tuple(dict.fromkeys(self._grounds)))

    def _core(self, core: Core) -> str:
        if is_fault(core.value):
            return " ".join(part for part in (FAILED, fault_of(core.value)) if part)
        if core.done or (is_empty(core.value) and self._telling.writes):
            return self._done()
        if is_empty(core.value):
            return "" if core.remarks else NOTHING
        match core.value:
            case dict():
                return self._record(core.value, core.view)
            case list():
                return self._list(core.value, core.view.items(), self._label(core.key, core.view, core.holder))
            case str() if len(core.value) > _MOST_TEXT:
                return f"{core.value[:_MOST_TEXT].strip()}…\n\n{MORE}"
            case str() if said(core.value) == " ".join(core.value.split()):
                return core.value.strip()
        return self._sentence(self._label(core.key, core.view, core.holder), core)

    def _done(self) -> str:
        title = self._title()
        return worded("shapes.title_done", title=title) if title else worded("shapes.done")

    def _title(self) -> str:
        """The tool's title, unless it holds a figure: those come from results alone."""
        return "" if said_figures(self._telling.title) else self._telling.title

    def _sentence(self, label: str, core: Core) -> str:
        told = self._said(core.key, core.value, core.view)
        subject = label or worded("shapes.title_result", title=self._title()).strip()
        return f"{subject}: {told}" if isinstance(core.value, bool) else _of(subject, told)

    def _record(self, record: Mapping[str, Any], view: SchemaView) -> str:
        lines: list[str] = []
        tables: list[str] = []
        for key, item, item_view, currency in self._members(record, view):
            label = self._label(key, item_view, view)
            if isinstance(item, list) and sum(isinstance(one, dict) for one in item) > 1:
                tables.append("\n".join(part for part in (label, self._list(item, item_view.items())) if part))
            elif isinstance(item, dict) and self._sum(item) is None:
                lines += self._flat(label, item, item_view)
            else:
                lines.append(self._line(label, item, self._said(key, item, item_view, currency)))
        lines = [line for line in lines if line]
        if len(lines) == 1 and not tables:
            return self._alone(lines[0])
        more = [MORE] if len(lines) > MOST_LINES else []
        return "\n\n".join(part for part in ("\n".join([*lines[:MOST_LINES], *more]), *tables) if part)

    def _flat(self, label: str, record: Mapping[str, Any], view: SchemaView) -> list[str]:
        """The lines of a record within a record, each named by both."""
        made = []
        for key, item, item_view, currency in self._members(record, view):
            own = self._label(key, item_view, view)
            made.append(
                self._line(" ".join(filter(None, (label, own))), item, self._said(key, item, item_view, currency))
            )
        return made

    @staticmethod
    def _line(label: str, value: Any, told: str) -> str:
        """A yes without a name says nothing."""
        if not told or (isinstance(value, bool) and not label):
            return ""
        return f"• {label}: {told}" if label else f"• {told}"

    @staticmethod
    def _alone(line: str) -> str:
        """The only line of a record as a sentence, where it makes one."""
        label, parted, told = line.removeprefix("• ").partition(": ")
        if not parted:
            return label
        if told in ("예", "아니요") or len(told) > _MOST_SENTENCE or told[-1:] in ".!?。다요":
            return f"{label}: {told}"
        return _of(label, told)

    def _list(self, items: Sequence[Any], view: SchemaView, heading: str = "") -> str:
        kept = [item for item in items if not is_empty(item)]
        while kept and all(isinstance(item, list) for item in kept):
            kept, view = [one for item in kept for one in item if not is_empty(one)], view.items()
        if kept and all(isinstance(item, dict) for item in kept):
            if len(kept) == 1:
                return self._record(kept[0], view)
            return self._rows(kept, view, heading)
        lines = [f"• {told}" for item in kept[:MOST_ITEMS] if (told := self._said("", item, view))]
        return "\n".join([*([heading] if heading else []), *lines, *self._cut(len(kept), MOST_ITEMS)])

    def _rows(self, records: Sequence[Mapping[str, Any]], view: SchemaView, heading: str) -> str:
        shown = records[:MOST_ROWS]
        told = [
            {
                key: cut(self._said(key, item, item_view, currency))
                for key, item, item_view, currency in self._members(record, view)
            }
            for record in shown
        ]
        labels = {key: self._label(key, view.member(key), view) for row in told for key in row}
        flags = {key for record in shown for key, item in record.items() if isinstance(item, bool)}
        columns = columns_of(told, labels, unsaid=flags)
        rest = [MORE] if len(columns) < len([key for key in labels if labels[key]]) else []
        lines = table(told, columns, labels)
        return "\n".join([*([heading] if heading else []), *lines, *_apart(self._cut(len(records), MOST_ROWS), rest)])

    def _cut(self, many: int, most: int) -> list[str]:
        if many <= most:
            return []
        self._grounds.append(worded("shapes.first_rows", many=many, most=most))
        return self._grounds[-1:]

    def _members(self, record: Mapping[str, Any], view: SchemaView) -> list[tuple[str, Any, SchemaView, str]]:
        """The members that say something, each with its schema and the currency that stands beside it."""
        told_of = islice(((key, item) for key, item in record.items() if not is_empty(item)), _MOST_MEMBERS)
        filled = dict(told_of)
        currency = next((key for key, item in filled.items() if self._is_currency(key, item)), None)
        told = str(filled[currency]) if currency else ""
        sums = any(self._labels.unit(k, view.member(k), told) for k in filled if _is_number(filled[k]))
        return [(key, item, view.member(key), told) for key, item in filled.items() if not (sums and key == currency)]

    def _is_currency(self, key: str, item: Any) -> bool:
        return isinstance(item, str) and plain_name(key) in self._words.currency

    def _sum(self, record: Mapping[str, Any]) -> str | None:
        """An amount with its currency (amount 120, currency USD) as one value; None for any other record."""
        filled = {key: item for key, item in record.items() if not is_empty(item)}
        currency = [str(item) for key, item in filled.items() if self._is_currency(key, item)]
        numbers = [item for item in filled.values() if _is_number(item)]
        if len(filled) != 2 or len(currency) != 1 or len(numbers) != 1:
            return None
        won = currency[0].lower() in self._words.won
        return said(numbers[0], _WON if won else f" {currency[0]}")

    def _said(self, key: str, value: Any, view: SchemaView, currency: str = "", depth: int = 0) -> str:
        """Any value in one line."""
        if is_empty(value):
            return ""
        if isinstance(value, dict):
            return self._sum(value) or self._inline(value, view, depth)
        if isinstance(value, list):
            if names := _names(value):
                value = names
            told = [self._said(key, item, view.items(), currency, depth + 1) for item in value[:_MOST_INLINE]]
            return ", ".join(filter(None, told)) + (" 외" if len(value) > _MOST_INLINE else "")
        if isinstance(value, str) and (name := self._value_name(key, value, view)):
            return name
        if isinstance(value, str) and len(value) > _MOST_VALUE:
            return f"{' '.join(value[:_MOST_VALUE].split())}…"
        unit = self._labels.unit(key, view, currency) if _is_number(value) else ""
        unit = unit or (_WON if self._is_sum(key, value, view) else "")
        if unit == _WON and isinstance(value, float) and not value.is_integer():
            unit = ""  # 원 has no parts: it is another currency
        return said(value, unit, measured=bool(unit) or self._labels.measured(key))

    def _value_name(self, key: str, value: str, view: SchemaView) -> str:
        """What people call a value of a list: in its schema, in that of the argument of the same name or of the only
        argument that takes it, else as such values are called everywhere; '' for other texts."""
        if not value.isascii() or " " in value or any(map(str.isdigit, value)):
            return ""
        given = self._telling.values
        takers = {names[value] for names in given.values() if value in names}
        own = given.get(key, {}).get(value, "") or (takers.pop() if len(takers) == 1 else "")
        return value_names(view).get(value, "") or own or self._words.values.get(value.lower(), "")

    def _is_sum(self, key: str, value: Any, view: SchemaView) -> bool:
        """Whether a number's label says that it is money (합계, 요금), and it is no small number of things."""
        counted = not _is_number(value) or abs(value) < _LEAST_SUM or not float(value).is_integer()
        return not counted and self._labels.of(key, view).endswith(self._words.sums or ("\0",))

    def _inline(self, record: Mapping[str, Any], view: SchemaView, depth: int) -> str:
        """A record in one line: its fields with their names; deep inside only what it is called."""
        parts = []
        for key, item, item_view, currency in self._members(record, view):
            if isinstance(item, dict | list) and depth >= _MOST_DEPTH:
                continue
            told = self._said(key, item, item_view, currency, depth + 1)
            label = self._label(key, item_view, view)
            named = label if not isinstance(item, str) or plain_name(key) not in _NAMING else ""
            if told and not (isinstance(item, bool) and not label):
                parts.append(f"{named} {told}".strip())
        return ", ".join(parts[:_MOST_INLINE])

    def _label(self, key: str, view: SchemaView, holder: SchemaView | None) -> str:
        label = self._labels.of(key, view, holder) if key else ""
        if "보험" in label:
            self._grounds.append(label)  # 가입보험 is the name of a field, not of a product
        return label


def _names(items: Sequence[Any]) -> list[str]:
    """What several records are called: in one line their other fields would be read across each other."""
    records = [item for item in items if isinstance(item, dict)]
    if len(records) < 2:
        return []
    return [str(item[key]) for item in records for key in _NAMING if isinstance(item.get(key), str) and item[key]]


def _of(subject: str, told: str) -> str:
    """A sentence; words in other letters take no particle, as nobody knows how they are read."""
    return (
        worded("shapes.told", subject=josa(subject, "은/는"), told=told)
        if "가" <= subject[-1:] <= "힣"
        else f"{subject}: {told}"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _apart(*notes: list[str]) -> list[str]:
    """Notes behind a table: Markdown takes the next line for another row."""
    told = [line for part in notes for line in part]
    return ["", *told] if told else []

"""The slots of a tool, read from the JSON schema of its arguments: what fills each, and how a person calls it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.answering.labels import Labels
from app.answering.schema import SchemaView
from app.language.normalise import compact
from app.planning.words import SlotWords

Kind = Literal["choice", "flag", "number", "money", "date", "time", "code", "place", "person", "text"]
MOST_SLOTS, MOST_CHOICES = 40, 300
_LONG_WORD = 20
_HANGUL = re.compile(r"[가-힣]")
_DATE_PATTERN = re.compile(r"\\d\{4\}.{0,3}\\d\{2\}.{0,3}\\d\{2\}|\d{4}-\d{2}-\d{2}|YYYY")
_TIME_PATTERN = re.compile(r"\\d(?:\{2\}|\{1,2\})?\]?:|\]:|\d\d?:\d\d|HH:MM|:\[0-5\]")
_LEAD, _TAIL = re.compile(r"^(?:은|는)?[\s:=→\-]+"), re.compile(r"(?:이고|이며|또는|이나|,)?\s*$")


@dataclass(frozen=True)
class Choice:
    """A value and the words that people have for it, the first for showing."""

    value: Any
    words: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """An argument. `unit` stands behind its number (명, 원), `whole` takes no fraction, `pattern` is that of a code,
    `many` takes a list."""

    name: str
    label: str
    kind: Kind
    required: bool
    choices: tuple[Choice, ...] = ()
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    whole: bool = True
    pattern: str = ""
    many: bool = False
    described: str = ""


def slots_of(function: Mapping[str, Any], words: SlotWords, labels: Labels) -> tuple[Slot, ...]:
    """The slots of a tool in its OpenAI form, in the order of its schema; the first `MOST_SLOTS`."""
    told = function.get("parameters")
    parameters = told if isinstance(told, Mapping) else {}
    whole = SchemaView.of(parameters)
    needed, known = parameters.get("required"), parameters.get("properties")
    required = frozenset(name for name in needed if isinstance(name, str)) if isinstance(needed, list) else frozenset()
    names = [name for name in known if isinstance(name, str)][:MOST_SLOTS] if isinstance(known, Mapping) else []
    return tuple(_slot(name, whole.member(name), name in required, words, labels) for name in names)


def _slot(name: str, view: SchemaView, required: bool, words: SlotWords, labels: Labels) -> Slot:
    many = "array" in _types(view)
    inner = view.items() if many else view
    described = " ".join(text for key, text in view.told() if key == "description")
    label = labels.of(name, view) or name
    values = _values(inner)
    kinds = _types(inner)
    unit = labels.unit(name, view) or next((u for u in words.units if _has_unit(described, u)), "")
    unit = unit or words.measured_in(_split(name), label)
    pattern = next((str(b["pattern"]) for b in inner.branches() if isinstance(b.get("pattern"), str)), "")
    kind: Kind
    if values:
        kind = "choice"
    elif "boolean" in kinds:
        kind = "flag"
    elif kinds & {"integer", "number"}:
        kind = "money" if unit == words.won else "number"
    else:
        kind = _string_kind(name, described, label, pattern, inner, words)
    if not _HANGUL.search(label):
        label = labels.words.translated(name) or words.called(kind, unit) or label
    bounds = {
        key: b[key] for b in inner.branches() for key in ("minimum", "maximum") if isinstance(b.get(key), int | float)
    }
    return Slot(
        name=name,
        label=label,
        kind=kind,
        required=required,
        choices=_choices(values, described, words, labels),
        unit=unit,
        minimum=bounds.get("minimum"),
        maximum=bounds.get("maximum"),
        whole="integer" in kinds,
        pattern=pattern if kind == "code" else "",
        many=many,
        described=described,
    )


def _listed(told: Any) -> Sequence[Any]:
    return told if isinstance(told, list) else ()


def _types(view: SchemaView) -> set[str]:
    found: set[str] = set()
    for branch in view.branches():
        told = branch.get("type")
        found |= {told} if isinstance(told, str) else {t for t in _listed(told) if isinstance(t, str)}
    return found - {"null"}


def _values(view: SchemaView) -> list[tuple[Any, str]]:
    """The values of an enum with the titles that the schema gives them."""
    found: dict[Any, str] = {}
    for branch in view.branches():
        for value in _listed(branch.get("enum")):
            if isinstance(value, str | int | float) and not isinstance(value, bool) and compact(str(value)):
                found.setdefault(value, "")
        constant = branch.get("const")
        if isinstance(constant, str | int | float) and not isinstance(constant, bool):
            found[constant] = str(branch.get("title") or branch.get("description") or "")
    return list(found.items())[:MOST_CHOICES]


def _choices(values: Sequence[tuple[Any, str]], described: str, words: SlotWords, labels: Labels) -> tuple[Choice, ...]:
    """What people call each value: itself where it is Korean, its title, the words beside it in the description, those
    of its name, and what else is said for any of them. A word of several values tells none of them."""
    beside = _beside([str(value) for value, _ in values], described)
    found: dict[Any, list[str]] = {}
    for value, title in values:
        text = str(value)
        own = [text] if _HANGUL.search(text) else []
        translated = words.values.get(text.lower()) or labels.words.translated(text)
        told = [word for word in (title, *own, *beside.get(text, ()), translated) if word]
        told += [word for given in tuple(told) for word in words.alike(given)]
        found[value] = list(dict.fromkeys((*told, text)))
    counts = Counter(word for told in found.values() for word in told)
    return tuple(
        Choice(value, tuple(w for w in told if counts[w] == 1 or w == str(value))) for value, told in found.items()
    )


def _beside(values: Sequence[str], described: str) -> dict[str, list[str]]:
    """The words beside each value in a description: 'weekday 평일, saturday 토요일', 'A: 소형(말티즈) / B: 대형'."""
    places = [
        (match.start(), match.end(), value)
        for value in values
        if not _HANGUL.search(value)
        for match in re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])", described)
    ]
    found: dict[str, list[str]] = {}
    ends = [start for start, _, _ in sorted(places)[1:]] + [len(described)]
    for (_, start, value), end in zip(sorted(places), ends, strict=False):
        segment = _LEAD.sub("", described[start:end])
        phrase, _, aside = segment.partition("(")
        told = [_TAIL.sub("", re.split(r"[,/;|\n.]", phrase)[0])]
        told += re.split(r"[,/·]|\s등", aside.partition(")")[0])
        found.setdefault(value, []).extend(
            w for part in told if (w := part.strip()) and _HANGUL.search(w) and len(w) < _LONG_WORD
        )
    for value in values:
        before = re.search(rf"(?P<word>[가-힣][가-힣0-9·]*)\s?[(=]\s?{re.escape(value)}(?![A-Za-z0-9_])", described)
        if before and not _HANGUL.search(value):
            found[value] = [before["word"]]
    return {value: [word for word in told if not re.search(r"\d", word)] for value, told in found.items()}


def _has_unit(described: str, unit: str) -> bool:
    return bool(
        re.search(
            rf"[(\[,/]\s?{re.escape(unit)}\s?[)\],/]|단위\S{{0,2}}\s?{re.escape(unit)}|몇\s?{re.escape(unit)}(?![가-힣]{{2}})",
            described,
        )
    )


def _string_kind(name: str, described: str, label: str, pattern: str, view: SchemaView, words: SlotWords) -> Kind:
    pattern = pattern.replace("[0-9]", r"\d")
    formats = {str(branch.get("format")) for branch in view.branches()}
    if "date" in formats or "date-time" in formats or _DATE_PATTERN.search(f"{pattern} {described}"):
        return "date"
    if "time" in formats or _TIME_PATTERN.search(f"{pattern} {described}"):
        return "time"
    if pattern and not re.search("가-힣", pattern):
        return "code"
    return words.kind_of(_split(name), f"{label} {described}")


def _split(name: str) -> Sequence[str]:
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[가-힣]+", name)]

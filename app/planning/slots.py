"""The slots of a tool, read from the JSON schema of its arguments: what fills each, and how a person calls it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.answering.choices import listed_values, words_beside
from app.answering.labels import HANGUL, Labels
from app.answering.names import name_words
from app.answering.schema import SchemaView
from app.planning.words import SlotWords
from app.toolbox.cards import ArgumentHint

Kind = Literal[
    "choice", "flag", "number", "money", "date", "month", "time", "moment", "code", "id", "place", "person", "text"
]
MOST_SLOTS, MOST_CHOICES = 40, 300
_DATE_PATTERN = re.compile(r"\\d\{4\}.{0,3}\\d\{2\}.{0,3}\\d\{2\}|\d{4}-\d{2}-\d{2}|YYYY")
_MONTH_PATTERN = re.compile(r"YYYY[-./]?MM(?![-./]?DD)")
_TIME_PATTERN = re.compile(r"\\d(?:\{2\}|\{1,2\})?\]?:|\]:|\d\d?:\d\d|HH:MM|:\[0-5\]")
_HOURS = re.compile(r"(\d\d:\d\d)\s?[~∼\-–]\s?(\d\d:\d\d)")


@dataclass(frozen=True)
class Choice:
    """A value and the words that people have for it, the first for showing."""

    value: Any
    words: tuple[str, ...]


@dataclass(frozen=True)
class Slot:
    """An argument. `unit` stands behind its number (명, 원), `whole` takes no fraction, `pattern` is that of a code,
    `many` takes a list, `open_hours` are the first and the last time of day, `examples` texts that it often takes,
    `ask` the question for it alone, `further` the values of a list too long to have words for each; a `nested` one
    takes a record, which no words tell. `after` are the values that the talk tells: the tool used last means one."""

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
    open_hours: tuple[str, str] | None = None
    examples: tuple[str, ...] = ()
    ask: str = ""
    further: tuple[str, ...] = ()
    nested: bool = False
    after: tuple[tuple[str, Any], ...] = ()


def untold(_: str) -> str:
    """What is known of English words where nobody translates."""
    return ""


def slots_of(
    function: Mapping[str, Any],
    words: SlotWords,
    labels: Labels,
    korean: Callable[[str], str] = untold,
    hints: Mapping[str, ArgumentHint] | None = None,
) -> tuple[Slot, ...]:
    """The slots of a tool in its OpenAI form, in the order of its schema; the first `MOST_SLOTS`, and as many that it
    needs. `korean` translates English words, `hints` are what the card says of arguments."""
    told = function.get("parameters")
    parameters = told if isinstance(told, Mapping) else {}
    whole = SchemaView.of(parameters)
    needed, known = parameters.get("required"), parameters.get("properties")
    required = frozenset(name for name in needed if isinstance(name, str)) if isinstance(needed, list) else frozenset()
    named = [name for name in known if isinstance(name, str)] if isinstance(known, Mapping) else []
    kept = {*[name for name in named if name in required][:MOST_SLOTS], *named[:MOST_SLOTS]}
    names = [name for name in named if name in kept]
    lexicon, told_by_card = _Lexicon(words, labels, korean), hints or {}
    return tuple(
        _slot(name, whole.member(name), name in required, lexicon, told_by_card.get(name) or ArgumentHint())
        for name in names
    )


@dataclass(frozen=True)
class _Lexicon:
    """What is known of words."""

    words: SlotWords
    labels: Labels
    korean: Callable[[str], str]

    def translated(self, text: str) -> tuple[str, ...]:
        """The Korean words for an English value or name, the surest first."""
        known = self.words.values.get(text.lower()) or self.labels.words.translated(text)
        if known:
            return tuple(known.split("/"))
        parts = [self.korean(part).split() for part in _split(text)]
        if not parts or not all(parts):
            return ()
        # 'slice 조각 자르다': what a thing is called, not what is done with it.
        named = [[word for word in part if not word.endswith("다")] or part for part in parts]
        return tuple(named[0]) if len(named) == 1 else (" ".join(part[0] for part in named),)


def _slot(name: str, view: SchemaView, required: bool, lexicon: _Lexicon, hint: ArgumentHint) -> Slot:
    words, labels = lexicon.words, lexicon.labels
    many = "array" in _types(view)
    inner = view.items() if many else view
    described = " ".join(text for key, text in view.told() if key == "description")
    if not HANGUL.search(described):
        described = " ".join((described, *lexicon.translated(name))).strip()
    label = labels.of(name, view) or name
    first, _, form = label.rpartition(" ")
    label = first if first and form.isascii() and form.isupper() else label  # 방문 시각 HH
    listed = listed_values(inner)
    values = listed[:MOST_CHOICES]
    kinds = _types(inner)
    unit = hint.unit or words.in_man(_split(name), described) or labels.unit(name, view)
    unit = unit or next((u for u in words.units if _has_unit(described, u)), "")
    unit = unit or words.measured_in(_split(name), label)
    pattern = next((str(b["pattern"]) for b in inner.branches() if isinstance(b.get("pattern"), str)), "")
    kind: Kind
    if values:
        kind = "choice"
    elif "boolean" in kinds:
        kind = "flag"
    elif kinds & {"integer", "number"}:
        kind = "money" if unit in words.moneys else "number"
    else:
        kind = _string_kind(name, described, label, pattern, inner, words)
    if not HANGUL.search(label):
        told = lexicon.translated(name)
        label = labels.words.translated(name) or words.called(kind, unit) or (told[0] if told else label)
    bounds = {
        key: b[key] for b in inner.branches() for key in ("minimum", "maximum") if isinstance(b.get(key), int | float)
    }
    return Slot(
        name=name,
        label=hint.label or label,
        kind=kind,
        required=required,
        choices=_choices(values, described, lexicon, hint.synonyms),
        unit=unit if kind in ("number", "money") or _numbers(values) else "",
        minimum=bounds.get("minimum"),
        maximum=bounds.get("maximum"),
        whole="integer" in kinds,
        pattern=pattern if kind == "code" else "",
        many=many,
        described=described,
        examples=tuple(dict.fromkeys((*hint.examples, *_examples(inner)))) if kind == "text" else (),
        ask=hint.ask,
        after=tuple(
            (tool, value) for value, _ in listed for tool in hint.after.get(str(value), ()) if isinstance(tool, str)
        ),
        further=tuple(value for value, _ in listed[MOST_CHOICES:] if isinstance(value, str)),
        nested="object" in kinds and not kinds & {"string", "integer", "number", "boolean"},
        open_hours=hours[0] if kind == "time" and (hours := _HOURS.findall(described)) else None,
    )


def _numbers(values: Sequence[tuple[Any, str]]) -> bool:
    """Whether all the listed values are numbers."""
    return bool(values) and all(isinstance(value, int | float) for value, _ in values)


def _examples(view: SchemaView) -> list[str]:
    told = (
        example
        for branch in view.branches()
        if isinstance(branch.get("examples"), list)
        for example in branch["examples"]
    )
    return [example for example in told if isinstance(example, str) and example.strip()][:MOST_CHOICES]


def _types(view: SchemaView) -> set[str]:
    found: set[str] = set()
    for branch in view.branches():
        told = branch.get("type")
        found |= (
            {told}
            if isinstance(told, str)
            else {t for t in (told if isinstance(told, list) else ()) if isinstance(t, str)}
        )
    return found - {"null"}


def _choices(
    values: Sequence[tuple[Any, str]], described: str, lexicon: _Lexicon, synonyms: Mapping[str, Sequence[str]]
) -> tuple[Choice, ...]:
    """What people call each value: itself where it is Korean, its title, the words beside it in the description, those
    of its name, and what else is said for any of them. A word of several values tells none of them."""
    words = lexicon.words
    beside = words_beside([str(value) for value, _ in values], described, words.compared)
    found: dict[Any, list[str]] = {}
    for value, title in values:
        text = str(value)
        own = [text] if HANGUL.search(text) else []
        said = [*own, *synonyms.get(text, ()), title, *beside.get(text, ())]
        # A figure is no name to show: small 20평대 is shown as 소형.
        named = [word for word in said if word and not any(map(str.isdigit, word))]
        english = lexicon.translated(text) if not own else words.english(text)
        told = [*named, *english, *filter(None, said)]
        told += [word for given in (*told, text) for word in words.alike(given)]
        found[value] = list(dict.fromkeys((*told, text)))
    counts = Counter(word for told in found.values() for word in told)
    return tuple(
        Choice(value, tuple(w for w in told if counts[w] == 1 or w == str(value))) for value, told in found.items()
    )


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
    if _MONTH_PATTERN.search(described) and not formats & {"date", "date-time"}:
        return "month"
    if "date-time" in formats:
        return "moment"
    if "date" in formats or _DATE_PATTERN.search(f"{pattern} {described}"):
        return "date"
    if "time" in formats or _TIME_PATTERN.search(f"{pattern} {described}"):
        return "time"
    if pattern and not re.search("가-힣", pattern):
        return "code"
    kind = words.kind_of(_split(name), label, described)
    named = kind == "place" and words.identifies(_split(name), "")
    return "id" if named or (kind == "text" and words.identifies(_split(name), label)) else kind


def _split(name: str) -> Sequence[str]:
    return [part.lower() for part in name_words(name) if not part.isdigit()]

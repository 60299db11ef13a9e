"""The values that a schema lists, and what people call each: its title, or the words beside it in the description."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.answering.labels import HANGUL
from app.answering.schema import SchemaView
from app.language.normalise import compact

_LONG_WORD = 20
_DOT = "·"
_BREAKS = str.maketrans(dict.fromkeys(",/;|.", "\n"))
_LEAD, _TAIL = re.compile(r"^(?:은|는)?[\s:=→\-]+"), re.compile(r"(?:이고|이며|또는|이나|,)?\s*$")


def listed_values(view: SchemaView) -> list[tuple[Any, str]]:
    """The values of an enum with the titles that the schema gives them."""
    found: dict[Any, str] = {}
    for branch in view.branches():
        enum = branch.get("enum")
        for value in enum if isinstance(enum, list) else ():
            if isinstance(value, str | int | float) and not isinstance(value, bool) and compact(str(value)):
                found.setdefault(value, "")
        constant = branch.get("const")
        if isinstance(constant, str | int | float) and not isinstance(constant, bool):
            found[constant] = str(branch.get("title") or branch.get("description") or "")
    return list(found.items())


def words_beside(values: Sequence[str], described: str, compared: Sequence[str] = ()) -> dict[str, list[str]]:
    """The words beside each value in a description: 'weekday 평일, saturday 토요일', 'A: 소형(말티즈) / B: 대형'; those
    of `compared` (이상, 이하) may be left out behind them."""
    places = [
        (match.start(), match.end(), value)
        for value in values
        if not HANGUL.search(value)
        for match in re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(value)}(?![A-Za-z0-9_])", described)
    ]
    found: dict[str, list[str]] = {}
    ends = [start for start, _, _ in sorted(places)[1:]] + [len(described)]
    for (_, start, value), end in zip(sorted(places), ends, strict=False):
        segment = _LEAD.sub("", described[start:end])
        phrase, _, aside = segment.partition("(")
        told = [_TAIL.sub("", phrase.translate(_BREAKS).partition("\n")[0])]
        told += aside.partition(")")[0].translate(_BREAKS).replace(" 등", "\n").replace(_DOT, "\n").split("\n")
        told += told[0].split(_DOT)
        told += [part.removesuffix(word).strip() for part in told for word in compared if part.endswith(word)]
        found.setdefault(value, []).extend(
            w for part in told if (w := part.strip()) and HANGUL.search(w) and len(w) < _LONG_WORD
        )
    for value in values:
        before = re.search(rf"(?P<word>[가-힣][가-힣0-9·]*)\s?[(=]\s?{re.escape(value)}(?![A-Za-z0-9_])", described)
        if before and not HANGUL.search(value):
            found[value] = [before["word"]]
    return found


def value_names(view: SchemaView) -> dict[Any, str]:
    """What each listed value is called, as far as the schema tells; no name holds a figure."""
    listed = listed_values(view)
    described = " ".join(text for key, text in view.told() if key == "description")
    beside = words_beside([str(value) for value, _ in listed], described)
    told = {value: (title, *beside.get(str(value), ())) for value, title in listed}
    plain = {
        value: [name for name in names if name and not any(map(str.isdigit, name))] for value, names in told.items()
    }
    return {value: names[0] for value, names in plain.items() if names}

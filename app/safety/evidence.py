"""What an answer's figures may rest on: the values of tool results (by key) and of what was said (by unit)."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from app.safety.figures import Figure, FigureKind, figures, number_words, remembered_figures

_BY_KEY: dict[str, FigureKind] = {
    **dict.fromkeys(("age", "ages"), "age"),
    **dict.fromkeys(("days",), "days"),
    **dict.fromkeys(("months",), "months"),
    **dict.fromkeys(("years", "year"), "years"),
    **dict.fromkeys(
        ("rate", "rates", "share", "discount", "factor", "relative", "rise", "percent", "surcharge", "ratio"), "percent"
    ),
    **dict.fromkeys(("count", "shown", "renewals", "contracts", "number"), "count"),
    **dict.fromkeys(
        (
            "premium",
            "premiums",
            "amount",
            "amounts",
            "insured",
            "refund",
            "paid",
            "payable",
            "budget",
            "income",
            "debt",
            "gap",
            "difference",
            "saved",
            "shortfall",
            "spread",
            "cap",
            "benefit",
            "payment",
            "suggested",
            "price",
            "won",
        ),
        "money",
    ),
}
_SPACES = re.compile(r"[\s·ㆍ\"'`*_()\[\]<>「」『』]+")
_JSON_OPENING = re.compile(r"\s*[\[{]")
_DIGIT = re.compile(r"\d|[십백천만억]\s?원")
_FACT = re.compile(r"[\"'](?P<key>\w+)[\"']\s*:\s*(?P<value>-?\d+(?:\.\d+)?)(?![\d.])")


class Evidence:
    """All figures and names that were given.

    Texts are read one after the other and only as far as needed: the first, a result of this turn, mostly holds all.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._unread = deque(texts)
        self._typed: dict[str, set[float]] = {}
        self._any: set[float] = set()
        self._all: set[float] = set()
        self._dates: set[str] = set()
        self._percents: set[float] = set()  # as they may be shown, rounded
        self._squeezed = ""

    def has(self, figure: Figure) -> bool:
        """Whether the figure occurs in an equal form."""
        return self._found(lambda: self._holds(figure))

    def names(self, words: str) -> bool:
        """Whether the words occur, however they are spaced and quoted."""
        wanted = squeeze(words)
        return self._found(lambda: wanted in self._squeezed)

    def _found(self, holds: Callable[[], bool]) -> bool:
        while not holds():
            if not self._unread:
                return False
            self._read(self._unread.popleft())
        return True

    def _holds(self, figure: Figure) -> bool:
        value = figure.value
        if isinstance(value, str):
            return self._has_text(figure.kind, value)
        return self._near(figure) if figure.approximate else self._has_number(figure.kind, value)

    def _has_text(self, kind: FigureKind, value: str) -> bool:
        if kind == "date":
            return any(known.startswith(value) for known in self._dates)
        if kind == "month_day":
            return any(known.endswith(value) for known in self._dates)
        return squeeze(value) in self._squeezed

    def _has_number(self, kind: FigureKind, value: float) -> bool:
        if value in self._any:
            return True
        typed = self._typed
        if kind == "money":
            return value in typed.get("money", ()) or (value >= 10**4 and value / 10**4 in self._any)
        if kind == "percent":
            return value in self._percents
        if kind == "years":
            return value in typed.get("years", ()) or value * 12 in typed.get("months", ())
        if kind == "months":
            return value in typed.get("months", ()) or (value % 12 == 0 and value / 12 in typed.get("years", ()))
        if kind == "year":
            return any(known.startswith(str(int(value))) for known in self._dates) or value in self._all
        if kind == "month":
            return any(f"-{int(value):02d}" in known[4:7] for known in self._dates) or value in typed.get("month", ())
        if kind == "decade":
            return any(value <= age < value + 10 for age in typed.get("age", ())) or value in typed.get("decade", ())
        if kind == "number":
            return (
                value in self._all or str(int(value)) in self._squeezed
                if value.is_integer() and value >= 100
                else value in self._all
            )
        if kind == "times":
            return value in typed.get("times", ()) or value in typed.get("count", ())
        return value in typed.get(kind, ())

    def _near(self, figure: Figure) -> bool:
        """'약 2만 원' may stand for 20,625원: equal after rounding to the digits that are shown."""
        value = figure.value
        known = self._any | self._typed.get(figure.kind, set())
        if not isinstance(value, float) or value in known:
            return True
        return any(abs(other - value) <= 0.05 * max(abs(value), 1) for other in known) or self._has_number(
            figure.kind, value
        )

    def _read(self, text: str) -> None:
        self._squeezed += squeeze(text)
        if _JSON_OPENING.match(text):
            try:
                self._walk(json.loads(text), None)
                return
            except ValueError:
                pass
        for fact in _FACT.finditer(text):
            self._add(_told_by(fact["key"]), float(fact["value"]))
        self._read_text(text, spelled=True)

    def _walk(self, value: Any, kind: FigureKind | None) -> None:
        if isinstance(value, dict):
            for key, inner in value.items():
                self._walk(inner, _told_by(key) or kind)
                if key.isdecimal():
                    self._add(None, float(key))
        elif isinstance(value, list):
            self._add("count", float(len(value)))
            for inner in value:
                self._walk(inner, kind)
        elif isinstance(value, str):
            self._read_text(value, spelled=False)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._add(kind, abs(float(value)))

    def _read_text(self, text: str, *, spelled: bool) -> None:
        if not spelled and not _DIGIT.search(text):
            return
        for figure in figures(text) if spelled else remembered_figures(text):
            if isinstance(figure.value, str):
                if figure.kind == "date" or figure.kind == "month_day":
                    self._dates.add(figure.value)
                continue
            kind = None if figure.kind == "number" else figure.kind
            if kind == "money" and not figure.text.rstrip().endswith("원"):
                self._any.add(figure.value)
            self._add(kind, figure.value)
        if spelled:
            for value in number_words(text):
                self._any.add(value)

    def _add(self, kind: FigureKind | None, value: float) -> None:
        value = round(value, 6)
        self._all.add(value)
        if kind is None:
            self._any.add(value)
            if not value.is_integer() or value <= 1:
                self._add_percent(round(value * 100, 4))
            return
        self._typed.setdefault(kind, set()).add(value)
        if kind == "percent":
            self._add_percent(value)
            self._add_percent(round(value * 100, 4))

    def _add_percent(self, value: float) -> None:
        self._typed.setdefault("percent", set()).add(value)
        self._percents.update((round(value, 4), round(value, 2), round(value, 1), round(value)))


def squeeze(text: str) -> str:
    """Without blanks, quotes, brackets and emphasis, lower case: for finding names and references."""
    return _SPACES.sub("", text).lower()


@lru_cache(maxsize=4096)
def _told_by(key: str) -> FigureKind | None:
    """What the last telling part of a key says (reduction_months → months)."""
    return next((_BY_KEY[part] for part in reversed(key.lower().split("_")) if part in _BY_KEY), None)

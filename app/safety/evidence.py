"""What an answer's figures may rest on: the values of tool results (by key) and of what was said (by unit)."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from typing import Any

from app.safety.figures import Figure, FigureKind, remembered_figures, said_figures, said_words
from app.safety.records import Records, names_of
from app.safety.wording import Wording

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
            "fee",
            "fees",
            "fare",
            "cost",
            "deposit",
            "balance",
            "won",
        ),
        "money",
    ),
}
_MARKS = "·ㆍ\"'`*_()[]<>「」『』"
_JSON_OPENING = re.compile(r"\s*[\[{]")
_DIGIT = re.compile(r"\d|[십백천만억]\s?원")
_FACT = re.compile(r"[\"'](?P<key>\w+)[\"']\s*:\s*(?P<value>-?\d+(?:\.\d+)?)(?![\d.])")
_HALF_UP = 1e-6
# What may tell how long a list of the results is (3가지, 총 5).
_COUNTING = ("count", "number")


class Evidence:
    """All figures and names that were given, each with the record (an item of a result's list) it stands in.

    Texts are read one after the other and only as far as needed: the first, a result of this turn, mostly holds all.
    Results of `earlier` turns hold figures, too, but what they say of other things is held against no answer.
    """

    def __init__(self, texts: Sequence[str], earlier: Sequence[str] = ()) -> None:
        self._unread, self._earlier = deque([*texts, *earlier]), len(earlier)
        self._wording = Wording()
        self._places: dict[str, dict[float | str, set[int]]] = {}
        self._records = Records()
        self._stated: set[float | str] = set()  # what a person said or a result's own field holds
        self._lists: dict[float, list[list[Any]]] = {}  # by their length
        self._squeezed = ""

    def has(self, figure: Figure, apart: Set[int] = frozenset()) -> bool:
        """Whether the figure occurs in an equal form, elsewhere than in the records of `apart`."""
        return self._found(lambda: not self._owners(figure) <= apart)

    def names(self, words: str) -> bool:
        """Whether the words occur, however they are spaced and quoted."""
        wanted = squeeze(words)
        return self._found(lambda: wanted in self._squeezed)

    def parted(self, first: Figure, second: Figure) -> bool:
        """Whether both figures are given, but by different items of a list."""
        both = self.has(first) and self.has(second)
        return both and self._records.apart(self._owners(first), self._owners(second))

    def denied(self, answer: str) -> list[int]:
        """Where numbers stand whose very words a result says around other numbers only."""
        while len(self._unread) > self._earlier and _JSON_OPENING.match(self._unread[0]):
            self._read_next()
        return self._wording.denied(answer)

    def stated(self, figure: Figure) -> bool:
        """Whether a person said the figure, or a field of a result itself, not of one of its items, holds it."""
        return figure.value in self._stated

    def miscounted(self, figure: Figure, said: str) -> bool:
        """Whether a count is only the length of lists of which an answer (without blanks) names nothing."""
        value = figure.value
        if figure.kind != "count" or not isinstance(value, float) or self._of("any", value) | self._of("count", value):
            return False
        lists = self._lists.get(value, ())
        called = [names_of(items) for items in lists]
        return bool(called) and not any(not names or any(name in said for name in names) for names in called)

    def others(self, answer: str, spans: Sequence[tuple[int, int]]) -> list[frozenset[int]]:
        """For each sentence of the answer the records that it is not about: those beside the ones that it names."""
        named = self._records.named(answer)
        return [self._records.others(answer[start:end], named) for start, end in spans]

    def _found(self, holds: Callable[[], bool]) -> bool:
        while not holds():
            if not self._unread:
                return False
            self._read_next()
        return True

    def _owners(self, figure: Figure) -> set[int]:
        """The records that hold the figure; 0 stands for what is in none."""
        value = figure.value
        if isinstance(value, str):
            return self._of_text(figure.kind, value)
        return self._near(figure) if figure.approximate else self._of_number(figure.kind, value)

    def _of_text(self, kind: FigureKind, value: str) -> set[int]:
        if kind == "date":
            return self._where("date", lambda known: str(known).startswith(value))
        if kind == "month_day":
            return self._where("date", lambda known: str(known).endswith(value))
        return {0} if squeeze(value) in self._squeezed else set()

    def _of_number(self, kind: FigureKind, value: float) -> set[int]:
        found = self._of("any", value)
        if kind == "money":
            found = found | self._of("money", value)
            return found | self._of("any", value / 10**4) if value >= 10**4 else found
        if kind == "percent":
            return found | self._of("percent_shown", value)
        if kind == "years":
            return found | self._of("years", value) | self._of("months", value * 12)
        if kind == "months":
            return found | self._of("months", value) | self._of("years", value / 12)
        if kind == "year":
            year = f"{int(value)}"
            return found | self._of("all", value) | self._where("date", lambda known: str(known).startswith(year))
        if kind == "month":
            month = f"-{int(value):02d}"
            return found | self._of("month", value) | self._where("date", lambda known: month in str(known)[4:7])
        if kind == "decade":
            aged = self._where("age", lambda age: value <= float(age) < value + 10)
            return found | aged | self._of("decade", value)
        if kind == "number":
            found = found | self._of("all", value)
            spelled = value.is_integer() and value >= 100 and f"{int(value)}" in self._squeezed
            return found | {0} if spelled else found
        if kind == "times":
            found = found | self._of("count", value)
        if kind in _COUNTING:
            found = found | self._of("length", value)
        return found | self._of(kind, value)

    def _of(self, kind: str, value: float | str) -> set[int]:
        return self._places.get(kind, {}).get(value, set())

    def _where(self, kind: str, fits: Callable[[float | str], bool]) -> set[int]:
        return set().union(*(owners for known, owners in self._places.get(kind, {}).items() if fits(known)))

    def _near(self, figure: Figure) -> set[int]:
        """'약 2만 원' may stand for 20,625원: equal after rounding to the digits that are shown."""
        value = figure.value
        if not isinstance(value, float):
            return {0}
        reach = 0.05 * max(abs(value), 1)

        def close(known: float | str) -> bool:
            return abs(float(known) - value) <= reach

        return self._where("any", close) | self._where(figure.kind, close) | self._of_number(figure.kind, value)

    def _read_next(self) -> None:
        text = self._unread.popleft()
        self._records.closed = len(self._unread) < self._earlier
        self._squeezed += squeeze(text)
        if _JSON_OPENING.match(text):
            try:
                self._walk(json.loads(text), None, f"{len(self._unread)}")
                return
            except ValueError:
                pass
        for fact in _FACT.finditer(text):
            self._add(_told_by(fact["key"]), float(fact["value"]))
        self._read_text(text, spelled=True)

    def _walk(self, value: Any, kind: FigureKind | None, path: str) -> None:
        """A field of a result; `path` says which, `kind` what its name tells of the numbers in it."""
        if isinstance(value, dict):
            for key, inner in value.items():
                if not key.isdecimal() and _DIGIT.search(key):  # a table by day: 2026-08-01
                    self._read_text(key, spelled=False)
                if key.isdecimal():  # a table by age or year: each row is a record
                    self._records.enter({}, f"{path}.rows")
                    self._add(None, float(key))
                    self._walk(inner, kind, f"{path}.#")
                    self._records.leave()
                elif isinstance(inner, dict | list):
                    self._walk(inner, _told_by(key) or kind, f"{path}.{key}")
                else:
                    self._leaf(inner, _told_by(key) or kind)
        elif isinstance(value, list):
            self._put("length", float(len(value)))
            self._lists.setdefault(float(len(value)), []).append(value)
            for inner in value:
                if isinstance(inner, dict):
                    self._records.enter(inner, path)
                    self._walk(inner, kind, path)
                    self._records.leave()
                else:
                    self._walk(inner, kind, path)
        else:
            self._leaf(value, kind)

    def _leaf(self, value: Any, kind: FigureKind | None) -> None:
        if isinstance(value, str):
            if _DIGIT.search(value):
                if not self._records.closed:
                    self._wording.add(value)
                self._read_text(value, spelled=False)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._add(kind, abs(float(value)))
            if not self._records.current:
                self._stated.add(abs(float(value)))

    def _read_text(self, text: str, *, spelled: bool) -> None:
        for figure in said_figures(text) if spelled else remembered_figures(text):
            if isinstance(figure.value, str):
                if figure.kind == "date" or figure.kind == "month_day":
                    self._put("date", figure.value)
                continue
            kind = None if figure.kind == "number" else figure.kind
            if kind == "money" and not figure.text.rstrip().endswith("원"):
                self._put("any", figure.value)
            self._add(kind, figure.value)
            if spelled:
                self._stated.add(figure.value)
        if spelled:
            for value in said_words(text):
                self._put("any", value)

    def _add(self, kind: FigureKind | None, value: float) -> None:
        value = round(value, 6)
        self._put("all", value)
        if kind is None:
            self._put("any", value)
            if not value.is_integer() or value <= 1:
                self._put_percent(round(value * 100, 4))
            return
        self._put(kind, value)
        if kind == "percent":
            self._put_percent(value)
            self._put_percent(round(value * 100, 4))

    def _put_percent(self, value: float) -> None:
        self._put("percent", value)
        above = value + _HALF_UP  # 83.85 is shown as 83.9, though floats round it down
        for shown in (round(value, 4), round(above, 2), round(above, 1), round(above)):
            self._put("percent_shown", float(shown))

    def _put(self, kind: str, value: float | str) -> None:
        self._places.setdefault(kind, {}).setdefault(value, set()).add(self._records.current)


def squeeze(text: str) -> str:
    """Without blanks, quotes, brackets and emphasis, lower case: for finding names and references."""
    tight = "".join(text.split())
    for mark in _MARKS:  # twice as quick as a pattern
        tight = tight.replace(mark, "")
    return tight.lower()


@lru_cache(maxsize=4096)
def _told_by(key: str) -> FigureKind | None:
    """What the last telling part of a key says (reduction_months → months); of times_a_year only what stands first."""
    parts = key.lower().partition("_a_")[0].split("_")
    return next((_BY_KEY[part] for part in reversed(parts) if part in _BY_KEY), None)

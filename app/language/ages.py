"""Ages as people say them: 45살, 만 45세, 마흔다섯, 육십사 세, 45남, 환갑, 40대 중반.

A number without a unit counts as an age only where its neighbours say so (a gender, 나이, 만으로, a person, 말고
between two two-digit numbers) or when it is the whole message. Money, durations and counts are told apart by their
units. The words stand in data/language/ages.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from app.language.mentions import AgeMention
from app.language.numbers import marked, parse_number
from app.word_files import Pattern, WordFiles, Words

_WHOLE_DECADE = (0, 9)


class AgeSaid(Words):
    """A way to say an age (group `number`), how sure it is, and what else the message must hold."""

    said: Pattern
    confidence: float
    only_where: Pattern | None = None


class AgeWords(Words):
    """ages.yaml: each word is explained beside it."""

    said: tuple[AgeSaid, ...]
    named_ages: dict[str, int]
    spelt: dict[str, str]
    band: Pattern
    band_parts: dict[str, tuple[int, int]]
    between: Pattern
    relative: Pattern
    same_age: Pattern
    nobody: tuple[Pattern, ...]
    becoming: Pattern
    instead: Pattern
    alone: Pattern
    after_person: tuple[Pattern, ...]
    digit_in_row: Pattern
    before_person: Pattern
    last: Pattern
    put_right: Pattern
    slip: Pattern
    bound: Pattern
    term: Pattern
    about: Pattern
    roughly: Pattern
    next_year: Pattern
    then: Pattern


class AgeReader:
    """Reads ages. Built once; `find` is pure. Raises DataFaults."""

    def __init__(self, files: WordFiles) -> None:
        self._words = files.read("ages", AgeWords)

    def find(
        self, text: str, taken: Iterable[tuple[int, int]] = (), after: Iterable[int] = (), before: Iterable[int] = ()
    ) -> list[AgeMention]:
        """Ages in order, outside the spans of `taken`. `after` are positions (ends of person words) where a bare
        two-digit number is an age (남편 45), `before` their beginnings, where one may open the message (38 애아빠)."""
        words = self._words
        busy = marked(text, taken)
        found: list[AgeMention] = []

        def add(mentions: Iterable[AgeMention | None]) -> None:
            for mention in mentions:
                if mention is not None and 0 <= mention.age <= 120 and not any(busy[mention.start : mention.end]):
                    busy[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
                    found.append(mention)

        add(self._relative(text))
        for pattern in words.nobody:
            for match in pattern.finditer(text):
                busy[match.start() : match.end()] = b"\1" * len(match.group())
        add(AgeMention(*m.span(), m.group(), kind="relative", delta=0) for m in words.same_age.finditer(text))
        add(self._bands(text))
        add(self._swapped(text))
        for row in words.said:
            if row.only_where is None or row.only_where.search(text):
                add(self._age(text, match, row.confidence) for match in row.said.finditer(text))
        for word, age in words.named_ages.items():
            add(self._named(text, match, age) for match in re.finditer(re.escape(word), text))
        if alone := words.alone.match(text):
            add([self._age(text, alone, 0.6)])
        ends = list(after)
        for last in words.last.finditer(text):
            if ends or words.put_right.search(text[: last.start()]):
                add([self._age(text, last, 0.65)])
        for end in ends:
            if behind := next((m for pattern in words.after_person if (m := pattern.match(text, end))), None):
                add([self._age(text, behind, 0.8)])
            elif found and (small := words.digit_in_row.match(text, end)):
                add([self._age(text, small, 0.7)])
        for start in before:
            if opening := words.before_person.search(text[:start]):
                add([self._age(text, opening, 0.7)])
        return self._put_right(sorted(found, key=lambda mention: mention.start), text)

    def _relative(self, text: str) -> Iterator[AgeMention]:
        for match in self._words.relative.finditer(text):
            years = parse_number(match["number"]) or 0
            yield AgeMention(*match.span(), match.group(), kind="relative", delta=years if match["older"] else -years)

    def _bands(self, text: str) -> Iterator[AgeMention]:
        """50에서 55 사이, 40대 중반."""
        for match in self._words.between.finditer(text):
            yield _band(match, int(match["low"]), int(match["high"]))
        for match in self._words.band.finditer(text):
            low = parse_number(match["number"])
            if low is not None and low % 10 == 0 and 10 <= low <= 90:
                first, last = self._words.band_parts.get(match["part"] or "", _WHOLE_DECADE)
                yield replace(_band(match, low + first, low + last), age=low)

    def _swapped(self, text: str) -> Iterator[AgeMention]:
        """45 말고 55, of which the first is ruled out; 50되면, an age that the words behind it make no bound."""
        for match in self._words.instead.finditer(text):
            for name in ("old", "new"):
                yield AgeMention(*match.span(name), match[name], 0.7, name == "old", parse_number(match[name]) or 0)
        for match in self._words.becoming.finditer(text):
            value = self._value(match)
            if value is not None:
                yield AgeMention(*match.span(), match.group(), 0.8, age=value)

    def _put_right(self, ages: list[AgeMention], text: str) -> list[AgeMention]:
        """쉰다섯 아니 쉰여섯: the first was a slip."""
        for at, (slip, meant) in enumerate(pairwise(ages)):
            if slip.kind == meant.kind == "age" and self._words.slip.fullmatch(text[slip.end : meant.start]):
                ages[at] = replace(slip, negated=True)
        return ages

    def _value(self, match: re.Match[str]) -> int | None:
        said: str = match["number"]
        for spoken, meant in self._words.spelt.items():
            said = said.replace(spoken, meant)
        return parse_number(said)

    def _age(self, text: str, match: re.Match[str], confidence: float) -> AgeMention | None:
        value = self._value(match)
        if value is None:
            return None
        groups = match.groupdict()
        full = bool(groups.get("full"))
        start = match.start("full") if full else match.start("number")
        end = match.end("unit") if groups.get("unit") else match.end("number")
        if self._words.next_year.search(text[:start]) and not self._words.then.match(text, end):
            value -= 1
        age = AgeMention(start, end, text[start:end], confidence, age=value, full=full)
        if self._words.term.match(text, end):
            return replace(age, kind="term")
        if bound := self._words.bound.match(text, end):
            low = value + bool(bound["above"]) if bound["low"] or bound["above"] else None
            high = value - bool(bound["below"]) if bound["high"] or bound["below"] else None
            return replace(age, kind="bound", approximate=True, low=low, high=high)
        return replace(age, approximate=self._approximate(text, start, end))

    def _named(self, text: str, match: re.Match[str], age: int) -> AgeMention:
        """환갑, 신생아: an age by its name."""
        start, end = match.span()
        mention = AgeMention(start, end, match.group(), 0.9, age=age)
        if self._words.term.match(text, end):
            return mention
        if self._words.bound.match(text, end):
            return replace(mention, kind="bound", approximate=True)
        return replace(mention, approximate=self._approximate(text, start, end))

    def _approximate(self, text: str, start: int, end: int) -> bool:
        roughly = self._words.roughly.search(text[max(0, start - 4) : start])
        return bool(self._words.about.match(text, end) or roughly)


def _band(match: re.Match[str], low: int, high: int) -> AgeMention:
    return AgeMention(*match.span(), match.group(), 0.9, age=low, kind="band", approximate=True, low=low, high=high)

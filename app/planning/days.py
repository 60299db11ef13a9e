"""Which slots the days and times of a message are for: of two, the beginning and the end; so much longer; one more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, TypeVar

from app.language.numbers import NATIVE_PATTERN, parse_number
from app.language.references import is_negated
from app.planning.message import NOUNS, WORD_BEGINS, Message, PlacesMorphemes
from app.planning.moments import find_days, find_months, find_times, in_figures
from app.planning.slots import Slot
from app.planning.words import Direction, SlotWords, bare, named_so

T = TypeVar("T")
_AT = "T"
_NUMBER = rf"(?<![\d가-힣])(?P<n>\d{{1,2}}|{NATIVE_PATTERN}|[일이삼사오육칠팔구십]{{1,3}})\s?"
_CLOCK = "%H:%M"
_CLOCK_DIGITS, _DAY_DIGITS = (3, 4), (4, 6, 8)
_MONTHS_AHEAD = timedelta(days=320)
_LAST_HOUR, _LAST_MINUTE = 23, 59


def is_half(moment: str) -> bool:
    """Whether a moment lacks its day or its time."""
    return moment.startswith(_AT) or moment.endswith(_AT)


class MomentReader:
    """Pure; safe to share between threads."""

    def __init__(self, words: SlotWords, tokenizer: PlacesMorphemes) -> None:
        self._words, self._tokenizer = words, tokenizer

    def days(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The days of the slots as YYYY-MM-DD."""
        words = self._words
        told = self._single(message, find_days(message.text, message.today, words))
        days = [day for day in told if not is_negated(message.text, day[1])]
        for start, end, _ in told:
            message.take(start, end)
        found = self._in_order(message, slots, days)
        begins, ends = self._both(slots)
        if begins and ends and ends not in found and (begins in found or begins in message.before):
            if (nights := self._length(message, self._words.night, counters=self._words.nights)) is not None:
                found[ends] = self._day(found, message, begins) + timedelta(days=nights)
            elif (length := self._length(message, words.day, self._words.lasting)) is not None:
                found[ends] = self._day(found, message, begins) + timedelta(days=max(length - 1, 0))
        for slot in slots:
            if named_so(slot.name, slot.described, words.gone) and found.get(slot.name, message.today) > message.today:
                found[slot.name] = found[slot.name].replace(year=found[slot.name].year - 1)  # 11월 23일에 계약했어요
        if begins in found and ends in found and found[begins] - message.today > _MONTHS_AHEAD:
            # 11월 1일부터 10일까지, said on the 26th: what lies weeks back is not meant eleven months ahead.
            found |= {name: found[name].replace(year=found[name].year - 1) for name in (begins, ends)}
        last = ends or (slots[0].name if len(slots) == 1 else "")
        if (
            not found
            and last in message.before
            and (more := self._length(message, words.day, self._words.more)) is not None
        ):
            found[last] = self._day(found, message, last) + timedelta(days=more)
        return {name: day.isoformat() for name, day in found.items()}

    def moments(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The days with their times, as YYYY-MM-DDTHH:MM; what is told of one alone (YYYY-MM-DDT, THH:MM) goes with
        what was known of the other."""
        whole: dict[str, Any] = {}
        days, times = self.days(message, slots), self.times(message, slots)
        for slot in slots:
            day, _, time = str(message.before.get(slot.name, "")).partition(_AT)
            if slot.name in days or slot.name in times:
                whole[slot.name] = _AT.join((days.get(slot.name, day), times.get(slot.name, time)))
        return whole

    def months(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The months of the slots as YYYY-MM. One without its year is the last one of that name."""
        told = find_months(message.text, message.today, self._words)
        for start, end, _ in told:
            message.take(start, end)
        return dict(self._in_order(message, slots, told))

    def times(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The times of the slots as HH:MM."""
        hours = next((slot.open_hours for slot in slots if slot.open_hours), None)
        told = find_times(message.text, self._words, hours)
        times = [t for t in told if not is_negated(message.text, t[1])]
        for start, end, _ in told:
            message.take(start, end)
        found = self._in_order(message, slots, times)
        begins, ends = self._both(slots)
        if begins and ends and begins in found and ends not in found:
            length = self._length(message, self._words.hour)
            if length is not None:
                at = datetime.strptime(found[begins], _CLOCK) + timedelta(hours=length)  # noqa: DTZ007
                found[ends] = at.strftime(_CLOCK)
        return dict(found)

    @staticmethod
    def _single(message: Message, told: Sequence[tuple[int, int, date]]) -> Sequence[tuple[int, int, date]]:
        """Without the weekdays of what comes each week (수 금, 12월 9일 시작), where the tool asks for those."""
        dated = [day for day in told if any(map(str.isdigit, message.text[day[0] : day[1]]))]
        return dated if dated and message.weekly else told

    def in_figures(self, message: Message, slot: Slot) -> dict[str, Any]:
        """A day or a time that was asked for, written in figures alone: 1205, 12.5, 20261205, 1430."""
        if any(letter.isalpha() for letter in message.text.removesuffix(self._words.polite)):
            return {}  # 12월 5일부터 3박
        figures = "".join(letter if letter.isdigit() else " " for letter in message.text).split()
        digits = figures[0] if len(figures) == 1 else ""
        if slot.kind == "time":
            told = (digits[:-2], digits[-2:]) if len(digits) in _CLOCK_DIGITS else tuple(figures)
            if len(told) != len(("hour", "minute")) or int(told[0]) > _LAST_HOUR or int(told[1]) > _LAST_MINUTE:
                return {}
            return {slot.name: f"{int(told[0]):02d}:{int(told[1]):02d}"}
        if len(digits) in _DAY_DIGITS:
            figures = [part for part in (digits[:-4], digits[-4:-2], digits[-2:]) if part]
        day = in_figures(figures, message.today)
        return {slot.name: day.isoformat()} if day else {}

    @staticmethod
    def _day(found: dict[str, date], message: Message, name: str) -> date:
        return found[name] if name in found else date.fromisoformat(str(message.before[name]))

    def _length(
        self, message: Message, unit: str, behind: Sequence[str] = ("",), counters: Sequence[str] = ()
    ) -> float | None:
        """How long something lasts, in the unit, where one of the words `behind` follows."""
        counted = "|".join(map(re.escape, counters or self._words.units.get(unit, (unit,))))
        follows = "|".join(map(re.escape, behind))
        in_words = self._words.numbers.get(unit, {})
        word = "|".join(in_words) or "(?!)"
        night = "|".join(map(re.escape, counters))
        spelt = rf"(?:{_NUMBER}(?:{counted})|{WORD_BEGINS}(?P<w>{word})(?:{night}))(?P<half>\s?반)?\s?(?:{follows})"
        for match in re.finditer(spelt, message.text):
            if not message.free(*match.span()):
                continue
            length = in_words.get(match["w"] or "") or parse_number(match["n"] or "")
            if length is not None:
                message.take(*match.span())
                return length + (0.5 if match["half"] else 0)
        return None

    def _both(self, slots: Sequence[Slot]) -> tuple[str, str]:
        """The names of the slots where something begins and ends; '' for none."""
        begins, ends = (self._of(slots, way) for way in (self._words.start, self._words.end))
        return (begins, ends) if begins != ends else ("", "")

    @staticmethod
    def _of(slots: Sequence[Slot], way: Direction) -> str:
        return next((slot.name for slot in slots if named_so(slot.name, f"{slot.label} {slot.described}", way)), "")

    def _in_order(self, message: Message, slots: Sequence[Slot], spans: Sequence[tuple[int, int, T]]) -> dict[str, T]:
        """Which slot each of several values of one kind is for: the ends of what is told from … to …, the one whose
        label stands before it, the last one for what is told as an end, those that were asked for, else the order of
        the schema."""
        found: dict[str, T] = {}
        left = list(spans)
        begins, ends = self._both(slots)
        for one, two in pairwise(spans):
            if begins and ends and self._joined(message.text[one[1] : two[0]]):
                found |= {begins: one[2], ends: two[2]}
                left = [span for span in left if span not in (one, two)]
        for start, end, value in list(left) if len(slots) > 1 else ():
            before = bare(message.text[:start])
            named = next((s for s in slots if any(before.endswith(w) for w in self._labels(s))), None)
            closes = message.text[end:].lstrip().startswith(self._words.end.behind[0]) and len(spans) == 1
            slot = named or (slots[-1] if closes else None)
            if slot is not None and slot.name not in found:
                found[slot.name] = value
                left.remove((start, end, value))
        order = [s for s in slots if s.name in message.asked and s.name not in found]
        order = order if order and len(left) <= len(order) else [s for s in slots if s.name not in found]
        return found | {slot.name: value for slot, (_, _, value) in zip(order, left[-len(order) :], strict=False)}

    def _joined(self, between: str) -> bool:
        return between.strip() in self._words.bounds

    def _labels(self, slot: Slot) -> list[str]:
        """The words of a slot's label, whole and without what every label of its kind ends in."""
        words = [form for form, tag, _, _ in self._tokenizer.placed(slot.label) if tag in NOUNS and len(form) > 1]
        return [slot.label, *words, *(word[:-1] for word in (slot.label, *words) if len(word) > 2)]

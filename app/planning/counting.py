"""Numbers and sums of money in a message: with their counters, about so many, from so many to so many, one more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.language.entities import EntityReader
from app.language.numbers import NATIVE_PATTERN, Quantity, parse_number, quantities_at
from app.planning.message import LETTER, Message, spans_of, turned
from app.planning.slots import Slot
from app.planning.words import Direction, SlotWords, bare, leads, named_so

_SINO = r"(?:[일이삼사오육칠팔구]?[백십])*[일이삼사오육칠팔구]?[백십]?"
_NUMBERING, _COUNTER = ("SN", "NR", "MM"), ("NNB", "NNG")
_ENDS = "JEVS"  # particles, endings, the copula, marks: no counter
_FAR, _MOST_LABEL, _GREAT, _MYRIAD = 1, 3, 1000, 10_000
HANGUL = re.compile(r"[가-힣]+")


@dataclass(frozen=True)
class Told:
    """A number with its place; `low` is where a range begins (3~5명), `counted` tells that a counter stands behind."""

    start: int
    end: int
    value: float
    low: float | None = None


class NumberReader:
    """Reads numbers for slots that take them. Pure; safe to share between threads."""

    def __init__(self, words: SlotWords, entities: EntityReader) -> None:
        self._words, self._entities = words, entities
        about = "|".join(sorted(words.about, key=len, reverse=True))
        self._to = rf"\s?(?:{'|'.join(map(re.escape, words.bounds))})\s?"
        self.numeral = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{about}|{NATIVE_PATTERN}|{_SINO})"

    def read(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The numbers of the slots: what stands before their own label (3학년), then those of one unit together."""
        found: dict[str, Any] = self._before_labels(message, slots)
        every, slots = slots, [slot for slot in slots if slot.name not in found]
        for unit in dict.fromkeys((slot.kind, slot.unit) for slot in slots):
            group = [slot for slot in slots if (slot.kind, slot.unit) == unit]
            told = self._sums(message, group[0]) if unit[0] == "money" else self._counted(message, group[0])
            told = [each for each in told if message.free(each.start, each.end)]
            if not told and _takes_great(group[0]):
                told = self._great(message, group[0])
            found |= self._given(message, group, told)
        for slot in slots:
            if slot.name not in found and slot.kind == "number" and slot.unit in self._words.any_count:
                found |= self._given(message, [slot], self._any_counted(message, slots))
        needed = [slot for slot in slots if slot.required and slot.name not in found]
        needed = [slot for slot in needed if slot.name not in message.before] or needed
        if len(needed) == 1 and needed[0].kind == "number" and not found:
            found |= self._given(message, needed, self._bare(message))
        return {
            slot.name: [found[slot.name]] if slot.many else found[slot.name] for slot in every if slot.name in found
        }

    def _before_labels(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot in slots:
            label = slot.label
            if not 0 < len(label) <= _MOST_LABEL or not HANGUL.fullmatch(label) or label in self._words.units:
                continue
            for match in re.finditer(rf"(?<![\d.,가-힣])(?P<n>\d+(?:\.\d+)?)\s?{label}", message.text):
                value = self.value(match["n"])
                if value is not None and within(slot, value) and message.free(*match.span()):
                    message.take(*match.span())
                    found[slot.name] = value
        return found

    def value(self, word: str) -> float | int | None:
        """The number that a word tells; the greater one of 서너."""
        if word in self._words.about:
            return self._words.about[word][1]
        return float(word) if word.count(".") == 1 and word.replace(".", "").isdigit() else parse_number(word)

    def counts_other(self, slot: Slot, behind: str) -> bool:
        """Whether the word behind a number counts something else than the slot takes (두 달, where weeks are asked)."""
        own = self._words.units.get(slot.unit, (slot.unit,) if slot.unit else ())
        others = (word for unit in self._words.units.values() for word in unit if word not in own)
        return (
            bool(slot.unit) and behind.strip().startswith(tuple(others)) and not behind.strip().startswith(tuple(own))
        )

    def _given(self, message: Message, slots: Sequence[Slot], told: Sequence[Told]) -> dict[str, Any]:
        """Which slot each number is for: the one that its words or its label say, a range for both ends, else the last
        one where there is one slot, and in their order where there are several."""
        found: dict[str, Any] = {}
        least, most = (self._end(slots, way) for way in (self._words.least, self._words.most))
        left: list[Told] = []

        def give(slot: Slot, each: Told, value: float) -> None:
            if within(slot, value):
                found[slot.name] = value
                message.take(each.start, each.end)

        for each in told:
            more = self._more(message, slots, each)
            if more is not None:
                give(more, each, message.before[more.name] + each.value)
            elif each.low is not None and least and most:
                give(least, each, each.low)
                give(most, each, each.value)
            elif each.low is not None and least and len(slots) == 1:
                give(least, each, each.low)
            elif (way := self._said_end(message, each, least, most)) is not None:
                give(way, each, each.value)
            elif len(slots) > 1 and (own := self._labelled(message, slots, each)) is not None:
                give(own, each, each.value)
            else:
                left.append(each)
        fitting = [each for each in left if any(within(slot, each.value) for slot in slots)]
        if len(slots) == 1:
            if fitting and (slots[0].name not in found):
                give(slots[0], fitting[-1], fitting[-1].value)
            return found
        order = [slot for slot in slots if slot.name not in found]
        order.sort(key=lambda slot: (slot.name not in message.asked, slot.name in message.before, not slot.required))
        for slot, each in zip(order, fitting, strict=False):
            give(slot, each, each.value)
        return found

    def _end(self, slots: Sequence[Slot], way: Direction) -> Slot | None:
        return next((slot for slot in slots if named_so(slot.name, f"{slot.label} {slot.described}", way)), None)

    def _said_end(self, message: Message, each: Told, least: Slot | None, most: Slot | None) -> Slot | None:
        for slot, way in ((least, self._words.least), (most, self._words.most)):
            if slot is not None and leads(message.text, (each.start, each.end), way):
                return slot
        return None

    def _labelled(self, message: Message, slots: Sequence[Slot], each: Told) -> Slot | None:
        before = bare(message.text[: each.start])
        return next((slot for slot in slots if any(before.endswith(w) for w in slot.label.split() if len(w) > 1)), None)

    def _more(self, message: Message, slots: Sequence[Slot], each: Told) -> Slot | None:
        """The slot that so many are added to (한 명 더)."""
        added = message.text[each.end :].lstrip().startswith(self._words.more)
        known = [slot for slot in slots if isinstance(message.before.get(slot.name), int | float)]
        return known[0] if added and known else None

    def _great(self, message: Message, slot: Slot) -> list[Told]:
        """Numbers of a thousand and more (오만삼천), and sums in 만원 without their unit (칠백에 샀어요)."""
        own = self._words.units.get(slot.unit, (slot.unit,) if slot.unit else ())
        least = 0 if slot.unit == self._words.man_won else _GREAT
        found: list[Told] = []
        for at, _ in spans_of(r"(?<![\d.,])(?=[\d일이삼사오육칠팔구십백천만])", message.text):
            number = _whole(message.text, at, self._words)
            if number is None or number.value < least or not message.free(number.start, number.end):
                continue
            if any(at < told.end for told in found):
                continue
            behind = message.text[number.end :].lstrip()
            counter = next((word for word in own if behind.startswith(word)), "")
            if not counter and not (slot.name in message.asked or (slot.required and not message.asked)):
                continue
            joined = message.text[number.end : number.end + 1]
            word = number.style != "arabic" and _is_hangul(joined) and not counter
            if (word and not behind.startswith(self._words.behind_numbers)) or self.counts_other(slot, behind):
                continue
            found.append(Told(number.start, number.end + len(counter), number.value))
        return found

    def _sums(self, message: Message, slot: Slot) -> list[Told]:
        """The sums of money, in the unit of the slot."""
        scale = self._words.man if slot.unit == self._words.man_won else 1
        sums = self._in_won(message)
        return [
            replace(each, value=_in(each.value, scale), low=None if each.low is None else _in(each.low, scale))
            for each in sums
            if not (slot.whole and each.value % scale)
        ]

    def _in_won(self, message: Message) -> list[Told]:
        money = self._entities.read(message.text, message.today).money
        told = [Told(m.start, m.end, m.amount) for m in money if m.explicit_unit and not m.negated]
        joined: list[Told] = []
        for each in sorted(told, key=lambda sum_told: sum_told.start):
            last = joined[-1] if joined else None
            if last and last.low is None and re.fullmatch(rf"{self._to}|\s", message.text[last.end : each.start]):
                joined[-1] = Told(last.start, each.end, each.value, last.value)
            else:
                joined.append(each)
        return [self._from_short(message, each) for each in joined]

    def _from_short(self, message: Message, each: Told) -> Told:
        """3~5만원: the first number is in the unit of the second."""
        short = re.search(rf"(?<![\d.,])(?P<n>\d{{1,4}}){self._to}(?P<m>[1-9]\d*)[^\d]*$", message.text[: each.end])
        if short is None or each.low is not None or short.start("m") != each.start:
            return each
        return replace(each, start=short.start(), low=int(short["n"]) * each.value / int(short["m"]))

    def _counted(self, message: Message, slot: Slot) -> list[Told]:
        """Numbers before a counter of the unit, behind the label, or said in one word (혼자)."""
        text = message.text
        found = self._in_one_word(message, slot)
        counters = self._words.units.get(slot.unit, (slot.unit,) if slot.unit else ())
        for counter in sorted(counters, key=lambda word: (word != slot.unit, -len(word))):
            if found and counter != slot.unit:
                break  # 2박 3일, 일주일: the unit itself is surest
            own = re.escape(counter)
            spelt = (
                rf"(?<![\d.,가-힣])(?:(?P<low>{self.numeral})\s?(?:{own})?{self._to})?"
                rf"(?P<n>{self.numeral})\s?{own}(?![A-Za-z]|[가-힣]?(?:월|요일))"
            )
            for match in re.finditer(spelt, text):
                number = self.value(match["n"]) if match["n"] else None
                if number is None or turned(self._words, text, match.end()):
                    continue
                if match["low"] and not message.free(*match.span("low")) and message.free(*match.span("n")):
                    found.append(Told(match.start("n"), match.end(), number))  # 12월 1일부터 30일간
                    continue
                low = self.value(match["low"]) if match["low"] else self._words.about.get(match["n"], (None, 0))[0]
                if low is not None and low > number:
                    low = None
                if all(match.end() <= one.start or one.end <= match.start() for one in found):
                    found.append(Told(*match.span(), number, low))
        for counter, ratio in () if found else self._words.ratios.get(slot.unit, {}).items():
            spelt = (
                rf"(?<![\d.,가-힣])(?P<n>{self.numeral})\s?{re.escape(counter)}(?P<half>\s?반)?(?![가-힣]?(?:월|요일))"
            )
            for match in re.finditer(spelt, text):
                number = self.value(match["n"]) if match["n"] else None
                if number is not None and not turned(self._words, text, match.end()):
                    found.append(Told(*match.span(), number * ratio + (ratio // 2 if match["half"] else 0)))
        label = slot.label.split(" ")[-1]
        for match in (
            ()
            if label == slot.unit
            else re.finditer(rf"{re.escape(label)}(?:은|는|이|가)?\s?:?\s?(?P<n>\d{{1,9}}(?:\.\d+)?)", text)
        ):
            found.append(Told(*match.span("n"), self.value(match["n"]) or 0))
        return sorted(found, key=lambda told: told.start)

    def _in_one_word(self, message: Message, slot: Slot) -> list[Told]:
        """Numbers of the unit that are one word (혼자, 일주일)."""
        found: list[Told] = []
        for word, value in self._words.numbers.get(slot.unit, {}).items():
            for start, end in spans_of(rf"{re.escape(word)}(?!{LETTER}{{3}})", message.text):
                if turned(self._words, message.text, end):
                    message.take(start, end)  # 사흘 아니고 닷새
                else:
                    found.append(Told(start, end, value))
        return found

    def _bare(self, message: Message) -> list[Told]:
        """The one number that counts nothing (모닝 29 혼자), for the one number that is needed."""
        figures = [token for token in message.tokens if token[1] == "SN" and message.free(*token[2:])]
        if len(figures) != 1:
            return []
        word, _, start, end = figures[0]
        behind = next((tag for _, tag, begins, _ in message.tokens if begins == end), "J")
        alone = not message.text[:start][-1:].strip() and behind[0] in _ENDS
        number = self.value(word)
        return [Told(start, end, number)] if alone and number is not None else []

    def _any_counted(self, message: Message, slots: Sequence[Slot]) -> list[Told]:
        """Numbers before a word that counts things (세 송이, 두 켤레) and is no unit of another slot."""
        others = {counter for slot in slots for counter in self._words.units.get(slot.unit, ())}
        found: list[Told] = []
        for (word, tag, start, end), (counter, behind, begins, ends) in zip(
            message.tokens, message.tokens[1:], strict=False
        ):
            near = tag in _NUMBERING and behind in _COUNTER and 0 <= begins - end <= _FAR
            if not near or counter in others | self._words.not_counters or not message.free(start, ends):
                continue
            number = self.value(word)
            if number is not None and not turned(self._words, message.text, ends):
                found.append(Told(start, ends, number))
        return found


def _whole(text: str, at: int, words: SlotWords) -> Quantity | None:
    """The number at a place with what is said behind a blank of it (9만 4천, 십만 하고도 삼천), without the copula that
    looks like a two (4천이요)."""
    rows = quantities_at(text, at)
    if not rows:
        return None
    first = rows[0]
    for row in rows[1:]:
        if row.end == first.end - 1 and text[row.end] == words.copula and text[first.end : first.end + 1].isalpha():
            first = row
    behind = text[first.end :].lstrip()
    joint = next((word for word in words.and_more if behind.startswith(word)), "")
    behind = behind.removeprefix(joint).lstrip()
    at = len(text) - len(behind)
    if first.value % _MYRIAD or not text[first.end : at].endswith(" "):
        return first
    more = _whole(text, at, words)
    return replace(first, end=more.end, value=first.value + more.value) if more and more.value < _MYRIAD else first


def _takes_great(slot: Slot) -> bool:
    """Whether a number of a thousand and more may be meant."""
    return slot.maximum is None or slot.maximum >= _GREAT


def _in(won: float, scale: int) -> float:
    return won // scale if won % scale == 0 else won / scale


def _is_hangul(letter: str) -> bool:
    return bool(HANGUL.fullmatch(letter))


def within(slot: Slot, value: float) -> bool:
    """Whether a number is one that the slot takes."""
    return (slot.minimum is None or value >= slot.minimum) and (slot.maximum is None or value <= slot.maximum)

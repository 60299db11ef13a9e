"""Ages, sums, days and lengths of time of an English message, as they are said in Korean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.insurance.models import Model
from app.language.english_asking import Slot, SlotKind
from app.language.formatting import money
from app.word_files import Pattern, Words

_GREAT = 2_000_000  # won: more than is paid a month


class Form(Model):
    """One way to say a value: `korean` is how it is said with the groups of the pattern put in."""

    kind: SlotKind
    says: Pattern
    korean: str
    upper: bool = False


class NumberWords(Words):
    """Words and forms of numbers."""

    numbers: Mapping[str, int]
    scales: Mapping[str, int]
    months: Mapping[str, int]
    spelled_number: Pattern
    put: Pattern
    forms: tuple[Form, ...]


class Numbers:
    """Takes the values of a sentence for their kinds. Pure."""

    def __init__(self, words: NumberWords) -> None:
        self._words = words

    def masked(self, text: str, slots: list[Slot]) -> str:
        """The text with each value as the number of its slot, which is added to `slots`."""
        text = self._words.spelled_number.sub(self._digits, text)
        for form in self._words.forms:

            def put(match: re.Match[str], form: Form = form) -> str:
                korean = self._said(form, match)
                if not korean:
                    return match.group()
                great = form.kind == "money" and self._won(match) >= _GREAT
                kind: SlotKind = "sum" if great else form.kind
                slots.append(Slot(kind, korean))
                return f"{match.groupdict().get('kept') or ''} <{len(slots) - 1}:{kind}> "

            text = form.says.sub(put, text)
        return " ".join(text.split())

    def _digits(self, match: re.Match[str]) -> str:
        first, second = (self._words.numbers.get(word or "", 0) for word in match.groups())
        if not match[2]:
            return str(first)
        if first >= 20 and second < 10:
            return str(first + second)
        return str(first * second) if second >= 100 else f"{first} {second}"

    def _said(self, form: Form, match: re.Match[str]) -> str:
        groups = {key: value or "" for key, value in match.groupdict().items()}
        if "m" in groups:
            month = self._words.months.get(groups["m"])
            if month is None:
                return ""
            groups["month"] = str(month)
        if "amount" in groups:
            groups["money"] = money(self._won(match))
        for number in ("mm", "d"):
            if number in groups:
                groups[number] = str(int(groups[number]))
        if match.groups():
            groups["1"] = match[1].upper() if form.upper else str(match[1])
        return self._words.put.sub(lambda found: groups.get(found[1], ""), form.korean)

    def _won(self, match: re.Match[str]) -> int:
        """The sum that a match tells, in won."""
        factor = 1
        for word in (match["scale"] or "").split():
            factor *= self._words.scales.get(word, self._words.numbers.get(word, 1))
        return round(float(match["amount"].replace(",", "")) * factor)

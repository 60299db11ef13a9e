"""Ages, sums, days and lengths of time of an English message, as they are said in Korean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.insurance.models import Model
from app.language.english_asking import Slot, SlotKind
from app.word_files import Pattern, Words

_PUT = re.compile(r"<(\w+)>")
_MAN, _EOK = 10**4, 10**8
_GREAT = 3  # digits before 만


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
    counted: Pattern
    forms: tuple[Form, ...]


class Numbers:
    """Takes the values of a sentence for their kinds. Pure."""

    def __init__(self, words: NumberWords) -> None:
        self._words = words
        spelled = "|".join(sorted(words.numbers, key=len, reverse=True))
        self._spelled = re.compile(rf"\b({spelled})\b(?:[ -]({spelled})\b)?{words.counted.pattern}")

    def masked(self, text: str, slots: list[Slot]) -> str:
        """The text with each value as the number of its slot, which is added to `slots`."""
        text = self._spelled.sub(self._digits, text)
        for form in self._words.forms:

            def put(match: re.Match[str], form: Form = form) -> str:
                korean = self._said(form, match)
                if not korean:
                    return match.group()
                slots.append(Slot(_kind(form, korean), korean))
                return f" <{len(slots) - 1}> "

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
            groups["money"] = self._money(groups["amount"], groups.get("scale", ""))
        for number in ("mm", "d"):
            if number in groups:
                groups[number] = str(int(groups[number]))
        if match.groups():
            groups["1"] = match[1].upper() if form.upper else str(match[1])
        return _PUT.sub(lambda found: groups.get(found[1], ""), form.korean)

    def _money(self, amount: str, scale: str) -> str:
        factor = 1
        for word in scale.split():
            factor *= self._words.scales.get(word, self._words.numbers.get(word, 1))
        return in_won(round(float(amount.replace(",", "")) * factor))


def _kind(form: Form, korean: str) -> SlotKind:
    """Money of so many digits is what somebody is insured for, not what is paid a month."""
    great = form.kind == "money" and ("억" in korean or len(korean.partition("만")[0]) >= _GREAT and "만" in korean)
    return "sum" if great else form.kind


def in_won(value: int) -> str:
    """A sum as Koreans write it: 3000만원, 1억 5000만원, 50000원."""
    if value < _MAN or value % _MAN:
        return f"{value}원"
    great, small = divmod(value, _EOK)
    told = [f"{great}억"] if great else []
    told += [f"{small // _MAN}만"] if small else []
    return f"{' '.join(told)}원"

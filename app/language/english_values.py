"""Korean names and short values in English: amounts, lengths of time and words of the trade, by a lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from app.language.hangul import letters_of
from app.word_files import Pattern, WordFiles, Words, WordSet

_MAN, _EOK = 10**4, 10**8
_REMEMBERED = 4096


class ValueWords(Words):
    """The words of values.yaml; what each is for stands there."""

    titles: Mapping[str, str]
    money: Pattern
    date: Pattern
    sentence: Pattern
    mark: Pattern
    spacing: tuple[tuple[Pattern, str], ...]
    leads: Mapping[str, str]
    units: tuple[tuple[Pattern, str], ...]
    singular: tuple[Pattern, str]
    words: Mapping[str, str]
    short: WordSet
    labels: Mapping[str, str]
    kinds: Mapping[str, str]
    money_keys: WordSet
    rate_keys: WordSet
    day_keys: WordSet
    month_keys: WordSet
    year_keys: WordSet
    hidden_keys: WordSet


class Texts(Words):
    """Sentences that people are told, in Korean, with their English."""

    texts: Mapping[str, str]
    patterns: tuple[tuple[Pattern, str], ...]


class Entries(Words):
    """Entries of the knowledge in English, by their name."""

    entries: Mapping[str, str]


class EnglishValues:
    """Built once; every answer is the same for the same text."""

    def __init__(
        self, folder: Path, knowledge: Iterable[tuple[str, str]] = (), more: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """`knowledge`: the name of each entry that has an English one, and what it says in Korean; `more`: further
        words, for a text that is one of them as a whole or beside known words."""
        files = WordFiles(folder)
        self.words = files.read("values", ValueWords)
        told = files.read("texts", Texts)
        self.entries = english = files.read("knowledge", Entries).entries
        known = {_flat(text): english[name] for name, text in knowledge if name in english}
        self._texts, self._patterns = {**known, **{_flat(key): text for key, text in told.texts.items()}}, told.patterns
        unheard = {korean: word for korean, word in more.items() if korean not in self.words.words}
        self._more = {form: word for korean, word in unheard.items() for form in (korean, _flat(korean, ""))}
        self.value = lru_cache(maxsize=_REMEMBERED)(self._value)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self.words.words))

    def _by_words(self, text: str) -> str:
        """The text with each word that is known in English, the longest first; one letter alone is mostly none."""
        kept: list[str] = []
        at = 0
        while at < len(text):
            for size in range(min(self._longest, len(text) - at), 0, -1):
                word = text[at : at + size]
                if word in self.words.words and (size > 1 or word in self.words.short):
                    kept.append(f" {self.words.words[word]} ")
                    break
            else:
                size = 1
                kept.append(text[at])
            at += size
        return "".join(kept)

    def name(self, korean: str) -> str:
        """A name as it is sold, with an English gloss where there is one: 뉴스타트암보험 (New Start …)."""
        gloss = self.words.titles.get(korean) or self.value(korean)
        return korean if gloss == korean or has_hangul(gloss) else f"{korean} ({gloss})"

    def _value(self, korean: str) -> str:
        """A short text in English; as it is where a word of it is not known."""
        if known := self.words.words.get(korean) or self._more.get(korean):
            return known
        if not has_hangul(korean):
            return korean
        if title := self.words.titles.get(korean):
            return f"{korean} ({title})"
        text = self.words.money.sub(_in_won, self.words.date.sub(_in_english, korean))
        for title, english in self.words.titles.items():
            text = text.replace(title, f" {english} ")
        for pattern, put in self.words.units:
            text = pattern.sub(put, text)
        for word in sorted((word for word in self._more if word in text), key=len, reverse=True):
            text = text.replace(word, f" {self._more[word]} ")
        text = " ".join(self._by_words(text).split())
        for pattern, put in self.words.spacing:
            text = pattern.sub(put, text)
        pattern, put = self.words.singular
        text = pattern.sub(put, text)
        return korean if has_hangul(text) else text

    def text(self, korean: str) -> str:
        """A text in English, as a whole or each sentence as it was translated by hand, else as a value."""
        if (whole := self._sentence(korean)) != korean or not has_hangul(korean):
            return whole
        parts = [self._sentence(part) for part in self.words.sentence.split(korean) if part]
        return " ".join(parts) if parts and not any(map(has_hangul, parts)) else korean

    def _sentence(self, korean: str) -> str:
        if (known := self._texts.get(_flat(korean))) is not None:
            return known
        for pattern, english in self._patterns:
            if match := pattern.fullmatch(korean.strip()):
                return " ".join(self.value(self._told(match, english)).split())
        return self.value(korean)

    def _told(self, match: re.Match[str], english: str) -> str:
        """The English frame with what the groups say, each translated by itself."""
        groups = [self.text(group) if group and has_hangul(group) else group or "" for group in match.groups()]
        for number, group in enumerate(groups, start=1):
            english = english.replace(f"\\{number}", group)
        return english

    def kind(self, korean: str) -> str:
        """A kind of insurance: 암보험 → cancer insurance."""
        return self.words.kinds.get(korean.replace(" ", "")) or self.value(korean)

    def label(self, korean: str) -> str:
        """What a field that is asked for is called."""
        bare = korean.split("(")[0].strip()
        return self.words.labels.get(bare) or self.value(bare)

    def said(self, key: str, value: Any) -> str:
        """The value of a field in one line, by what the name of the field says that it measures."""
        words = self.words
        parts = set(key.split("_"))
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, int | float):
            if parts & words.rate_keys and abs(value) <= 1:
                return percent(value)
            if parts & words.money_keys:
                return won(int(value))
            for keys, unit in ((words.day_keys, "day"), (words.month_keys, "month"), (words.year_keys, "year")):
                if parts & keys:
                    return counted(int(value), unit)
            return f"{value:,}" if isinstance(value, int) and value >= _MAN else str(value)
        return self.value(str(value))


def _flat(text: str, gap: str = " ") -> str:
    return gap.join(text.split())


def has_hangul(text: str) -> bool:
    """Whether a letter of Hangul stands in the text."""
    return any(letters_of(letter) is not None for letter in text)


def won(amount: int | float) -> str:
    """20825 → '20,825 won'."""
    return f"{int(amount):,} won"


def percent(share: float) -> str:
    """0.5 → '50%'."""
    return f"{round(share * 100, 1):g}%"


def counted(count: int, unit: str) -> str:
    """(1, 'day') → '1 day', (90, 'day') → '90 days'."""
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def day(value: date | str) -> str:
    """A date, or its ISO text, → '2026-01-01', which everybody reads the same."""
    return (datetime.fromisoformat(value).date() if isinstance(value, str) else value).isoformat()


def _in_won(match: re.Match[str]) -> str:
    great, middle, small = (float(part.replace(",", "")) if part else 0 for part in match.groups())
    if not any(match.groups()):
        return match.group()
    return won(great * _EOK + middle * _MAN + small) + " "


def _in_english(match: re.Match[str]) -> str:
    year, month, number = map(int, match.groups())
    return day(date(year, month, number))

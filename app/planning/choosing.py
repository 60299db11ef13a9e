"""Which of a slot's choices a message names: by their words, their parts, what sounds or looks like them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from rapidfuzz import fuzz

from app.insurance.wording import jamo
from app.language.normalise import compact
from app.language.numbers import NATIVE_PATTERN, parse_number
from app.planning.loanwords import alike, spelt_out
from app.planning.message import CONTENT, NOUNS, Message, PlacesMorphemes, forms_of, is_content, turned
from app.planning.slots import Choice, Slot
from app.planning.words import SlotWords

_LIKE, _LIKE_ASKED = 84.0, 74.0
_LEAST_SHORT, _ABBREVIATED, _KEPT = 3, 4, 512
_Hit = tuple[int, int, int, Slot, Any]


class ChoiceReader:
    """Pure; safe to share between threads."""

    def __init__(self, words: SlotWords, tokenizer: PlacesMorphemes) -> None:
        self._words, self._tokenizer = words, tokenizer
        self._own_words = lru_cache(maxsize=_KEPT)(self._count_words)

    def read(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The choices of each slot that the message names: the last of several, all of them where a list is taken; a
        list that was told before is added to or taken from where the message says so."""
        hits: list[_Hit] = [hit for slot in slots for hit in self._in_full(message, slot)]
        named = {slot.name for _, _, _, slot, _ in hits}
        for slot in slots:
            if slot.many or slot.name not in named:
                hits += self._in_part(message, slot, beside=slot.name in named)
                hits += self._sounding(message, slot)
        found: dict[str, list[tuple[int, Any]]] = {}
        dropped: dict[str, list[Any]] = {}
        told_by: dict[tuple[int, int], list[Slot]] = {}
        for _, start, end, slot, value in sorted(hits, key=lambda hit: (-hit[0], hit[1])):
            own, out = found.setdefault(slot.name, []), dropped.setdefault(slot.name, [])
            overlaps = {span for span in message.taken if span[0] < end and start < span[1]}
            if overlaps and all(v != value for _, v in own):
                others = told_by.get((start, end), ())
                if overlaps != {(start, end)} or not others or any(_share(slot, other) for other in others):
                    continue
            message.take(start, end)
            told_by.setdefault((start, end), []).append(slot)
            if turned(self._words, message.text, end):
                out.append(value)
            elif all(v != value for _, v in own):
                own.append((start, value))
        told: dict[str, Any] = {}
        for slot in slots:
            chosen = [value for _, value in sorted(found.get(slot.name, ()), key=lambda hit: hit[0])]
            listed = self._listed(message, slot, chosen, dropped.get(slot.name, ())) if slot.many else None
            if listed is not None and (listed or not slot.required):
                told[slot.name] = listed
            elif chosen and not slot.many:
                told[slot.name] = chosen[-1]
            elif further := [value for value in slot.further if value in message.text]:
                told[slot.name] = [max(further, key=len)] if slot.many else max(further, key=len)
            elif slot.name not in found:
                told |= self.nearest(message, slot) if slot.required else {}
        return told

    def shown(self, message: Message, slot: Slot) -> dict[str, Any]:
        """What answers the question with its choices: their places, all of them, or a word of one that the tool has
        itself (이사로요)."""
        values = [choice.value for choice in slot.choices]
        text = message.text.replace(self._words.first, "1")
        ordinals = rf"(?P<n>\d{{1,2}}|{NATIVE_PATTERN})\s?(?:{'|'.join(self._words.ordinal)})"
        places = [(parse_number(match["n"]) or 0) - 1 for match in re.finditer(ordinals, text)]
        chosen = [values[place] for place in places if 0 <= place < len(values)]
        if not chosen and any(word in text for word in self._words.last):
            chosen = values[-1:]
        if not chosen and slot.many and any(word in text for word in self._words.every):
            chosen = values
        if not chosen:
            forms = {form for form, *_ in message.tokens}
            chosen = [choice.value for choice in slot.choices if self._parts(slot, choice) & forms]
            chosen = chosen if slot.many or len(chosen) == 1 else []
        return {slot.name: chosen if slot.many else chosen[-1]} if chosen else {}

    def nearest(self, message: Message, slot: Slot, *, asked: bool = False) -> dict[str, Any]:
        """The choice whose words are most like a word of the message (토요릴, 소형겨)."""
        words = message.words(CONTENT)
        scored = [
            (fuzz.ratio(jamo(compact(name)), jamo(compact(form))), start, end, choice.value)
            for form, _, start, end in words
            for choice in slot.choices
            for name in choice.words
            if len(compact(name)) > 1 and len(form) > 1
        ]
        best = max(scored, key=lambda item: item[0], default=None)
        if best is None or best[0] < (_LIKE_ASKED if asked else _LIKE):
            return {}
        message.take(best[1], best[2])
        return {slot.name: [best[3]] if slot.many else best[3]}

    def _listed(self, message: Message, slot: Slot, chosen: Sequence[Any], dropped: Sequence[Any]) -> list[Any] | None:
        """The list that a message makes of what was told before: more of it, less of it, or another one."""
        before = message.before.get(slot.name)
        known = list(before) if isinstance(before, list) else []
        less = [value for value in known if value not in dropped]
        if less != known and not chosen:
            return less
        if known and chosen and any(word in message.text for word in self._words.adds):
            return list(dict.fromkeys([*less, *chosen]))
        return list(chosen) or None

    def _in_full(self, message: Message, slot: Slot) -> list[_Hit]:
        found: list[_Hit] = []
        for choice in slot.choices:
            read_out = spelt_out(str(choice.value), self._words.letters) if _is_short(choice.value) else ""
            for word in filter(None, (*choice.words, read_out)):
                if len(word) == 1 and message.asked and slot.name not in message.asked:
                    continue  # 김 민 수, asked for a name, is no Wednesday
                found += [
                    (len(compact(word)), *match.span(), slot, choice.value)
                    for match in spelt(word).finditer(message.text)
                    if message.free(*match.span()) and _stands(message, *match.span())
                ]
        return found + self._run_together(message, slot)

    def _run_together(self, message: Message, slot: Slot) -> list[_Hit]:
        """Choices of one letter without a blank between them (월수금)."""
        letters = {word: choice.value for choice in slot.choices for word in choice.words if len(word) == 1}
        if not slot.many or len(letters) < _LEAST_SHORT:
            return []
        found: list[_Hit] = []
        words = [word for word in message.text.split() if word[:2].strip("".join(letters)) == "" and len(word) > 1]
        for word in dict.fromkeys(words):
            start, many = message.text.index(word), len(word) - len(word.lstrip("".join(letters)))
            if message.free(start, start + many):
                found += [
                    (_ABBREVIATED, at, at + 1, slot, letters[message.text[at]]) for at in range(start, start + many)
                ]
        return found

    def _in_part(self, message: Message, slot: Slot, *, beside: bool) -> list[_Hit]:
        """Choices that a word of theirs names; `beside` one that is named in full only a whole word (냉장고 of 냉장고
        청소)."""
        found: list[_Hit] = []
        for choice in slot.choices:
            parts = self._parts(slot, choice) - message.frame.business
            parts &= set(choice.words[0].split()) if beside else parts
            found += [
                (len(form), start, end, slot, choice.value)
                for form, tag, start, end in message.tokens
                if form in parts and is_content(tag) and message.free(start, end)
            ]
        return found

    def _parts(self, slot: Slot, choice: Choice) -> frozenset[str]:
        """The words of a choice's own name that no other choice has (심장 of 심장·뇌혈관)."""
        own = self._own_words(tuple(each.words[:2] for each in slot.choices))
        return own[slot.choices.index(choice)] - self._words.asking

    def _count_words(self, named: tuple[tuple[str, ...], ...]) -> list[frozenset[str]]:
        """Of each choice by its names, the words that no other one has."""
        told = [set[str]().union(*(forms_of(self._tokenizer, word) for word in words)) for words in named]
        counts = Counter(form for forms in told for form in forms)
        return [frozenset(form for form in forms if counts[form] == 1) for forms in told]

    def _sounding(self, message: Message, slot: Slot) -> list[_Hit]:
        """The choices that are written in other letters than the message (lantern, 랜턴)."""
        nouns = [(t[0], t[2], t[3]) for t in message.tokens if t[1].partition("-")[0] in NOUNS]
        spans = [span for span in nouns if message.free(*span[1:])]
        spans += [(message.text[one[1] : two[2]], one[1], two[2]) for one, two in pairwise(spans) if one[2] == two[1]]
        found: list[_Hit] = []
        for word, start, end in spans:
            values = [choice.value for choice in slot.choices if any(alike(name, word) for name in _names(choice))]
            found += [(len(word), start, end, slot, values[0])] if len(values) == 1 and len(word) > 1 else []
        return found


def _share(one: Slot, other: Slot) -> bool:
    """Whether two slots take a same value, so that a word is for one of them alone; 코기 tells a kind and a size."""
    return any(choice.value == each.value for choice in one.choices for each in other.choices)


def spelt(word: str) -> re.Pattern[str]:
    """A word with blanks wherever people put them."""
    return re.compile(r"\s?".join(map(re.escape, compact(word))), re.IGNORECASE)


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isalpha() and len(value) <= _ABBREVIATED


def _names(choice: Choice) -> tuple[str, ...]:
    """Its words that may be spelt in other letters; of a Korean one few English words are so short (cat is no 카드)."""
    least = _ABBREVIATED if not str(choice.value).isascii() else 0
    words = (word for word in (*choice.words, str(choice.value)) if word.replace("_", "").isalpha())
    return tuple(word for word in words if not word.isascii() or len(word) >= least)


def _stands(message: Message, start: int, end: int) -> bool:
    """One letter stands for a choice only as a word of its own; a longer word not within another of the same script."""
    text = message.text
    if text[end - 1].isdigit() and text[end : end + 1].isdigit():
        return False  # 호실10 is no 호실1
    if text[start].isdigit() and text[:start][-1:].isdigit():
        return False
    if end - start == 1:
        alone = any(token[2:] == (start, end) for token in message.tokens)
        return alone and not text[:start][-1:].isalnum()
    before = text[:start][-1:]
    return not (text[start].isascii() and before.isascii() and before.isalnum())

"""Free words of a message: what stands in quotes, behind a label, and what is left when all else is given away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.planning.choosing import spelt
from app.planning.message import CONTENT, NOUNS, Message, PlacesMorphemes, turned
from app.planning.slots import Slot
from app.planning.words import SlotWords

_QUOTES = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'([^']+)'|‘([^’]+)’|「([^」]+)」|『([^』]+)』")
_JOINS, _MARKS = ("JC",), ("SP",)
_NAMING = ("N", "XSN", "XR", "SL", "SH", "SN")
_ENDS = ("EF", "SF", "SP")
_CLAUSE_ENDS = ("EC", "EF", "SF", "SP")
_MARKED, _MOST_BEHIND = ("SF", "SP", "SE", "SS"), 14
_STOPS = ("VV", "VA", "EF", "EC", "ETM", "JKB", "JKG", "SF")


class TextReader:
    """Pure; safe to share between threads."""

    def __init__(self, words: SlotWords, tokenizer: PlacesMorphemes) -> None:
        self._words, self._tokenizer = words, tokenizer

    def is_wording(self, slot: Slot) -> bool:
        """Whether a slot takes a text that is written down as it is said: a message, a note."""
        names = set(slot.name.lower().split("_"))
        told = f"{slot.label} {slot.described}"
        return slot.kind == "text" and bool(
            names & self._words.quoted.names or any(word in told for word in self._words.quoted.labels)
        )

    def quoted(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """What stands in quotes, for the texts that are written down first."""
        order = sorted(slots, key=lambda slot: (not self.is_wording(slot), not slot.required))
        found = self._known(message, slots)
        order = [slot for slot in order if slot.name not in found]
        for slot, match in zip(order, list(_QUOTES.finditer(message.text)), strict=False):
            if message.free(*match.span()):
                message.take(*match.span())
                found[slot.name] = self.in_list(slot, next(filter(None, match.groups())).strip())
        told = self._reported(message, [slot for slot in order if slot.name not in found and self.is_wording(slot)])
        return found | told

    def _reported(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """What is to be passed on (늦는다고 전해 주세요), for the text that is written down as it is said."""
        for ending, kept in self._words.reported.items() if slots else ():
            end = message.text.find(f"{ending} ")
            behind = message.text[end + len(ending) :].lstrip()
            if end < 0 or not behind.startswith(self._words.passes_on):
                continue
            breaks = [t[3] for t in message.tokens if t[3] <= end and t[1].partition("-")[0] in _ENDS]
            start = max([0, *breaks])
            to_whom = [
                t[3] for t in message.tokens if start <= t[2] < end and t[1] == "JKB" and t[0] in self._words.to_whom
            ]
            ends = (t[3] for t in message.tokens if t[2] >= end + len(ending) and t[1] in _CLAUSE_ENDS)
            message.take(start, min(ends, default=len(message.text)))  # 말해 주세요
            start = to_whom[0] if to_whom else start
            value = f"{message.text[start:end].lstrip(' ,.')}{kept}".rstrip()
            return {slots[0].name: self.in_list(slots[0], value)} if value.strip() else {}
        return {}

    def _known(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The examples of a slot that the message holds, the longest first."""
        found: dict[str, Any] = {}
        for slot in slots:
            told: list[str] = []
            for example in sorted(slot.examples, key=len, reverse=True):
                match = spelt(example).search(message.text)
                if match and message.free(*match.span()) and (slot.many or not told):
                    message.take(*match.span())
                    told += [] if turned(self._words, message.text, match.end()) else [example]
            if told:
                found[slot.name] = told if slot.many else told[0]
        return found

    def left(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """What is left of the message, for the one slot of free words that the tool cannot do without."""
        wanted = [slot for slot in slots if slot.required and slot.name not in {*message.asked, *message.before}]
        things = [slot for slot in wanted if not self.is_wording(slot)]
        if any(slot.name in message.asked for slot in slots):
            return {}  # its answer is read for that
        if len(wanted) > 1 and len(things) == 1:
            wanted = things
        words = message.words(CONTENT)
        if len(wanted) != 1 or not any(tag in NOUNS for _, tag, _, _ in words):
            return {}
        start, end = words[0][2], words[-1][3]
        if len(slots) > 1 or wanted[0].many or not message.free(start, end):
            start, end = self._first_phrase(message, many=wanted[0].many)
        value = " ".join(message.text[start:end].split())
        taken = self.in_list(wanted[0], value, message.text[start:end])
        message.take(start, end)
        return {wanted[0].name: taken} if value else {}

    def answer(self, message: Message, slot: Slot, said: str) -> str:
        """A whole message as a slot's text: `said` is it without the ending of an answer, which a sentence keeps."""
        whole = message.text.strip()
        kinds = [tag.partition("-")[0] for _, tag, _, _ in message.tokens if not tag.startswith(_MARKED)]
        sentence = kinds[-1:] in (["EF"], ["EC"]) and kinds[-2:-1] != ["VCP"]
        if self.is_wording(slot):
            for quote in self._words.quotes:
                text, _, behind = whole.rpartition(quote)
                if text and len(behind) <= _MOST_BEHIND:
                    return text.strip()
        if self.is_wording(slot) or not sentence:
            return whole if sentence else said
        return self._thing(message) or whole

    def _thing(self, message: Message) -> str:
        """What a sentence that orders something names, without the words that order (한우 세트로 할게요)."""
        tokens = list(message.tokens)
        while tokens and (tokens[-1][0] in self._words.asking or not tokens[-1][1].startswith(_NAMING)):
            tokens.pop()
        names = [token for token in tokens if token[1].partition("-")[0] in NOUNS]
        return message.text[names[0][2] : tokens[-1][3]].strip() if names else ""

    def in_list(self, slot: Slot, value: str, phrase: str = "") -> Any:
        """The value as the slot takes it: a list of what is joined by commas, 하고, 이랑 where it takes several."""
        if not slot.many:
            return value
        phrase = phrase or value
        joints = [
            (start, end)
            for form, tag, start, end in self._tokenizer.placed(phrase)
            if tag in _JOINS or (tag in _MARKS and form in ",·/")
        ]
        edges = [0, *(place for joint in joints for place in joint), len(phrase)]
        parts = (" ".join(phrase[start:end].split()) for start, end in zip(edges[::2], edges[1::2], strict=True))
        return [part for part in parts if part] or [value]

    @staticmethod
    def _first_phrase(message: Message, *, many: bool) -> tuple[int, int]:
        """The first words that name a thing, up to what another slot took, a verb, or a comma where one is wanted."""
        free = {token[2] for token in message.words(CONTENT)}
        start = end = -1
        for _, tag, begins, ends in message.tokens:
            kind = tag.partition("-")[0]
            if start < 0:
                if kind in NOUNS and begins in free:
                    start, end = begins, ends
                continue
            parted = kind in _MARKS and not many
            if kind in _STOPS or parted or not message.free(begins, ends) or (kind in NOUNS and begins not in free):
                break
            if kind in CONTENT:
                end = ends
        return start, end

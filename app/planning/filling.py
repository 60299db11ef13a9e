"""What a message fills of the slots of a tool: each kind of slot by its own reader, the surest first, no word twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from app.language.entities import EntityReader
from app.language.normalise import nfc
from app.planning.choosing import ChoiceReader, spelt
from app.planning.codes import read_codes, read_identifiers
from app.planning.counting import NumberReader, within
from app.planning.days import MomentReader, is_half
from app.planning.message import (
    CONTENT,
    NOUNS,
    Frame,
    Message,
    PlacesMorphemes,
    forms_of,
    is_content,
    spans_of,
    turned,
)
from app.planning.names import NameReader
from app.planning.slots import Slot
from app.planning.texts import TextReader
from app.planning.words import SlotWords

_MOST_LETTERS = 500
_LEAST_PART, _MOST_LEFT = 2, 2
_ENDING = re.compile(r"(?:이?요|이에요|예요|입니다|이고요|인데요|으로요|로요|으로|에서요|이야|임)?[\s.!~?]*$")
_NOT = re.compile(r"(?<![가-힣])안\s?[가-힣]")
_CLAUSE = str.maketrans(dict.fromkeys(",.;/()", "\n"))
_ABOUT = r"(?:한|약|대략|그럼|저희|우리|총|다 해서)?"


@dataclass(frozen=True)
class Filled:
    """`args` are those of the call, `said` the slots that this message told, `missing` what the tool still needs;
    `rest` are the words that no slot took and that are not the tool's own."""

    args: dict[str, Any]
    said: frozenset[str]
    missing: tuple[Slot, ...]
    rest: tuple[str, ...]

    def goes_on(self, asked: Collection[str]) -> bool:
        """Whether the message answers what was `asked` back, or only tells slots and asks for nothing beside."""
        return bool(self.said & set(asked)) or (bool(self.said) and not self.rest)


class SlotFiller:
    """Reads messages for tools. Pure but for what it remembers of texts; safe to share between threads."""

    def __init__(self, words: SlotWords, tokenizer: PlacesMorphemes, entities: EntityReader) -> None:
        self._words, self._tokenizer, self._entities = words, tokenizer, entities
        names = self._names = NameReader(words, tokenizer, entities)
        moments = self._moments = MomentReader(words, tokenizer)
        self._choosing, self._counting = ChoiceReader(words, tokenizer), NumberReader(words, entities)
        self._free = TextReader(words, tokenizer)
        self._alone = re.compile(
            rf"^{_ABOUT}\s?(?P<n>{self._counting.numeral})(?=\s?[가-힣a-zA-Z%]{{0,3}}\s?(?:정도|쯤|만|이서)?\s*$)"
        )
        self._readers: tuple[tuple[frozenset[str], Callable[[Message, Sequence[Slot]], Mapping[str, Any]]], ...] = (
            (frozenset({"text"}), self._free.quoted),
            (frozenset({"code"}), read_codes),
            (frozenset({"month"}), moments.months),
            (frozenset({"date"}), moments.days),
            (frozenset({"moment"}), moments.moments),
            (frozenset({"time"}), moments.times),
            (frozenset({"id"}), lambda message, slots: read_identifiers(message, slots, words)),
            (frozenset({"choice"}), self._choices),
            (frozenset({"number", "money"}), self._counting.read),
            (frozenset({"person"}), names.persons),
            (frozenset({"flag"}), self._flags),
            (frozenset({"place"}), names.places),
            (frozenset({"text"}), self._free.left),
        )

    def frame(
        self, texts: Iterable[str], titles: Iterable[str], slots: Sequence[Slot], told: Iterable[str] = ()
    ) -> Frame:
        """The tool's own words: those of its title, purpose and slots, and those that stand in many of its lines;
        `told` is what its results are called, which only asks."""
        lines = [forms_of(self._tokenizer, text) for text in texts]
        counted = Counter(form for line in lines for form in line)
        often = {form for form, count in counted.items() if count >= max(2, len(lines) // 5)}
        business = often.union(*(forms_of(self._tokenizer, title) for title in titles))
        named = business.union(*(forms_of(self._tokenizer, slot.label) for slot in slots))
        results = set[str]().union(*(forms_of(self._tokenizer, name) for name in told))
        return Frame(frozenset(business), frozenset(named | results | self._words.asking))

    def content(self, text: str) -> frozenset[str]:
        """The words of a text that say something, without those that only ask and the names of places."""
        forms = forms_of(self._tokenizer, nfc(text)[:_MOST_LETTERS]) - self._words.asking - self._words.places
        return frozenset(form for form in forms if not form.isdigit())

    def fill(
        self,
        slots: Sequence[Slot],
        text: str,
        today: date,
        frame: Frame,
        *,
        asked: Collection[str] = (),
        before: Mapping[str, Any] | None = None,
    ) -> Filled:
        """Read `text` for the slots; `asked` were asked back for, `before` is what was known of this call."""
        every = slots
        plain = nfc(text)[:_MOST_LETTERS]
        known = {
            name: value
            for name, value in (before or {}).items()
            if any(s.name == name for s in slots) and not _masked(value)
        }
        weekly, tokens = _weekly(slots, self._words.weekday), self._tokenizer.placed(plain)
        message = Message(plain, tokens, today, frame, frozenset(asked), known, weekly)
        slots = [slot for slot in slots if not slot.nested]
        found = self._dictated(message, slots)
        for kinds, read in self._readers if not found else ():
            of_kind = [slot for slot in slots if slot.kind in kinds and slot.name not in found]
            if of_kind:
                found |= read(message, of_kind)
        for slot in slots:
            if slot.name in message.asked and slot.name not in found:
                found |= self._answered(message, slot, slots, found)
        args = {**known, **found}
        named = [slot.label for slot in slots if slot.name in found]
        rest = tuple(
            form
            for form, *_ in message.words([tag for tag in NOUNS if tag != "NR"])
            if not (len(form) > 1 and any(form in label for label in named))
        )
        halves = {slot.name for slot in every if slot.kind == "moment" and is_half(str(args.get(slot.name, "")))}
        missing = tuple(slot for slot in every if slot.required and (slot.name not in args or slot.name in halves))
        args = {name: value for name, value in args.items() if name not in halves or missing}
        return Filled(args, frozenset(found), missing, rest)

    def _choices(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The choices named; where all of them are numbers, the one that is counted (한 시간: 60 of 30, 60, 90)."""
        counted = [slot for slot in slots if slot.unit]
        found: dict[str, Any] = {}
        for slot in counted:
            values = [choice.value for choice in slot.choices]
            number = replace(slot, kind="number", minimum=min(values), maximum=max(values), choices=())
            found |= {n: v for n, v in self._counting.read(message, [number]).items() if v in values or slot.many}
        found |= self._choosing.read(message, [slot for slot in slots if slot.name not in found])
        for slot in slots:
            if slot.name not in found and slot.required:
                found |= self._names.elsewhere(message, slot)
        return found

    def _dictated(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """A whole message as the text that alone was asked for: a greeting may hold days and names."""
        slot = next((own for own in slots if message.asked == {own.name} and self._free.is_wording(own)), None)
        if slot is None or self._wonders(message.text) or not any(is_content(tag) for _, tag, _, _ in message.tokens):
            return {}
        return self._free.quoted(message, [slot]) or {slot.name: self._free.answer(message, slot, message.text.strip())}

    def _answered(
        self, message: Message, slot: Slot, slots: Sequence[Slot], found: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A message that answers the question for one slot, in words that only then mean it."""
        said = _ENDING.sub("", message.text).strip()
        if slot.kind == "flag":
            declined = any(word in message.text for word in self._words.declines) or bool(_NOT.search(message.text))
            willing = any(form in self._words.willing for form, *_ in message.tokens)
            agreed = (self._agrees(message.text) or willing) and not self._wonders(message.text)
            return {slot.name: not declined} if declined or agreed else {}
        if slot.kind in ("number", "money"):
            told = self._alone.match(said) if not self._agrees(said) or said.isdigit() else None
            number = self._counting.value(told["n"]) if told and told["n"] else None
            if told is None or self._counting.counts_other(slot, said[told.end() :]):
                return {}
            if number is None or not within(slot, number):
                return {}
            return {slot.name: [number] if slot.many else number}
        if slot.kind == "choice":
            return self._choosing.shown(message, slot) or self._choosing.nearest(message, slot, asked=True)
        if slot.kind in ("date", "time"):
            return self._moments.in_figures(message, slot)
        if slot.kind == "place" and any(word in message.text for word in self._words.same):
            alike = [message.before[own.name] for own in slots if own.kind == "place" and own.name in message.before]
            return {slot.name: alike[0]} if alike else {}
        if slot.kind in ("place", "person", "text", "id") and not self._wonders(message.text):
            if found and slot.kind != "text":
                return {}
            alone = sum(1 for other in slots if other.name in message.asked and other.name not in found) == 1
            tags = CONTENT if slot.kind == "text" else NOUNS
            spans = [t for t in message.tokens if t[1].partition("-")[0] in tags and message.free(t[2], t[3])]
            if not spans or not (alone or slot.kind == "text"):
                return {}
            start, end = spans[0][2], spans[-1][3]
            value = message.text[start:end]
            if slot.kind == "person" and all(len(word) == 1 for word in value.split()):
                value = "".join(value.split())  # 김 민 수
            if slot.kind == "text" and not found:
                value = self._free.answer(message, slot, said)
            message.take(start, end)
            return {slot.name: self._free.in_list(slot, value)} if value else {}
        return {}

    def _agrees(self, text: str) -> bool:
        words = (word for word in self._words.agrees if len(word) > 1)
        short = [word for word in self._words.agrees if len(word) == 1]
        first = next(iter(text.replace(",", " ").replace(".", " ").split()), "")
        return any(text.strip().startswith(word) or f" {word}" in text for word in words) or (
            first.removesuffix("요") in short
        )

    def _wonders(self, text: str) -> bool:
        """Whether a message asks something itself, or says that it does not know."""
        return any(word in text for word in self._words.wonders)

    def _flags(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot in slots:
            own, without = self._flag_words(message.frame, slot)
            for form in own:
                spans = [(t[2], t[3]) for t in message.tokens if t[0] == form]
                spans += [m.span() for m in spelt(form).finditer(message.text)] if len(form) > 1 else []
                spans += _begun(form, message)
                if spans and message.free(*spans[0]):
                    start, end = spans[0]
                    before = message.text[max(start - 1, 0) : start]
                    end = max([end, *(t[3] for t in message.tokens if t[2] == end and t[1] in NOUNS)])
                    out = turned(self._words, message.text, end) or before in self._words.prefixes
                    found[slot.name] = out == (form in without)
                    message.take(start, end)
                    for span in spans:
                        message.take(*span)
                    break
        return found

    def _told_false(self, described: str, end: int) -> bool:
        """Whether what stands before `end` in a description is what makes a flag false (왕복 true, 편도 false)."""
        clause = described[end:].lower().translate(_CLAUSE).partition("\n")[0]
        return self._words.truths[1] in clause and self._words.truths[0] not in clause

    def _flag_words(self, frame: Frame, slot: Slot) -> tuple[list[str], frozenset[str]]:
        """The words that speak of a flag, its own before those alike; and which of them it says to do without (캐디 of
        노캐디 라운드)."""
        told = f"{slot.label} {slot.described}"
        tokens = self._tokenizer.placed(told)
        hollow = self._words.hollow | self._words.asking | frame.business
        own = [(form, tag, start, end) for form, tag, start, end in tokens if is_content(tag) and form not in hollow]
        own = [token for token in own if token[0] not in self._words.prefixes and not _made_of(token[0], hollow)]
        lacking = [
            (told[max(start - 1, 0) : start] in self._words.prefixes or turned(self._words, told, end))
            != self._told_false(told, end)
            for _, _, start, end in own
        ]
        wanted = {form for (form, *_), out in zip(own, lacking, strict=True) if not out}
        names_it = [tag in NOUNS or self._told_false(told, end) for _, tag, _, end in own]
        without = {token[0] for token, out, named in zip(own, lacking, names_it, strict=True) if out and named} - wanted
        nouns = [form for form, tag, _, _ in own if tag in NOUNS and len(form) > 1 and form not in without]
        alike = (other for noun in nouns for other in self._words.alike(noun))
        return list(dict.fromkeys([*(token[0] for token in own), *alike])), frozenset(without)


def _masked(value: Any) -> bool:
    """Whether a value of a turn before was personal data."""
    return isinstance(value, str) and value.startswith("[") and value.endswith("]")


def _weekly(slots: Sequence[Slot], weekday: str) -> bool:
    """Whether one of the slots takes several weekdays."""
    many = [slot for slot in slots if slot.many and slot.choices]
    return any(all(weekday in " ".join(choice.words) for choice in slot.choices[:2]) for slot in many)


def _begun(form: str, message: Message) -> list[tuple[int, int]]:
    """Where words of a message are the beginning of a longer one (왼손 of 왼손잡이)."""
    begins = [form[:many] for many in range(len(form) - 1, max(_LEAST_PART, len(form) - _MOST_LEFT) - 1, -1)]
    own = (part for part in begins if part not in message.frame.words)
    return [span for part in own for span in spans_of(re.escape(part), message.text)]


def _made_of(form: str, words: Collection[str]) -> bool:
    """Whether a word is two others, joined (손해사정사)."""
    return any(form[:at] in words and form[at:] in words for at in range(1, len(form)))

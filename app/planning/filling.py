"""What a message fills of the slots of a tool: each kind of slot by its own reader, the surest first, no word twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar

from rapidfuzz import fuzz

from app.insurance.wording import jamo
from app.language.entities import EntityReader
from app.language.normalise import compact, nfc
from app.language.numbers import NATIVE_PATTERN, parse_number
from app.language.references import is_negated
from app.planning.message import Frame, Message, PlacesMorphemes, turned
from app.planning.moments import find_days, find_times
from app.planning.names import NameReader
from app.planning.slots import Choice, Slot
from app.planning.words import SlotWords

_MOST_LETTERS = 500
_NOUNS = ("NNG", "NNP", "XR", "SL", "NR")
_CONTENT = (*_NOUNS, "VV", "VA", "SN", "SH")
_ENDING = re.compile(r"(?:이?요|이에요|예요|입니다|이고요|인데요|으로요|로요|으로|에서요|이야|임)?[\s.!~?]*$")
_SINO = r"(?:[일이삼사오육칠팔구]?[백십])*[일이삼사오육칠팔구]?[백십]?"
_NUMERAL = rf"(?:\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|{NATIVE_PATTERN}|{_SINO})"
_NESTED, _OPEN = re.compile(r"\)(?:[+*]|\{\d*,)"), re.compile(r"[+*]|\{\d+,\}")
_MOST_OPEN, _CODE_LETTERS = 2, 120
_MOST_PATTERN = 120
_NOT = re.compile(r"(?<![가-힣])안\s?[가-힣]")
_ABOUT = r"(?:한|약|대략|그럼|저희|우리|총|다 해서)?"
_ALONE = re.compile(rf"^{_ABOUT}\s?(?P<n>{_NUMERAL})(?=\s?[가-힣a-zA-Z%]{{0,3}}\s?(?:정도|쯤|만|이서)?\s*$)")
T = TypeVar("T")
_LIKE, _LIKE_ASKED = 84.0, 74.0


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
        names = NameReader(words, tokenizer, entities)
        self._readers: tuple[tuple[frozenset[str], Callable[[Message, Sequence[Slot]], dict[str, Any]]], ...] = (
            (frozenset({"code"}), self._codes),
            (frozenset({"date"}), self._days),
            (frozenset({"time"}), self._times),
            (frozenset({"choice"}), self._choices),
            (frozenset({"number", "money"}), self._numbers),
            (frozenset({"person"}), names.persons),
            (frozenset({"flag"}), self._flags),
            (frozenset({"place"}), names.places),
            (frozenset({"text"}), self._texts),
        )

    def frame(self, texts: Iterable[str], titles: Iterable[str], slots: Sequence[Slot]) -> Frame:
        """The tool's own words: those of its title, purpose and slots, and those that stand in many of its lines."""
        lines = [self._forms(text) for text in texts]
        counted = Counter(form for line in lines for form in line)
        often = {form for form, count in counted.items() if count >= max(2, len(lines) // 5)}
        business = often.union(*map(self._forms, titles))
        named = business.union(*(self._forms(slot.label) for slot in slots))
        return Frame(frozenset(business), frozenset(named | self._words.asking))

    def content(self, text: str) -> frozenset[str]:
        """The words of a text that say something, without those that only ask and the names of places."""
        forms = self._forms(nfc(text)[:_MOST_LETTERS]) - self._words.asking - self._words.places
        return frozenset(form for form in forms if not form.isdigit())

    def _forms(self, text: str) -> set[str]:
        """The content morphemes of a text."""
        return {form for form, tag, _, _ in self._tokenizer.placed(text) if _content(tag)}

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
        plain = nfc(text)[:_MOST_LETTERS]
        message = Message(plain, self._tokenizer.placed(plain), today, frame, frozenset(asked))
        found: dict[str, Any] = {}
        for kinds, read in self._readers:
            of_kind = [slot for slot in slots if slot.kind in kinds]
            if of_kind:
                found |= read(message, of_kind)
        for slot in slots:
            if slot.name in message.asked and slot.name not in found:
                found |= self._answered(message, slot, slots, found)
        known = {name: value for name, value in (before or {}).items() if any(s.name == name for s in slots)}
        args = {**known, **found}
        rest = tuple(form for form, *_ in message.words(_NOUNS))
        missing = tuple(slot for slot in slots if slot.required and slot.name not in args)
        return Filled(args, frozenset(found), missing, rest)

    def _answered(
        self, message: Message, slot: Slot, slots: Sequence[Slot], found: Mapping[str, Any]
    ) -> dict[str, Any]:
        """A message that answers the question for one slot, in words that only then mean it."""
        said = _ENDING.sub("", message.text).strip()
        if slot.kind == "flag":
            declined = any(word in message.text for word in self._words.declines) or bool(_NOT.search(message.text))
            agreed = self._agrees(message.text) and not self._wonders(message.text)
            return {slot.name: not declined} if declined or agreed else {}
        if slot.kind in ("number", "money"):
            told = _ALONE.match(said) if not self._agrees(said) or said.isdigit() else None
            number = _number(told["n"]) if told else None
            return {slot.name: _in_list(slot, number)} if number is not None and _within(slot, number) else {}
        if slot.kind == "choice":
            return self._nearest(message, slot, _LIKE_ASKED)
        if slot.kind in ("place", "person", "text") and not self._wonders(message.text):
            if found and slot.kind != "text":
                return {}
            alone = sum(1 for other in slots if other.name in message.asked and other.name not in found) == 1
            spans = [t for t in message.tokens if _content(t[1]) and message.free(t[2], t[3])]
            if not spans or not (alone or slot.kind == "text"):
                return {}
            start, end = spans[0][2], spans[-1][3]
            value = message.text[start:end] if slot.kind != "text" else said
            message.take(start, end)
            return {slot.name: _in_list(slot, value)} if value else {}
        return {}

    def _agrees(self, text: str) -> bool:
        words = (word for word in self._words.agrees if len(word) > 1)
        short = [word for word in self._words.agrees if len(word) == 1]
        first = re.match(r"\s*([가-힣ㄱ-ㅎ]+)", text)
        return any(text.strip().startswith(word) or f" {word}" in text for word in words) or (
            first is not None and first[1].removesuffix("요") in short
        )

    def _wonders(self, text: str) -> bool:
        """Whether a message asks something itself, or says that it does not know."""
        return any(word in text for word in self._words.wonders)

    def _codes(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot in slots:
            pattern = slot.pattern.removeprefix("^").removesuffix("$")
            open_ended = len(_OPEN.findall(pattern))
            if len(pattern) > _MOST_PATTERN or _NESTED.search(pattern) or open_ended > _MOST_OPEN:
                continue  # it could take for ever
            try:
                known = re.compile(rf"(?<![A-Za-z0-9-])(?:{pattern})(?![A-Za-z0-9]|-\w)")
            except re.error:
                continue
            told = message.text[:_CODE_LETTERS]
            for text in (told, told.upper(), told.lower()):
                match = known.search(text)
                if match and message.free(*match.span()):
                    message.take(*match.span())
                    found[slot.name] = match.group()
                    break
        return found

    def _days(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        told = find_days(message.text, message.today, self._words.feasts, self._words.past)
        days = [day for day in told if not is_negated(message.text, day[1])]
        for start, end, _ in told:
            message.take(start, end)
        return {name: day.isoformat() for name, day in self._in_order(message, slots, days).items()}

    def _in_order(self, message: Message, slots: Sequence[Slot], spans: Sequence[tuple[int, int, T]]) -> dict[str, T]:
        """Which slot each of several values of one kind is for: the one whose label stands before it, the last one
        for what is told as an end, those that were asked for, else the order of the schema."""
        found: dict[str, T] = {}
        left = list(spans)
        for start, end, value in spans if len(slots) > 1 else ():
            before = message.text[:start].rstrip().rstrip("은는이가을를도:")
            named = next((s for s in slots if any(before.endswith(w) for w in self._labels(s))), None)
            ends = message.text[end:].lstrip().startswith(self._words.end.behind[0]) and len(spans) == 1
            slot = named or (slots[-1] if ends else None)
            if slot is not None and slot.name not in found:
                found[slot.name] = value
                left.remove((start, end, value))
        order = [s for s in slots if s.name in message.asked and s.name not in found]
        order = order if order and len(left) <= len(order) else [s for s in slots if s.name not in found]
        return found | {slot.name: value for slot, (_, _, value) in zip(order, left[-len(order) :], strict=False)}

    def _labels(self, slot: Slot) -> list[str]:
        """The words of a slot's label, whole and without what every label of its kind ends in."""
        words = [form for form, tag, _, _ in self._tokenizer.placed(slot.label) if tag in _NOUNS and len(form) > 1]
        return [slot.label, *words, *(word[:-1] for word in (slot.label, *words) if len(word) > 2)]

    def _times(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found = find_times(message.text, self._words)
        times = [t for t in found if not is_negated(message.text, t[1])]
        for start, end, _ in found:
            message.take(start, end)
        return self._in_order(message, slots, times)

    def _choices(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        hits: list[tuple[int, int, int, Slot, Any]] = []
        for slot, choice in [(own, choice) for own in slots for choice in own.choices]:
            for word in choice.words:
                hits += [
                    (len(compact(word)), *match.span(), slot, choice.value)
                    for match in _spelt(word).finditer(message.text)
                    if message.free(*match.span()) and _stands(message.text, *match.span())
                ]
        named = {slot.name for _, _, _, slot, _ in hits}
        for slot, choice in [(own, choice) for own in slots for choice in own.choices if own.name not in named]:
            parts = self._parts(slot, choice, message.frame)
            hits += [
                (len(form), start, end, slot, choice.value)
                for form, _, start, end in message.tokens
                if form in parts and message.free(start, end)
            ]
        found: dict[str, list[tuple[int, Any]]] = {}
        for _, start, end, slot, value in sorted(hits, key=lambda hit: (-hit[0], hit[1])):
            own = found.setdefault(slot.name, [])
            if any(s < end and start < e for s, e in message.taken) and all(v != value for _, v in own):
                continue
            message.take(start, end)
            if not turned(self._words, message.text, end) and all(v != value for _, v in own):
                own.append((start, value))
        told = {
            slot.name: [v for _, v in sorted(found[slot.name])] if slot.many else sorted(found[slot.name])[-1][1]
            for slot in slots
            if found.get(slot.name)
        }
        for slot in slots:
            if slot.name not in told and slot.required and slot.name not in found:
                told |= self._nearest(message, slot, _LIKE)
        return told

    def _parts(self, slot: Slot, choice: Choice, frame: Frame) -> set[str]:
        """The words of a choice's own name that no other choice and no talk of the tool has (심장 of 심장·뇌혈관)."""
        own = self._content_of(choice)
        others = set().union(*(self._content_of(other) for other in slot.choices if other is not choice))
        return own - others - frame.business - self._words.asking

    def _content_of(self, choice: Choice) -> set[str]:
        return set().union(*map(self._forms, choice.words[:2]))

    def _nearest(self, message: Message, slot: Slot, least: float) -> dict[str, Any]:
        """The choice whose words are most like a word of the message (토요릴, 소형겨)."""
        words = message.words(_CONTENT)
        scored = [
            (fuzz.ratio(jamo(compact(name)), jamo(compact(form))), start, end, choice.value)
            for form, _, start, end in words
            for choice in slot.choices
            for name in choice.words
            if len(compact(name)) > 1 and len(form) > 1
        ]
        best = max(scored, key=lambda item: item[0], default=None)
        if best is None or best[0] < least:
            return {}
        message.take(best[1], best[2])
        return {slot.name: [best[3]] if slot.many else best[3]}

    def _numbers(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot in slots:
            if slot.kind == "money":
                money = [m for m in self._entities.read(message.text, message.today).money if not m.negated]
                told = [m for m in money if m.explicit_unit and message.free(m.start, m.end)]
                if told:
                    message.take(told[-1].start, told[-1].end)
                    found[slot.name] = told[-1].amount
                continue
            counters = self._words.units.get(slot.unit, (slot.unit,) if slot.unit else ())
            hits: list[tuple[int, int, float]] = []
            for counter in sorted(counters, key=len, reverse=True):
                pattern = rf"(?<![\d.,가-힣])(?P<n>{_NUMERAL})\s?{re.escape(counter)}(?![A-Za-z]|[가-힣]?(?:월|요일))"
                for match in re.finditer(pattern, message.text):
                    number = _number(match["n"]) if match["n"] else None
                    if (
                        number is not None
                        and message.free(*match.span())
                        and not turned(self._words, message.text, match.end())
                    ):
                        hits.append((*match.span(), number))
            for word, value in self._words.numbers.get(slot.unit, {}).items():
                hits += [
                    (*match.span(), value)
                    for match in re.finditer(rf"(?<![가-힣]){re.escape(word)}(?![가-힣]{{3}})", message.text)
                    if message.free(*match.span()) and not turned(self._words, message.text, match.end())
                ]
            label = re.escape(slot.label.split(" ")[-1])
            hits += [
                (*match.span("n"), int(match["n"]))
                for match in re.finditer(rf"{label}(?:은|는|이|가)?\s?:?\s?(?P<n>\d{{1,9}})", message.text)
                if message.free(*match.span("n"))
            ]
            fitting = [hit for hit in hits if _within(slot, hit[2])]
            if fitting:
                start, end, told_last = max(fitting, key=lambda hit: hit[0])
                message.take(start, end)
                found[slot.name] = _in_list(slot, told_last)
        return found

    def _flags(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for slot in slots:
            told = self._tokenizer.placed(f"{slot.label} {slot.described}")
            hollow = self._words.hollow | self._words.asking | message.frame.business
            own = [form for form, tag, _, _ in told if _content(tag) and form not in hollow]
            nouns = [form for form, tag, _, _ in told if tag in _NOUNS and form in own and len(form) > 1]
            for form in dict.fromkeys([*own, *(a for noun in nouns for a in self._words.alike(noun))]):
                spans = [(t[2], t[3]) for t in message.tokens if t[0] == form]
                spans += [m.span() for m in _spelt(form).finditer(message.text)] if len(form) > 1 else []
                if spans and message.free(*spans[0]):
                    before = message.text[max(spans[0][0] - 1, 0) : spans[0][0]]
                    found[slot.name] = not (
                        turned(self._words, message.text, spans[0][1]) or before in self._words.prefixes
                    )
                    message.take(*spans[0])
                    break
        return found

    def _texts(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """What is left of the message, for the one slot of free words that the tool cannot do without."""
        wanted = [slot for slot in slots if slot.required and slot.name not in message.asked]
        words = message.words(_CONTENT)
        if len(wanted) != 1 or not any(tag in _NOUNS for _, tag, _, _ in words):
            return {}
        start, end = words[0][2], words[-1][3]
        value = " ".join(message.text[start:end].split())
        message.take(start, end)
        return {wanted[0].name: _in_list(wanted[0], value)} if value else {}


def _number(word: str) -> float | int | None:
    return float(word) if re.fullmatch(r"\d+\.\d+", word) else parse_number(word)


def _in_list(slot: Slot, value: Any) -> Any:
    return [value] if slot.many else value


def _content(tag: str) -> bool:
    return tag.partition("-")[0] in _CONTENT


def _within(slot: Slot, value: float) -> bool:
    return (slot.minimum is None or value >= slot.minimum) and (slot.maximum is None or value <= slot.maximum)


def _spelt(word: str) -> re.Pattern[str]:
    """A word with blanks wherever people put them."""
    return re.compile(r"\s?".join(map(re.escape, compact(word))), re.IGNORECASE)


def _stands(text: str, start: int, end: int) -> bool:
    """One letter stands for a choice only as a word of its own; a longer word not within another of the same script."""
    if text[end - 1].isdigit() and text[end : end + 1].isdigit():
        return False  # 호실10 is no 호실1
    if end - start == 1:
        return not re.match(r"[가-힣A-Za-z0-9]", text[start - 1 : start]) and not re.match(
            r"[A-Za-z0-9]|[가-힣](?![\s,.!?~]|$)", text[end : end + 2]
        )
    return not (text[start].isascii() and re.match(r"[A-Za-z0-9]", text[start - 1 : start] if start else ""))

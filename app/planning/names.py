"""Names of persons and places in a message, for the slots that take them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from app.language.entities import EntityReader
from app.planning.message import LETTER, WORD_BEGINS, Message, PlacesMorphemes, turned
from app.planning.slots import Slot
from app.planning.words import Direction, SlotWords, leads, named_so

_SHORT, _BREAKS, _LIKE_NAMES = 2, tuple(",.!?~/;:"), ("N", "XR", "XS", "MM", "J", "IC")
_NEAR_WORDS = 4
_PLACE_NAMES = ("NNG", "NNP", "SL", "SN", "XSN", "NNB")
_NO_NAMES = ("V", "E", "MA")
_PARTICLES = ("JKS", "JKB", "JKO", "JX", "VCP")
_IN_NAMES = ("N", "XR", "XP", "XS", "MM", "IC", "SL", "MAG")


class NameReader:
    """Reads them by Kiwi's tags, surnames, place names and particles; a word that the dictionary knows is no name."""

    def __init__(self, words: SlotWords, tokenizer: PlacesMorphemes, entities: EntityReader) -> None:
        self._words, self._tokenizer, self._entities = words, tokenizer, entities
        families = "|".join(sorted(words.surnames, key=len, reverse=True))
        behind = "|".join(sorted(map(re.escape, words.after_names), key=len, reverse=True))
        self._person = rf"(?P<name>(?:{families}){LETTER}{{2}})"
        self._name = re.compile(rf"{WORD_BEGINS}{self._person}(?=(?:{behind})*(?!{LETTER}))")

    def persons(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The persons named, slot after slot."""
        names = [m for m in self._entities.read(message.text, message.today).names if m.name and not m.negated]
        spans = []
        for m in names:
            end = message.text.find(str(m.name), m.start) + len(str(m.name))
            cut = self._with_particle(message.text, end - len(str(m.name)), end) if end <= m.end else 0
            if message.free(m.start, m.end):
                spans.append((m.start, m.end, str(m.name)[: len(str(m.name)) - cut]))
        if not spans:
            titled = self._titled(message, slots)
            named = titled or [m for m in self._name.finditer(message.text) if self._is_name(message, m)]
            for match in named:
                if turned(self._words, message.text, match.end()):
                    message.take(*match.span("name"))
                else:
                    start, end = match.span("name")
                    end -= self._with_particle(message.text, start, end)
                    spans.append((start, end, message.text[start:end]))
        needed = any(slot.required and slot.name not in message.before for slot in slots)
        if not spans and (needed or any(slot.name in message.asked for slot in slots)):
            spans += self._alone(message)[:1]
        found: dict[str, Any] = {}
        every = [slot for slot in slots if slot.many]
        if len(every) == 1 and len(slots) == 1 and spans:
            spans += self._joined(message, spans)
            for start, end, _ in spans:
                message.take(start, end)
            return {every[0].name: [name for _, _, name in sorted(spans)]}
        for slot, (start, end, name) in zip(slots, spans, strict=False):
            message.take(start, end)
            found[slot.name] = [name] if slot.many else name
        return found

    def _titled(self, message: Message, slots: Sequence[Slot]) -> list[re.Match[str]]:
        """Names before what their bearers are called: by the slots (프로의 이름) or everywhere (이하람 선생님)."""
        told = (word for slot in slots for word in f"{slot.label} {slot.described}".split())
        called = {word[:-1] for word in told if len(word) > 1 and word.endswith(self._words.possessive)}
        titles = "|".join(sorted(map(re.escape, called | self._words.callings), key=len, reverse=True))
        name = rf"{WORD_BEGINS}{self._person}\s?(?:{titles})"
        own = {slot.label.split()[-1] for slot in slots}
        labels = "|".join(sorted(own.union(self._words.kinds["person"].labels[:3])))
        led = rf"(?:{labels})(?:은|는|이|가)?\s?{self._person}(?!{LETTER}{{2}})"
        found = [match for spelt in (name, led) for match in re.finditer(spelt, message.text)]
        return [match for match in found if message.free(*match.span("name"))]

    def _joined(self, message: Message, spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
        """Names that are joined to those found (김수현이랑 박지훈)."""
        known = {name for _, _, name in spans}
        joined = {t[2] for t in message.tokens if t[1] == "JC"} | {t[2] for t in message.tokens if t[1] == "SP"}
        return [
            (*match.span("name"), match["name"])
            for match in re.finditer(r"(?<![가-힣])(?P<name>[가-힣]{2,4}?)(?=(?:이랑|랑|하고|와|과|,))", message.text)
            if match["name"] not in known and any(0 <= at - match.end("name") <= 1 for at in joined)
        ]

    def _alone(self, message: Message) -> list[tuple[int, int, str]]:
        """Words that stand like a name at the beginning or the end of what is said, and that no dictionary knows."""
        found: list[tuple[int, int, str]] = []
        for match in self._name.finditer(message.text):
            start, end = match.span("name")
            inside = [t for t in message.tokens if t[2] < end and start < t[3]]
            edge = not message.text[:start].strip() or message.text[:start].rstrip()[-1] in _BREAKS
            edge = edge or not message.text[end:].strip(" .!~?") or message.text[end:].lstrip()[:1] in _BREAKS
            strange = all(
                tag.startswith(_LIKE_NAMES)
                and form not in self._words.places
                and not (len(form) > 1 and tag == "NNG" and self._tokenizer.neighbours((form, tag), 1))
                for form, tag, _, _ in inside
            )
            if edge and strange and message.text[end : end + 1] in ("", " ", *_BREAKS) and message.free(start, end):
                found.append((start, end, match["name"]))
        return found

    def _with_particle(self, text: str, start: int, end: int) -> int:
        """One where the last letter of a name belongs to what is behind it (이준 in 이준이라고)."""
        behind = text[end - 1 :]
        joined = (word for word in self._words.after_names if len(word) > _SHORT and behind.startswith(word))
        return int(any(word.startswith(text[end - 1]) for word in joined) and end - start > _SHORT)

    def _is_name(self, message: Message, match: re.Match[str]) -> bool:
        """Not an everyday word that begins like a name (이번, 강아지, 전화)."""
        start, end = match.span("name")
        inside = [t for t in message.tokens if t[2] < end and start < t[3]]
        first = inside[0] if inside else None
        whole = first is not None and first[1] == "NNG" and first[3] >= end
        known = first is not None and whole and bool(self._tokenizer.neighbours((first[0], first[1]), 1))
        derived = bool(inside) and inside[-1][1].startswith("XS") and inside[-1][3] == end  # 제출용
        named = not known and not derived and all(tag.startswith(_IN_NAMES) for _, tag, _, _ in inside)
        return named and not match["name"].endswith(self._words.titles) and message.free(start, end)

    def places(self, message: Message, slots: Sequence[Slot]) -> dict[str, Any]:
        """The places named: of a way by the words around them, else those asked for and required first."""
        spans = []
        for span in self._named_places(message):
            if turned(self._words, message.text, span[1]):
                message.take(*span)  # 전주 아니고 군산이에요
            else:
                spans.append(span)
        if any(word in f"{slot.label} {slot.described}" for slot in slots for word in self._words.addressed):
            spans = [self._with_name(message, span) for span in spans]
        found: dict[str, Any] = {}
        for slot in slots if len(slots) > 1 else ():
            way = self._way(slot)
            told = next((span for span in spans if way is not None and self._leads(message.text, span, way)), None)
            if told is not None:
                spans.remove(told)
                found[slot.name] = message.text[slice(*told)]
                message.take(*told)
        left = [slot for slot in slots if slot.name not in found]
        left.sort(key=lambda slot: (slot.name not in message.asked, not slot.required))
        for slot, span in zip(left, spans, strict=False):
            found[slot.name] = message.text[slice(*span)]
            message.take(*span)
        return found

    def _with_name(self, message: Message, span: tuple[int, int]) -> tuple[int, int]:
        """A place with the names of what stands there (대구 엠월드, 수원시청역 5번 출구)."""
        end = span[1]
        for form, tag, start, ends in message.tokens:
            if start < end:
                continue
            named = tag in _PLACE_NAMES and form not in message.frame.words and message.free(start, ends)
            if not named or message.text[end:start].strip(" ") or start - end > 1:
                break
            end = ends
        return span[0], end

    def _named_places(self, message: Message) -> list[tuple[int, int]]:
        """Places in order; names side by side (부산 해운대, 성남시 분당구) are one."""
        spans: list[tuple[int, int]] = []
        for match in re.finditer(r"[가-힣A-Za-z0-9]+", message.text):
            end = self._end_of_place(message, match.group(), match.start())
            if end is None or not message.free(match.start(), end):
                continue
            before = message.text[slice(*spans[-1])] if spans else ""
            within = before and self._holds(before, message.text[match.start() : end])
            if within and message.text[spans[-1][1] : match.start()] == " ":
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((match.start(), end))
        return spans

    def _end_of_place(self, message: Message, word: str, start: int) -> int | None:
        """Where the place that a word begins with ends; None where it begins with none."""
        stems = [word, *(word.removesuffix(p) for p in self._words.place_particles if word.endswith(p))]
        particle = next((t[2] for t in message.tokens if start < t[2] < start + len(word) and t[1] in _PARTICLES), 0)
        stems += [word[: particle - start]] if particle else []
        for stem in sorted(stems, key=len, reverse=True):
            named = stem.removesuffix(next((end for end in self._words.place_ends if stem.endswith(end)), ""))
            if stem in self._words.places or named in self._words.places:
                return start + len(stem)
        for stem in sorted(stems, key=len):
            whole = any(t[2:] == (start, start + len(stem)) and t[1] == "NNP" for t in message.tokens)
            ended = (len(stem) > _SHORT or whole) and stem.isalpha() and stem.endswith(self._words.place_ends)
            if ended and self._is_place(message, stem, start):
                return start + len(stem)
        first = next((t for t in message.tokens if t[2] == start), None)
        if first is None or first[1] != "NNP" or len(first[0]) < 2:
            return None
        rest = word[len(first[0]) :]
        # A name that nobody knows may be the name of anything.
        known = bool(self._tokenizer.neighbours((first[0], first[1]), 1))
        own = known and first[0] not in message.frame.words and not self._words.alike(first[0])
        # 초코를 is no place; 초코에서 may be one.
        beside = message.text[start + len(word) :].lstrip()[:1] == self._words.located[-1]
        stands = rest.startswith(self._words.located) or beside or (not rest and bool(message.asked))
        return first[3] if own and stands else None

    def _is_place(self, message: Message, stem: str, start: int) -> bool:
        inside = [t for t in message.tokens if start <= t[2] < start + len(stem)]
        known = any(form in message.frame.words and len(form) > 1 for form, *_ in inside)
        plain = (t for t in inside if t[1] == "NNG" and stem.endswith(t[0]) and len(t[0]) > 1)  # 펫택시 is no city
        if stem[:-1] in self._words.places:
            return True
        if any(tag.startswith(_NO_NAMES) for _, tag, begins, ends in inside if begins < ends):
            return False  # 공치려구
        return not known and not any(self._tokenizer.neighbours(t[:2], 1) for t in plain)

    def _leads(self, text: str, span: tuple[int, int], way: Direction) -> bool:
        """Whether a place is that end of the way; where somebody is to come to (성산동으로 와 주세요) it begins."""
        behind = text[span[1] :].lstrip().split()
        fetched = behind[:1] and behind[0].startswith(self._words.towards)
        if fetched and any(word.startswith(self._words.comes) for word in behind[1:_NEAR_WORDS]):
            return way is self._words.start
        return leads(text, span, way)

    def elsewhere(self, message: Message, slot: Slot) -> dict[str, Any]:
        """The choice for all other places, where a place is named that is none of a slot's."""
        other = next((c.value for c in slot.choices if str(c.value).lower() in self._words.others), None)
        places = sum(any(word in self._words.places for word in choice.words) for choice in slot.choices)
        spans = self._named_places(message) if other is not None and places > 1 else []
        if not spans:
            return {}
        message.take(*spans[-1])
        return {slot.name: other}

    def _way(self, slot: Slot) -> Direction | None:
        ways = (self._words.start, self._words.end)
        return next((way for way in ways if named_so(slot.name, slot.described, way)), None)

    def _holds(self, one: str, other: str) -> bool:
        """Whether the second of two names side by side is a place within the first."""
        words = self._words
        if one in words.provinces:
            return other not in words.provinces
        inside = other in words.districts or (other not in words.places and other.endswith(words.place_ends))
        return inside and (one in words.places or one.endswith(words.wide_ends))

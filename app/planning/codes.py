"""Codes in a message: as their pattern writes them, in the wrong case, and without their dashes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.planning.message import Message
from app.planning.slots import Slot
from app.planning.words import SlotWords

_NESTED, _OPEN = re.compile(r"\)(?:[+*]|\{\d*,)"), re.compile(r"[+*]|\{\d+,\}")
_MOST_OPEN, _CODE_LETTERS, _MOST_PATTERN = 2, 120, 120
_PARTS = re.compile(
    r"(?P<join>\\?[-_/. ])|(?P<plain>[A-Za-z0-9]+(?![?*+{]))|(?P<open>(?:\[[^\]]+\]|\\d)(?:\{[\d,]+\})?)"
)
_LETTER, _DASH = r"[A-Za-z0-9]", r"[\s\-–_./]{0,2}"


def read_codes(message: Message, slots: Sequence[Slot]) -> Mapping[str, Any]:
    """The code of each slot that the message tells, written as its pattern wants it. A pattern that could take for ever
    is not tried."""
    found: dict[str, Any] = {}
    for slot in slots:
        pattern = slot.pattern.removeprefix("^").removesuffix("$")
        if len(pattern) > _MOST_PATTERN or _NESTED.search(pattern) or len(_OPEN.findall(pattern)) > _MOST_OPEN:
            continue
        told = _first(message, rf"(?<![A-Za-z0-9-])(?P<code>{pattern})(?!{_LETTER}|-\w)", pattern, None)
        told = told or _loosely(message, slot, pattern)
        if told is not None:
            found[slot.name] = told
    return found


_URL = re.compile(r"https?://[^\s가-힣\"'<>]+")
# B7731, C-204, redis-0; 12가3456; 110-234-567890, 683920114455.
_LETTERED = re.compile(
    r"(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*\d)[A-Za-z][A-Za-z0-9]*(?:[-_]?[A-Za-z0-9]+)*(?![A-Za-z0-9])"
)
_PLATE = re.compile(r"(?<!\d)\d{2,3}[가-힣]\s?\d{4}(?!\d)")
_FIGURES = re.compile(r"(?<![\d-])(?:\d{2,6}(?:-\d{2,8}){1,3}|\d{4,16}(?!\s?[원만천억년개명]))(?![\d-])")
_NEAR = 6


def read_identifiers(message: Message, slots: Sequence[Slot], words: SlotWords) -> Mapping[str, Any]:
    """What names one thing, where no pattern says how it is written: letters with figures, long figures, figures
    before 번 or 호. Of several slots each takes what stands nearest behind its label, the rest in their order."""
    behind = "|".join(sorted(map(re.escape, words.numbered), key=len, reverse=True))
    counted = re.compile(rf"(?<![\d.,])\d{{1,4}}(?=\s?(?:{behind})(?![가-힣]?째|\s?출구))")
    spans: list[tuple[int, int]] = []
    for pattern in (_URL, _PLATE, _LETTERED, _FIGURES, counted):
        for match in pattern.finditer(message.text):
            free = message.free(*match.span()) and all(match.end() <= s or e <= match.start() for s, e in spans)
            spans += [match.span()] if free else []
    found: dict[str, Any] = {}
    spans.sort()
    for start, end in list(spans) if len(slots) > 1 else ():
        before = message.text[max(0, start - _NEAR) : start]
        own = [s for s in slots if s.name not in found and any(w in before for w in s.label.split() if len(w) > 1)]
        if len(own) == 1:
            found[own[0].name] = message.text[start:end]
            message.take(start, end)
            spans.remove((start, end))
    left = sorted((slot for slot in slots if slot.name not in found), key=lambda slot: not slot.required)
    for slot, (start, end) in zip(left, spans, strict=False):
        found[slot.name] = message.text[start:end]
        message.take(start, end)
    return {slot.name: [found[slot.name]] if slot.many else found[slot.name] for slot in slots if slot.name in found}


@dataclass(frozen=True)
class _Part:
    text: str
    joins: bool
    plain: bool


def _loosely(message: Message, slot: Slot, pattern: str) -> str | None:
    """The code without its dashes, or with blanks for them; its own digits alone where it was asked for."""
    parts = [
        _Part(match.group().lstrip("\\") if match["join"] else match.group(), bool(match["join"]), bool(match["plain"]))
        for match in _PARTS.finditer(pattern)
    ]
    whole = "".join((f"\\{p.text}" if f"\\{p.text}" in pattern else p.text) if p.joins else p.text for p in parts)
    own = [part for part in parts if not part.joins]
    if whole != pattern or len(own) < 2 or not pattern.strip("\\"):
        return None
    spelt = _DASH.join(f"({part.text})" for part in own)
    told = _first(message, rf"(?<!{_LETTER})(?P<code>{spelt})(?!{_LETTER})", pattern, parts)
    told_alone = [part for part in own if not part.plain]
    if told is None and slot.name in message.asked and len(told_alone) == 1:
        alone = [_Part(part.text, True, True) if part.plain else part for part in parts]
        told = _first(message, rf"(?<!{_LETTER})(?P<code>({told_alone[0].text}))(?!{_LETTER})", pattern, alone)
    return told


def _first(message: Message, spelt: str, pattern: str, parts: Sequence[_Part] | None) -> str | None:
    try:
        known, right = re.compile(spelt), re.compile(pattern)
    except re.error:
        return None
    plain = message.text[:_CODE_LETTERS]
    for text in (plain, plain.upper(), plain.lower()):
        match = known.search(text)
        if match is None or not message.free(*match.span()):
            continue
        own = iter(match.groups()[1:])
        code = match["code"] if parts is None else "".join(p.text if p.joins else next(own) for p in parts)
        if right.fullmatch(code):
            message.take(*match.span())
            return code
    return None

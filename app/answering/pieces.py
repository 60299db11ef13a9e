"""How many pieces of a cover a message counts: of several treatments that it names each has its own count."""

from __future__ import annotations

import re

from app.dialogue.items import FieldLexicon, Item
from app.language.mentions import BenefitMention, Entities
from app.language.normalise import compact

_BESIDE = 3  # letters between a treatment and its count
_SEVERAL = 2

Count = tuple[int, int, int, str]
"""Where a count stands, how many it is, and its counter."""


def pieces_of(said: Entities, item: Item, each: str, fields: FieldLexicon) -> tuple[int, str]:
    """How many pieces of an item a message counts, and by which counter, the item being paid for `each`: of several
    treatments named each has the count beside its own name (임플란트 두 개랑 크라운 하나), and one where it has none; a
    numeral beside the only one named counts it (크라운도 하나); 0 where none is told."""
    counters = fields.pieces.get(each, ())
    told = [(m.start, m.end, m.count, m.counter) for m in said.counts if m.counter in counters]
    treated = [m for m in said.benefits if not m.negated]
    own = [m for m in treated if compact(m.text) in compact(item.name) or m.benefit == item.group]
    if counters and own and not told:
        for start, end, count, counter in _bare(said, told, counters[0], fields):
            if any(m.end <= start <= m.end + _BESIDE for m in own) or _in_front(said.text, end, own, fields):
                return count, counter
    if not counters or not own or len({m.benefit for m in treated}) < _SEVERAL:
        several = [(count, counter) for _, _, count, counter in told if count > 1]
        return (several or [(count, counter) for _, _, count, counter in told] or [(0, "")])[-1]
    told += _bare(said, told, counters[0], fields)
    ahead = []
    for start, end, count, counter in told:
        before = [m for m in treated if m.end <= start <= m.end + _BESIDE]
        if before and before[-1] in own:
            return count, counter
        ahead += [(count, counter)] if not before and _in_front(said.text, end, own, fields) else []
    return next(iter(ahead), (1, counters[0]) if told else (0, ""))


def _bare(said: Entities, told: list[Count], counter: str, fields: FieldLexicon) -> list[Count]:
    """The numerals without a counter (인레이 하나), but for those that mean several things together (둘 다)."""
    taken = [(start, end) for start, end, _, _ in told]
    taken += [(m.start, m.end) for m in said.references if m.kind == "both"]
    found = re.finditer("|".join(fields.numerals), said.text)
    return [
        (m.start(), m.end(), fields.numerals[m.group()], counter)
        for m in found
        if not any(start <= m.start() < end for start, end in taken)
    ]


def _in_front(text: str, end: int, own: list[BenefitMention], fields: FieldLexicon) -> bool:
    """Whether a count that ends there stands in front of one of these (다른 하나는 크라운)."""
    return any(m.start >= end and re.fullmatch(fields.of_front, text[end : m.start]) for m in own)

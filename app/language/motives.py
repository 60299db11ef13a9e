"""Whose illness made somebody think of themselves: 엄마가 암 수술을 하셔서 저도 하나 들려고요."""

from __future__ import annotations

from dataclasses import replace

from app.language.mentions import CUSTOMER, SPEAKER, Entities
from app.language.reading_words import LanguageWords


def without_motive(words: LanguageWords, entities: Entities) -> Entities:
    """Without the relative whose illness made the speaker think of themselves, and without that illness."""
    speaker = next(
        (m for m in entities.people if m.who == SPEAKER and words.motives.me_too.match(entities.text[m.start :])), None
    )
    before = [m for m in entities.people if speaker and m.end <= speaker.start and m.who not in (SPEAKER, CUSTOMER)]
    if speaker is None or not before or not words.motives.ill.match(entities.text[before[-1].end : speaker.start]):
        return entities
    start, end = before[-1].start, speaker.start
    return replace(
        entities,
        people=tuple(m for m in entities.people if not start <= m.start < end),
        medical=tuple(m for m in entities.medical if not start <= m.start < end),
        claims=tuple(m for m in entities.claims if not start <= m.start < end),
        ages=tuple(m for m in entities.ages if not start <= m.start < end),
        births=tuple(m for m in entities.births if not start <= m.start < end),
    )

"""Whose each clause of a message is, and who is to be insured (어머니가 치매신데 제가 들 수 있나요: the speaker)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.insurance.told import asks_to_join
from app.language.mentions import PersonMention
from app.language.reading_words import LanguageWords


@dataclass(frozen=True)
class Clause:
    """A clause with the people in it, where it tells of somebody (`told_at`) and up to where (`told_to`). `denied_to`:
    the end of the list that denies it; `of_work`: it tells of work alone or says that all is well."""

    start: int
    end: int
    text: str
    people: tuple[PersonMention, ...]
    told_at: int | None
    told_to: int
    names: bool
    underwritten: bool
    aside: bool
    denied_to: int
    of_work: bool


def same(words: LanguageWords, one: str, other: str | None) -> bool:
    """Whether two words may mean one person: 동생 and 남동생, 아이 and 아들, 피보험자 and anybody."""
    own = words.conditions
    if other is None or one in other or other in one or {one, other} & own.anybody:
        return True
    return own.speaker not in (one, other) and bool({one, other} & own.relatives)


def owners_of(words: LanguageWords, parts: Sequence[Clause]) -> list[str | None]:
    """Whose each clause is: the last person before what it tells, else the one right behind (치매인 어머니), else the
    one spoken of before; None where nobody was named yet."""
    owners: list[str | None] = []
    topic: str | None = None
    for part in parts:
        owner = topic
        if part.told_at is not None and part.people:
            before = [m for m in part.people if m.start <= part.told_at]
            named = _described(words, part) or (before[-1] if before else part.people[0])
            # 장모님이 … 본인 이가: the person spoken of
            owner = topic if named.text == words.conditions.speaker and topic is not None else named.who
            if owner == words.conditions.speaker and words.conditions.for_another.search(part.text):
                others = [m.who for m in part.people if m.who != words.conditions.speaker]
                owner = others[-1] if others else topic
        owners.append(owner)
        if part.people:
            topic = owner if part.told_at is not None else part.people[-1].who
    return owners


def _described(words: LanguageWords, part: Clause) -> PersonMention | None:
    """The person right behind what describes them (제가 치매인 어머니를 모셔요)."""
    at = part.told_at if part.told_at is not None else part.end
    return next(
        (
            m
            for m in part.people
            if words.conditions.describes.fullmatch(part.text[at - part.start : m.start - part.start])
        ),
        None,
    )


def insured_in(words: LanguageWords, text: str, parts: Sequence[Clause]) -> str | None:
    """Who is to be insured: the person of the clause that asks, else the one spoken of last; None where nobody is."""
    own = words.conditions
    if (receiver := _receiver(words, text, parts)) is not None:
        return receiver
    asking = next((part for part in reversed(parts) if asks_to_join(part.text) and part.people), None)
    if asking is None:
        named = [(m, part) for part in parts if not own.seen.search(part.text) for m in part.people]
        # 어머니 … 본인 이가: the person spoken of, not the speaker
        apart = [(m, part) for m, part in named if m.text != own.speaker] or named
        # 엄마가 62세인데 … 동의서는 제가 받아올게요: whose age is told, not who does something
        told_of = [(m, part) for m, part in apart if own.aged.search(part.text)] or apart
        spoken = [(m.who, part.text) for m, part in told_of]
        if not spoken and any(part.people for part in parts):
            return own.speaker
        for who, clause in reversed(spoken):
            if who != own.speaker or not own.for_another.search(clause):
                return who
        return None
    whos = [m.who for m in asking.people]
    others = [who for who in whos if who != own.speaker]
    if own.speaker in whos and not (others and own.takes_out.search(text[asking.start :])):
        return own.speaker if whos[-1] == own.speaker or not others else others[-1]
    if own.speaker in whos or others:
        return others[-1] if others else own.speaker
    return None


def _receiver(words: LanguageWords, text: str, parts: Sequence[Clause]) -> str | None:
    """Who is given an insurance (장모님이 일흔하나신데 사위가 하나 해 드리려는데): the last one named but the giver."""
    giving = next((part for part in parts if words.conditions.given.search(part.text)), None)
    if giving is None:
        return None
    named = [
        (part, m)
        for part in parts
        if part.start <= giving.start
        for m in part.people
        if m.who != words.conditions.speaker
    ]
    taken = [m.who for part, m in named if part != giving or not words.conditions.giver.match(text, m.end)]
    return taken[-1] if taken else None

"""Which persons of a message may be the insured, under which name they are known, and what a message tells of the
speaker by a word of kinship."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from app.insurance.models import Gender
from app.language.mentions import CUSTOMER, SPEAKER, AgeMention, Entities, Mention, PersonMention
from app.planner.birthdays import birth_facts
from app.planner.facts import Facts, PersonFacts
from app.planner.words import PlannerWords

# 나보다 한, 저랑은 : how far the age may stand behind the one it is measured by.
_NEAR = 5


def persons_meant(words: PlannerWords, entities: Entities, facts: Facts) -> list[PersonMention]:
    """The persons that may be insured: no asides, none ruled out; the speaker only when nobody else carries the
    talk."""
    kept = [m for m in entities.people if m.role == "insured" and not m.negated]
    if words.kin.for_the_speaker.search(entities.text):
        return [m for m in kept if m.who == SPEAKER]
    told = {m.who for m in entities.people if m.role == "predicate"}
    kept = [m for m in kept if not (m.who in words.kin.old and m.who in told)]  # 할매여 할매
    kept = [m for m in kept if not (m.who == SPEAKER and _beside(words, m, kept, entities, facts))]
    if any(m.who == SPEAKER for m in kept):
        kept = [m for m in kept if m.who == SPEAKER or not words.kin.dead.match(entities.text[m.end :])]
    others = [m for m in kept if m.who not in (SPEAKER, CUSTOMER)]
    if others and not _speaker_has_facts(entities, kept) and not side_by_side(words, entities, kept):
        kept = others
    return kept


def spouses_apart(words: PlannerWords, entities: Entities) -> Entities:
    """남편은 마흔일곱, 아내 마흔넷: who speaks of both is neither, so that they are two people."""
    spouses = [m for m in entities.people if m.who == words.kin.spouse and m.gender and not m.negated]
    if len({m.gender for m in spouses}) < len(words.kin.of_a_couple):
        return entities
    people = (
        replace(m, who=words.kin.of_a_couple[m.gender]) if m in spouses and m.gender else m for m in entities.people
    )
    return replace(entities, people=tuple(people))


def couple_of_one_age(words: PlannerWords, entities: Entities, facts: Facts) -> Facts | None:
    """31살 동갑 부부, 부모님 두 분 다 63세: a man and a woman of that age, both meant."""
    ages = {m.age for m in entities.ages if m.kind == "age" and not m.negated}
    alike = any(m.kind == "relative" and m.delta == 0 for m in entities.ages) or words.persons.all.search(entities.text)
    named = {m.who for m in entities.people if not m.negated}
    spouses = words.kin.of_a_couple if words.persons.couple.search(entities.text) and not named else {}
    pair = words.kin.of_parents if named == {words.kin.parents} else spouses
    both = pair is words.kin.of_parents and words.persons.two_people.search(entities.text)
    if entities.genders or entities.births or len(ages) != 1 or not (alike or both) or not pair:
        return None
    for gender, who in pair.items():
        update = {**birth_facts(None), "age": next(iter(ages)), "gender": gender}
        facts = facts.turned_to(who).model_copy(update=update)
    return facts.model_copy(update={"meant": tuple(pair.values())})


def compared(words: PlannerWords, entities: Entities) -> PersonMention | None:
    """저랑 동갑, 나보다 네 살 많아: the person somebody's age is told by."""
    for age in entities.ages:
        if age.kind == "relative":
            before = [m for m in entities.people if m.end <= age.start and age.start - m.end <= _NEAR]
            if before and words.kin.compared.match(entities.text[before[-1].end : age.start]):
                return before[-1]
    return None


def children_apart(
    words: PlannerWords, who: str, ages: Sequence[int], entities: Entities
) -> list[tuple[str, list[int]]]:
    """아들 둘 15살 12살: the older and the younger, each with their age; others as they are."""
    of_two, told = words.kin.of_two.get(who, ()), sorted(set(ages), reverse=True)
    counted = any(m.kind == "both" for m in entities.references) or any(m.count == len(told) for m in entities.counts)
    if not counted or not of_two or len(told) != len(of_two):
        return [(who, list(ages))]
    return [(one, [age]) for one, age in zip(of_two, told, strict=True)]


def later(words: PlannerWords, age: AgeMention, entities: Entities, person: PersonFacts | None) -> bool:
    """'일흔에는 또 얼마 되는지', of somebody of sixty: a time to come, not the age."""
    known = person.age if person else None
    return known is not None and known < age.age and bool(words.persons.at_age.match(entities.text[age.end :]))


def asked_of(
    words: PlannerWords, entities: Entities, people: Sequence[PersonMention], told: Collection[str]
) -> PersonMention | None:
    """The last person, where the question stands right behind them: 친구는 쉰일곱 여자고 …, 저는 얼마나 나올까요.

    `told` are those of whom the message tells something.
    """
    last = people[-1] if people else None
    if last is None or (last.who == SPEAKER and last.text[0] not in "저전나난"):
        return None
    before = {m.who for m in people[:-1]}
    # 저도 며느리지만 마흔둘에 하나 뗐는데 저는 되나요
    if last.who not in told and last.who in before:
        return None
    return last if words.kin.question.match(entities.text[last.end - 1 :]) else None


def _beside(
    words: PlannerWords, speaker: PersonMention, kept: Sequence[PersonMention], entities: Entities, facts: Facts
) -> bool:
    """Whether the speaker's word names no insured: who another's age is measured by, who does another's errand, or
    본인 said of the person spoken of (본인은 서명도 못하시는데 제가 …)."""
    text = entities.text
    if speaker == compared(words, entities):
        return True
    another = facts.who not in (None, SPEAKER) or any(m.who != SPEAKER for m in kept)
    if not another:
        return False
    if speaker.text == SPEAKER:
        return any(m.who == SPEAKER and m.text != SPEAKER for m in entities.people)
    after = text[speaker.end : speaker.end + 24]
    told = any(speaker.end <= m.start for m in (*entities.ages, *entities.births))
    return not told and bool(words.kin.errand.match(after) or words.kin.errand_word.search(after))


def of_another(attribute: Mention, entities: Entities, mentions: Sequence[PersonMention]) -> bool:
    """Whether an age stands behind a person who was put aside (우리 형이 쉰에 갔어요)."""
    before = [m for m in entities.people if m.end <= attribute.start]
    near = before[-1] if before else None
    return near is not None and near.role == "insured" and near.who not in (SPEAKER, CUSTOMER) and near not in mentions


def of_errand(predicate: PersonMention, entities: Entities, mentions: Sequence[PersonMention]) -> bool:
    """Whether a predicate is of the speaker who only does another's errand (제가 손녀인데 대신 …)."""
    before = [m for m in entities.people if m.end <= predicate.start and m.role == "insured"]
    return bool(before) and before[-1].who == SPEAKER and before[-1] not in mentions


def side_by_side(words: PlannerWords, entities: Entities, people: Sequence[PersonMention]) -> bool:
    """제 거랑 아내 거, 남편 나 둘 다: two people meant at once."""
    counted = bool(people) and bool(words.kin.counted.match(entities.text[people[-1].end :]))
    return any(
        a.who != b.who
        and (
            words.kin.joined.fullmatch(between := entities.text[a.end : b.start])
            or (counted and words.kin.in_a_row.fullmatch(between))
        )
        for a, b in pairwise(people)
    )


def _speaker_has_facts(entities: Entities, people: Sequence[PersonMention]) -> bool:
    """Whether an age, birth, gender or 동갑 stands behind the speaker's own word (저는 쉰이고), or the customer's."""
    attributes: list[Mention] = [*entities.ages, *entities.births, *entities.genders, *entities.medical]
    for attribute in attributes:
        before = [person for person in people if person.end <= attribute.start]
        if before and before[-1].who in (SPEAKER, CUSTOMER):
            return True
    last = people[-1] if people else None
    return last is not None and last.who == SPEAKER and len(entities.text) - last.end <= 12


def known_as(words: PlannerWords, mention: PersonMention, facts: Facts) -> str:
    """The canonical person of a mention, seen from the talk: 작은애 is the 작은아들 spoken of, a son's 누나 is a 딸."""
    own = words.kin
    who = mention.who
    if who in own.siblings and facts.who in own.children and facts.person(who) is None and mention.gender:
        return own.son_or_daughter[mention.gender]
    if mention.text in own.that_person and facts.who not in (None, SPEAKER, who):
        return str(facts.who)  # 이분 인수되나, right after the customer's husband
    spouse = facts.person(own.spouse) if who == own.spouse else None
    if spouse and mention.gender and spouse.gender not in (None, mention.gender):
        return own.of_a_couple[mention.gender]  # 부인은, after a customer's husband was spoken of
    if facts.person(who) is None:
        less = facts.person(own.less_told.get(who, ""))
        if less is not None and less.gender in (None, mention.gender):
            return less.who  # 여동생이고 서른이에요, after 동생이
        if who == own.spouse and mention.gender and facts.person(own.of_a_couple[mention.gender]) is not None:
            return own.of_a_couple[mention.gender]
        for known in own.same_person.get(who, ()):
            if facts.person(known) is not None:
                return known
    return who


def predicated(
    words: PlannerWords,
    draft_of: Callable[[str], Any],
    predicate: PersonMention,
    people: Sequence[PersonMention],
    facts: Facts,
    who: str,
) -> None:
    """'딸이에요' tells the gender of the child spoken of; '서른셋 엄마예요', '저는 마흔넷 딸이에요', '할머니예요' that
    of the speaker; else it names a person. `who` is the one whom a word without a person is about."""
    before = [m for m in people if m.end <= predicate.start and m.role != "predicate"]
    near = known_as(words, before[-1], facts) if before else facts.who
    if predicate.who == SPEAKER or (before and near == SPEAKER):
        who, told = SPEAKER, True
    elif predicate.who in words.kin.old and facts.person(predicate.who) is None and near in (None, SPEAKER, CUSTOMER):
        told = True
    else:
        # 할머니에요, asked whether man or woman: the one whose age was told.
        told = "gender" in facts.asked and facts.age is not None and predicate.gender is not None
    if near in words.kin.young and predicate.who in words.kin.children:
        who, told = str(near), True
    draft = draft_of(who if told else known_as(words, predicate, facts))
    if predicate.gender is not None:
        draft.values["gender"] = predicate.gender


def _speaker_gender(words: PlannerWords, facts: Facts) -> Gender | None:
    """The speaker's gender told by a spouse or in-law spoken of before (남편 -> F)."""
    for person in facts.everyone():
        if person.who == words.kin.spouse and person.gender:
            return "F" if person.gender == "M" else "M"
        if told := words.kin.relative_of.get(person.who):
            return told
    return None


def speaker_known(words: PlannerWords, facts: Facts) -> Facts:
    """The same facts with the speaker's gender, where a relative of theirs tells it: 나 쉰여섯 각시 쉰셋."""
    own = facts.person(SPEAKER)
    told = _speaker_gender(words, facts) if own is not None and own.gender is None else None
    if told is None:
        return facts
    if facts.who == SPEAKER:
        return facts.model_copy(update={"gender": told})
    people = tuple(p.model_copy(update={"gender": told}) if p.who == SPEAKER else p for p in facts.people)
    return facts.model_copy(update={"people": people})


def gender_of_history(words: PlannerWords, phrases: Sequence[str]) -> Gender | None:
    """The gender that an illness of one's own tells: 임신 20주, 난소낭종 수술, 전립선."""
    told = " ".join(phrases)
    women, men = bool(words.kin.womens.search(told)), bool(words.kin.mens.search(told))
    return None if women == men else "F" if women else "M"

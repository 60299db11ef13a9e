"""Whose age is it: which person each age, birth year and gender of a message belongs to, and who is spoken of next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from app.language.mentions import CUSTOMER, SPEAKER, AgeMention, BirthMention, Entities, GenderMention, PersonMention
from app.planner.birthdays import birth_facts, is_age_of
from app.planner.facts import PERSONAL, PERSONS_ARGUMENTS, Facts, PersonFacts
from app.planner.group import counted_together, meant_together
from app.planner.health import Health, merged
from app.planner.kin import (
    asked_of,
    children_apart,
    compared,
    couple_of_one_age,
    gender_of_history,
    known_as,
    later,
    of_another,
    of_errand,
    persons_meant,
    predicated,
    side_by_side,
    speaker_known,
)
from app.planner.owners import Owners
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

_COUPLE = 2


@dataclass
class _Draft:
    """The news about one person while a message is read."""

    who: str
    values: dict[str, Any] = field(default_factory=dict)
    ages: list[int] = field(default_factory=list)


_OF_A_CUSTOMER = PERSONS_ARGUMENTS | {"customer_name", "customer_id", "contract_id"}


def update_persons(
    words: PlannerWords,
    entities: Entities,
    facts: Facts,
    health: Health,
    declared: Declarations,
    today: date,
    *,
    default_who: str,
    hypothetical: bool = False,
) -> Facts:
    """The facts with the persons of this message: each fact goes to its person, the last person becomes the current
    one; illness and work without a person of their own are the current one's."""
    start = facts = _customer_named(entities, facts)
    if both := couple_of_one_age(words, entities, facts):
        return both
    mentions = persons_meant(words, entities, facts)
    facts = _taken_back(entities, facts, mentions)
    if (
        {m.who for m in mentions} <= {SPEAKER}
        and not _tells_of_one(entities)
        and _means_all(words, entities, facts, declared)
    ):
        return _all_with(health, _both_again(words, entities, facts, declared))  # 저희 둘 다, 두 분 모두 혈압약 드세요
    drafts = _drafts(words, entities, facts, mentions, default_who)
    _add_histories(words, drafts, health, facts, entities)
    named = [draft for draft in drafts if draft.values or draft.ages]
    whos = [known_as(words, mention, facts) for mention in mentions]
    measure = compared(words, entities)
    base = measure.who if measure else facts.who or (facts.everyone()[-1].who if facts.people else None)
    asked = asked_of(words, entities, mentions, [draft.who for draft in named])
    current = known_as(words, asked, facts) if asked else _current(drafts, named, whos, facts, default_who, health)
    reset = _other_customer(words, entities, facts)
    if current is None:
        return _both_again(words, entities, facts.model_copy(update=reset), declared)
    for draft in drafts:
        facts = facts.turned_to(draft.who)
        values = {**reset, **draft.values, **_age(draft, facts, today, hypothetical=hypothetical)}
        facts = facts.model_copy(update=values) if values else facts
        reset = {}
    facts = speaker_known(words, facts)
    facts = _relative(words, entities, facts.turned_to(current), base, mentions)
    extra = _of_current(health, facts, entities)
    if facts.gender is None and (gender := gender_of_history(words, health.mine)):
        extra["gender"] = gender
    if reset or extra:
        facts = facts.model_copy(update={**reset, **extra})
    also = asked is not None and "도" in entities.text[asked.end - 1 : asked.end + 1]  # 아버지도 얼마예요
    with_news = [current] if asked and not also else list(dict.fromkeys(draft.who for draft in named))
    if side_by_side(words, entities, mentions):
        with_news = list(dict.fromkeys(whos))
    own = with_news if len(with_news) > 1 else []
    told = [draft.who for draft in named] or whos
    return facts.model_copy(update={"meant": meant_together(words, entities, start, facts, told, own)})


def _add_histories(words: PlannerWords, drafts: list[_Draft], health: Health, facts: Facts, entities: Entities) -> None:
    """Illnesses that stand with a person of their own: each draft gets its own."""
    for draft in drafts:
        # A child or spouse may be known under another word for the same person.
        phrases = [
            p for who, told in health.of.items() for p in told if _canonical(words, who, entities, facts) == draft.who
        ]
        if phrases:
            before = facts.person(draft.who)
            draft.values["history"] = merged(before.history if before else None, phrases, health.gone, replace=False)


def _canonical(words: PlannerWords, who: str, entities: Entities, facts: Facts) -> str:
    mention = next((m for m in entities.people if m.who == who), None)
    return known_as(words, mention, facts) if mention else who


def _of_current(health: Health, facts: Facts, entities: Entities) -> dict[str, Any]:
    """What the message says of the health and work of the person spoken of now."""
    extra: dict[str, Any] = {"diagnosis": health.diagnosis, "job": health.job}
    if health.mine or (health.gone and facts.history):
        swapped = entities.is_correction and not health.gone
        extra["history"] = merged(facts.history, health.mine, health.gone, replace=swapped)
        if extra["history"] is None:
            return {**{k: v for k, v in extra.items() if v is not None}, "history": None}
    return {name: value for name, value in extra.items() if value is not None}


def _tells_of_one(entities: Entities) -> bool:
    return bool(entities.ages or entities.births or entities.genders or entities.names)


def _all_with(health: Health, facts: Facts) -> Facts:
    """The facts with an illness that all who are meant have."""
    meant = facts.meant
    for who in meant if health.mine else ():
        facts = facts.turned_to(who)
        history = merged(facts.history, health.mine, health.gone, replace=False)
        facts = facts.model_copy(update={"history": history, "meant": meant})
    return facts


def _taken_back(entities: Entities, facts: Facts, mentions: Sequence[PersonMention]) -> Facts:
    """'매형 아니고 누나': the person was named wrongly, so what was said of them is dropped with the name.
    The speaker is never named wrongly: 남편 말고 나만 sets the husband aside. Nor is who the other's age is told by."""
    if any(age.kind == "relative" and age.delta is not None for age in entities.ages):
        return facts  # 딸 말고 아들로요, 쌍둥이라 나이 같아요
    gone = {m.who for m in entities.people if m.negated}
    if facts.who in gone and SPEAKER not in {facts.who, *(m.who for m in mentions)} and mentions:
        return facts.model_copy(update=dict.fromkeys(("who", *PERSONAL)))
    return facts


def _drafts(
    words: PlannerWords, entities: Entities, facts: Facts, mentions: Sequence[PersonMention], default_who: str
) -> list[_Draft]:
    """One draft a person, in order, with what the message says of each."""
    drafts: dict[str, _Draft] = {}

    def draft_of(who: str) -> _Draft:
        return drafts.setdefault(who, _Draft(who))

    for mention in mentions:
        draft = draft_of(known_as(words, mention, facts))
        if mention.gender is not None:
            draft.values["gender"] = mention.gender
    fallback = facts.who or default_who
    owners = Owners.read(words, entities, facts, mentions, default_who)
    for predicate in entities.people:
        if predicate.role == "predicate" and not predicate.negated and not of_errand(predicate, entities, mentions):
            predicated(words, draft_of, predicate, entities.people, facts, fallback)
    if not mentions and words.kin.expecting.search(entities.text):
        draft_of(fallback).values["gender"] = "F"
    attributes: list[AgeMention | BirthMention | GenderMention] = [*entities.ages, *entities.births, *entities.genders]
    for attribute in sorted(attributes, key=lambda m: m.start):
        if attribute.negated or attribute.confidence < 0.6 or of_another(attribute, entities, mentions):
            continue
        owner = owners.of(attribute)
        if owner is None and mentions and attribute.end <= mentions[0].start:
            who = fallback if fallback not in drafts else default_who
        else:
            who = known_as(words, owner, facts) if owner else next(iter(drafts), fallback)
        if isinstance(attribute, AgeMention):
            if owners.of_everybody(attribute):
                for draft in drafts.values():
                    draft.ages.append(attribute.age)
            elif (
                attribute.kind == "age"
                and not attribute.approximate
                and not later(words, attribute, entities, facts.person(who))
            ):
                draft_of(who).ages.append(attribute.age)
            elif attribute.kind == "relative" and owner is None:
                draft_of(who)
        elif isinstance(attribute, BirthMention):
            draft_of(who).values |= {**birth_facts(attribute), "age": None}
        else:
            draft_of(who).values["gender"] = attribute.gender
    apart = (
        (draft, one) for draft in drafts.values() for one in children_apart(words, draft.who, draft.ages, entities)
    )
    return [_Draft(who, dict(draft.values), ages) for draft, (who, ages) in apart]


def _customer_named(entities: Entities, facts: Facts) -> Facts:
    """고객이 …, after facts of nobody named: they were the customer's, for nobody speaks of themselves as one."""
    whos = {m.who for m in entities.people}
    if facts.who == SPEAKER and CUSTOMER in whos and SPEAKER not in whos and facts.person(CUSTOMER) is None:
        return facts.renamed(SPEAKER, CUSTOMER)
    return facts


def _age(draft: _Draft, facts: Facts, today: date, *, hypothetical: bool) -> dict[str, Any]:
    """The age news of a person. Two ages of one person are a comparison, so nothing is remembered; an age that a known
    birth tells is no news."""
    ages = set(draft.ages)
    if len(ages) != 1 or hypothetical:
        return {}
    age = ages.pop()
    if "birth_year" in draft.values:
        return {"age": age}
    return {} if is_age_of(age, facts.person(draft.who), today) else {"age": age, **birth_facts(None)}


def _relative(
    words: PlannerWords, entities: Entities, facts: Facts, base_who: str | None, mentions: Sequence[PersonMention]
) -> Facts:
    """'두 살 위', '동갑': the age (or year of birth) of the person it stands behind, else of the current one, from the
    one spoken of before, or else from another of the message whose age is told."""
    relative = next((m for m in entities.ages if m.kind == "relative" and m.delta is not None and not m.negated), None)
    if relative is None or relative.delta is None:
        return facts
    before = [m for m in mentions if m.end <= relative.start and m != compared(words, entities)]
    current, who = facts.who, known_as(words, before[-1], facts) if before else facts.who
    if who is None or current is None:
        return facts
    base: PersonFacts | None = facts.person(base_who if base_who != who else None)
    if base is None:
        base = next((p for p in reversed(_with_age(facts)) if p.who != who), None)
    if base is None:
        return facts
    facts = facts.turned_to(who)
    if base.age is not None:
        facts = facts.model_copy(update={**birth_facts(None), "age": base.age + relative.delta})
    elif base.birth_year is not None:
        facts = facts.model_copy(
            update={**birth_facts(None), "birth_year": base.birth_year - relative.delta, "age": None}
        )
    return facts.turned_to(current)


def _current(
    drafts: Sequence[_Draft],
    named: Sequence[_Draft],
    whos: Sequence[str],
    facts: Facts,
    default_who: str,
    health: Health,
) -> str | None:
    """Who is spoken of after this message; None when the message says nothing of persons."""
    if named and drafts:
        own = [draft for draft in named if draft.who in whos]
        return (own or named)[-1].who
    if whos:
        return whos[-1]
    if drafts:
        return drafts[-1].who
    if health.mine or health.diagnosis or health.job or health.gone:
        return facts.who or default_who
    return None


def _both_again(words: PlannerWords, entities: Entities, facts: Facts, declared: Declarations) -> Facts:
    """'두 분 거 합치면' means the last two persons; a message without persons keeps those meant before."""
    if (rest := _the_other(words, entities, facts, declared)) is not None:
        return facts.turned_to(rest).model_copy(update={"meant": ()})
    if _means_sum(words, entities, facts, declared):
        return facts.model_copy(update={"meant": tuple(person.who for person in _with_age(facts))})
    gone = {mention.who for mention in entities.people if mention.negated}
    if len(left := [who for who in facts.meant if who not in gone]) > 1 and gone:
        return facts.model_copy(update={"meant": tuple(left)})  # 딸 빼고 셋만요
    if _means_all(words, entities, facts, declared):
        count = counted_together(words, entities.text, one_thing=True) or _COUPLE
        whos = [person.who for person in facts.everyone() if person.who not in gone]
        return facts.model_copy(update={"meant": tuple(whos[-count:])})
    if entities.names and facts.who is None:
        return facts.model_copy(update={"who": CUSTOMER})
    if entities.names:
        return facts.turned_to(CUSTOMER).model_copy(update=_other_customer(words, entities, facts))
    return facts


def _means_all(words: PlannerWords, entities: Entities, facts: Facts, declared: Declarations) -> bool:
    """Whether the message speaks of the persons before it together and says nothing of one of them."""
    if len(facts.everyone()) < 2:
        return False
    if words.persons.two_people.search(entities.text):
        return True
    one_thing = len(entities.product_codes) < 2 and not entities.riders and len(facts.product_codes) < 2
    return one_thing and _of_persons(facts, declared) and bool(words.persons.all.search(entities.text))


def _of_persons(facts: Facts, declared: Declarations) -> bool:
    """Whether what was answered last holds for one person and may be asked for the next."""
    return declared.has(facts.last_tool, "for_a_person", "judges_joining")


def _with_age(facts: Facts) -> list[PersonFacts]:
    """The persons whose age is known, in the order they were spoken of."""
    return [p for p in facts.everyone() if p.age is not None or p.birth_year is not None]


def _means_sum(words: PlannerWords, entities: Entities, facts: Facts, declared: Declarations) -> bool:
    """'합치면', after the premiums of several persons were told one by one, or one of them was put right."""
    if entities.product_codes or entities.categories or entities.money or len(facts.mentioned_products) > 1:
        return False
    priced = declared.has(facts.last_tool, "quotes") and not _tells_of_one(entities)
    return priced and len(_with_age(facts)) > 1 and bool(words.persons.sum.search(entities.text))


def _the_other(words: PlannerWords, entities: Entities, facts: Facts, declared: Declarations) -> str | None:
    """'나머지 한 명은', after one of two persons was asked about: the other one."""
    others = [person.who for person in _with_age(facts) if person.who != facts.who]
    of_persons = _of_persons(facts, declared) and not _tells_of_one(entities)
    if of_persons and len(others) == 1 and not facts.meant and words.persons.the_other.search(entities.text):
        return others[0]
    return None


def _other_customer(words: PlannerWords, entities: Entities, facts: Facts) -> dict[str, Any]:
    """Another customer's name, or that it is another one, clears what was known of the customer before."""
    name = next((m.name for m in entities.names if m.name), None)
    another = words.persons.next_customer.search(entities.text)
    if not another and (name is None or facts.customer_name in (None, name)):
        return {}
    unnamed = {"customer_name": None, "customer_id": None, **_without_person(facts)} if another and not name else {}
    return {**unnamed, **dict.fromkeys(PERSONAL)}


def _without_person(facts: Facts) -> dict[str, Any]:
    """The calls made so far without what they knew of a person."""

    def kept(given: dict[str, Any] | None) -> dict[str, Any]:
        return {key: value for key, value in (given or {}).items() if key not in _OF_A_CUSTOMER}

    return {"last_args": kept(facts.last_args), "calls": {tool: kept(given) for tool, given in facts.calls.items()}}

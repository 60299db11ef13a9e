"""Which persons of a message may be the insured, under which name they are known, and what a message tells of the
speaker by a word of kinship."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from app.insurance.models import Gender
from app.language.mentions import Entities, Mention, PersonMention
from app.planner.facts import Facts

# A child called by its place in the row is the son or daughter already known; 어머님, after 시어머니, is she.
_SAME_PERSON = {
    "첫째자녀": ("큰딸", "큰아들"),
    "둘째자녀": ("작은딸", "작은아들"),
    "막내자녀": ("막내딸", "막내아들"),
    "막내딸": ("막내자녀", "작은딸"),
    "막내아들": ("막내자녀", "작은아들"),
    "자녀": ("아들", "딸", "첫째자녀", "큰딸", "큰아들"),
    "동생": ("여동생", "남동생"),
    "어머니": ("시어머니", "장모"),
    "아버지": ("시아버지", "장인"),
    "할머니": ("외할머니",),
    "할아버지": ("외할아버지",),
}
_SPOUSE = "배우자"
_OF_A_COUPLE: dict[Gender, str] = {"M": "남편", "F": "아내"}
_SON_OR_DAUGHTER: dict[Gender, str] = {"F": "딸", "M": "아들"}
_SIBLINGS = frozenset({"누나", "언니", "형", "오빠", "여동생", "남동생", "동생"})
_CHILDREN = frozenset({"아들", "딸", "자녀", "큰딸", "큰아들", "작은딸", "작은아들", "막내딸", "막내아들"})
# 동생 or 자녀 spoken of first, then which: the same person.
_LESS_TOLD = {"여동생": "동생", "남동생": "동생", "딸": "자녀", "아들": "자녀", "조카딸": "조카"}
_THAT_PERSON = frozenset({"이분", "저분", "그분"})
_YOUNG = frozenset({"자녀", "첫째자녀", "둘째자녀", "막내자녀", "조카", "사촌"})
_OLD = frozenset({"할머니", "할아버지", "외할머니", "외할아버지"})
# 나보다 한, 저랑은 : how far the age may stand behind the one it is measured by.
_NEAR = 5
AND = re.compile(r"\s?(?:거|것|꺼|건)?\s?(?:랑|이랑|하고|와|과)\s?")
# 남편 나 둘 다: named in a row and counted.
_IN_A_ROW = re.compile(r"\s?(?:[꺼거것]|건)?[\s,]\s?")
_COUNTED = re.compile(
    r"\s?(?:[꺼거것]|건)?(?:은|는|도)?\s?(?:[둘셋]\s?(?:다|모두|이)|[두세]\s?(?:사람|분|명)|같이|각각|각자)"
)
_COMPARED = re.compile(r"(?:하고|이?랑|와|과|보다)(?:는)?\s?$")
# 제가 대신 하려면, 청구는 제가 하면 되고요: the speaker does the errand of another.
_ERRAND = re.compile(
    r"^(?:가|는|도)?\s?.{0,8}(?:대신|하면\s?되|해도\s?되|청구|접수|신청|받아\s?(?:드|다)|내\s?드|해\s?드|준비"
    r"|(?:뽑을|볼|챙길|보낼|전할|드릴)게)"
)
_ERRAND_WORD = re.compile(r"대신")
# 형이 위암으로 갔어요 저도 …: the dead are not insured.
_DEAD = re.compile(
    r"^(?:이|가|께서|님|도)?.{0,20}?(?:돌아가(?:셔|셨|시고)|갔어요|갔거든|가셨|떠나|세상을|죽었|죽고)"
    r"|^(?:을|를)?\s?먼저\s?(?:보내고(?!\s싶)|보냈|떠나)"  # 할멈 먼저 보내고 혼자
)
# 아들이 저한테 보험 하나 해준대요, 딸이 저보고 하나 들라고: who gives or urges it is not who is insured.
_FOR_THE_SPEAKER = re.compile(
    r"(?:저|나|우리|저희)(?:보고|한테|에게|더러)\s[가-힣\s]{0,14}?(?:들(?:라|으라)|들어\s?(?:준|주)|가입하라|해\s?(?:준|주(?!세|시|실|라|면|려))|넣어\s?준)"
)

# From the last letter of a person: what is asked of them. 제가 얼마 내면: who pays is not asked for.
_QUESTION = re.compile(
    r"^.(?:님|분)?(?:(?:\s?[꺼거것])?(?:은|는|도)|\s?[꺼거것]|(?<=[는도]))\s(?:(?!같이|함께)[가-힣A-Za-z0-9]{2,14}\s)?(?:월\s|한\s?달에\s|매달\s)?"
    r"(?:얼마|보험료|견적|가능|들\s?수|가입할\s?수|가입(?:이|은)?\s?(?:가능|되|돼)|되나|될까|돼요|나올까)"
)


def persons_meant(entities: Entities, facts: Facts) -> list[PersonMention]:
    """The persons that may be insured: no asides, none ruled out; the speaker only when nobody else carries the
    talk."""
    kept = [m for m in entities.people if m.role == "insured" and not m.negated]
    if _FOR_THE_SPEAKER.search(entities.text):
        return [m for m in kept if m.who == "본인"]
    told = {m.who for m in entities.people if m.role == "predicate"}
    kept = [m for m in kept if not (m.who in _OLD and m.who in told)]  # 할매여 할매
    kept = [m for m in kept if not (m.who == "본인" and _beside(m, kept, entities, facts))]
    if any(m.who == "본인" for m in kept):
        kept = [m for m in kept if m.who == "본인" or not _DEAD.match(entities.text[m.end :])]
    others = [m for m in kept if m.who not in ("본인", "고객")]
    if others and not _speaker_has_facts(entities, kept) and not side_by_side(entities, kept):
        kept = others
    return kept


def spouses_apart(entities: Entities) -> Entities:
    """남편은 마흔일곱, 아내 마흔넷: who speaks of both is neither, so that they are two people."""
    spouses = [m for m in entities.people if m.who == _SPOUSE and m.gender and not m.negated]
    if len({m.gender for m in spouses}) < len(_OF_A_COUPLE):
        return entities
    people = (replace(m, who=_OF_A_COUPLE[m.gender]) if m in spouses and m.gender else m for m in entities.people)
    return replace(entities, people=tuple(people))


def compared(entities: Entities) -> PersonMention | None:
    """저랑 동갑, 나보다 네 살 많아: the person somebody's age is told by."""
    for age in entities.ages:
        if age.kind == "relative":
            before = [m for m in entities.people if m.end <= age.start and age.start - m.end <= _NEAR]
            if before and _COMPARED.match(entities.text[before[-1].end : age.start]):
                return before[-1]
    return None


def asked_of(entities: Entities, people: Sequence[PersonMention], told: Collection[str]) -> PersonMention | None:
    """The last person, where the question stands right behind them: 친구는 쉰일곱 여자고 …, 저는 얼마나 나올까요.

    `told` are those of whom the message tells something.
    """
    last = people[-1] if people else None
    if last is None or (last.who == "본인" and last.text[0] not in "저전나난"):
        return None
    before = {m.who for m in people[:-1]}
    # 저도 며느리지만 마흔둘에 하나 뗐는데 저는 되나요
    if last.who not in told and last.who in before:
        return None
    return last if _QUESTION.match(entities.text[last.end - 1 :]) else None


def _beside(speaker: PersonMention, kept: Sequence[PersonMention], entities: Entities, facts: Facts) -> bool:
    """Whether the speaker's word names no insured: who another's age is measured by, who does another's errand, or
    본인 said of the person spoken of (본인은 서명도 못하시는데 제가 …)."""
    text = entities.text
    if speaker == compared(entities):
        return True
    another = facts.who not in (None, "본인") or any(m.who != "본인" for m in kept)
    if not another:
        return False
    if speaker.text == "본인":
        return any(m.who == "본인" and m.text != "본인" for m in entities.people)
    after = text[speaker.end : speaker.end + 24]
    told = any(speaker.end <= m.start for m in (*entities.ages, *entities.births))
    return not told and bool(_ERRAND.match(after) or _ERRAND_WORD.search(after))


def of_another(attribute: Mention, entities: Entities, mentions: Sequence[PersonMention]) -> bool:
    """Whether an age stands behind a person who was put aside (우리 형이 쉰에 갔어요)."""
    before = [m for m in entities.people if m.end <= attribute.start]
    near = before[-1] if before else None
    return near is not None and near.role == "insured" and near.who not in ("본인", "고객") and near not in mentions


def of_errand(predicate: PersonMention, entities: Entities, mentions: Sequence[PersonMention]) -> bool:
    """Whether a predicate is of the speaker who only does another's errand (제가 손녀인데 대신 …)."""
    before = [m for m in entities.people if m.end <= predicate.start and m.role == "insured"]
    return bool(before) and before[-1].who == "본인" and before[-1] not in mentions


def side_by_side(entities: Entities, people: Sequence[PersonMention]) -> bool:
    """제 거랑 아내 거, 남편 나 둘 다: two people meant at once."""
    counted = bool(people) and bool(_COUNTED.match(entities.text[people[-1].end :]))
    return any(
        a.who != b.who
        and (AND.fullmatch(between := entities.text[a.end : b.start]) or (counted and _IN_A_ROW.fullmatch(between)))
        for a, b in pairwise(people)
    )


def _speaker_has_facts(entities: Entities, people: Sequence[PersonMention]) -> bool:
    """Whether an age, birth, gender or 동갑 stands behind the speaker's own word (저는 쉰이고), or the customer's."""
    attributes: list[Mention] = [*entities.ages, *entities.births, *entities.genders, *entities.medical]
    for attribute in attributes:
        before = [person for person in people if person.end <= attribute.start]
        if before and before[-1].who in ("본인", "고객"):
            return True
    last = people[-1] if people else None
    return last is not None and last.who == "본인" and len(entities.text) - last.end <= 12


def known_as(mention: PersonMention, facts: Facts) -> str:
    """The canonical person of a mention, seen from the talk: 작은애 is the 작은아들 spoken of, a son's 누나 is a 딸."""
    who = mention.who
    if who in _SIBLINGS and facts.who in _CHILDREN and facts.person(who) is None and mention.gender:
        return _SON_OR_DAUGHTER[mention.gender]
    if mention.text in _THAT_PERSON and facts.who not in (None, "본인", who):
        return str(facts.who)  # 이분 인수되나, right after the customer's husband
    spouse = facts.person(_SPOUSE) if who == _SPOUSE else None
    if spouse and mention.gender and spouse.gender not in (None, mention.gender):
        return _OF_A_COUPLE[mention.gender]  # 부인은, after a customer's husband was spoken of
    if facts.person(who) is None:
        less = facts.person(_LESS_TOLD.get(who, ""))
        if less is not None and less.gender in (None, mention.gender):
            return less.who  # 여동생이고 서른이에요, after 동생이
        if who == _SPOUSE and mention.gender and facts.person(_OF_A_COUPLE[mention.gender]) is not None:
            return _OF_A_COUPLE[mention.gender]
        for known in _SAME_PERSON.get(who, ()):
            if facts.person(known) is not None:
                return known
    return who


def predicated(
    draft_of: Callable[[str], Any], predicate: PersonMention, people: Sequence[PersonMention], facts: Facts, who: str
) -> None:
    """'딸이에요' tells the gender of the child spoken of; '서른셋 엄마예요', '저는 마흔넷 딸이에요', '할머니예요' that
    of the speaker; else it names a person. `who` is the one whom a word without a person is about."""
    before = [m for m in people if m.end <= predicate.start and m.role != "predicate"]
    near = known_as(before[-1], facts) if before else facts.who
    if predicate.who == "본인" or (before and near == "본인"):
        who, told = "본인", True
    elif predicate.who in _OLD and facts.person(predicate.who) is None and near in (None, "본인", "고객"):
        told = True
    else:
        # 할머니에요, asked whether man or woman: the one whose age was told.
        told = "gender" in facts.asked and facts.age is not None and predicate.gender is not None
    if near in _YOUNG and predicate.who in _CHILDREN:
        who, told = str(near), True
    draft = draft_of(who if told else known_as(predicate, facts))
    if predicate.gender is not None:
        draft.values["gender"] = predicate.gender


def _speaker_gender(facts: Facts) -> Gender | None:
    """The speaker's gender told by a spouse or in-law spoken of before (남편 -> F)."""
    for person in facts.everyone():
        if person.who == "배우자" and person.gender:
            return "F" if person.gender == "M" else "M"
        if person.who in ("시어머니", "시아버지", "시누이", "형부", "언니", "오빠"):
            return "F"
        if person.who in ("장모", "장인", "처남", "처제", "매형", "누나", "형수"):
            return "M"
    return None


def speaker_known(facts: Facts) -> Facts:
    """The same facts with the speaker's gender, where a relative of theirs tells it: 나 쉰여섯 각시 쉰셋."""
    own = facts.person("본인")
    told = _speaker_gender(facts) if own is not None and own.gender is None else None
    if told is None:
        return facts
    if facts.who == "본인":
        return facts.model_copy(update={"gender": told})
    people = tuple(p.model_copy(update={"gender": told}) if p.who == "본인" else p for p in facts.people)
    return facts.model_copy(update={"people": people})


_WOMENS = re.compile(r"임신|임산부|산모|출산|제왕절개|자궁|난소|유산")
EXPECTING = re.compile(r"임신\s?(?:중|\d+\s?주|했|한\s?상태|초기|\d+\s?개월)|임산부(?:인|예|이에|입)|출산했|제왕절개")
_MENS = re.compile(r"전립선|고환|정관")


def gender_of_history(phrases: Sequence[str]) -> Gender | None:
    """The gender that an illness of one's own tells: 임신 20주, 난소낭종 수술, 전립선."""
    told = " ".join(phrases)
    women, men = bool(_WOMENS.search(told)), bool(_MENS.search(told))
    return None if women == men else "F" if women else "M"

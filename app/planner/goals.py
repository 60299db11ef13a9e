"""From routed parts of a question to the tools that answer them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.language.conditions import is_said_not
from app.language.mentions import Entities
from app.language.references import opens_with_the_other
from app.planner.cues import meant_words
from app.planner.facts import Facts
from app.planner.follow_up import CONTRACT_NUMBER
from app.planner.ranking import Ranking
from app.planner.signatures import Signature
from app.toolbox.declared import Declarations

MAX_GOALS = 3
_SEVERAL = 2
_NEAR = 3
_AND_ALSO = re.compile(
    r"^(?: ?(?:고객님?|님|씨|특약|보장|계약|바꾸는|하는|받는|내는)){0,2} ?(?:거|것|건)?"
    r"(?:이?랑|하고|하구|허고|과|와|,|·|/| 및| 그리고)\s?$"
    r"|^ ?(?:하나|둘|셋|[한두세네] ?개|\d ?개)(?:하고|랑|이랑|,)?\s$"
    r"|^[도를을은는]? ?(?:바꾸|변경하|고치|하|알아보)고,?\s$"
    # 큰애가 스키 강사고 작은애가 캐디인데: two people, each with their own
    r"|^(?:이?고|이?구|이?며)\s[가-힣 ]{1,10}[은는이가도]\s$"
)
# 전 용접공이고 와이프는 교사인데 둘 다, 입원하고 수술 각각: what stands between the two may be longer then.
_EACH = re.compile(r"각각|각기|따로따로|둘\s?다|두\s?(?:개|가지|문구|특약|군데)")
_NEAR_EACH = 18
_SPEAKS_OF_HELD = re.compile(
    r"이미|벌써|기존|중복|겹치|겹쳐|또 |하나 ?더|두 ?(개|번|건)|추가|더 (들|넣|가입)|들어 ?(있|놨|둔|놓)|들었|드셨"
    r"|가입 ?(돼|되어|한 ?(게|거|적|상태))|재가입|전에|가지고|갖고|있는데|여러|같은 (거|걸|것|상품)|보유|유지 ?중"
    r"|다른 (회사|데)|타사|한도"
)
_COMPARES = re.compile(
    r"비교|대조|차이|어느 ?(쪽|게|것)|더 ?(싸|저렴|비싸)|나란히|보다\s|다[르른](?:지|가|나|죠|냐|점)"
    r"|다르|달라|대\s?보고|견주"
)
_LOOKS_FOR_OTHERS = re.compile(r"다른|말고|비슷|대신|중에|종류|목록|뭐뭐|어떤 (상품|보험)")


@dataclass(frozen=True)
class Goal:
    """A tool to be called for one part of the question; `same_tool`: it was also the last one called."""

    tool: str
    question: str
    same_tool: bool


def choose(
    asked: str,
    parts: Sequence[tuple[str, Sequence[str]]],
    signatures: Mapping[str, Signature],
    entities: Entities,
    facts: Facts,
    follow_up_of: str | None,
    declared: Declarations,
    *,
    cued: bool = False,
) -> tuple[Goal, ...]:
    """The goals of this turn, in order. A follow-up that only changes a fact asks for the last tool again; words that
    plainly continue the talk (`cued`) need no second look."""
    if follow_up_of in signatures:
        takes = _that_takes(str(follow_up_of), signatures, entities, declared)
        return _one_each(Goal(takes, asked, takes == follow_up_of), entities, declared)
    goals: list[Goal] = []
    for question, ranked in parts:
        likely = (tool for tool in ranked if cued or _plausible(tool, question, entities, facts, declared))
        routed = next(likely, ranked[0])
        if _single(routed, declared) and opens_with_the_other(asked) and facts.last_tool in signatures:
            routed = str(facts.last_tool)
        adjusted = _adjusted(routed, question, signatures, entities, facts, declared)
        tool = _that_takes(adjusted, signatures, entities, declared)
        if tool in signatures:
            goals += _one_each(Goal(tool, question, tool == facts.last_tool), entities, declared)
    if not goals and signatures and parts:
        first = next(iter(signatures))
        goals.append(Goal(first, parts[0][0], first == facts.last_tool))
    return tuple(goals[:MAX_GOALS])


def _one_each(goal: Goal, entities: Entities, declared: Declarations) -> tuple[Goal, ...]:
    """The goal once for each of the things that the question joins (비계공이랑 택시기사 위험등급)."""
    kinds = declared.of(goal.tool).one_each
    if not kinds or goal.question != entities.text:
        return (goal,)
    named = [m for kind in kinds for m in getattr(entities, kind) if not m.negated]
    widest = sorted(named, key=lambda m: (m.start, -m.end))
    spans: list[tuple[int, int]] = []
    for m in widest:
        if not spans or m.start >= spans[-1][1]:
            spans.append((m.start, m.end))
    text = goal.question
    # 미지급형 20년납 is one plan, whatever is asked of each
    apart = _NEAR_EACH if _EACH.search(text) and "plans" not in kinds else 0
    for i in range(len(spans) - 1):
        joined = [spans[i]]
        for span in spans[i + 1 :]:
            between = text[joined[-1][1] : span[0]]
            # 335 방카, 간편건강 방카 각각: another product begins between the two
            other = any(joined[-1][1] <= m.start < span[0] for m in entities.products)
            if other or (not _AND_ALSO.match(between) and not 0 < len(between) <= apart):
                break
            joined.append(span)
        if len(joined) > 1:
            front, rest = text[: joined[0][0]], text[joined[-1][1] :]
            return tuple(Goal(goal.tool, f"{front}{text[s:e]}{rest}", goal.same_tool) for s, e in joined)
    return (goal,)


def led_by(ranking: Ranking, named: Sequence[str]) -> Ranking:
    """The ranking of a part whose plain words name its tools (`named`): the best ranked of them leads, for sure."""
    if not (first := next((tool for tool, _ in ranking.tools[:_NEAR] if tool in named), None)):
        first = next((tool for tool in named if tool in dict(ranking.tools)), None)
    if first is None:
        return ranking
    tools = sorted(ranking.tools, key=lambda pair: pair[0] != first)
    return replace(ranking, tools=tuple(tools), no_call=False, sure=1.0, cued=True)


def _plausible(tool: str, question: str, entities: Entities, facts: Facts, declared: Declarations) -> bool:
    """A tool may be meant by some words only; a search for products is not meant where one is named, a look for double
    contracts only of a known customer or where something held is spoken of."""
    if declared.has(tool, "checks_held") and not (facts.customer_id or facts.customer_name or entities.names):
        return bool(_SPEAKS_OF_HELD.search(question))
    if declared.has(tool, "finds_products") and len(entities.product_codes) == 1:
        return bool(_LOOKS_FOR_OTHERS.search(meant_words(question)))
    return tool == facts.last_tool or declared.fits(tool, question)


def _adjusted(
    tool: str,
    question: str,
    signatures: Mapping[str, Signature],
    entities: Entities,
    facts: Facts,
    declared: Declarations,
) -> str:
    named = entities.product_codes
    kinds = [m for m in entities.categories if m.category and not m.negated]
    if (by_rule := _judged_by_rule(tool, signatures, entities, facts, declared)) is not None:
        return by_rule
    if declared.has(tool, "looks_up_customer") and not entities.names and CONTRACT_NUMBER.search(question):
        return declared.first("changes_contract", among=signatures) or tool  # that one looks up by number
    told = facts.tells_age and facts.gender is not None  # 월 1만원 밑으로 되는 보험: what all of them cost a person
    reckons = declared.has(tool, "for_a_person")
    of_none = told and not (kinds or facts.product_codes) if reckons else kinds or not facts.product_codes
    ranges = declared.has(tool, "search_instead") and not named and of_none
    if ranges and not entities.references:
        return declared.first("finds_products", among=signatures) or tool
    products = {*facts.product_codes, *facts.shown_products, *facts.told_products, *named}
    # 정기로 마음 굳혔어요, after two were compared: a kind that has one product names it.
    one = len(named) == 1 or (bool(kinds) and len(facts.product_codes) == 1)
    alone = one and not _COMPARES.search(question) and len(facts.product_codes) < _SEVERAL
    compared = bool(_COMPARES.search(question)) and not facts.asked  # with which other, is asked then
    few = len(products) < _SEVERAL and not kinds and not compared
    if (single := _single(tool, declared)) in signatures and (alone or few):
        return str(single)
    several = twin.several if (twin := declared.of(tool).twin) else None
    if several is None or several not in signatures:
        return tool
    if declared.has(tool, "quotes"):  # each of several is quoted by itself, but where they are held against each other
        return several if len(products) > 1 and _COMPARES.search(question) and not kinds else tool
    each = bool(_EACH.search(question)) and not _COMPARES.search(question)  # 그 두 개 각각 뭐 보장하는지
    return several if len(named) > 1 and not each else tool


def _that_takes(
    tool: str, signatures: Mapping[str, Signature], entities: Entities, declared: Declarations
) -> str:
    """The tool, or the one for one thing alone where only that one takes what is told: 뉴스타트도 2천만원으로 맞추면,
    기본형하고 종합형 비교."""
    single = _single(tool, declared)
    if single is None or single not in signatures or tool not in signatures:
        return tool
    sums = [m for m in entities.money if m.role == "sum_insured" and not m.negated]
    plans = [m for m in entities.plans if not m.negated]
    told = {name for name, mentions in (("sum_insured", sums), ("plan", plans)) if mentions}
    lacking = told - set(signatures[tool].arguments)
    return single if lacking & set(signatures[single].arguments) else tool


def _judged_by_rule(
    tool: str, signatures: Mapping[str, Signature], entities: Entities, facts: Facts, declared: Declarations
) -> str | None:
    """서른셋이고 치과 간 적 없는데 되나요: who tells their age and no illness is judged without one, not asked for it;
    None where the tool judges by no history, or one is told."""
    if not (declared.has(tool, "judges_joining") and declared.requires(tool, "history")):
        return None
    ill = any(not m.negated and not is_said_not(entities, m) for m in entities.medical)
    told = ill or facts.history or entities.well or any(not m.of_work for m in entities.conditions)
    if told or facts.asked or not entities.product_codes or not (entities.ages or entities.births):
        return None
    judging = (t for t in signatures if declared.has(t, "judges_joining") and not declared.requires(t, "history"))
    return next(judging, None)


def _single(tool: str, declared: Declarations) -> str | None:
    """The tool for one thing alone, of one that compares several."""
    twin = declared.of(tool).twin
    return twin.single if twin else None

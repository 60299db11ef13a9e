"""Filling a tool's arguments from what was said: one small function an argument name, from entities and facts alone.

What was said now wins over what is remembered; a person's facts and the product in focus are remembered over turns;
everything else is remembered only while the same tool is asked about again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any

from app.language.mentions import MoneyMention
from app.language.numbers import parse_number
from app.planner import changes, covers, histories, occupations
from app.planner.added_riders import added_riders
from app.planner.birthdays import age_of, birth_of
from app.planner.follow_up import CONTRACT_NUMBER
from app.planner.subjects import another, is_named, subject
from app.planner.view import View

# What was to be written is kept while its own question is being answered, never for another question.
_WRITING = frozenset({"submit", "save"})
_OF_SOME = frozenset({"age", "birth_date", "gender", "conditions", "category"})
# Never kept from a call: an age that was told since has taken the place of the birth.
_TOLD_ALONE = frozenset({"conditions", "birth_date"})
# A bare number below is no sum that somebody pays a month: 8천까지 is counted in 만원, 원.
_LEAST_BUDGET = 10_000
_OF_ITS_OWN = frozenset({"sum_insured", "income", "debt", "loan", "expense", "paid"})


SHARED = frozenset(
    {
        *("product_code", "product_codes", "age", "gender", "customer_id", "customer_name", "contract_id"),
        *("birth_date", "contract_date", "lapse_date", "event_date", "sum_insured", "monthly_budget", "monthly_income"),
        *("years_paid", "job", "history"),
    }
)
"""Arguments whose names mean the same in every tool, whoever wrote it."""


def fill(view: View, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `names` that are known, without any that are not."""
    found: dict[str, Any] = {}
    for name in names if not _of_all_sold(view) else (name for name in names if name not in _OF_SOME):
        read = _READERS.get(name)
        value = read(view) if read else None
        if value is None and name not in _TOLD_ALONE and (name not in _WRITING or view.facts.asked):
            value = view.kept(name)
            of_a_kind = name == "keyword" and view.words.arguments.kind_of_insurance.search(str(value))
            value = None if of_a_kind else value  # 그럼 뭘 파는데요, after a kind that is not sold
        if value is not None and value != "" and value != []:
            found[name] = value
    return found


def _of_all_sold(view: View) -> bool:
    """Whether all that is sold is to be listed, whoever was spoken of before (은행에서 파는 상품 전부)."""
    told = view.said
    of_some = told.ages or told.births or told.genders or told.people or told.categories
    return bool(
        view.is_for("finds_products") and not of_some and view.words.arguments.all_that_is_sold.search(told.text)
    )


def _amounts(view: View, least: int) -> list[MoneyMention]:
    """The sums said; a bare number only from `least` 원."""
    return [m for m in view.entities.money if not m.negated and (m.explicit_unit or m.amount >= least)]


def _money(view: View, *roles: str, least: int = 0) -> int | None:
    fitting = [m for m in _amounts(view, least) if m.role in roles]
    return fitting[-1].amount if fitting else None


def _another_sum(view: View) -> int | None:
    """오천은, right after a sum insured: one more, counted in 만원 as the one before."""
    bare = view.words.arguments.thousands.match(view.said.text) if view.same_tool and view.kept("sum_insured") else None
    value = parse_number(bare["number"]) if bare else None
    return value * 10_000 if value else None


def _any_money(view: View, *roles: str) -> int | None:
    """The amount in one of the roles; failing that the only amount said, unless it is plainly of another kind."""
    amounts = [m.amount for m in _amounts(view, _LEAST_BUDGET) if m.role not in _OF_ITS_OWN]
    return _money(view, *roles, least=_LEAST_BUDGET) or (amounts[-1] if len(amounts) == 1 else None)


def _keyword(view: View) -> Any:
    if view.declared.requires(view.tool, "keyword"):
        return (
            view.first("riders", "rider")
            or covers.paid_for(view)
            or view.first("goals", "value")
            or view.first("medical", "term")
            or view.kept("keyword")
            or covers.asked_for(view)
        )
    if any(not m.negated for m in view.entities.categories):
        return None
    if view.said.unsold:
        return view.said.unsold.name
    named = covers.paid_for(view) or view.first("goals", "value")
    return str(named) if named else None


def _category(view: View) -> str | None:
    kept = [m.category for m in view.entities.categories if m.category and not m.negated]
    if kept or view.said.unsold:
        return kept[-1] if kept else None
    narrowed = (
        bool(view.entities.non_renewing or view.words.arguments.others.search(view.said.text))
        and len(view.facts.kinds) == 1
    )
    return view.facts.kinds[0] if narrowed else None


def _simplified(view: View) -> bool | None:
    named = any(m.simplified and not m.negated for m in view.entities.categories)
    # 당뇨 있어도 되는 걸로만: who has an illness is looking for the products that ask little of it.
    despite = any(not m.negated for m in view.said.medical) and view.words.arguments.despite.search(view.said.text)
    return True if named or despite else None


def _horizon(view: View) -> int | None:
    for duration in view.entities.durations:
        if duration.role in ("horizon", "span", "within") and duration.years:
            return duration.years
    bounds = [m.age for m in view.entities.ages if m.kind in ("bound", "term") and not m.negated]
    if bounds and view.facts.age is not None and bounds[-1] > view.facts.age:
        return bounds[-1] - view.facts.age
    return None


def _years_paid(view: View) -> int | None:
    paid = [m.years for m in view.entities.durations if m.role in ("paid", "span", "ago", "within") and m.years]
    return paid[-1] if paid else view.facts.years_paid


def _date(view: View, role: str) -> str | None:
    said = [m.value for m in view.entities.dates if m.value and m.role == role and not m.negated]
    remembered: date | None = getattr(view.facts, f"{role}_date")
    # 2월 24일로 정정할게요: the facts know of which year was spoken.
    if said and (remembered is None or (said[-1].month, said[-1].day) != (remembered.month, remembered.day)):
        return said[-1].isoformat()
    return remembered.isoformat() if remembered else None


def _quoted(view: View) -> str | None:
    if quotes := view.entities.quotes or view.said.quotes:
        return quotes[-1].value
    if (
        view.is_for("hides_personal_data")
        and not view.words.arguments.personal_data.search(view.question)
        and not view.entities.names
    ):
        return str(view.kept("text") or "") or None  # only that something is to be hidden was said
    named = subject(view, "text")
    if named is None:
        return str(view.kept("text") or "") or None  # 그럼 어떻게 고쳐: what was just read, once more
    return view.said.text if view.is_for("hides_personal_data") else named


def _code_or_name(view: View) -> Any:
    # The words that were said: a code that was typed, else the name, which may stand for several codes.
    own = view.words.arguments
    told = [m for m in view.entities.medical if not m.negated]
    typed = [m.code for m in told if m.code and m.text[:1].isascii()]
    if not told and own.another_code.search(view.said.text):
        return None
    if not typed and own.code_withheld.search(view.said.text):
        return None  # the paper says it surer than the name
    return (
        (typed or [m.term for m in told])[-1]
        if told
        else view.kept("code_or_name") or view.facts.diagnosis or subject(view, "code_or_name")
    )


def _age_band(view: View, side: str) -> int | None:
    bands = [m for m in view.entities.ages if m.kind == "band"]
    if (
        bands
        and side == "low"
        and view.words.arguments.widened.search(view.said.text)
        and view.kept("age_min") is not None
    ):
        return min(int(view.kept("age_min")), bands[-1].low or 0) or None  # 50대까지 넓혀: from where it began
    if bands:
        return bands[-1].low if side == "low" else bands[-1].high
    bounds = [m for m in view.entities.ages if m.kind == "bound"]
    return getattr(bounds[-1], side) if bounds else None


def _channel(view: View) -> Any:
    """The channel said now; for what is read out to customers, the one the talk is about."""
    spoken = view.first("channels", "channel")
    reads_out = view.tool.startswith(("compliance_", "recording_"))
    return spoken or (view.facts.channel if reads_out else None) or view.kept("channel")


def _count(view: View) -> int | None:
    counted = [m.count for m in view.entities.counts if m.counter in ("명", "건", "개", "분")]
    if not counted and (last := view.words.arguments.last_count.search(view.said.text)):
        return parse_number(last["number"])  # 들고 있는 분 다섯만
    return counted[-1] if counted else None


def _mandatory(view: View) -> bool | None:
    listed = r"(의무|필수)(?!\s*(?:가입|사항))|꼭\s*(넣|들어야)"
    said = listed if view.declared.requires(view.tool, "product_code") else r"(의무|필수)\s*특약"
    return True if re.search(said, view.question) else None


def _revision(view: View) -> int | None:
    """The revision said; right after one, a bare number is another (아 11이다, 골라담는 3은)."""
    said = view.first("revisions", "revision")
    if said is None and view.same_tool and (bare := view.words.arguments.bare_revision.search(view.without_products())):
        return int(bare["number"])
    return int(said) if said is not None else None


def _birth(view: View) -> str | None:
    birth = birth_of(view.facts)
    return str(birth) if birth else None


def _case_summary(view: View) -> str | None:
    """What the talk with the customer was about; 기록에도 남겨 줘 means what was just told, or the talk so far."""
    before = (view.facts.calls.get(view.tool) or {}).get("case_summary")
    told = view.said.text if subject(view, "case_summary") else None
    if before and (view.facts.asked or not told):
        return str(before)  # asked for the customer's number, the number is no news of the case
    return told or (view.said.text if view.facts.last_tool not in (None, view.tool) else None)


def _action(view: View) -> Any:
    """계약 좀 처리해 주세요 names the contract, and nothing that is to be done with it."""
    words = view.words.arguments
    said, known = view.first("actions", "action"), view.facts.action
    if said in (None, "조회") and words.something_done.search(view.said.text):
        return None
    if said is None and CONTRACT_NUMBER.search(view.said.text) and words.look_up.search(view.said.text):
        return "조회"
    return said or known or None


def plan_parts(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """The kinds (미지급형) and the terms (20년납) among the words of plans, each once."""
    told = list(dict.fromkeys(words))
    return [word for word in told if word.endswith("형")], [word for word in told if word.endswith("납")]


def plans_said(view: View) -> list[str]:
    """The plans said; 미지급형 20년납 is one plan by its kind and its term, 미지급형하고 기본형 20년납 are two. A term
    alone (10년납으로 하면요) is of the kind told before."""
    said = list(dict.fromkeys(m.value for m in view.entities.plans if not m.negated))
    kinds, terms = plan_parts(said)
    kinds = kinds or plan_parts(str(view.kept("plan") or "").split())[0]
    if len(terms) > 1 and kinds:
        return [f"{kinds[-1]} {term}" for term in terms]
    return [f"{kind} {terms[0]}" for kind in kinds] if kinds and terms else said


def _plan(view: View) -> str | None:
    """The plan said last."""
    return next(reversed(plans_said(view)), None)


def _customer_name(view: View) -> Any:
    """The name said or known; 이분, after customers were looked for by a name, is who was found by it."""
    known = view.first("names", "name") or view.facts.customer_name
    search = view.declared.first("finds_customers", among=view.facts.calls)
    searched = view.facts.calls[search] if search else {}
    pointed = view.words.arguments.this_one.search(view.said.text) and not (
        view.facts.customer_id or view.first("names", "customer_id")
    )
    return known or (searched.get("name") if pointed else None) or None


def _name(view: View) -> Any:
    """A name said; where nothing but a name was said, the one that it was taken for."""
    taken = view.facts.customer_name
    return view.first("names", "name") or (taken if taken and taken in view.said.text else None)


def _query(view: View) -> str | None:
    """What is looked for, in its words; 약관에서 조항 하나만 찾아주세요 names nothing."""
    opened = view.facts.last_tool is None and not view.facts.asked
    return view.question if is_named(view, "query") or not (opened or another(view)) else None


_READERS: Mapping[str, Callable[[View], Any]] = {
    "keyword": _keyword,
    "category": _category,
    "simplified": _simplified,
    "age": lambda v: age_of(v.facts, v.today),
    "birth_date": _birth,
    "gender": lambda v: v.entities.gender or v.kept("gender") if v.is_for("finds_customers") else v.facts.gender,
    "revision": _revision,
    "mandatory_only": _mandatory,
    "rider": covers.rider,
    "riders": added_riders,
    "topic": covers.topic,
    "channel": _channel,
    "sum_insured": lambda v: _money(v, "sum_insured") or _another_sum(v) or v.facts.sum_insured,
    "plan": _plan,
    "cycle": lambda v: v.first("cycles", "value"),
    "monthly_income": lambda v: _money(v, "income") or v.facts.monthly_income,
    "debt": lambda v: _money(v, "debt", "loan") or v.facts.debt,
    "goal": covers.goal,
    "horizon_years": _horizon,
    "monthly_budget": lambda v: _any_money(v, "budget", "premium") or v.facts.monthly_budget,
    "years_paid": _years_paid,
    "coverage_type": lambda v: (
        v.first("coverages", "coverage_type") or v.first("benefits", "benefit") or subject(v, "benefit")
    ),
    "benefit": covers.benefit,
    "event": covers.event,
    "event_date": lambda v: _date(v, "event"),
    "contract_date": lambda v: _date(v, "contract"),
    "lapse_date": lambda v: _date(v, "lapse"),
    "term": covers.term,
    "code_or_name": _code_or_name,
    "treatments": covers.treatments,
    "history": histories.told,
    "conditions": histories.conditions,
    "case": lambda v: subject(v, "case") or histories.minor(v),
    "job": occupations.job,
    "text": _quoted,
    "claim_type": covers.claim_type,
    "action": _action,
    "submit": changes.submit,
    "contract_id": changes.contract_id,
    "details": changes.details,
    "case_summary": _case_summary,
    "save": changes.save,
    "customer_name": _customer_name,
    "customer_id": changes.customer_id,
    "name": _name,
    "age_min": lambda v: _age_band(v, "low"),
    "age_max": lambda v: _age_band(v, "high"),
    "limit": _count,
    "query": _query,
}

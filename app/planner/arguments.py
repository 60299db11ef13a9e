"""Filling a tool's arguments from what was said: one small function an argument name, from entities and facts alone.

What was said now wins over what is remembered; a person's facts and the product in focus are remembered over turns;
everything else is remembered only while the same tool is asked about again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from app.insurance.ages import full_age
from app.planner import changes, occupations
from app.planner.follow_up import UNSOLD
from app.planner.health import HEALTHY
from app.planner.subjects import subject
from app.planner.view import View

_DESPITE = re.compile(r"(?:있어도|앓아도|먹어도|드셔도|했어도|받았어도).{0,8}(?:되|돼|가능|들|받아|괜찮)")
_PERSONAL_DATA = re.compile(r"\d|@|[:：]|[가-힣]{2,}(?:시|도|구|군)\s?[가-힣]{1,6}(?:구|군|동|읍|면|로|길)(?![가-힣])")
# What was to be written is kept while its own question is being answered, never for another question.
_WRITING = frozenset({"submit", "save"})
_SOMETHING_DONE = re.compile(r"계약.{0,6}(?:처리|손|바꾸|변경|정리)")
_OTHERS = re.compile(r"(?:뭐|어떤|무슨|다른).{0,8}(?:들 ?수|가입|되는|있)")
_MID_YEAR = 7
_OF_ITS_OWN = frozenset({"sum_insured", "income", "debt", "loan"})
_HOW_OFTEN = frozenset({"매달", "매월", "다달이", "한 번", "일시금"})
_CALLED_RIDER = re.compile(r"(?P<name>[가-힣A-Za-z0-9·()~\-]{3,24}(?<![은는이가도을를]))\s?특약(?!이\s?(?:몇|뭐|있))")
_TREATMENTS = frozenset({"입원", "수술", "통원", "간병"})
_ADDS = re.compile(r"[가-힣]도\s|또|추가로|그리고|게다가")
_ABOUT_HEALTH = frozenset({"underwriting_precheck", "underwriting_disclosure_risk_score"})
# Kinds of insurance whose word is also what happens to people: 암 걸리면 얼마 나와요.
_ILLNESSES = frozenset({"암", "치매"})


def fill(view: View, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `names` that are known, without any that are not."""
    found: dict[str, Any] = {}
    for name in names:
        read = _READERS.get(name)
        value = read(view) if read else None
        if value is None and (name not in _WRITING or view.facts.asked):
            value = view.kept(name)
        if value is not None and value != "" and value != []:
            found[name] = value
    return found


def _money(view: View, *roles: str) -> int | None:
    amounts = [m for m in view.entities.money if not m.negated]
    fitting = [m for m in amounts if m.role in roles]
    return fitting[-1].amount if fitting else None


def _any_money(view: View, *roles: str) -> int | None:
    """The amount in one of the roles; failing that the only amount said, unless it is plainly of another kind."""
    amounts = [m.amount for m in view.entities.money if not m.negated and m.role not in _OF_ITS_OWN]
    return _money(view, *roles) or (amounts[-1] if len(amounts) == 1 else None)


def _subject(view: View) -> Any:
    """The disease, treatment or benefit that the question is about."""
    diseases = [m for m in view.entities.medical if not m.negated]
    # A disease with a code says more than a treatment word (담석 제거 수술), and a longer name more than its part.
    best = max(diseases, key=lambda m: (m.code is not None, m.end - m.start), default=None)
    return best.term if best else view.first("benefits", "benefit") or view.first("claims", "claim_type")


def _benefit(view: View) -> Any:
    return (
        _paid_for(view)
        or view.first("riders", "rider")
        or view.first("medical", "term")
        or view.first("coverages", "coverage_type")
        or _treated(view)
        or next((m.category for m in view.entities.categories if m.category in _ILLNESSES and not m.negated), None)
        or view.kept("benefit")
        or view.facts.benefit
        or (view.facts.claim_type if view.facts.claim_type in _TREATMENTS else None)
    )


def _paid_for(view: View) -> Any:
    """간병비는 매달 나오나: what is paid for, not how often."""
    named = [m.benefit for m in view.entities.benefits if not m.negated]
    return next((name for name in reversed(named) if name not in _HOW_OFTEN), named[-1] if named else None)


def _treated(view: View) -> Any:
    """입원을 5일 하면 하루 얼마: what is done to a patient is also what the money is paid for."""
    said = view.first("claims", "claim_type")
    return said if said in _TREATMENTS else None


def _keyword(view: View) -> Any:
    if view.tool == "rider_search":
        return (
            view.first("riders", "rider")
            or view.first("benefits", "benefit")
            or view.first("goals", "value")
            or view.first("medical", "term")
            or view.kept("keyword")
            or view.topic_words()
        )
    if any(not m.negated for m in view.entities.categories):
        return None
    if unsold := _unsold(view):
        return unsold
    named = view.first("benefits", "benefit") or view.first("goals", "value")
    return str(named) if named else None


def _category(view: View) -> str | None:
    kept = [m.category for m in view.entities.categories if m.category and not m.negated]
    if kept or _unsold(view):
        return kept[-1] if kept else None
    narrowed = bool(view.entities.non_renewing or _OTHERS.search(view.said.text)) and len(view.facts.kinds) == 1
    return view.facts.kinds[0] if narrowed else None


def _unsold(view: View) -> str | None:
    """A kind of insurance that is none of the products' (여행자보험): searched for by its word."""
    found = UNSOLD.search(view.said.text)
    return found["kind"] + "보험" if found else None


def _simplified(view: View) -> bool | None:
    named = any(m.simplified and not m.negated for m in view.entities.categories)
    # 당뇨 있어도 되는 걸로만: who has an illness is looking for the products that ask little of it.
    despite = any(not m.negated for m in view.said.medical) and _DESPITE.search(view.said.text)
    return True if named or despite else None


def _history(view: View) -> str | None:
    phrases = list(dict.fromkeys(m.phrase or m.term for m in view.entities.medical if not m.negated))
    known = view.facts.history or ""
    if phrases and all(phrase in known for phrase in phrases):
        return known  # what the person told earlier counts too
    if not phrases and HEALTHY.search(view.said.text):
        return "아픈 데 없음"
    before = (view.facts.last_args or {}).get("history")
    if phrases and before and _ADDS.search(view.said.text) and view.facts.last_tool in _ABOUT_HEALTH:
        phrases = list(dict.fromkeys([*str(before).split(", "), *phrases]))  # 당뇨도 있는데: beside what was said
    return ", ".join(phrases) or view.facts.history or None


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


def _event(view: View) -> Any:
    """What happened: said now, asked about before, or told earlier in the talk."""
    told = view.facts.diagnosis or view.facts.benefit
    return _subject(view) or view.kept("event") or _benefit_before(view) or told or subject(view, "event")


def _benefit_before(view: View) -> Any:
    """The benefit just looked up: a date told after 레진은 얼마 나와요 asks about the 레진."""
    return (view.facts.last_args or {}).get("benefit") if view.facts.last_tool == "benefit_amount_lookup" else None


def _date(view: View, role: str) -> str | None:
    said = [m.value for m in view.entities.dates if m.value and m.role == role and not m.negated]
    if said:
        return said[-1].isoformat()
    remembered: date | None = getattr(view.facts, f"{role}_date")
    return remembered.isoformat() if remembered else None


def _quoted(view: View) -> str | None:
    if quotes := view.entities.quotes or view.said.quotes:
        return quotes[-1].value
    if view.tool == "privacy_masking" and not _PERSONAL_DATA.search(view.question) and not view.entities.names:
        return str(view.kept("text") or "") or None  # only that something is to be hidden was said
    named = subject(view, "text")
    return view.said.text if named and view.tool == "privacy_masking" else named


def _rider(view: View) -> Any:
    """A rider by its name, or one of the list just shown: by its place, the one spoken of last, or the first."""
    named = view.first("riders", "rider") or _called_rider(view) or view.first("benefits", "benefit")
    pointed = any(m.kind in ("that", "same") for m in view.said.references) and not view.said.riders
    if pointed and view.kept("rider"):
        return view.kept("rider")  # 그거 조건에 뇌출혈도 들어가요: of the rider just told
    if named:
        return named
    shown = view.facts.shown_riders
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    return view.kept("rider") or view.facts.benefit or (shown[0] if shown else subject(view, "rider"))


def _called_rider(view: View) -> str | None:
    """어린이치아치료 특약: a rider called by a name of its own."""
    called = _CALLED_RIDER.search(view.question)
    return f"{called['name']} 특약" if called else None


def _term(view: View) -> Any:
    return view.first("medical", "term") or view.first("benefits", "benefit") or view.topic_words()


def _code_or_name(view: View) -> Any:
    # The words that were said: a code that was typed, else the name, which may stand for several codes.
    told = [m for m in view.entities.medical if not m.negated]
    typed = [m.code for m in told if m.code and m.text[:1].isascii()]
    return (
        (typed or [m.term for m in told])[-1]
        if told
        else view.kept("code_or_name") or view.facts.diagnosis or subject(view, "code_or_name")
    )


def _topic(view: View) -> Any:
    if view.tool == "compliance_phrase_generator":
        said = view.first("scripts", "value") or view.first("topics", "value")
        return said or subject(view, "topic") or view.kept("topic")
    return view.first("topics", "value")


def _goal(view: View) -> Any:
    said = view.first("goals", "value") or view.first("benefits", "benefit") or view.first("medical", "term")
    if said or view.tool == "amount_suggest":
        return said or view.facts.goal or None
    return view.kept("goal") or view.facts.goal or subject(view, "goal")


def _age_band(view: View, side: str) -> int | None:
    bands = [m for m in view.entities.ages if m.kind == "band"]
    if bands:
        return bands[-1].low if side == "low" else bands[-1].high
    bounds = [m for m in view.entities.ages if m.kind == "bound"]
    return getattr(bounds[-1], side) if bounds else None


def _treatments(view: View) -> list[str] | None:
    """Treatments that fall together, by whatever name they were called."""
    named = [m.benefit for m in view.entities.benefits if not m.negated]
    named += [m.coverage_type for m in view.entities.coverages] + [m.claim_type for m in view.entities.claims]
    return list(dict.fromkeys(named)) or view.kept("treatments")


def _channel(view: View) -> Any:
    """The channel said now; for what is read out to customers, the one the talk is about."""
    spoken = view.first("channels", "channel")
    reads_out = view.tool.startswith(("compliance_", "recording_"))
    return spoken or (view.facts.channel if reads_out else None) or view.kept("channel")


def _count(view: View) -> int | None:
    counted = [m.count for m in view.entities.counts if m.counter in ("명", "건", "개", "분")]
    return counted[-1] if counted else None


def _mandatory(view: View) -> bool | None:
    said = r"(의무|필수)\s*(특약|만|인|로)|꼭\s*(넣|들어야)" if view.tool == "rider_list" else r"(의무|필수)\s*특약"
    return True if re.search(said, view.question) else None


def _age(view: View) -> int | None:
    """The age said, or what the birth tells. Of a mere year of birth, the age that more birthdays of the year agree
    with."""
    facts = view.facts
    if facts.age is not None:
        return facts.age
    if facts.birth_date is not None:
        return full_age(facts.birth_date, view.today)
    if facts.birth_year is not None:
        return view.today.year - facts.birth_year - (1 if view.today.month < _MID_YEAR else 0)
    return None


def _case_summary(view: View) -> str | None:
    """What the talk with the customer was about; 기록에도 남겨 줘 means what was just told."""
    told = view.said.text if subject(view, "case_summary") else None
    before = (view.facts.calls.get(view.tool) or {}).get("case_summary")
    # Asked for the customer's number, the number is no news of the case.
    return (str(before) if before and view.facts.asked else told) or (str(before) if before else None)


def _action(view: View) -> Any:
    """계약 좀 처리해 주세요 names the contract, and nothing that is to be done with it."""
    said, known = view.first("actions", "action"), view.facts.action
    if "조회" in (said, known) and said in (None, "조회") and _SOMETHING_DONE.search(view.said.text):
        return None
    return said or known or None


def _plan(view: View) -> str | None:
    """The plan said last; 미지급형 20년납 is one plan by its kind and its term."""
    said = list(dict.fromkeys(m.value for m in view.entities.plans if not m.negated))
    kinds, terms = [v for v in said if v.endswith("형")], [v for v in said if v.endswith("납")]
    return f"{kinds[-1]} {terms[-1]}" if kinds and terms else said[-1] if said else None


def _name(view: View) -> Any:
    """A name said; where nothing but a name was said, the one that it was taken for."""
    taken = view.facts.customer_name
    return view.first("names", "name") or (taken if taken and taken in view.said.text else None)


_READERS: Mapping[str, Callable[[View], Any]] = {
    "keyword": _keyword,
    "category": _category,
    "simplified": _simplified,
    "age": _age,
    "gender": lambda v: v.facts.gender if v.tool != "customer_search" else v.entities.gender or v.kept("gender"),
    "revision": lambda v: v.first("revisions", "revision"),
    "mandatory_only": _mandatory,
    "rider": _rider,
    "topic": _topic,
    "channel": _channel,
    "sum_insured": lambda v: _money(v, "sum_insured") or v.facts.sum_insured,
    "plan": _plan,
    "monthly_income": lambda v: _money(v, "income") or v.facts.monthly_income,
    "debt": lambda v: _money(v, "debt", "loan") or v.facts.debt,
    "goal": _goal,
    "horizon_years": _horizon,
    "monthly_budget": lambda v: _any_money(v, "budget", "premium") or v.facts.monthly_budget,
    "years_paid": _years_paid,
    "coverage_type": lambda v: (
        v.first("coverages", "coverage_type") or v.first("benefits", "benefit") or subject(v, "benefit")
    ),
    "benefit": _benefit,
    "event": _event,
    "event_date": lambda v: _date(v, "event"),
    "contract_date": lambda v: _date(v, "contract"),
    "lapse_date": lambda v: _date(v, "lapse"),
    "term": _term,
    "code_or_name": _code_or_name,
    "treatments": _treatments,
    "history": _history,
    "case": lambda v: subject(v, "case"),
    "job": occupations.job,
    "text": _quoted,
    "claim_type": lambda v: v.first("claims", "claim_type") or v.facts.claim_type or None,
    "action": _action,
    "submit": changes.submit,
    "contract_id": changes.contract_id,
    "details": changes.details,
    "case_summary": _case_summary,
    "save": changes.save,
    "customer_name": lambda v: v.first("names", "name") or v.facts.customer_name or None,
    "customer_id": changes.customer_id,
    "name": _name,
    "age_min": lambda v: _age_band(v, "low"),
    "age_max": lambda v: _age_band(v, "high"),
    "limit": _count,
    "query": lambda v: v.question,
}

"""Filling a tool's arguments from what was said: one small function an argument name, from entities and facts alone.

What was said now wins over what is remembered; a person's facts and the product in focus are remembered over turns;
everything else is remembered only while the same tool is asked about again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.insurance.ages import full_age
from app.language.mentions import Entities
from app.planner.facts import Facts
from app.planner.follow_up import confirms
from app.planner.health import HEALTHY

_REQUEST = re.compile(
    r"(좀|한번|지금|혹시|그럼|그리고|근데|이거|그거|저기요?|알려|말해|찾아|보여|검사|확인|설명|가려|마스킹|만들어|뽑아|정리)"
    r"(해|줘|줄래|주세요|주실래요|주시겠어요|줄 수 있나요|해줘|해주세요|봐|봐줘|봐주세요|드려|달라)*"
)
_ASKING = re.compile(
    r"(이|가|은|는|을|를|도|의|에|로|으로)?\s*(뭐예요|뭐에요|뭐야|뭐죠|뭔가요|뭔지|무엇인가요|무슨 뜻|무슨 말|뜻|얼마"
    r"|어떻게|어떤|언제|되나요|돼요|되나|되죠|인가요|나와요|나오나요|있나요|있어요|할 수 있나요|가능한가요|가능해요"
    r"|받나요|주나요|줘요).*$"
)
_SAID_TO_BE = re.compile(
    r"^(?:저는|제가|남편이|아내가|아들이|딸이|직업이)?\s?(?P<job>[가-힣A-Za-z ]{2,14}?)"
    r"\s?(?:인데|이에요|예요|입니다|이고|일을? ?하|은요|는요|은\?|는\?)"
)
_NO_JOBS = frozenset({"그럼", "이 직업", "이거", "그거", "그 직업", "위험등급", "등급", "직업"})
_SUBMIT = re.compile(r"(접수|신청|처리|진행)\s*(해|넣|좀|부탁|할게|이?요|바로)|^(네|예|넵|응|ㅇㅇ|ㄱㄱ|그래).{0,12}$")
_RAISED = re.compile(r"(?:으로|로)\s?(?:올려|올릴|고쳐|바꿔|해 ?줘|해 ?주|다시|접수|부탁)")
_OF_A_PERSON = frozenset({"age", "gender", "history", "job"})
_SMALLEST_SUM = 1_000_000
_MID_YEAR = 7
_ADDS = re.compile(r"[가-힣]도\s|또|추가로|그리고|게다가")
_ABOUT_HEALTH = frozenset({"underwriting_precheck", "underwriting_disclosure_risk_score"})
_SAVE = re.compile(r"(저장|등록|남겨|기록|올려|잡아)")


@dataclass(frozen=True)
class View:
    """What one question offers to the filler."""

    question: str
    entities: Entities
    facts: Facts
    tool: str
    same_tool: bool
    today: date
    said: Entities

    def kept(self, name: str) -> Any:
        """The argument of the last call of the same tool, while it is still the one asked about; what belongs to a
        person only while that person is still spoken of."""
        if not self.same_tool or (name in _OF_A_PERSON and self.facts.last_who not in (None, self.facts.who)):
            return None
        given = self.facts.last_args if self.tool == self.facts.last_tool else self.facts.calls.get(self.tool)
        return (given or {}).get(name)

    def topic_words(self) -> str:
        """The question without requests and asking words: what it is about, when no entity tells."""
        text = self.question
        for mention in sorted(self.entities.products, key=lambda m: -m.start):
            text = text[: mention.start] + " " + text[mention.end :] if mention.end <= len(text) else text
        text = _ASKING.sub("", _REQUEST.sub(" ", text))
        return re.sub(r"[?？!.,~]+|\s+", " ", text).strip().rstrip("은는이가을를도요 ") or self.question.strip()


def fill(view: View, names: tuple[str, ...]) -> dict[str, Any]:
    """The arguments of `names` that are known, without any that are not."""
    found: dict[str, Any] = {}
    for name in names:
        read = _READERS.get(name)
        value = read(view) if read else None
        if value is None:
            value = view.kept(name)
        if value is not None and value != "" and value != []:
            found[name] = value
    return found


def _first(view: View, kind: str, attribute: str) -> Any:
    kept = [m for m in getattr(view.entities, kind) if not m.negated]
    return getattr(kept[-1], attribute) if kept else None


def _money(view: View, *roles: str) -> int | None:
    amounts = [m for m in view.entities.money if not m.negated]
    fitting = [m for m in amounts if m.role in roles]
    return fitting[-1].amount if fitting else None


def _any_money(view: View, *roles: str) -> int | None:
    """The amount in one of the roles; failing that the only amount said at all."""
    amounts = [m.amount for m in view.entities.money if not m.negated]
    return _money(view, *roles) or (amounts[-1] if len(amounts) == 1 else None)


def _subject(view: View) -> Any:
    """The disease, treatment or benefit that the question is about."""
    diseases = [m for m in view.entities.medical if not m.negated]
    # A disease with a code says more than a treatment word (담석 제거 수술), and a longer name more than its part.
    best = max(diseases, key=lambda m: (m.code is not None, m.end - m.start), default=None)
    return best.term if best else _first(view, "benefits", "benefit") or _first(view, "claims", "claim_type")


def _benefit(view: View) -> Any:
    return (
        _first(view, "benefits", "benefit")
        or _first(view, "riders", "rider")
        or _first(view, "medical", "term")
        or _first(view, "coverages", "coverage_type")
        or view.kept("benefit")
        or (view.facts.benefit or None)
    )


def _keyword(view: View) -> Any:
    if view.tool == "rider_search":
        return (
            _first(view, "riders", "rider")
            or _first(view, "benefits", "benefit")
            or _first(view, "goals", "value")
            or _first(view, "medical", "term")
            or view.kept("keyword")
            or view.topic_words()
        )
    if any(not m.negated for m in view.entities.categories):
        return None
    named = _first(view, "benefits", "benefit") or _first(view, "goals", "value")
    return str(named) if named else None


def _category(view: View) -> str | None:
    kept = [m.category for m in view.entities.categories if m.category and not m.negated]
    return kept[-1] if kept else None


def _simplified(view: View) -> bool | None:
    return True if any(m.simplified and not m.negated for m in view.entities.categories) else None


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


def _date(view: View, role: str) -> str | None:
    said = [m.value for m in view.entities.dates if m.value and m.role == role and not m.negated]
    if said:
        return said[-1].isoformat()
    remembered: date | None = getattr(view.facts, f"{role}_date")
    return remembered.isoformat() if remembered else None


def _quoted(view: View) -> str | None:
    if view.entities.quotes:
        return view.entities.quotes[-1].value
    return view.topic_words()


def _rider(view: View) -> Any:
    """A rider by its name, or one of the list just shown: by its place, the one spoken of last, or the first."""
    named = _first(view, "riders", "rider") or _first(view, "benefits", "benefit")
    if named:
        return named
    shown = view.facts.shown_riders
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    return view.kept("rider") or view.facts.benefit or (shown[0] if shown else None)


def _term(view: View) -> Any:
    return _first(view, "medical", "term") or _first(view, "benefits", "benefit") or view.topic_words()


def _code_or_name(view: View) -> Any:
    coded = [m.code or m.term for m in view.entities.medical if not m.negated]
    return coded[-1] if coded else view.kept("code_or_name") or view.facts.diagnosis or view.topic_words()


def _topic(view: View) -> Any:
    if view.tool == "compliance_phrase_generator":
        said = _first(view, "scripts", "value") or _first(view, "topics", "value")
        return said or view.kept("topic") or view.topic_words()
    return _first(view, "topics", "value")


def _goal(view: View) -> Any:
    said = _first(view, "goals", "value") or _first(view, "benefits", "benefit") or _first(view, "medical", "term")
    if said or view.tool == "amount_suggest":
        return said or view.facts.goal or None
    return view.kept("goal") or view.facts.goal or view.topic_words()


def _job(view: View) -> Any:
    """A job of the table; failing that the words said to be one (배달 오토바이 기사인데 …)."""
    named = _first(view, "jobs", "job")
    told = _SAID_TO_BE.match(view.question)
    said = told["job"].strip() if told and told["job"].strip() not in _NO_JOBS else None
    return named or said or view.facts.job or view.kept("job") or view.topic_words()


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
    return list(dict.fromkeys(named)) or None


def _channel(view: View) -> Any:
    """The channel said now; for what is read out to customers, the one the talk is about."""
    spoken = _first(view, "channels", "channel")
    reads_out = view.tool.startswith(("compliance_", "recording_"))
    return spoken or (view.facts.channel if reads_out else None)


def _submit(view: View) -> bool | None:
    """A go-ahead counts as submitting only after the procedure of the same action was explained."""
    before = view.facts.calls.get("contract_manage") or {}
    action = _first(view, "actions", "action") or view.facts.action
    explained = view.facts.last_tool == "contract_manage" or (bool(before) and before.get("action") == action)
    asked = bool(_SUBMIT.search(view.question)) or confirms(view.facts, view.question)
    asked = asked or (action == "대출" and bool(view.said.money) and bool(_RAISED.search(view.said.text)))
    return True if asked and explained else None


def _contract_id(view: View) -> str | None:
    """The contract of the product in focus among those looked up, or the only one."""
    held = view.facts.contracts
    focus = [held[code] for code in view.facts.product_codes if code in held]
    return focus[0] if len(focus) == 1 else next(iter(held.values())) if len(held) == 1 else None


def _customer_id(view: View) -> str | None:
    """The number said, one of the customers of one name just shown (두 번째 분), or the customer spoken of."""
    if said := _first(view, "names", "customer_id"):
        return str(said)
    shown = view.facts.shown_customers
    for reference in view.said.references:
        if reference.kind == "ordinal" and -len(shown) <= reference.index < len(shown):
            return shown[reference.index]
    return view.facts.customer_id or None


def _save(view: View) -> bool | None:
    return True if _SAVE.search(view.question) else None


def _count(view: View) -> int | None:
    counted = [m.count for m in view.entities.counts if m.counter in ("명", "건", "개", "분")]
    return counted[-1] if counted else None


def _mandatory(view: View) -> bool | None:
    return True if re.search(r"(의무|필수)\s*특약|꼭\s*(넣|들어야)", view.question) else None


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


_READERS: Mapping[str, Callable[[View], Any]] = {
    "keyword": _keyword,
    "category": _category,
    "simplified": _simplified,
    "age": _age,
    "gender": lambda v: v.facts.gender if v.tool != "customer_search" else v.entities.gender or v.kept("gender"),
    "revision": lambda v: _first(v, "revisions", "revision"),
    "mandatory_only": _mandatory,
    "rider": _rider,
    "topic": _topic,
    "channel": _channel,
    "sum_insured": lambda v: _money(v, "sum_insured") or v.facts.sum_insured,
    "plan": lambda v: _first(v, "plans", "value"),
    "monthly_income": lambda v: _money(v, "income") or v.facts.monthly_income,
    "debt": lambda v: _money(v, "debt", "loan") or v.facts.debt,
    "goal": _goal,
    "horizon_years": _horizon,
    "monthly_budget": lambda v: _any_money(v, "budget", "premium") or v.facts.monthly_budget,
    "years_paid": _years_paid,
    "coverage_type": lambda v: (
        _first(v, "coverages", "coverage_type") or _first(v, "benefits", "benefit") or v.topic_words()
    ),
    "benefit": _benefit,
    "event": lambda v: _subject(v) or v.kept("event") or v.facts.diagnosis or v.facts.benefit or v.topic_words(),
    "event_date": lambda v: _date(v, "event"),
    "contract_date": lambda v: _date(v, "contract"),
    "lapse_date": lambda v: _date(v, "lapse"),
    "term": _term,
    "code_or_name": _code_or_name,
    "treatments": _treatments,
    "history": _history,
    "case": lambda v: v.topic_words(),
    "job": _job,
    "text": _quoted,
    "claim_type": lambda v: _first(v, "claims", "claim_type") or v.facts.claim_type or None,
    "action": lambda v: _first(v, "actions", "action") or v.facts.action or None,
    "submit": _submit,
    "contract_id": _contract_id,
    "details": lambda v: v.question if _submit(v) else None,
    "case_summary": lambda v: v.question,
    "save": _save,
    "customer_name": lambda v: _first(v, "names", "name") or v.facts.customer_name or None,
    "customer_id": _customer_id,
    "name": lambda v: _first(v, "names", "name"),
    "age_min": lambda v: _age_band(v, "low"),
    "age_max": lambda v: _age_band(v, "high"),
    "limit": _count,
    "query": lambda v: v.question,
}

"""The dates of a contract as a message tells them: when it was made, when it lapsed, when the event came."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta
from typing import Any

from app.language.mentions import DateMention, Entities
from app.planner.facts import Facts
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations


def add_dates(
    words: PlannerWords, changes: dict[str, Any], entities: Entities, facts: Facts, declared: Declarations
) -> None:
    """Dates by their clause; one without a telling word is what was asked for, or the other of the two that an event
    needs."""
    open_dates = [m for m in entities.dates if m.value is not None and m.role == "date" and not m.negated]
    restored = declared.takes(facts.last_tool, "lapse_date") or "lapse_date" in facts.asked
    restored = restored or bool(words.contract_dates.restored.search(entities.text))
    suffered = bool(entities.medical or entities.benefits or entities.claims)
    taken_back = "date"
    for mention in entities.dates:
        if mention.negated:
            taken_back = mention.role
            continue
        if mention.value is None:
            if mention.role == "contract" and mention.year and mention.month:
                # 올해 2월에 들었어요: no more time has passed than since its last day
                last = date(mention.year, mention.month, monthrange(mention.year, mention.month)[1])
                changes["contract_date"] = last
            continue
        # 가입일이 3월이 아니라 5월 2일: of the same thing
        role: str = taken_back if mention.role == "date" else mention.role
        if role == "date" and restored:
            role = "lapse"  # 2025.10.5에 죽었답니다: the contract, while its reinstatement is spoken of
        if role == "date" and suffered and len(open_dates) <= 2:
            # '2024-03-15, 2025-05-03 위암': the first is the contract's, the last the event's.
            role = "event" if mention is open_dates[-1] else "contract"
        if role == "date":
            role = next((name for name in ("lapse", "contract", "event") if f"{name}_date" in facts.asked), role)
        if role == "date" and declared.takes(facts.last_tool, "event_date"):
            known = facts.contract_date or changes.get("contract_date")
            role = "event" if known else "contract"
        if role in ("lapse", "contract", "event"):
            known_date = getattr(facts, f"{role}_date")
            changes[f"{role}_date"] = _same_year(words, mention, known_date)


def _same_year(words: PlannerWords, mention: DateMention, known: date | None) -> date | None:
    """'9월 20일이었으면', of an event in 2025: a day without a year is one of the year spoken of."""
    value = mention.value
    if value is None or known is None or words.contract_dates.year_said.search(mention.text):
        return value
    try:
        return value.replace(year=known.year)
    except ValueError:
        return value


def joined_ago(words: PlannerWords, entities: Entities, today: date) -> date | None:
    """'가입한 지 열흘', '들고 두 달 만에': the day of the contract, counted back from today."""
    text, ends = entities.text, {mention.end for mention in entities.products if not mention.negated}
    for duration in entities.durations:
        held = any(not text[end : duration.start].strip() for end in ends if end <= duration.start)
        joined = words.contract_dates.joined.search(text[: duration.start])
        passed = words.contract_dates.passed.match(text, duration.end)
        if not (passed and (joined or held)) and not (joined and not joined["apart"]):
            continue
        if duration.months:
            months = today.year * 12 + today.month - 1 - duration.months
            year, month = divmod(months, 12)
            return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))
        if duration.days:
            return today - timedelta(days=duration.days)
    return None

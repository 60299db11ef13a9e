"""The dates of a contract as a message tells them: when it was made, when it lapsed, when the event came."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from typing import Any

from app.language.mentions import DateMention, Entities
from app.planner.facts import Facts
from app.toolbox.declared import Declarations

_JOINED = re.compile(
    r"(?:가입|계약|보험(?:을)?\s?들|(?<![가-힣])들|(?<![가-힣])든|청약)(?:한|하고|하|은|고|었|했)?\s?(?:지|나서|는데|고)?(?:는|가|도|요)?\s?(?:이제|겨우|벌써|한|약)?\s?$"
)
# 뉴스타트 두 달 됐는데: right behind a product
_PASSED = re.compile(r"\s?(?:쯤|정도|도)?\s?(?:된|됐|되었|됨|되는|째|만에|밖에|지났|넘)")
_RESTORED = re.compile(r"부활|되살|살릴|살리|살려")
# 3월 2일 names no year; 작년 3월 2일, 2025-03-02, 어제 do.
_YEAR_SAID = re.compile(r"년|해|\d{2}\.|\d-|어제|오늘|그제|내일|모레|주|달|[./]|^\d{8}$")


def add_dates(changes: dict[str, Any], entities: Entities, facts: Facts, declared: Declarations) -> None:
    """Dates by their clause; one without a telling word is what was asked for, or the other of the two that an event
    needs."""
    open_dates = [m for m in entities.dates if m.value is not None and m.role == "date" and not m.negated]
    restored = declared.takes(facts.last_tool, "lapse_date") or "lapse_date" in facts.asked
    restored = restored or bool(_RESTORED.search(entities.text))
    suffered = bool(entities.medical or entities.benefits or entities.claims)
    taken_back = "date"
    for mention in entities.dates:
        if mention.negated:
            taken_back = mention.role
            continue
        if mention.value is None:
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
            changes[f"{role}_date"] = _same_year(mention, known_date)


def _same_year(mention: DateMention, known: date | None) -> date | None:
    """'9월 20일이었으면', of an event in 2025: a day without a year is one of the year spoken of."""
    value = mention.value
    if value is None or known is None or _YEAR_SAID.search(mention.text):
        return value
    try:
        return value.replace(year=known.year)
    except ValueError:
        return value


def joined_ago(entities: Entities, today: date) -> date | None:
    """'가입한 지 열흘', '들고 두 달 만에': the day of the contract, counted back from today."""
    text, ends = entities.text, {mention.end for mention in entities.products if not mention.negated}
    for duration in entities.durations:
        held = any(not text[end : duration.start].strip() for end in ends if end <= duration.start)
        if not (_JOINED.search(text[: duration.start]) or (held and _PASSED.match(text, duration.end))):
            continue
        if duration.months:
            months = today.year * 12 + today.month - 1 - duration.months
            year, month = divmod(months, 12)
            return date(year, month + 1, min(today.day, monthrange(year, month + 1)[1]))
        if duration.days:
            return today - timedelta(days=duration.days)
    return None

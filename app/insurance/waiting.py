"""When cover starts: waiting (면책기간), reduction (감액기간) and cover start (보장개시일) per cover."""

from __future__ import annotations

import re
from datetime import date

from app.insurance.benefits import Cover
from app.insurance.models import Model, Product
from app.insurance.periods import cover_start, reduction_end

_DAYS_OF_A_YEAR = 365
_ANSWERED = re.compile(r"^(?:네|아니요)[.,]\s*")


class WaitingGroup(Model):
    """Covers with the same waiting (days) and reduction (months, share of one); `starts_on` and `reduced_until` are the
    days of a contract whose day is known."""

    waiting_days: int
    reduction_months: int | None
    reduction_rate: float | None
    cover_start: str
    benefits: tuple[str, ...]
    main: bool
    starts_on: date | None = None
    reduced_until: date | None = None


class WaitingPeriods(Model):
    """Waiting and reduction of every cover, grouped; the main contract's groups first. Of a contract whose day is known
    `starts_on` is when the last cover of the main contract starts, `reduced_until` when its last reduction ends; the
    day itself where there is none. `waits` and `reduces`: they are still to come today."""

    code: str
    name: str
    groups: tuple[WaitingGroup, ...]
    longest_waiting_days: int
    main_waiting_days: int
    renewal_note: str | None
    contract_date: date | None = None
    starts_on: date | None = None
    reduced_until: date | None = None
    waits: bool = False
    reduces: bool = False


def waiting_periods(product: Product, contract_date: date | None = None, today: date | None = None) -> WaitingPeriods:
    """Every cover by its waiting and reduction, with the words for its cover start, and its days in a contract of
    `contract_date` as seen `today`."""
    groups: dict[tuple[int, int | None, float | None], list[Cover]] = {}
    for cover in product.all_benefits:
        benefit = cover[0]
        cut = benefit.reduction
        groups.setdefault((benefit.waiting_days, cut.months if cut else None, cut.rate if cut else None), []).append(
            cover
        )
    lines = tuple(
        WaitingGroup(
            waiting_days=days,
            reduction_months=months,
            reduction_rate=rate,
            cover_start=start_words(days),
            benefits=tuple(dict.fromkeys(benefit.name for benefit, _ in covers)),
            main=any(rider is None for _, rider in covers),
            starts_on=cover_start(covers[0][0], contract_date) if contract_date else None,
            reduced_until=reduction_end(covers[0][0], contract_date) if contract_date else None,
        )
        for (days, months, rate), covers in groups.items()
    )
    renewing = product.renewal.kind == "갱신형"
    starts = max((g.starts_on for g in lines if g.main and g.starts_on), default=contract_date)
    full = max((g.reduced_until for g in lines if g.main and g.reduced_until), default=contract_date)
    return WaitingPeriods(
        code=product.code,
        name=product.name,
        groups=tuple(sorted(lines, key=lambda g: (not g.main, -g.waiting_days, -(g.reduction_months or 0)))),
        longest_waiting_days=max(g.waiting_days for g in lines),
        main_waiting_days=max(benefit.waiting_days for benefit in product.benefits),
        renewal_note=_renewal_note(product) if renewing else None,
        contract_date=contract_date,
        starts_on=starts,
        reduced_until=full,
        waits=bool(starts and today and today < starts),
        reduces=bool(full and today and today < full),
    )


def start_words(days: int) -> str:
    """'계약일부터 90일이 지난 날의 다음 날', '계약일(가입 첫날)'; 365 days are a year."""
    if not days:
        return "계약일(가입 첫날)"
    span = f"{days // _DAYS_OF_A_YEAR}년" if days % _DAYS_OF_A_YEAR == 0 else f"그 날을 포함해 {days}일"
    return f"계약일부터 {span}이 지난 날의 다음 날"


def _renewal_note(product: Product) -> str | None:
    """The product's own answer on waiting after a renewal, when its questions hold one."""
    answers = (faq.answer for faq in product.faqs if faq.topic == "갱신")
    found = next((answer for answer in answers if "면책" in answer or "감액" in answer), None)
    return _ANSWERED.sub("", found) if found else None

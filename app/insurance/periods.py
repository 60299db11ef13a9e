"""Days, months and years counted on contracts. Months end as 민법 제160조 says: a missing day is the month's last."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

from app.insurance.models import Benefit

_DAYS_OF_A_YEAR = 365  # a waiting period of 365 days is written '1년' in the policy conditions and counted as a year


def add_months(day: date, months: int) -> date:
    """The same day `months` later, or the last day of that month when it has no such day."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def months_between(begun: date, day: date) -> int:
    """Whole months from one day to a later one; negative where it is earlier."""
    return (day.year - begun.year) * 12 + day.month - begun.month - (day.day < begun.day)


def cover_start(benefit: Benefit, contract_date: date) -> date:
    """보장개시일: the day after the waiting period, which counts the contract date itself as its first day."""
    if benefit.waiting_days and benefit.waiting_days % _DAYS_OF_A_YEAR == 0:
        return add_months(contract_date, 12 * (benefit.waiting_days // _DAYS_OF_A_YEAR))
    return contract_date + timedelta(days=benefit.waiting_days)


def reduction_end(benefit: Benefit, contract_date: date) -> date | None:
    """The first day on which the whole amount is paid, None without a reduction. Counted from the contract date."""
    return add_months(contract_date, benefit.reduction.months) if benefit.reduction else None

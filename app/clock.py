"""Days and hours where the customers are."""

from __future__ import annotations

from datetime import date, datetime, time
from zoneinfo import ZoneInfo

SEOUL = ZoneInfo("Asia/Seoul")


def today_in_seoul() -> date:
    """Today where the customers are."""
    return datetime.now(SEOUL).date()


def begun(day: date) -> datetime:
    """When a day of the customers began."""
    return datetime.combine(day, time.min, SEOUL)

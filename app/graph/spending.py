"""What a day's model calls may cost: counted here, begun with what the database holds of the day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date


@dataclass
class DayBudget:
    """US dollars a day of `today`; 0 is no limit."""

    limit_usd: float
    today: Callable[[], date]
    _day: date | None = field(default=None, repr=False)
    _spent: float = field(default=0.0, repr=False)

    def begin(self, spent_usd: float) -> None:
        """What the day has cost before this process started."""
        self._turn()
        self._spent += spent_usd

    def add(self, cost_usd: float | None) -> None:
        """A call was paid for. A cost that nobody knows counts as nothing."""
        self._turn()
        self._spent += cost_usd or 0.0

    @property
    def spent_usd(self) -> float:
        """Today's cost so far."""
        self._turn()
        return self._spent

    @property
    def used_up(self) -> bool:
        """Whether no more may be asked today."""
        return self.limit_usd > 0 and self.spent_usd >= self.limit_usd

    def _turn(self) -> None:
        if (now := self.today()) != self._day:
            self._day, self._spent = now, 0.0

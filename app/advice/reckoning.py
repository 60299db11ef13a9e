"""The sums of a proposal, each with a derivation that anybody can check, and what is paid over the years."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from app.advice.models import Line, PathPoint, Reckoned, YearPremium
from app.answering.calculator import Derivation, added, shared, times


class Reckoner:
    """Keeps the derivations in the order in which they rest on each other."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Derivation], None] = {}

    def total(self, of: str, figures: Sequence[int]) -> int:
        """Their sum; a single figure is its own and derives from nothing."""
        if len(figures) == 1:
            return figures[0]
        return self._keep(of, added(figures))

    def scaled(self, of: str, figure: int, share: Fraction) -> int:
        """The figure times a share, to the whole 원, halves up."""
        if share == 1:
            return figure
        over, under = share.as_integer_ratio()
        product = self._keep(of, times(figure, over))
        return product if under == 1 else self._keep(of, shared(product, under))

    def by_year(self, of: str, lines: Sequence[Line]) -> tuple[YearPremium, ...]:
        """What all lines cost together from each year on in which something changes, to the last renewal."""
        if not lines:
            return ()
        last = max(max(line.renewal.path[-1].year, _paid_to(line)) for line in lines)
        ends = {line.renewal.ends_year for line in lines}
        years = sorted({0} | {point.year for line in lines for point in line.renewal.path} | ends)
        made: list[YearPremium] = []
        for year in years:
            if year > last:
                break
            figures = [premium for line in lines if (premium := premium_at(line, year))]
            total = self.total(f"{of}.{year}", figures) if figures else 0
            if not made or made[-1].premium != total:
                made.append(YearPremium(year=year, premium=total))
        return tuple(made)

    def take(self, other: Reckoner) -> None:
        """Adds the derivations of another."""
        self._kept |= other._kept

    def all(self) -> tuple[Reckoned, ...]:
        """Every derivation, earlier ones first."""
        return tuple(Reckoned(of=of, **derivation.model_dump()) for of, derivation in self._kept)

    def _keep(self, of: str, derivation: Derivation) -> int:
        self._kept[of, derivation] = None
        return derivation.result


def premium_at(line: Line, year: int) -> int:
    """What a line costs in a year (원 a month)."""
    if year >= line.renewal.ends_year:
        return 0
    point: PathPoint = max((p for p in line.renewal.path if p.year <= year), key=lambda p: p.year)
    return point.premium


def _paid_to(line: Line) -> int:
    return line.renewal.ends_year if len(line.renewal.path) == 1 else line.renewal.path[-1].year

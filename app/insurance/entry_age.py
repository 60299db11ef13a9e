"""The age by which premium tables are read and entry is judged.

Both go by 보험나이. It is reckoned where the birth is known; else the 만 나이 that a person says stands for it, and
every result says so in its `age_note`.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, Literal

from app.errors import BadRequest
from app.insurance.ages import full_age, insurance_age
from app.insurance.models import AgeRange

AgeKind = Literal["만 나이", "보험나이"]
FULL_AGE: Final = "만 나이"
INSURANCE_AGE: Final = "보험나이"
AGE_NOTE = "말씀하신 나이로 계산했으며, 보험나이(6개월 기준)로는 한 살 달라질 수 있습니다."
OLDEST = 120
_BIRTH = re.compile(r"(\d{4})-(\d{2})(?:-(\d{2}))?")


def age_words(years: int, kind: AgeKind = FULL_AGE) -> str:
    """'만 45세', or '보험나이 45세'."""
    return f"{'만' if kind == FULL_AGE else kind} {years}세"


@dataclass(frozen=True)
class Birth:
    """The day somebody was born, or the month alone."""

    year: int
    month: int
    day: int | None = None

    @classmethod
    def parse(cls, text: str) -> Birth:
        """From YYYY-MM-DD or YYYY-MM. Raises BadRequest for anything else and for days that no calendar has."""
        if read := _BIRTH.fullmatch(text.strip()):
            year, month = int(read[1]), int(read[2])
            day = int(read[3]) if read[3] else None
            if year and 1 <= month <= 12 and (day is None or 1 <= day <= monthrange(year, month)[1]):
                return cls(year, month, day)
        raise BadRequest(f"생년월일 {text!r}을 읽을 수 없습니다. 1961-03-10이나 1961-03처럼 알려 주세요.")

    def __str__(self) -> str:
        """As `parse` reads it."""
        return f"{self.year:04}-{self.month:02}" + (f"-{self.day:02}" if self.day else "")

    @property
    def words(self) -> str:
        """'1961년 3월 10일생', '1961년 3월생'."""
        return f"{self.year}년 {self.month}월" + (f" {self.day}일생" if self.day else "생")

    def full_ages(self, on: date) -> tuple[int, ...]:
        """만 나이 on a day: one, or both that a month alone leaves open. Raises BadRequest as `insurance_ages`."""
        return tuple(sorted({full_age(day, on) for day in self._days(on)}))

    def insurance_ages(self, on: date) -> tuple[int, ...]:
        """보험나이 of a contract made on a day: one, or both that a month alone leaves open.

        Raises BadRequest when the birth lies after the day, or so long before it that nobody is that old.
        """
        return tuple(sorted({insurance_age(day, on) for day in self._days(on)}))

    def _days(self, on: date) -> list[date]:
        first = date(self.year, self.month, self.day or 1)
        last = first if self.day else first.replace(day=monthrange(self.year, self.month)[1])
        if first > on:
            raise BadRequest(f"생년월일({self})이 기준일({on.isoformat()})보다 뒤입니다. 생년월일을 확인해 주세요.")
        if full_age(last, max(last, on)) > OLDEST:
            raise BadRequest(f"생년월일({self})로는 {OLDEST}세가 넘습니다. 생년월일을 확인해 주세요.")
        return [first + timedelta(days=after) for after in range((min(last, on) - first).days + 1)]


@dataclass(frozen=True)
class EntryAge:
    """The age (세) that tables are read by. `other` is the second 보험나이 that a month of birth alone leaves open,
    `basis` says what was reckoned from; both are of a known birth only."""

    years: int
    kind: AgeKind = FULL_AGE
    other: int | None = None
    basis: str = ""

    @classmethod
    def of(cls, birth: Birth, on: date, said: int | None = None, *, when: str = "오늘 기준") -> EntryAge:
        """The 보험나이 of somebody who joins on a day; `when` is the day in words. The birth goes before an age that
        was `said` and is neither of its ages; `basis` tells that. Raises BadRequest as `Birth.insurance_ages`."""
        full, ages = birth.full_ages(on), birth.insurance_ages(on)
        if len(ages) > 1:
            basis = f"{birth.words}은 태어난 날에 따라 {when} 보험나이가 {ages[0]}세 또는 {ages[1]}세인데, "
        elif len(full) > 1:
            basis = f"{birth.words}은 {when} 보험나이 {ages[0]}세라 "
        elif full == ages:
            basis = f"{birth.words}은 {when} 만 {full[0]}세이고 보험나이도 {ages[0]}세라 "
        else:
            basis = f"{birth.words}은 {when} 만 {full[0]}세, 보험나이 {ages[0]}세라 "
        if said is not None and said not in (*full, *ages):
            basis = f"말씀하신 나이({said}세)와 생년월일이 달라 생년월일을 따랐습니다. {basis}"
        return cls(ages[0], INSURANCE_AGE, ages[1] if len(ages) > 1 else None, basis)

    @property
    def told(self) -> str:
        """'만 65세', '보험나이 66세', '보험나이 65세 또는 66세'."""
        return age_words(self.years, self.kind) + (f" 또는 {self.other}세" if self.other is not None else "")

    @property
    def note(self) -> str:
        """What the age rests on, in a sentence."""
        return self.born_note or AGE_NOTE

    @property
    def born_note(self) -> str | None:
        """The note of a known birth; None of an age that was only said."""
        return f"{self.basis}{self.years}세로 계산했습니다." if self.basis else None

    def fits(self, span: AgeRange) -> bool | None:
        """Whether one of this age may enter; None where a month of birth leaves that open."""
        fitting = {years in span for years in (self.years, self.other) if years is not None}
        return fitting.pop() if len(fitting) == 1 else None

    def within(self, span: AgeRange) -> EntryAge:
        """This age, or the one of two possible that may enter."""
        if self.other is None or self.years in span or self.other not in span:
            return self
        return replace(self, years=self.other, other=self.years)


def entry_age(said: int | None, birth: str | None, on: date, *, when: str = "오늘 기준") -> EntryAge | None:
    """The age of somebody who said an age (만 나이), a birth (as `Birth.parse` reads it), both or neither (None).

    Raises BadRequest for a birth that cannot be.
    """
    if birth:
        return EntryAge.of(Birth.parse(birth), on, said, when=when)
    return None if said is None else EntryAge(said)

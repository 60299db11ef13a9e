"""Is it too late? Reckons the time that a message tells (in hospital two years ago) against a limit.

Rules stand in data/language/deadlines.yaml, sentences in templates/answers/_deadlines.j2.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from jinja2 import Environment
from pydantic import Field

from app.insurance.models import ChannelName, Model
from app.language.formatting import answer_environment
from app.language.mentions import Entities
from app.language.normalise import nfc
from app.planner.birthdays import age_of
from app.planner.facts import Facts
from app.yaml_text import read_model

_NEAR = 14  # letters between a length of time and the word that says from when it runs
_BRIEF = 40  # letters: who goes on about a deadline with more asks for something else
_ROLES = frozenset({"ago", "span", "horizon"})


class Clock(Model):
    """One limit: `days` or `years` from a day; `says` are the words for that day, None: any other."""

    from_: str = Field(alias="from")
    days: int = 0
    years: int = 0
    says: re.Pattern[str] | None = None


class Longer(Model):
    """Other limits for who is of that age at least (세) and joined through that channel."""

    age: int
    channel: ChannelName
    condition: str
    clocks: tuple[Clock, ...] = Field(min_length=1)


class DeadlineRule(Model):
    """One thing that can be done in time only; see the head of the data file."""

    id: str
    act: str
    tools: tuple[str, ...] = ()
    says: re.Pattern[str]
    about: re.Pattern[str]
    then: re.Pattern[str]
    unless: re.Pattern[str]
    clocks: tuple[Clock, ...] = Field(min_length=1)
    limit: re.Pattern[str] | None = None
    longer: Longer | None = None
    note: str
    source: str

    def asked(self, text: str, before: tuple[str, ...]) -> bool:
        """Whether a message asks for this deadline, by itself or behind what was said before."""
        if self.unless.search(text):
            return False
        goes_on = self.then.search(text) or (self.limit and self.limit.search(text))
        continued = len(text) <= _BRIEF and goes_on and any(map(self.about.search, before))
        return bool(self.says.search(text) or continued)


class _DeadlineData(Model):
    recent: re.Pattern[str]
    day_of_month: re.Pattern[str]
    apart: re.Pattern[str]
    rules: tuple[DeadlineRule, ...]


@dataclass(frozen=True)
class Verdict:
    """Whether something can still be done, in words; `tools` are those that tell how it is done."""

    text: str
    tools: tuple[str, ...]


@dataclass(frozen=True)
class _Told:
    """A time told: the first and the last day that it may mean, and how long ago in words ('' where none was said)."""

    start: int
    first: date
    last: date
    months: int = 0
    days: int = 0


class Deadlines:
    """Built once from the data file; raises DataFaults when it is missing or broken."""

    def __init__(self, path: Path, templates: Path, environment: Environment | None = None) -> None:
        """`environment` has the sentences of another language."""
        self._data = read_model(path, _DeadlineData)
        self._say: Any = (environment or answer_environment(templates / "answers")).get_template("_deadlines.j2").module

    def verdict(
        self, said: Entities, facts: Facts, today: date, *before: str, earlier: Entities | None = None
    ) -> Verdict | None:
        """Whether what the message asks for can still be done, or until when, with the rule; None where it asks for no
        deadline or no time was told. `before` is what was asked and answered last, the newest exchange first, `earlier`
        what the question before told."""
        text = nfc(said.text)
        for rule in self._data.rules:
            if not rule.asked(text, before):
                continue
            if rule.limit and rule.limit.search(text):
                line = self._limit(rule, said, facts, today, earlier)
            else:
                told = self._told(said, text, rule, facts, today)
                line = self._judged(rule, told, said, facts, today) if told else None
            if line:
                return Verdict(f"{line} {str(self._say.ground(rule.note, rule.source)).strip()}", rule.tools)
        return None

    def _limit(
        self, rule: DeadlineRule, said: Entities, facts: Facts, today: date, earlier: Entities | None
    ) -> str | None:
        """Until when, by the limits that hold for who is spoken of and the time told now or before; None where neither
        a time nor who it is was told."""
        now = replace(said, durations=())  # 그래도 30일인가요 names the limit
        spoken = (now, earlier) if earlier is not None else (now,)
        found = (self._told(one, nfc(one.text), rule, facts, today) for one in spoken)
        told = {clock.from_: time for clock, time in next((times for times in found if times), [])}
        if rule.longer is not None and _fits(rule.longer, said, facts, today):
            clock = rule.longer.clocks[0]
            length = self._length(clock.days, clock.years * 12)
            last = _ends(clock, told[clock.from_].first) if clock.from_ in told else None
            return _line(self._say.applies(rule.act, rule.longer.condition, clock.from_, length, last))
        if not told and len(rule.clocks) > 1 and not (rule.longer and _age(said, facts, today)):
            return None
        lines = [
            {
                "since": clock.from_,
                "limit": self._length(clock.days, clock.years * 12),
                "first": _ends(clock, told[clock.from_].first) if clock.from_ in told else None,
                "last": _ends(clock, told[clock.from_].last) if clock.from_ in told else None,
            }
            for clock in rule.clocks
        ]
        return _line(self._say.limits(rule.act, lines))

    def _told(
        self, said: Entities, text: str, rule: DeadlineRule, facts: Facts, today: date
    ) -> list[tuple[Clock, _Told]]:
        """The times told, each with the limit that runs from it."""
        found: list[tuple[Clock, _Told]] = []
        of_contract = len(rule.clocks) > 1  # then the day of the contract is one of those that count
        for told in _times(said, text, today, self._data.recent, self._data.day_of_month):
            around = text[max(0, told.start - _NEAR) : told.start]
            if not of_contract and self._data.apart.search(around):
                continue
            named = (clock for clock in rule.clocks if clock.says and clock.says.search(around))
            clock = next(named, None) or next(clock for clock in rule.clocks if clock.says is None)
            found.append((clock, told))
        made = facts.contract_date
        if of_contract and made and made <= today and all(clock.says for clock, _ in found):
            clock = next(clock for clock in rule.clocks if clock.says is None)
            found.append((clock, _Told(0, made, made, 0, (today - made).days)))
        return found

    def _judged(
        self, rule: DeadlineRule, told: list[tuple[Clock, _Told]], said: Entities, facts: Facts, today: date
    ) -> str:
        """The sentence of the time told that decides: one too long ago, else one on the border, else the last told."""
        longer, age = rule.longer, age_of(facts, today)
        channel = _channel(said, facts)
        fits = longer is not None and _fits(longer, said, facts, today)
        may_fit = longer is not None and (age is None or age >= longer.age)
        may_fit = may_fit and longer is not None and channel in (None, longer.channel)
        more = {clock.from_: clock for clock in longer.clocks} if longer is not None and fits else {}
        told = [(more.get(clock.from_, clock), time) for clock, time in told]
        for clock, time in told:
            length = self._length(clock.days, clock.years * 12)
            words = self._length(time.days, time.months) if time.months or time.days else ""
            if _ends(clock, time.last) < today:
                may = longer is not None and may_fit and not fits and clock.from_ == longer.clocks[0].from_
                last = _ends(longer.clocks[0], time.first) if longer is not None and may else None
                if last is not None and last >= today and longer is not None:
                    of_them = longer.clocks[0]
                    limit = self._length(of_them.days, of_them.years * 12)
                    return _line(self._say.only_if(rule.act, longer.condition, of_them.from_, limit, last))
                return _line(self._say.late(rule.act, clock.from_, length, words))
            if _ends(clock, time.first) <= today:
                return _line(self._say.near(rule.act, clock.from_, length, _begins(clock, today)))
        clock, time = told[-1]
        words = self._length(time.days, time.months) if time.months or time.days else ""
        exact = time.first == time.last and not clock.years
        rest = [c for c in rule.clocks if c.from_ not in [known.from_ for known, _ in told]]
        other = {"since": rest[0].from_, "limit": self._length(rest[0].days, rest[0].years * 12)} if rest else None
        length, last = self._length(clock.days, clock.years * 12), _ends(clock, time.first) if exact else None
        return _line(self._say.open(rule.act, clock.from_, length, words, last, other))

    def _length(self, days: int, months: int) -> str:
        return str(self._say.length(days, months)).strip()


def _channel(said: Entities, facts: Facts) -> ChannelName | None:
    return next((m.channel for m in said.channels if not m.negated), None) or facts.channel


def _age(said: Entities, facts: Facts, today: date) -> int | None:
    told = next((m.age for m in reversed(said.ages) if m.kind == "age" and not m.negated), None)
    return told or age_of(facts, today)


def _fits(longer: Longer, said: Entities, facts: Facts, today: date) -> bool:
    return (_age(said, facts, today) or 0) >= longer.age and _channel(said, facts) == longer.channel


def _times(
    said: Entities, text: str, today: date, recent: re.Pattern[str], day_of_month: re.Pattern[str]
) -> Iterable[_Told]:
    """The times in the past that a message tells, those ruled out aside; years and months told together are one, and
    20일날 is the last twentieth."""
    lengths = [m for m in said.durations if not m.negated and m.role in _ROLES and (m.months or m.days)]
    told: list[_Told] = []
    end = -1
    for mention in lengths:
        if mention.days and not mention.months and day_of_month.match(text, mention.end):
            if day := _last_of_month(today, mention.days):
                told.append(_Told(mention.start, day, day))
                end = -1
            continue
        if told and 0 <= mention.start - end <= 1:
            before = told.pop()
            months, days, start = before.months + mention.months, before.days + mention.days, before.start
        else:
            months, days, start = mention.months, mention.days, mention.start
        day = _months_back(today, months) - timedelta(days=days)
        told.append(_Told(start, day, day, months, 0 if months else days))
        end = mention.end
    for moment in said.dates:
        if moment.negated or moment.year is None:
            continue
        first = moment.value or date(moment.year, moment.month or 1, 1)
        ends = date(moment.year, moment.month or 12, monthrange(moment.year, moment.month or 12)[1])
        last = moment.value or min(ends, today)
        if first <= today:
            told.append(_Told(moment.start, first, last))
    if not told and (found := recent.search(text)):
        told.append(_Told(found.start(), max(_months_back(today, 12), date(today.year, 1, 1)), today))
    return told


def _months_back(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _last_of_month(today: date, number: int) -> date | None:
    """The last day of this number up to today, in this month or the one before; None where there is none."""
    for months in (0, 1):
        month = _months_back(today.replace(day=1), months)
        if 0 < number <= monthrange(month.year, month.month)[1] and (day := month.replace(day=number)) <= today:
            return day
    return None


def _ends(clock: Clock, day: date) -> date:
    """The last day of a limit that runs from `day`."""
    return _months_back(day, -12 * clock.years) + timedelta(days=clock.days)


def _begins(clock: Clock, today: date) -> date:
    """The earliest day from which the limit has not run out yet."""
    return _months_back(today, 12 * clock.years) - timedelta(days=clock.days)


def _line(text: Any) -> str:
    return " ".join(str(text).split())

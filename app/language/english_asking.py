"""What an English sentence asks, put together in Korean: the things it names by their kind, then the asking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator

from app.language.formatting import josa
from app.word_files import Pattern, WordFiles, Words, WordSet

SlotKind = Literal[
    "product", "kind", "plan", "cover", "illness", "job", "person", "gender", "term", "cycle", "channel", "ref",
    "news", "customer", "code", "money", "sum", "age", "sex_age", "date", "time", "since", "ahead",
    "years", "days", "count",
]  # fmt: skip
_PERSONS = ("person", "age", "sex_age", "gender")
_CASE = ("cover", "illness")
_TERM, _ANY_TERM, _LABEL = "<_term>", "<_term:[^>]*>", re.compile(r"<(?=[a-z])")
_EDGE = "(?:(?<![a-z0-9_])|(?![a-z0-9_]))"
_AT_ONCE = 2
_SUM, _BESIDE = "<_sum>", 24
_JOINED = " and "


def _loosened(text: object) -> object:
    """A pattern with any term where it names none, and the end of a word beside what was taken for its kind, too. The
    names of kinds are no words: <cover> is <_cover> in the sentence."""
    if not isinstance(text, str):
        return text
    return _LABEL.sub("<_", text).replace(_TERM, _ANY_TERM).replace(r"\b", _EDGE)


Masked = Annotated[Pattern, BeforeValidator(_loosened)]
"""A pattern over a sentence whose things are taken for their kinds."""


class Slot(NamedTuple):
    """Something that a sentence names: its kind, and how it is said in Korean."""

    kind: SlotKind
    korean: str


@dataclass(frozen=True)
class Asked:
    """The Korean question; '' where nothing of the sentence is known."""

    text: str


class Rule(Words):
    """A way to ask: `says` in English with the things named taken for their kinds, `ask` in Korean, `noun` where two
    are asked for at once. See the head of the data file."""

    says: Masked
    ask: str
    noun: str = ""
    unless: Masked | None = None
    channel: str = ""
    uses: str = ""
    terms: bool = False
    paid: bool = False
    needs: tuple[str, ...] = ()
    front: str = ""
    front_of: str = ""
    whole: bool = False
    last: bool = False
    follow: bool = False


class AskingWords(Words):
    """The rules, the first that fits before the others."""

    rules: tuple[Rule, ...]


class RoleWords(Words):
    """What an illness, a sum or a job is in a sentence, and how it is then said."""

    medicine: Masked
    history: Masked
    event: Masked
    diagnosed: Masked
    budget_money: Masked
    sums: Masked
    past: Masked
    held: Masked
    income: Masked
    debt: Masked
    never: Masked
    joined: Masked
    family: Masked
    lately: Masked
    doings: WordSet
    broken: WordSet
    piece: str
    counted: Masked
    it: Pattern
    self_said: Pattern
    self_korean: str
    taken: Pattern
    escaped: Pattern
    recent: Pattern
    put: Mapping[str, str]


class Asking:
    """Pure; built once from the files of a folder."""

    def __init__(self, folder: Path, alone: Mapping[str, str]) -> None:
        """`alone`: the kinds of which one product is sold, with it: whoever asks for the kind asks for it."""
        files = WordFiles(folder)
        self._roles = files.read("roles", RoleWords)
        self._rules = files.read("asking", AskingWords).rules
        self._only = dict(alone)
        self.wording = self._roles.escaped.sub(" ", " | ".join(rule.says.pattern for rule in self._rules))
        """The words of what is asked, as the rules have them."""

    def korean(self, masked: str, slots: Sequence[Slot], told: Iterable[str] = ()) -> Asked:
        """The Korean for a sentence with its slots; `told`: what else it tells of a person."""
        rules = self._asked(masked, slots)
        if rules and rules[0].whole:
            return Asked(rules[0].ask)
        notes = list(told)
        if not rules and not slots and not notes:
            return Asked("")
        parts = self._parts(masked, slots, notes, rules)
        if not rules or rules[0].follow:
            return Asked(self._follow(parts, slots, bare=not rules))
        return Asked(" ".join([*parts, self._ending(rules, slots)]))

    def _ending(self, rules: Sequence[Rule], slots: Sequence[Slot]) -> str:
        """What is asked for, of one thing or of two."""
        if len(rules) > 1 and (front := next((rule for rule in rules if rule.front), None)) is not None:
            other = next(rule for rule in rules if rule is not front)
            return f"{front.front} {other.ask}"
        if len(rules) > 1:
            return self._put("several", self._row("and", [rule.noun for rule in rules]))
        if rules[0].channel and (channel := _first(slots, "channel")):
            return self._filled(rules[0].channel, channel)
        return rules[0].ask

    def _put(self, name: str, word: str) -> str:
        """The words of that name with `word` put in, with the particle that fits it."""
        return self._filled(self._roles.put[name], word)

    def _filled(self, frame: str, word: str) -> str:
        return self._roles.it.sub(lambda match: josa(word, match[1]) if match[1] else word, frame)

    def _row(self, name: str, words: Sequence[str]) -> str:
        """Words one behind the other, joined by those of that name."""
        return " ".join([*(self._put(name, word) for word in words[:-1]), *words[-1:]])

    def _asked(self, masked: str, slots: Sequence[Slot]) -> list[Rule]:
        """What is asked for: the first rule that fits, and another of the words that it leaves."""
        kinds = {slot.kind for slot in slots}
        found: list[Rule] = []
        rest = masked
        for rule in self._rules:
            match = rule.says.search(rest)
            if match is None or (rule.unless and rule.unless.search(masked)) or (rule.last and found):
                continue
            if rule.needs and not kinds & set(rule.needs):
                continue
            if found and not self._goes_with(found[0], rule, masked):
                continue
            found.append(rule)
            rest = f"{rest[: match.start()]} {rest[match.end() :]}"
            if len(found) == _AT_ONCE or rule.whole or rule.follow:
                break
        return found

    @staticmethod
    def _goes_with(first: Rule, other: Rule, masked: str) -> bool:
        """Whether two things may be asked for at once: a sum of premiums, or two that are joined."""
        if first.front or other.front:
            front, asked = (first, other) if first.front else (other, first)
            return bool(asked.noun) and asked.noun in front.front_of.split()
        return bool(first.noun and other.noun) and _JOINED in masked

    def _parts(self, masked: str, slots: Sequence[Slot], notes: Sequence[str], rules: Sequence[Rule]) -> list[str]:
        of: dict[str, list[str]] = {}
        for slot in slots:
            if slot.korean not in of.setdefault(slot.kind, []):
                of[slot.kind].append(slot.korean)
        parts = [self._put("customer", name) for name in of.get("customer", ())]
        parts += [self._row("with", self._persons(masked, slots)), *of.get("news", ()), *notes]
        parts += [self._put("job", job) for job in of.get("job", ())[:1]]
        dates = of.get("date", [])
        joined = [self._put("joined", one) for one in dates if self._roles.joined.search(masked)]
        when = [*(joined or dates), *of.get("time", ()), *of.get("ahead", ())]
        before, case = self._case(masked, of, when)
        parts += before
        ours = of.get("product") or of.get("kind") or of.get("ref") or []
        if (rules or len(slots) > 1) and not any(rule.terms for rule in rules):
            ours = [self._only.get(one, one) for one in ours]
        parts += [self._row("and", ours), *sorted(of.get("plan", ()), key=lambda plan: plan[0].isdigit())]
        sums = [slot.korean for slot in slots if slot.kind == "sum"]
        parts += [self._put(self._of_a_sum(masked, at), amount) for at, amount in enumerate(sums)]
        parts += [self._sum(masked, amount, rules) for amount in of.get("money", ())]
        if of.get("cover") or of.get("illness"):
            since = [self._put("held", ahead.split()[0]) for ahead in of.get("ahead", ())]
            when = [one for one in when if one not in of.get("ahead", ())]
            of = {**of, "since": [*of.get("since", ()), *since]}
        if any(rule.paid for rule in rules):
            spans = (*of.get("ahead", ()), *of.get("since", ()), *of.get("years", ()))
            parts += [self._put("paid", span.split()[0]) for span in spans if span[0].isdigit()]
            of, when = {**of, "years": [], "since": []}, []
        held = any(case) and self._roles.held.search(masked) is not None
        parts += [] if before else when
        parts += of.get("since", ())
        parts += [self._put("held", years) if held else years for years in of.get("years", ())]
        parts += [*of.get("count", ()), *(of.get("days", ()) if not case else ())]
        parts += case
        told = " ".join(rule.ask for rule in rules)
        parts += [*of.get("code", ()), *(cycle for cycle in of.get("cycle", ()) if cycle not in told)]
        if not rules or any(rule.terms for rule in rules):
            parts += [self._row("and", of.get("term", []))]
        return [part for part in parts if part]

    def _persons(self, masked: str, slots: Sequence[Slot]) -> list[str]:
        """Each person told of: who, how old, man or woman, in the order in which they are said."""
        roles, found = self._roles, [dict[str, str]()]
        for slot, gap in zip(slots, roles.taken.split(masked), strict=False):
            if slot.kind not in _PERSONS:
                continue
            kind = "age" if slot.kind == "sex_age" else slot.kind
            myself = roles.self_said.search(gap) is not None
            apart = (kind == "person" and gap.strip()) or myself
            if kind in found[-1] or (apart and found[-1]):
                found.append({})
            if myself and kind != "person":
                found[-1]["person"] = roles.self_korean
            found[-1][kind] = slot.korean
        if len(found) == 1 and found[0].get("person") == roles.self_korean:
            del found[0]["person"]
        return [" ".join(one[kind] for kind in ("person", "age", "gender") if kind in one) for one in found if one]

    def _case(
        self, masked: str, of: Mapping[str, Sequence[str]], when: Sequence[str]
    ) -> tuple[list[str], list[str]]:
        """The illnesses and covers as what a person had, and as what is asked about."""
        roles, days = self._roles, list(of.get("days", ()))
        ills, covers = list(of.get("illness", ())), list(of.get("cover", ()))
        if roles.never.search(masked):
            covers = [cover for cover in covers if cover not in roles.doings]
        doings = [cover for cover in covers if cover in roles.doings]
        plain = [cover for cover in covers if cover not in doings]
        if roles.medicine.search(masked) and ills:
            return [self._put("medicine", self._row("with", ills))], covers
        if ills and roles.family.search(masked):
            return [], covers
        recent = all(roles.recent.search(one) for one in when)
        if ills and recent and roles.lately.search(masked):
            return [*when, self._put("lately", self._row("with", ills))], plain
        event = bool(roles.event.search(masked)) and not when
        had = roles.history.search(masked) and (when or not event)
        if had and (ills or (doings and when)):
            past = bool(roles.past.search(masked)) and bool(when)
            told = [self._put("history" if past else "history_now", self._row("with", ills))] if ills else []
            told += [self._put("had", doing) for doing in doings if when]
            return [*when, *told], plain if when else covers
        if event and doings:
            done = [self._put("done", doing) for doing in doings]
            return [], [*plain, *(self._put("because", ill) for ill in ills), *days, *done]
        if event and ills:
            met = [self._put("event_broken" if ill in roles.broken else "event", ill) for ill in ills]
            return [], [*plain, *days, *met]
        counted = [f"{number}{self._roles.piece}" for number in self._roles.counted.findall(masked)]
        return [], [*days, self._row("and", [*ills, *covers]), *counted]

    def _of_a_sum(self, masked: str, at: int) -> str:
        """What a great sum is by the words beside it: an income, a debt, else what somebody is insured for."""
        before, *behind = masked.split(_SUM, at + 1)[at:]
        beside = f"{before[-_BESIDE:]}{_SUM}{behind[0][:_BESIDE] if behind else ''}"
        return next((role for role in ("debt", "income") if getattr(self._roles, role).search(beside)), "sum")

    def _sum(self, masked: str, amount: str, rules: Sequence[Rule]) -> str:
        if self._roles.income.search(masked):
            return self._put("income", amount)
        budget = any(rule.uses == "budget" for rule in rules)
        insured = self._roles.sums.search(masked) or not self._roles.budget_money.search(masked)
        return self._put("budget" if budget or not insured else "sum", amount)

    def _follow(self, parts: Sequence[str], slots: Sequence[Slot], *, bare: bool) -> str:
        said, kinds = " ".join(parts), {slot.kind for slot in slots}
        if bare and kinds == {"kind"}:
            return self._put("sold", said)
        if not said or (bare and not kinds <= {"product", "plan"}):
            return said
        of_person = slots[-1].kind in (*_PERSONS, "money", "sum", "years", "since", "ahead")
        return self._put("follow_age" if of_person else "follow", said)


def _first(slots: Sequence[Slot], kind: SlotKind) -> str:
    return next((slot.korean for slot in slots if slot.kind == kind), "")

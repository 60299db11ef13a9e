"""What an English sentence asks, put together in Korean: the things it names by their kind, then the asking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from app.word_files import Pattern, WordFiles, Words, WordSet

SlotKind = Literal[
    "product", "kind", "plan", "cover", "illness", "job", "person", "gender", "term", "cycle", "channel", "ref",
    "code", "money", "age", "sex_age", "date", "time", "since", "later", "years", "days", "count",
]  # fmt: skip
_PERSONS = ("person", "age", "sex_age", "gender")
_CASE = ("cover", "illness")
_TERM, _ANY_TERM = "<term>", "<term:[^>]*>"
_EDGE = "(?:(?<![a-z0-9])|(?![a-z0-9]))"
_AT_ONCE = 2


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

    says: Pattern
    ask: str
    noun: str = ""
    unless: Pattern | None = None
    channel: str = ""
    uses: str = ""
    needs: tuple[str, ...] = ()
    whole: bool = False
    last: bool = False
    follow: bool = False


class AskingWords(Words):
    """The rules, the first that fits before the others."""

    rules: tuple[Rule, ...]


class RoleWords(Words):
    """What an illness, a sum or a job is in a sentence, and how it is then said."""

    medicine: Pattern
    history: Pattern
    event: Pattern
    diagnosed: Pattern
    budget_money: Pattern
    sums: Pattern
    past: Pattern
    doings: WordSet
    broken: WordSet
    put: Mapping[str, str]


class Asking:
    """Pure; built once from the files of a folder."""

    def __init__(self, folder: Path) -> None:
        files = WordFiles(folder)
        roles = files.read("roles", RoleWords)
        told = ("medicine", "history", "event", "diagnosed", "budget_money", "sums", "past")
        self._roles = roles.model_copy(update={name: _loosened(getattr(roles, name)) for name in told})
        self._rules = tuple(_with_terms(rule) for rule in files.read("asking", AskingWords).rules)

    def korean(self, masked: str, slots: Sequence[Slot], told: Iterable[str] = ()) -> Asked:
        """The Korean for a sentence with its slots; `told`: what else it tells of a person."""
        rules = self._asked(masked, slots)
        if rules and rules[0].whole:
            return Asked(rules[0].ask)
        notes = [self._roles.put[note] for note in told]
        if not rules and not slots and not notes:
            return Asked("")
        parts = self._parts(masked, slots, notes, rules)
        follows = not rules or rules[0].follow
        if follows:
            return Asked(self._follow(parts, slots, bare=not rules))
        if len(rules) > 1:
            nouns = f"{self._roles.put['and']} ".join(rule.noun for rule in rules)
            return Asked(" ".join([*parts, nouns + self._roles.put["several"]]))
        ask = rules[0].ask
        if rules[0].channel and (channel := _first(slots, "channel")):
            ask = rules[0].channel.replace("<channel>", channel)
        return Asked(" ".join([*parts, ask]))

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
            if found and not (rule.noun and found[0].noun and " and " in masked):
                continue
            found.append(rule)
            rest = f"{rest[: match.start()]} {rest[match.end() :]}"
            if len(found) == _AT_ONCE or rule.whole or rule.follow:
                break
        return found

    def _parts(self, masked: str, slots: Sequence[Slot], notes: Sequence[str], rules: Sequence[Rule]) -> list[str]:
        roles, put = self._roles, self._roles.put
        of: dict[str, list[str]] = {}
        for slot in slots:
            if slot.korean not in of.setdefault(slot.kind, []):
                of[slot.kind].append(slot.korean)
        parts = [put["with"].join(_persons(slots))] if any(slot.kind in _PERSONS for slot in slots) else []
        parts += notes
        parts += [put["job"].replace("<it>", job) for job in of.get("job", ())[:1]]
        ours = of.get("product") or of.get("kind") or ()
        refs = [] if ours else of.get("ref", [])
        when = [*of.get("date", ()), *of.get("time", ()), *of.get("later", ())]
        counts = [*of.get("since", ()), *of.get("count", ()), *of.get("years", ()), *of.get("days", ())]
        case, before = self._case(masked, of, when)
        history = bool(case) and before
        if history:
            parts += case
        parts += [f"{put['and']} ".join([*ours, *refs])] if ours or refs else []
        parts += of.get("plan", ())
        parts += [self._sum(masked, sum_, rules) for sum_ in of.get("money", ())]
        parts += [*([] if history else when), *counts]
        parts += case if not history else ()
        parts += of.get("code", ())
        parts += of.get("cycle", ())
        told = "".join(rule.noun + rule.ask for rule in rules)
        parts += [term for term in of.get("term", ()) if not any(word in told for word in term.split())]
        return [part for part in parts if part]

    def _case(self, masked: str, of: Mapping[str, Sequence[str]], when: Sequence[str]) -> tuple[list[str], bool]:
        """The illnesses and covers as they are meant, and whether they are what a person had."""
        roles, put = self._roles, self._roles.put
        ills, covers = list(of.get("illness", ())), list(of.get("cover", ()))
        doings = [cover for cover in covers if cover in roles.doings]
        event = bool(roles.event.search(masked)) and not when
        if roles.medicine.search(masked) and ills:
            return [put["medicine"].replace("<it>", put["with"].join(ills).strip()), *covers], True
        had = roles.history.search(masked) and (when or not event)
        if had and (ills or (doings and when)):
            past = bool(roles.past.search(masked)) and bool(when)
            told = [put["history" if past else "history_now"].replace("<it>", put["with"].join(ills).strip())] if ills else []
            told += [put["had"].replace("<it>", doing) for doing in doings if when]
            others = [cover for cover in covers if cover not in doings or not when]
            return [*when, *told, *others], True
        if event and (ills or doings):
            told = [put["event_broken" if ill in roles.broken else "event"].replace("<it>", ill) for ill in ills]
            plain = [cover for cover in covers if cover not in doings]
            return [*plain, *told, *(put["done"].replace("<it>", doing) for doing in doings)], False
        joined = f"{put['and']} ".join([*ills, *covers])
        return [joined] if joined else [], False

    def _sum(self, masked: str, amount: str, rules: Sequence[Rule]) -> str:
        put = self._roles.put
        if any(rule.uses == "budget" for rule in rules):
            return put["budget"].replace("<it>", amount)
        if self._roles.sums.search(masked) or not self._roles.budget_money.search(masked):
            return put["sum"].replace("<it>", amount)
        return put["budget"].replace("<it>", amount)

    def _follow(self, parts: Sequence[str], slots: Sequence[Slot], *, bare: bool) -> str:
        said = " ".join(parts)
        if not said or bare:
            return said
        of_person = slots[-1].kind in (*_PERSONS, "money", "years", "since", "later")
        return self._roles.put["follow_age" if of_person else "follow"].replace("<it>", said)


def _persons(slots: Sequence[Slot]) -> list[str]:
    """Each person told of: who, how old, man or woman, in the order in which they are said."""
    found: list[dict[str, str]] = [{}]
    for slot in slots:
        if slot.kind not in _PERSONS:
            continue
        kind = "age" if slot.kind == "sex_age" else slot.kind
        if kind in found[-1] or (kind == "person" and found[-1]):
            found.append({})
        found[-1][kind] = slot.korean
    return [" ".join(one[kind] for kind in ("person", "age", "gender") if kind in one) for one in found]


def _first(slots: Sequence[Slot], kind: SlotKind) -> str:
    return next((slot.korean for slot in slots if slot.kind == kind), "")


def _loosened(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """The pattern with any term where it names none, and the end of a word beside what was taken for its kind, too."""
    return re.compile(pattern.pattern.replace(_TERM, _ANY_TERM).replace(r"\b", _EDGE))


def _with_terms(rule: Rule) -> Rule:
    return rule.model_copy(
        update={"says": _loosened(rule.says), "unless": _loosened(rule.unless) if rule.unless else None}
    )

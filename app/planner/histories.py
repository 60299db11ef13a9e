"""The history of illness that a health check is asked with: what was told now, in an answer, or earlier in the talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.insurance.since import times_in
from app.insurance.told import is_denied
from app.language.conditions import is_said_not
from app.language.mentions import MedicalMention
from app.language.references import is_negated
from app.planner.follow_up import asks, mention_kinds
from app.planner.subjects import subject
from app.planner.view import View

_OF_AGE = 19  # 세
_OF_TREATMENT = frozenset({"benefits", "claims", "coverages", "durations", "dates", "counts"})
_LEAST, _LONGEST = 2, 40


def told(view: View) -> str | None:
    """Illnesses and treatments in the words of the talk, with commas between; None when none was told."""
    own = view.words.histories
    phrases = list(dict.fromkeys(m.phrase or m.term for m in view.entities.medical if not _said_not(view, m)))
    known = ", ".join(_at_the_time_said((view.facts.history or "").split(", "), view))
    if phrases and all(map(own.check_up.fullmatch, phrases)) and own.something.search(view.said.text):
        # 건강검진에서 뭐가 좀 나왔대요: what it was is not said
        return None if own.check_up.fullmatch(known) else known or None
    if phrases and all(phrase in known for phrase in phrases):
        return known  # what the person told earlier counts too
    said_not = any(_said_not(view, m) and not is_negated(view.said.text, m.end) for m in view.said.medical)
    if not phrases and (said_not or view.said.well or view.words.health.healthy.search(view.said.text)):
        return known or "아픈 데 없음"
    before = (view.facts.last_args or {}).get("history")
    of_health = view.declared.requires(view.facts.last_tool, "history")
    if phrases and before and own.adds.search(view.said.text) and of_health:
        phrases = list(dict.fromkeys([*str(before).split(", "), *phrases]))  # 당뇨도 있는데: beside what was said
    if phrases:
        return ", ".join(phrases)
    if ill := [m for m in view.said.conditions if not m.of_work]:
        return ", ".join(m.gist for m in ill)  # told in no words of an illness: 이가 열 개 남았는데
    unnamed = _told_unnamed(view)
    if unnamed and not any(word in known for word in unnamed.split()):
        return unnamed  # news of this person, not what was told before
    return known or _told_in_answer(view)


def _at_the_time_said(clauses: Sequence[str], view: View) -> list[str]:
    """What was told, at another time where the message says that it was then (작년이 아니라 4년 전이었어요)."""
    times = [*(f"{m.text} 전" for m in view.said.durations if m.role == "ago" and not m.negated)]
    times += [f"{m.text}에" for m in view.said.dates if not m.negated]
    if not view.said.is_correction or len(times) != 1:
        return list(clauses)
    taken_back = [m.text for m in (*view.said.dates, *view.said.durations) if m.negated]
    timed = [clause for clause in clauses if times_in(clause)]
    meant = [clause for clause in timed if any(text in clause for text in taken_back)] or timed[-1:]
    return [_at(clause, times[0]) if clause in meant else clause for clause in clauses]


def _at(clause: str, time: str) -> str:
    first, last = times_in(clause)[0], times_in(clause)[-1]
    return f"{clause[: first.start]}{time} {clause[last.end :].removeprefix('에').strip()}"


def _said_not(view: View, mention: MedicalMention) -> bool:
    return (view.said.well and mention.text in {m.text for m in view.said.medical}) or is_said_not(view.said, mention)


def conditions(view: View) -> list[str] | None:
    """What the message tells of the person to insure; what they told earlier where it tells of no illness or work."""
    told = [m.told for m in view.said.conditions]
    before = view.kept("conditions") or ()
    if not told and before and not any(word in clause for clause in before for word in view.said.denied):
        return _at_the_time_said(before, view)
    if not told and not view.said.medical and not view.said.jobs:
        told = [part for part in (view.facts.history or "").split(", ") if part]
        told += [view.facts.job] if view.facts.job else []
    return list(dict.fromkeys(told)) or None


def _told_in_answer(view: View) -> str | None:
    """도수치료요, asked for what was treated: words that name no illness tell it too, where nothing is asked."""
    own = view.words.histories
    if "history" not in view.facts.asked or asks(view.said.text) or not set(mention_kinds(view.said)) <= _OF_TREATMENT:
        return None
    answer = replace(view, question=own.lead_in.sub("", view.said.text), entities=view.said)
    words = subject(answer, "event")
    return words if words and _LEAST <= len(words) <= _LONGEST and not own.untold.search(words) else None


def _told_unnamed(view: View) -> str | None:
    """시티에서 결절 보인다 캤는데: what was found, where no illness is named, in the words that tell it."""
    told = (
        view.words.histories.found.search(view.without_products())
        if view.declared.requires(view.tool, "history")
        else None
    )
    words = told["words"].strip() if told and not is_denied(view.without_products(), told.end("words")) else ""
    return words if _LEAST < len(words) <= _LONGEST else None


def minor(view: View) -> str | None:
    """That somebody under age is to be insured, where the talk is of one."""
    ages = [person.age for person in view.facts.everyone() if person.age is not None]
    return view.words.arguments.minor if any(age < _OF_AGE for age in ages) else None

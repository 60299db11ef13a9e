"""What happened, where no cover is named for it: days in hospital, a death, what an accident makes of a treatment."""

from __future__ import annotations

from typing import Any

from app.insurance.events import accident_in
from app.planner.view import View


def of_its_own(view: View) -> Any:
    """약값도 나와요, 자살은요: what is named by a word that no cover or illness has, and what ends the cover."""
    words = view.words.covers
    if found := words.circumstance.search(view.said.text):
        return found.group()
    cost = None if view.case else words.cost.search(view.said.text)
    return cost["of"] + cost["kind"] if cost else None


def died(view: View) -> bool:
    """심근경색으로 죽었어요: the death is what is paid for, not the illness that led to it."""
    words, said = view.words.covers, view.said
    dead = [m for m in said.claims if m.claim_type == words.dead and not m.negated]
    ill = [m.start + len(m.text) for m in said.medical if not m.negated]
    return bool(dead) and not said.riders and any(words.led_to.match(said.text, end) for end in ill)


def of_the_cause(view: View, name: Any) -> Any:
    """넘어져서 크라운을 했어요: what is paid for that treatment where an accident brought it about."""
    accidental = accident_in(view.said.text) is not None or view.cause in view.words.covers.accident
    treated = next((n for n in view.words.covers.accident_pays if accidental and n in str(name)), None)
    return view.words.covers.accident_pays[treated] if treated else name


def caused(view: View, name: Any) -> Any:
    """사고로 죽으면, 교통사고로 수술하면: what is paid with the accident that brought it about."""
    accident = accident_in(view.said.text)
    if accident is None or name is None or accident in str(name):
        return name
    term = next((m.term for m in view.said.medical if m.code is None and accident in m.term), accident)
    return f"{term} {name}"


def after_accident(view: View, treated: Any) -> str | None:
    """수술도 했어요, of whoever told of an accident before: the treatment with what brought it about."""
    known = view.words.covers.accident.get(view.cause)
    return f"{known} {treated}" if known and not view.said.medical else None


def stay(view: View) -> str | None:
    """5일 있었어요, behind what is paid for an operation: days by themselves are those in hospital."""
    words, said = view.words, view.said
    if not (view.after("pays") or view.declared.takes(view.facts.last_tool, "event")):
        return None
    if set(said.all()) - {*said.durations, *said.references}:
        return None
    lengths = [m for m in view.said.durations if m.days and m.role != "ago" and not m.negated]
    since = any(words.contract_dates.joined.search(view.said.text[: m.start]) for m in lengths)
    return words.covers.stay if lengths and not since else None

"""Which job a question is about: one of the table, the words said to be one, or the answer to the question for it."""

from __future__ import annotations

from typing import Any

from app.language.mentions import Entities, JobMention
from app.planner.cues import meant_words
from app.planner.follow_up import asks
from app.planner.subjects import names, subject
from app.planner.view import View
from app.planner.words import PlannerWords

_PLACE_WORDS = 2


def job(view: View) -> Any:
    """A job of the table; failing that the words said to be one (배달 오토바이 기사인데 …)."""
    own = view.words.occupations
    if own.about_work.search(view.said.text) and not view.entities.jobs:
        return view.facts.job or None
    mentions = current(view.words, view.entities)
    driven = _driven(view)
    if known := [m.job for m in mentions if m.known]:
        # 25톤 화물차 모는 기사: the vehicle says more than 기사 does.
        return f"{driven} {known[-1]}" if driven and driven not in known[-1] else known[-1]
    if driven:
        return driven
    if turned := own.turns_into.search(view.said.text):
        return turned["job"]
    if "job" in view.facts.asked and (answered := own.job_alone.match(view.said.text)) and not mentions:
        return answered["job"]
    if worked := _worked(view.words, view.without_products()):
        return worked
    guessed = [m.job for m in mentions if names(view.words, m.job, "job")]
    if guessed:
        return guessed[-1]
    told = own.said_to_be.match(meant_words(view.question))
    said = told["job"].strip() if told and told["job"].strip() not in own.no_jobs else None
    beside = bool(own.beside_work.search(view.said.text))
    if said and names(view.words, said, "job") and not beside:
        return said
    # 도금 작업, after another job: a new one that is only named.
    if view.same_tool and not (beside or asks(view.said.text)) and (fresh := subject(view, "job")):
        return fresh
    before = view.facts.job if view.facts.job and names(view.words, view.facts.job, "job") else None
    # Where every job that was said is another's or of the past, the words around it name none either.
    return before or view.kept("job") or (None if beside or view.entities.jobs else subject(view, "job"))


def _worked(words: PlannerWords, text: str) -> str | None:
    """The last words before a verb of working that name a place or a trade."""
    found = words.occupations.works.search(text)
    kept: list[str] = []
    for word in reversed(found["place"].split() if found else []):
        if words.occupations.no_place.fullmatch(word) or len(kept) == _PLACE_WORDS:
            break
        kept.insert(0, word)
    return " ".join(kept) if len("".join(kept)) > 1 and names(words, " ".join(kept), "job") else None


def current(words: PlannerWords, entities: Entities) -> list[JobMention]:
    """The jobs said that are still done, by the one spoken of."""
    return [m for m in entities.jobs if not (m.negated or _not_now(words, m, entities.text))]


def _not_now(words: PlannerWords, mention: JobMention, text: str) -> bool:
    """A job that was left, or another's where one's own is asked for: 남편은 공무원인데 제가 하는 일은요."""
    before, after = text[max(0, mention.start - 8) : mention.start], text[mention.end :]
    return bool(
        words.occupations.left.match(after)
        or (words.occupations.anothers.search(before) and words.occupations.own_work.search(after))
    )


def _driven(view: View) -> str | None:
    """What somebody is said to drive, in the part of the message asked about or beside it."""
    words = view.words.occupations
    for text in (view.question, view.said.text):
        found = words.drives.search(text)
        if found and found["job"] not in words.not_driven and names(view.words, found["job"], "job"):
            return found["job"]
    return None

"""What was told and is said again to be confirmed (그러니까 된다는 거죠, 확실해요?): yes or no, and the sentence that
says so."""

from __future__ import annotations

from app.answering.repeating import NOTICE, first_sentence, fitting_lines, fitting_sentences
from app.language.mentions import Entities
from app.messages import worded
from app.planner.follow_up import mention_kinds
from app.planner.moves import Say
from app.planner.words import PlannerWords

_POINTS_BACK = frozenset({"references", "categories"})


def confirmed(words: PlannerWords, said: Entities, before: str | None) -> Say | None:
    """The answer from what was said last (`before`); None where a message asks for no confirmation, or names what was
    not told."""
    own, asked = words.confirming, said.text
    surely = own.surely.search(asked)
    if before is None or not (surely or own.said_again.search(asked)):
        return None
    kinds = set(mention_kinds(said)) - _POINTS_BACK
    if any(mention.text not in before for kind in kinds for mention in getattr(said, kind)):
        return None
    told = _line(own.front.sub("", before), asked)
    refuses = bool(own.negative.search(told))
    if not (surely or refuses or own.positive.search(told)):
        return None
    agrees = surely or bool(own.negative.search(asked)) == refuses
    text = worded("planner.confirmed", told=told) if agrees else worded("planner.denied", told=told)
    return Say(text, grounds=(text,))


def _line(before: str, asked: str) -> str:
    """The line or sentence of an answer that tells what is asked about, else the one that it begins with."""
    lines = fitting_lines(before, asked)
    if lines:
        return "\n".join(lines)
    plain = before.split(NOTICE)[0]
    return next(iter(fitting_sentences(plain, asked)), None) or first_sentence(plain)

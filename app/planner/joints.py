"""Where a message may ask for two things: places to cut it, to be judged by what each half asks for."""

from __future__ import annotations

from collections.abc import Callable

from app.planner.follow_up import asks
from app.planner.wants import asking
from app.planner.words import PlannerWords

_STORY = 40
_REQUEST = 8
_LEAST = 4
_MOST = 3


def closing_request(words: PlannerWords, text: str) -> str | None:
    """The last sentence of a story, where it stands by itself: … 집이 휘청하거든요 종신보험 보험료 좀 뽑아주세요."""
    if len(text) < _STORY:
        return None
    *_, end = (
        0,
        *(match.end() for match in words.joints.sentence_end.finditer(text) if len(text) - match.end() >= _REQUEST),
    )
    last = text[end:].strip()
    return last if end and asks(last) and not words.joints.points_back.search(last) else None


def halves(words: PlannerWords, text: str, names: Callable[[str], bool]) -> list[tuple[str, str]]:
    """The ways to cut `text` in two requests, likeliest first; none where it asks one question about two things.

    `names` tells whether words end with what a request is about (a product, a cover, a person): two of those are
    joined for one request.
    """
    own = words.joints
    if own.one_question.search(text):
        return []
    cuts: list[tuple[str, str]] = []
    for match in (*own.after_request.finditer(text), *own.after_thing.finditer(text)):
        if match.lastgroup == "please":
            first = f"{text[: match.end('please')].rstrip('시주 ')} 주세요"
        else:
            first = text[: match.end("end")]
            if match.re is own.after_thing and names(first):
                continue
        second = text[match.end() :].strip()
        if len(first) >= _LEAST and len(second) >= _LEAST and not own.bare_request.fullmatch(second):
            cuts.append((asking(first), asking(second)))
    return cuts[:_MOST]

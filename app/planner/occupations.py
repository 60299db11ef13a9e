"""Which job a question is about: one of the table, the words said to be one, or the answer to the question for it."""

from __future__ import annotations

import re
from typing import Any

from app.planner.cues import meant_words
from app.planner.subjects import subject
from app.planner.view import View

_SAID_TO_BE = re.compile(
    r"^(?:저는|제가|남편이|아내가|아들이|딸이|직업이)?\s?(?P<job>[가-힣A-Za-z ]{2,14}?)"
    r"\s?(?:인데|이에요|예요|입니다|이고|일을? ?하|은요|는요|은\?|는\?)"
)
_NO_JOBS = frozenset(
    {"위험한", "힘든", "그런", "이런", "무슨", "그럼", "이 직업", "이거", "그거", "그 직업", "위험등급", "등급", "직업"}
)
_JOB_ALONE = re.compile(r"^(?P<job>[가-힣A-Za-z ]{2,16}?)(?:이에요|예요|입니다|이요|요|임)?[\s.!~]*$")


def job(view: View) -> Any:
    """A job of the table; failing that the words said to be one (배달 오토바이 기사인데 …)."""
    named = view.first("jobs", "job")
    if not named and "job" in view.facts.asked and (answered := _JOB_ALONE.match(view.said.text)):
        return answered["job"]
    told = _SAID_TO_BE.match(meant_words(view.question))
    said = told["job"].strip() if told and told["job"].strip() not in _NO_JOBS else None
    return named or said or view.facts.job or view.kept("job") or subject(view, "job")

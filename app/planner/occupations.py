"""Which job a question is about: one of the table, the words said to be one, or the answer to the question for it."""

from __future__ import annotations

import re
from typing import Any

from app.language.mentions import Entities, JobMention
from app.planner.cues import meant_words
from app.planner.follow_up import asks
from app.planner.subjects import names, subject
from app.planner.view import View

_SAID_TO_BE = re.compile(
    r"^(?:저는|제가|나는|남편이|아내가|아들이|딸이|직업이|직업은"
    r"|이\s?고객(?:님)?(?:은|이)?)?\s?(?P<job>[가-힣A-Za-z ]{2,14}?)"
    r"\s?(?:인데|이에요|예요|입니다|이고|일을? ?하(?!다)|은요|는요|은\?|는\?)"
)
# 지게차 몰아요, 화물차 모시는데, 이런 차 운전해요: what somebody drives for a living is their work.
_DRIVES = re.compile(
    r"(?P<job>[가-힣]{2,8}?)(?:을|를)?\s?(?:몰아|몰고|몬다|몹니|모는|모세|모시|모십|운전하|운전해|운전일)"
)
# 화물차로 직업 바뀔 예정이래: what the work turns into.
_TURNS_INTO = re.compile(
    r"(?P<job>[가-힣A-Za-z]{2,10}?)(?:으로|로)\s?(?:직업|직종|업종|하는\s?일)(?:이|을|도)?\s?(?:바[뀌뀔꾸꿔꿀]|옮|변경)"
)
# 식당 주방에서 일합니다, 배민 뛰는데, 유리공장 다니시잖아: where or as what somebody works.
_WORKS = re.compile(
    r"(?P<place>[가-힣A-Za-z0-9 ]{2,40}?)(?:에서|에|을|를)?\s?"
    r"(?:일(?:을\s?)?(?:하(?!다가?\s)|해|합|한다|함)|근무|다니(?!다가?\s)|다녀|뛰(?:는|고|어|면|신|시)|뛴|운영)"
)
_NO_PLACE = re.compile(
    r".*(?:서|고|데|은|는|이|가|요|도|께서|만|인데|지금|요즘|주로|원래|계속|부터|전|같이|병원|학교|회사)"
)
# 하는 일이 특이해서 나올지 모르겠네요: of a job, but which is not said.
_ABOUT_WORK = re.compile(
    r"(?:하는|제|내)\s?일(?:이|은|도)?\s.{0,12}(?:특이|특수|애매|독특|설명|모르|좀\s?그)|(?:험한|거친|힘든|힘쓰는|위험한|특이한)\s?일"
)
# 나이는 마흔일곱이고 20년 한 일이에요: what is told beside the work is no work.
_BESIDE_WORK = re.compile(r"나이|연세|경력|년차|성별")
_NO_JOBS = frozenset(
    {"위험한", "힘든", "그런", "이런", "무슨", "그럼", "이 직업", "이거", "그거", "그 직업", "위험등급", "등급", "직업"}
)
_PLACE_WORDS = 2
_JOB_ALONE = re.compile(r"^(?P<job>[가-힣A-Za-z0-9 ]{2,16}?)(?:이에요|예요|입니다|이요|요|임)?[\s.!~]*$")
_LEFT = re.compile(
    r"[^.?!,]{0,12}?(?:준비하?다|관[두뒀]|그만[두뒀]|때려치|퇴직|은퇴|였는데|이었|였다가|하다가|(?:일하|다니)다가?\s|^다가?\s)"
)
_ANOTHERS = re.compile(
    r"(?:남편|아내|와이프|신랑|아들|딸|동생|형|오빠|누나|언니|아버지|어머니|아빠|엄마|친구)(?:은|는|이|가)?\s?$"
)
_OWN_WORK = re.compile(r"(?:제가|내가|저는|나는|제)\s?(?:하는\s?)?(?:일|직업|직종)")
_NOT_DRIVEN = frozenset({"부모님", "어머님", "아버님", "할머니", "부모", "엄마", "아빠", "제가", "저는"})


def job(view: View) -> Any:
    """A job of the table; failing that the words said to be one (배달 오토바이 기사인데 …)."""
    if _ABOUT_WORK.search(view.said.text) and not view.entities.jobs:
        return view.facts.job or None
    mentions = current(view.entities)
    driven = _driven(view)
    if known := [m.job for m in mentions if m.known]:
        # 25톤 화물차 모는 기사: the vehicle says more than 기사 does.
        return f"{driven} {known[-1]}" if driven and driven not in known[-1] else known[-1]
    if driven:
        return driven
    if turned := _TURNS_INTO.search(view.said.text):
        return turned["job"]
    if "job" in view.facts.asked and (answered := _JOB_ALONE.match(view.said.text)) and not mentions:
        return answered["job"]
    if worked := _worked(view.without_products()):
        return worked
    guessed = [m.job for m in mentions if names(m.job, "job")]
    if guessed:
        return guessed[-1]
    told = _SAID_TO_BE.match(meant_words(view.question))
    said = told["job"].strip() if told and told["job"].strip() not in _NO_JOBS else None
    beside = bool(_BESIDE_WORK.search(view.said.text))
    if said and names(said, "job") and not beside:
        return said
    # 도금 작업, after another job: a new one that is only named.
    if view.same_tool and not (beside or asks(view.said.text)) and (fresh := subject(view, "job")):
        return fresh
    before = view.facts.job if view.facts.job and names(view.facts.job, "job") else None
    # Where every job that was said is another's or of the past, the words around it name none either.
    return before or view.kept("job") or (None if beside or view.entities.jobs else subject(view, "job"))


def _worked(text: str) -> str | None:
    """The last words before a verb of working that name a place or a trade."""
    found = _WORKS.search(text)
    words: list[str] = []
    for word in reversed(found["place"].split() if found else []):
        if _NO_PLACE.fullmatch(word) or len(words) == _PLACE_WORDS:
            break
        words.insert(0, word)
    return " ".join(words) if len("".join(words)) > 1 and names(" ".join(words), "job") else None


def current(entities: Entities) -> list[JobMention]:
    """The jobs said that are still done, by the one spoken of."""
    return [m for m in entities.jobs if not (m.negated or _not_now(m, entities.text))]


def _not_now(mention: JobMention, text: str) -> bool:
    """A job that was left, or another's where one's own is asked for: 남편은 공무원인데 제가 하는 일은요."""
    before, after = text[max(0, mention.start - 8) : mention.start], text[mention.end :]
    return bool(_LEFT.match(after) or (_ANOTHERS.search(before) and _OWN_WORK.search(after)))


def _driven(view: View) -> str | None:
    """What somebody is said to drive, in the part of the message asked about or beside it."""
    for text in (view.question, view.said.text):
        found = _DRIVES.search(text)
        if found and found["job"] not in _NOT_DRIVEN and names(found["job"], "job"):
            return found["job"]
    return None

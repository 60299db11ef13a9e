"""Several questions in one sentence: '면책기간하고 보험료 좀요' asks for both."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.planner.wants import asking, parts_wanted
from app.toolbox.declared import Declarations

# Words that a question can be about as a whole; one of the two joined must be among them.
_TOPIC = (
    r"(?:보험료|면책 ?기간|면책|감액 ?기간|감액|특약|보장 ?내용|보장|해약 ?환급금|환급금|가입 ?나이|나이 ?제한"
    r"|필요 ?서류|서류|갱신|납입 ?주기|판매 ?채널|가입 ?금액|한도)"
)
_GLUE = r"(?P<glue>하고|하구|이랑|랑|이하고|과|와|,| 및| 그리고)"
_JOINED = re.compile(rf"(?P<left>{_TOPIC}|[가-힣]{{2,6}}){_GLUE}\s?(?P<right>[가-힣]{{2,8}})")
_APART = re.compile(
    rf"(?P<left>{_TOPIC})(?:하고|하구|이랑|랑|과|와)\s(?P<middle>[^?.!]{{2,24}}?)(?P<right>{_TOPIC})"
    r"(?P<both>\s?(?:둘|두\s?개|두\s?가지)\s?다)?"
)
_LEAST = 5
_SETS_SCENE = re.compile(
    r"(?:맞(?:죠|지요?)|네요|(?<=[없있])지(?:요)?|더라고요?|잖아요?|거든요?"
    r"|(?:하는|보는|검토|상담|심사|확인) ?중(?:입니다|이에요|임|인데요?)?"
    r"|(?<![가-힣])(?:건|콜)(?:입니다|이에요|임)?|말이 ?(?:돼|되)나?요?"
    # 65여. as staff write who it is for
    r"|^\s*(?:만\s?)?\d{1,3}\s?(?:세|살)?\s?[/,]?\s?[남여](?:자|성)?)[.?!~ㅠㅜㅎㅋ ]*$"
)
_IS_TOPIC = re.compile(rf"{_TOPIC}$")
_STARTS_TOPIC = re.compile(_TOPIC)


# '보험료는 얼마고 면책은 며칠이에요', '서류는 뭐가 필요하고 돈은 언제 들어와요': two questions in one breath.
_ASKING = r"(?:얼마|며칠|몇 ?\S{1,2}|언제|어디|뭐|무엇|어떻게|어떤)"
_ASKED_AND = re.compile(
    rf"^(?P<first>.*{_ASKING}[가-힣 ]{{0,8}}?)(?<![라다냐자])(?:이?고|하고|[인는]지(?:랑|하고|도)?|이?며),?\s"
    rf"(?P<second>.*(?:{_ASKING}|있|되|돼|가능|알려).*)$"
)


# 간편건강 세 가지만요 1)가입나이 2)납입주기
_SO_MANY = re.compile(r"(?:딱|다음|아래)?\s?(?:두|세|네|다섯|[2-5])\s?(?:가지|개|건)[가-힣 :,.]*$")
_NUMBERED = re.compile(r"(?:^|\s)(?P<n>[1-9])\s?[).]\s?(?=[^\d\s])")


def _numbered(text: str) -> tuple[str, ...]:
    """The items of a list counted from 1, each behind what stands in front of the list."""
    marks = list(_NUMBERED.finditer(text))
    if len(marks) < 2 or [int(mark["n"]) for mark in marks] != list(range(1, len(marks) + 1)):
        return ()
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    front = _SO_MANY.sub("", text[: marks[0].start()]).strip()
    items = (text[mark.end() : end].strip(" ,.") for mark, end in zip(marks, ends, strict=True))
    return tuple(asking(f"{front} {item}".strip()) for item in items if item)


def joined_questions(text: str, declared: Declarations) -> tuple[str, ...]:
    """The sentence once for each of the joined things or questions; empty when it joins none."""
    if items := _numbered(text):
        return items
    if parts := parts_wanted(text, declared):
        return parts
    if (both := _ASKED_AND.match(text)) and len(both["second"]) > _LEAST:
        return (f"{both['first']}요?", both["second"])
    for match in _JOINED.finditer(text):
        left, right = match["left"], match["right"]
        if _IS_TOPIC.search(left) or _STARTS_TOPIC.match(right):
            first = text[: match.end("left")] + text[match.end("right") :]
            second = text[: match.start("left")] + text[match.start("right") :]
            return (first, second)
    if apart := _APART.search(text):
        # 면책기간이랑 만 50세 남자 보험료 둘 다: what stands between belongs to the second.
        before, after = text[: apart.start()], text[apart.end() :]
        return (f"{before}{apart['left']}{after}", f"{before}{apart['middle']}{apart['right']}{after}")
    return ()


# P000001 건 접수 부탁드려요, behind what is to be registered.
_GO_AHEAD = re.compile(
    r"^\s*(?:계약\s?(?:번호)?(?:는|은)?\s?)?(?:P\d{6}\s?)?(?:이고|이에요|건|계약)?(?:으?로|은|는)?\s?(?:바로\s?|지금\s?)?"
    r"(?:접수|처리|진행)\s?(?:좀\s?)?(?:부탁|해|바로)[가-힣 .!~]*$"
)


def asked_among(sentences: Sequence[str]) -> list[str]:
    """The sentences of a message without those before the last that only set the scene: what the speaker knows and has
    confirmed (V가 갱신 안 되는 거 맞지요?), wonders at (싸네요) or is at work on (청구 건 검토 중입니다)."""
    if len(sentences) > 1 and _GO_AHEAD.match(sentences[-1]):
        sentences = sentences[:-1]
    asked = [text for text in sentences[:-1] if not _SETS_SCENE.search(text)]
    return [*asked, *sentences[-1:]]

"""Where a message may ask for two things: places to cut it, to be judged by what each half asks for."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.planner.follow_up import asks
from app.planner.wants import asking

# 되는지랑, 얼마고, 알려 주시고: a request ends here and another may begin.
_AFTER_REQUEST = re.compile(
    r"(?P<end>[는은인건]지|[일될할을]지|(?:얼마|며칠(?!\s(?:안|이내|내|동안|만|뒤|후|전)))(?:예요|에요)?"
    r"|(?:언제|뭐|무엇|어디)(?:예요|에요|(?=이?랑|하고|도|이?고|,|까지)))"
    r"(?:이?랑|하고|도|고|이고|,|까지)?,?\s"
    r"|(?P<please>(?:해|알려|보여|뽑아|봐|찾아|띄우|돌려|가리)\s?(?:주시|주|드리)?)고,?\s"
)
# 특약 내용이랑, 최신 개정판 번호하고: a thing that is asked for ends here.
_AFTER_THING = re.compile(r"(?P<end>[가-힣A-Za-z0-9]{2,}?)(?:(?:이랑|랑|하고|과|와|,|\s및)\s|\s?\+\s?)")
_ONE_QUESTION = re.compile(r"어떻게\s?다|차이|비교|중(?:에|에서)\s|[\"“”'‘’「」]")
# … 되는지 알려 주세요: the rest of one request.
_BARE_REQUEST = re.compile(
    r"(?:좀|한번|다|꼭)?\s?(?:(?:알려|보여|찾아|말해|말씀해|가르쳐|설명해|확인해|안내해|봐|해)\s?(?:주|줘|줄|드)[가-힣]*|"
    r"궁금[가-힣]*|알고\s?싶[가-힣]*)(?:\s(?:있나요|있을까요|되나요|바랍니다))?[.?!~ ]*"
)
# A sentence of a story ends here, with or without its full stop.
_SENTENCE_END = re.compile(
    r"[.?!~]+\s+|(?<=요)\s|(?<=니다)\s|(?<=[가-힣]{2}죠)\s|(?<=는데)\s|(?<=인데)\s|(?<=거든)\s|(?<=[었았했])어\s"
)
# What points back to the story is no request by itself.
_POINTS_BACK = re.compile(
    r"(?:이|그|요)\s?(?:거|것|게|걸|건|런|번|때|일|병|돈|경우|정도|나이|상태|약|수술|치료|사고|사람|분)(?![가-힣]{3})|이래도|그래도|이렇|그렇|여기"
)
_STORY = 40
_REQUEST = 8
_LEAST = 4
_MOST = 3


def closing_request(text: str) -> str | None:
    """The last sentence of a story, where it stands by itself: … 집이 휘청하거든요 종신보험 보험료 좀 뽑아주세요."""
    if len(text) < _STORY:
        return None
    *_, end = (0, *(match.end() for match in _SENTENCE_END.finditer(text) if len(text) - match.end() >= _REQUEST))
    last = text[end:].strip()
    return last if end and asks(last) and not _POINTS_BACK.search(last) else None


def halves(text: str, names: Callable[[str], bool]) -> list[tuple[str, str]]:
    """The ways to cut `text` in two requests, likeliest first; none where it asks one question about two things.

    `names` tells whether words end with what a request is about (a product, a cover, a person): two of those are
    joined for one request.
    """
    if _ONE_QUESTION.search(text):
        return []
    cuts: list[tuple[str, str]] = []
    for match in (*_AFTER_REQUEST.finditer(text), *_AFTER_THING.finditer(text)):
        if match.lastgroup == "please":
            first = f"{text[: match.end('please')].rstrip('시주 ')} 주세요"
        else:
            first = text[: match.end("end")]
            if match.re is _AFTER_THING and names(first):
                continue
        second = text[match.end() :].strip()
        if len(first) >= _LEAST and len(second) >= _LEAST and not _BARE_REQUEST.fullmatch(second):
            cuts.append((asking(first), asking(second)))
    return cuts[:_MOST]

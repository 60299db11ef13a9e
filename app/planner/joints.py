"""Where a message may ask for two things: places to cut it, to be judged by what each half asks for."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.planner.wants import asking

# 되는지랑, 얼마고, 알려 주시고: a request ends here and another may begin.
_AFTER_REQUEST = re.compile(
    r"(?P<end>[는은인건]지|[일될할을]지|(?:얼마|며칠|언제|뭐|무엇|어디)(?:예요|에요)?)(?:이?랑|하고|도|고|이고|,|까지)?,?\s"
    r"|(?P<please>(?:해|알려|보여|뽑아|봐|찾아|띄우|돌려|가리)\s?(?:주시|주|드리)?)고,?\s"
)
# 특약 내용이랑, 최신 개정판 번호하고: a thing that is asked for ends here.
_AFTER_THING = re.compile(r"(?P<end>[가-힣A-Za-z0-9]{2,})(?:이랑|랑|하고|과|와|,|\s및)\s")
_ONE_QUESTION = re.compile(r"어떻게\s?다|차이|비교|중(?:에|에서)\s|[\"“”'‘’「」]")
_LEAST = 4
_MOST = 3


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
        if len(first) >= _LEAST and len(second) >= _LEAST:
            cuts.append((asking(first), asking(second)))
    return cuts[:_MOST]

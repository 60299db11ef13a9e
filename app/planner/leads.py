"""Yes or no first: what stands in front of an answer to a question that asks for it (비갱신형 암보험 있어요? 네, …)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.language.formatting import josa
from app.language.mentions import Entities
from app.planner.moves import Done

_ASKS_WHETHER = re.compile(
    r"(있(?:어|나|을까|는지|음|습니까|죠|지|는가|니)|없(?:어|나|을까|는지|음|죠|지)|되(?:나|는지|죠|지|려나)|돼(?:요|나)?|될까"
    r"|가능(?:해|한|할까|하)|들 ?수|들어 ?갈|맞(?:아|나|죠|지)|팔(?:아|죠)|파나요|하나요|해요|걸리|걸려|나요|까요|죠)"
    r"[가-힣]{0,3}\s*[?？~.!ㅠㅜㅋ]*\s*$"
)
_OPEN = re.compile(
    r"얼마|언제|어디|어떤|어떻게|무엇|뭐|뭔|몇|왜|누가|누구|어느|무슨|며칠|종류|추천|얼마나|알려|보여|설명|비교|골라|찾아"
)
_NEGATIVE = re.compile(
    r"(안 ?(?:되|돼|될|팔)|못 ?(?:들|하|받)|없(?:죠|지|는 ?거|나|어|을)|불가|어렵|힘들)[가-힣]*\s*[?？~.!]*\s*$"
)
_VERDICTS: Mapping[str, str] = {"가입 가능": "yes", "가입 불가": "no"}


def lead(done: Sequence[Done], asked: str, entities: Entities) -> str:
    """The words to put in front: '네, ', '아니요, ', a whole sentence with a line break, or nothing.

    Only for answers whose first sentence states the verdict; a claim's outcome gets none: the review decides it.
    """
    good = [item for item in done if item.ok]
    if not good:
        return ""
    first = good[-1] if good[-1].tool == "product_search" else good[0]
    if entities.non_renewing and first.tool == "product_search" and len(good) == 1:
        return _non_renewing(first.data)
    if len({item.tool for item in good}) > 1 or len(good) > 1 or not _asks_whether(asked):
        return ""
    verdict = _verdict(first)
    if verdict is None:
        return ""
    agrees = verdict != bool(_NEGATIVE.search(asked))
    return "네, " if agrees else "아니요, "


def _asks_whether(asked: str) -> bool:
    return bool(_ASKS_WHETHER.search(asked)) and not _OPEN.search(asked)


def _verdict(item: Done) -> bool | None:
    """Whether the first sentence of the answer says yes; None when it says neither."""
    data = item.data
    if item.tool == "product_search":
        return bool(data.get("products"))
    if item.tool == "eligibility_by_product_rule":
        word = _VERDICTS.get(str(data.get("verdict")), "")
        return None if not word else word == "yes"
    if item.tool == "sales_channel_availability":
        return bool(data.get("available")) if data.get("asked") else None
    if item.tool == "affordability_check" and "refused" not in data:
        return bool(data.get("fits"))
    return None


def _non_renewing(data: Mapping[str, Any]) -> str:
    """Whether any of the products found keeps its premium, by name."""
    found = data.get("products") or ()
    fixed = [str(p["name"]) for p in found if p.get("renewal") == "비갱신형"]
    kind = str(data.get("kind_label") or "상품")
    if fixed and len(fixed) == len(found):
        return "네, 모두 비갱신형이에요. "
    if fixed:
        return f"네, 있어요. {josa(', '.join(fixed), '이/가')} 비갱신형이에요. "
    return f"아니요, 지금 판매하는 {kind} 가운데 비갱신형은 없어요. " if found else ""

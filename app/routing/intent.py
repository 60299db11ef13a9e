"""Does a question want to read, write or undo? Counted by keyword; the tables are annotation-aware-retrieval.txt's.

A question without any keyword is neutral, and then annotations have no say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["read", "write", "delete"]

ENGLISH: dict[Kind, tuple[str, ...]] = {
    "read": ("get", "list", "show", "read", "fetch", "search", "find", "view", "query", "lookup", "check"),
    "write": ("create", "add", "update", "modify", "edit", "set", "put", "post", "write", "save"),
    "delete": ("delete", "remove", "destroy", "drop", "purge", "erase", "cancel", "terminate"),
}
KOREAN: dict[Kind, tuple[str, ...]] = {
    "read": ("조회", "목록", "보기", "검색", "확인", "찾기"),
    "write": ("생성", "추가", "수정", "변경", "등록", "저장"),
    "delete": ("삭제", "제거", "취소", "해제", "폐기"),
}
# The words of this trade, beside the published tables. Longer forms only where a short one would also hit other words.
INSURANCE: dict[Kind, tuple[str, ...]] = {
    "read": ("찾아", "보여", "알려", "뽑아", "알아봐", "검토", "비교"),
    "write": ("바꾸", "바꿔", "바꿀", "바꾼", "고치", "고쳐", "접수", "신청", "기록해", "남겨", "적어", "정정"),
    "delete": (
        "해지",
        "해약",
        "철회",
        "깨고",
        "깨려",
        "깨버",
        "깰래",
        "깨줘",
        "깨 줘",
        "없애",
        "지워",
        "지우",
        "물리고",
        "무르",
        "무를",
    ),
}
_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class QueryIntent:
    """Shares of read, write and delete words; all zero when there is none."""

    read: float = 0.0
    write: float = 0.0
    delete: float = 0.0

    @property
    def neutral(self) -> bool:
        """No keyword at all."""
        return self.read == self.write == self.delete == 0.0


def classify_intent(text: str) -> QueryIntent:
    """Each keyword counts once; the shares add up to 1. English words match whole words, also inside snake_case."""
    lowered = text.lower()
    english = set(_LETTERS.findall(lowered))
    hits = {kind: _hits(kind, lowered, english) for kind in ENGLISH}
    total = sum(hits.values())
    if not total:
        return QueryIntent()
    return QueryIntent(hits["read"] / total, hits["write"] / total, hits["delete"] / total)


def _hits(kind: Kind, text: str, english: set[str]) -> int:
    words = sum(word in english for word in ENGLISH[kind])
    return words + sum(word in text for word in (*KOREAN[kind], *INSURANCE[kind]))

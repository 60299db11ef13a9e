"""Small numbers as people say them: 3, 세, 열두, 스무."""

from __future__ import annotations

_TENS = {"열": 10, "스물": 20, "스무": 20, "서른": 30}
_ONES = {
    "하나": 1, "한": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "석": 3, "넷": 4, "네": 4, "넉": 4, "다섯": 5, "여섯": 6,
    "일곱": 7, "여덟": 8, "여덜": 8, "아홉": 9,
}  # fmt: skip
_SINO = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "칠": 7, "팔": 8, "구": 9}
# 두세 개, 서너 번: the smaller of the two counts, so that nobody is refused for the larger.
_ABOUT = {"한두": 1, "두세": 2, "두어": 2, "서너": 3, "너댓": 4, "네댓": 4, "대여섯": 5, "예닐곱": 6, "일고여덟": 7}
_WORDS = "|".join(sorted({*_ONES, *_ABOUT, *_SINO}, key=len, reverse=True))
_TEN_WORDS = "|".join(sorted(_TENS, key=len, reverse=True))
_SINO_WORDS = "|".join(_SINO)
NUMBER = rf"(?:\d{{1,3}}|(?:{_TEN_WORDS})(?:{_WORDS})?|(?:{_SINO_WORDS})?십(?:{_SINO_WORDS})?|{_WORDS})"


def number(said: str) -> int | None:
    """'열두' → 12, '15' → 15, '이십' → 20, '서너' → 3; None for anything else."""
    if said.isdigit():
        return int(said)
    for tens, value in _TENS.items():
        if said.startswith(tens):
            return value + (_ONES.get(said.removeprefix(tens), 0))
    head, ten, tail = said.partition("십")
    if ten:
        return _SINO.get(head, 1) * 10 + _SINO.get(tail, 0)
    return _ABOUT.get(said) or _ONES.get(said) or _SINO.get(said)

"""What people who work at insurance type for short: 월P, 58남 P랑 인수, 심사 ㄱㄴ?, 나이 70→78."""

from __future__ import annotations

import re

# P and 월P are the premium, unless the letter belongs to a number or another word: P000001, VIP.
_PREMIUM = re.compile(r"(?:(?<=합)|(?<![A-Za-z0-9가-힣.])(?:월\s?)?)[Pp](?![A-Za-z0-9.%-])")
_POSSIBLE = re.compile(r"(?<![ㄱ-ㅎ])ㄱㄴ(?![ㄱ-ㅎ])")
# 70→78: the first is taken back.
_CHANGED = re.compile(r"(?<![\d.,])(?P<old>\d{1,3}(?:세|살|년)?)\s?(?:→|[-=]>)\s?(?=\d)")
# What was pasted to be checked or masked stays to the letter.
_PASTED = re.compile(r"[\n\"“”'‘’「」]|[:：].{16,}")


def spelled_out(text: str) -> str:
    """The message in whole words: 월P 보험료, ㄱㄴ 가능, 70→78 as 70 말고 78; one that holds a passage unchanged."""
    if _PASTED.search(text):
        return text
    return _CHANGED.sub(r"\g<old> 말고 ", _POSSIBLE.sub("가능", _PREMIUM.sub("보험료", text)))

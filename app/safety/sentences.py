"""Where sentences end, decided with at most one character of look-ahead, so that a stream and a whole text agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

# A line's end, or a full stop with its closing marks and a blank behind it.
_END = re.compile(r"[ \t]*\n|[.!?。…]+[)\]\"'”’」』*]*(?=\s)")
_LIST_MARK = re.compile(r"\s*[(]?(?:\d{1,2}|[가-하])[.)]")
# “6. 레진충전: the first mark of a list that is quoted
_QUOTED_MARK = re.compile(r"[“‘\"'][(]?\d{1,2}[.)]\Z")
_DIGIT_BEFORE = re.compile(r"[0-9０-９공영일이삼사오육칠팔구][-–.·_ )]*\Z")
_NEXT = re.compile(r"\S")
_NUMERIC = re.compile(r"[0-9０-９]")


def ends(text: str) -> Iterator[int]:
    """Positions after which a new sentence begins, for as much of the text as is decided yet.

    A stop behind a digit is no end while a digit may follow (010. 1234): the next visible character decides.
    """
    start = 0
    for match in _END.finditer(text):
        end = match.end()
        if match.group().strip() and _LIST_MARK.fullmatch(text, start, end):
            continue
        if _QUOTED_MARK.search(text, max(start, match.start() - 4), end):
            continue
        if _DIGIT_BEFORE.search(text, max(start, match.start() - 4), end):
            following = _NEXT.search(text, end)
            if following is None or _NUMERIC.match(following.group()):
                continue
        start = end
        yield end


@lru_cache(maxsize=64)  # each check of an answer asks for them
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences as (start, end), without the blanks around them; lines end sentences too."""
    cuts = [0, *ends(text), len(text)]
    found = []
    for start, end in pairwise(cuts):
        part = text[start:end]
        if part.strip():
            left = start + len(part) - len(part.lstrip())
            found.append((left, start + len(part.rstrip())))
    return tuple(found)


def sentence_around(text: str, position: int) -> tuple[int, int]:
    """The start and end of the sentence that holds `position`."""
    start = 0
    for end in ends(text):
        if position < end:
            return start, end
        start = end
    return start, len(text)

"""Edits a text at the one place that is meant, though the place is quoted imperfectly: nine passes, strictest first.

Each pass overlooks one more kind of difference: 1 none, 2 blanks around the quotation, 3 blanks at the ends of its
lines, 4 tabs for spaces, 5 kinds of line ends, 6 runs of blanks, 7 comments, 8 slips of the pen (by line), 9 all but
the words. The first pass that finds the place decides; one that finds several refuses. Whatever a pass overlooks, the
cut is made in the original text: what comes out is the original with exactly one span replaced.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from app.errors import Ambiguous, BadRequest, NotFound
from app.language.likeness import FuzzyLimit, alike_windows
from app.language.text_views import (
    View,
    collapsed,
    plain,
    tabs_as_spaces,
    unix_lines,
    visible,
    without_comments,
    without_line_edges,
)
from app.language.words import folded_words

Syntax = Literal["markdown", "yaml"]
Span = tuple[int, int]

PASSES = (
    "있는 그대로",
    "앞뒤 공백을 빼고",
    "줄 앞뒤 공백을 빼고",
    "탭과 공백을 같게 보고",
    "줄바꿈 방식을 같게 보고",
    "이어진 공백을 하나로 보고",
    "주석을 빼고",
    "비슷한 줄로",
    "낱말만으로",
)
_MOST_PLACES = 10
_SHOWN = 50
_INDENT = re.compile(r"[^\S\r\n]*")
_LINE = re.compile(r"(?<!\r)\n")


@dataclass(frozen=True)
class Edited:
    """The edited text; `text` is the original with `original[start:end]` replaced by `put`.

    `pass_number` is 1 to 9, `line` the line of the cut, counted from 1. `put` is the replacement fitted to the place:
    where blanks were overlooked, the place keeps its own around the cut, its indentation and its kind of line ends.
    """

    text: str
    start: int
    end: int
    put: str
    pass_number: int
    line: int


def replace_once(content: str, target: str, replacement: str, syntax: Syntax = "markdown") -> Edited:
    """Put `replacement` where `target` is meant.

    Raises BadRequest for an empty or unchanged target, NotFound when no pass finds it, Ambiguous when a pass finds it
    more than once; its `choices` are the lines.
    """
    if not target.strip():
        raise BadRequest("바꿀 대상(old_text)이 비어 있습니다. 파일에 있는 문장을 그대로 적어 주세요.")
    if target == replacement:
        raise BadRequest("바꿀 내용이 지금과 같습니다. new_text를 확인해 주세요.")
    for number, find in enumerate(_passes(syntax), 1):
        try:
            spans = find(content, target)
        except FuzzyLimit:
            continue  # too much to compare; the words may still tell
        if len(spans) > 1:
            raise _several(content, spans, number)
        if spans:
            start, end = spans[0]
            put = _fitted(content, target, replacement, start, end, number)
            text = content[:start] + put + content[end:]
            return Edited(text, start, end, put, number, line_of(content, start))
    shown = target.strip()[:_SHOWN]
    raise NotFound(f"편집할 곳을 찾을 수 없습니다: {shown!r}. knowledge_read로 지금 내용을 확인해 주세요.")


def line_of(text: str, place: int) -> int:
    """The line of a place, counted from 1."""
    return text.count("\n", 0, place) + 1


def _passes(syntax: Syntax) -> tuple[Callable[[str, str], list[Span]], ...]:
    def exact(content: str, target: str) -> list[Span]:
        return _in_view(plain(content), target)

    def trimmed(content: str, target: str) -> list[Span]:
        return _in_view(plain(content), target.strip())

    def through(view: Callable[[str], View]) -> Callable[[str, str], list[Span]]:
        return lambda content, target: _in_view(view(content), view(target).text.strip())

    return (
        exact,
        trimmed,
        through(without_line_edges),
        through(tabs_as_spaces),
        through(unix_lines),
        through(collapsed),
        through(lambda text: without_comments(text, syntax)),
        alike_windows,
        _by_words,
    )


def _in_view(view: View, target: str) -> list[Span]:
    """The original spans of every place of `target` in the view, overlapping ones too; at most _MOST_PLACES."""
    if not target:
        return []
    spans = ((view.start(place), view.end(place + len(target))) for place in _places(view.text, target))
    return list(dict.fromkeys(spans))


def _places(text: str, target: str) -> Iterator[int]:
    place = text.find(target)
    for _ in range(_MOST_PLACES):
        if place < 0:
            return
        yield place
        place = text.find(target, place + 1)


def _by_words(content: str, target: str) -> list[Span]:
    """Places where the same words stand in the same order, whatever stands between them."""
    view = visible(content)
    words, wanted = folded_words(view.text), folded_words(visible(target).text)
    if sum(len(word) for word, _, _ in wanted) < 2:
        return []
    row = "\n".join(("", *(word for word, _, _ in words), ""))
    sought = "\n".join(("", *(word for word, _, _ in wanted), ""))
    offsets, here = [], 0
    for word, _, _ in words:
        offsets.append(here)
        here += len(word) + 1
    found = [bisect_left(offsets, place) for place in _places(row, sought)]
    return [(view.start(words[at][1]), view.end(words[at + len(wanted) - 1][2])) for at in found]


def _several(content: str, spans: list[Span], number: int) -> Ambiguous:
    lines = [line_of(content, start) for start, _ in spans]
    told = ", ".join(str(line) for line in lines) + ("…" if len(lines) == _MOST_PLACES else "")
    return Ambiguous(
        f"{PASSES[number - 1]} 찾으니 {len(lines)}곳에 있습니다({told}번째 줄). "
        "한 곳만 가리키도록 앞뒤 문장을 더 넣어 주세요.",
        [str(line) for line in lines],
    )


def _fitted(content: str, target: str, replacement: str, start: int, end: int, number: int) -> str:
    """The replacement as it belongs there: without the edges that the cut leaves standing, indented like the place."""
    put = replacement
    if number > 1:
        core = folded_words(target) if number == len(PASSES) else None
        first, last = (core[0][1], core[-1][2]) if core else _core(target)
        put = _without_edges(put, target[:first], target[last:])
        put = _indented_like(put, target[first:last], content[start:end], target[:first], _before(content, start))
    if "\r\n" in content and not _LINE.search(content):
        put = _LINE.sub("\r\n", put)
    return put


def _core(text: str) -> Span:
    return len(text) - len(text.lstrip()), len(text.rstrip())


def _without_edges(put: str, lead: str, tail: str) -> str:
    """What stands before and after the cut stays there; the replacement need not bring it again."""
    if not lead.strip() and not put[: len(put) - len(put.lstrip())].strip():
        put = put.lstrip() if lead else put
    elif put.startswith(lead):
        put = put[len(lead) :]
    if not tail.strip():
        return put.rstrip() if tail else put
    return put.removesuffix(tail)


def _before(content: str, start: int) -> str:
    """The indentation of the line in which the cut begins, if only that stands before it."""
    head = content[content.rfind("\n", 0, start) + 1 : start]
    return head if not head.strip() else ""


def _indented_like(put: str, quoted: str, found: str, lead: str, before: str) -> str:
    """`put` with its further lines indented as the place is, where the quotation was indented differently."""
    mine, theirs = quoted.splitlines(), found.splitlines()
    if len(put.splitlines()) < 2:
        return put
    indents = {_last_line(lead): before}
    if len(mine) == len(theirs):
        indents |= {_indent(a): _indent(b) for a, b in zip(mine[1:], theirs[1:], strict=True) if a.strip()}
    if all(key == value for key, value in indents.items()):
        return put
    first, *rest = put.splitlines(keepends=True)
    return first + "".join(_shifted(line, indents) for line in rest)


def _shifted(line: str, indents: dict[str, str]) -> str:
    own = _indent(line)
    if not line.strip():
        return line
    known = max((key for key in indents if own.startswith(key)), key=len, default=None)
    return line if known is None else indents[known] + line[len(known) :]


def _indent(line: str) -> str:
    match = _INDENT.match(line)
    return match.group() if match else ""


def _last_line(text: str) -> str:
    line = text.rpartition("\n")[2]
    return line if not line.strip() else ""

"""Texts with some differences taken away, and the way back: every place in a view is a place in the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass

_SPACES = re.compile(r"[^\S\r\n]+")
_ANY_SPACE = re.compile(r"\s+")
_TAB = re.compile(r"\t")
_CARRIAGE = re.compile(r"\r\n?")
# Looked for up to the last end only: behind it every opening would be followed to the end of the text in vain.
_HTML_COMMENT = re.compile(r"<!--.*?-->", re.S)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_TAB_WIDTH = 4
# A YAML comment is a # at the start of a line or after a blank, outside quotes. A quote opens a scalar only where one
# may begin; an apostrophe inside a word is a letter.
_YAML_PART = re.compile(
    r"""(?P<quoted>(?:(?<=[\s\[{,:-])|(?<![^\n]))(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'))"""
    r"""|(?P<comment>(?:(?<=[\s])|(?<![^\n]))\#[^\n\r]*)"""
)


@dataclass(frozen=True)
class View:
    """A rewritten text. `pieces` are its parts in order: (place in the view, place in the text before, length in the
    view, length before, whether the part is unchanged)."""

    text: str
    pieces: tuple[tuple[int, int, int, int, bool], ...]
    before: View | None = None

    def start(self, place: int) -> int:
        """The original place where the character at `place` begins."""
        piece = self._piece(place)
        found = piece[1] + (place - piece[0] if piece[4] else 0)
        return found if self.before is None else self.before.start(found)

    def end(self, place: int) -> int:
        """The original place where the character before `place` ends."""
        piece = self._piece(place - 1)
        found = piece[1] + (place - piece[0] if piece[4] else piece[3])
        return found if self.before is None else self.before.end(found)

    def _piece(self, place: int) -> tuple[int, int, int, int, bool]:
        return self.pieces[bisect_right(self.pieces, place, key=lambda piece: piece[0]) - 1]


def rewritten(
    text: str,
    pattern: re.Pattern[str],
    put: Callable[[re.Match[str]], str | None],
    before: View | None = None,
    stop: int | None = None,
) -> View:
    """A view of `text` in which each match before `stop` is replaced by `put(match)`; None keeps it. One pass."""
    parts: list[str] = []
    pieces: list[tuple[int, int, int, int, bool]] = []
    here = done = 0

    def add(start: int, end: int, shown: str, same: bool) -> None:
        nonlocal here
        if shown:
            parts.append(shown)
            pieces.append((here, start, len(shown), end - start, same))
            here += len(shown)

    for match in pattern.finditer(text, 0, len(text) if stop is None else stop):
        shown = put(match)
        if shown is None or shown == match.group():
            continue
        add(done, match.start(), text[done : match.start()], True)
        add(match.start(), match.end(), shown, False)
        done = match.end()
    add(done, len(text), text[done:], True)
    return View("".join(parts), tuple(pieces), before)


def plain(text: str) -> View:
    """The text as it is."""
    return rewritten(text, re.compile(r"(?!)"), lambda _: None)


def without_line_edges(text: str) -> View:
    """Blanks at the start and the end of every line are gone; line ends stay."""

    def put(match: re.Match[str]) -> str | None:
        first = match.start() == 0 or text[match.start() - 1] in "\r\n"
        last = match.end() == len(text) or text[match.end()] in "\r\n"
        return "" if first or last else None

    return rewritten(text, _SPACES, put)


def tabs_as_spaces(text: str) -> View:
    """Every tab is four spaces."""
    return rewritten(text, _TAB, lambda _: " " * _TAB_WIDTH)


def unix_lines(text: str) -> View:
    """CRLF and a lone CR are LF."""
    return rewritten(text, _CARRIAGE, lambda _: "\n")


def collapsed(text: str, before: View | None = None) -> View:
    """Every run of blanks and line ends is one space."""
    return rewritten(text, _ANY_SPACE, lambda _: " ", before)


def without_comments(text: str, syntax: str) -> View:
    """Comments are gone (`yaml`: # …, `markdown`: <!-- … -->), and the blanks around them are one space."""
    if syntax == "yaml":
        bare = rewritten(text, _YAML_PART, lambda match: "" if match["comment"] is not None else None)
    else:
        bare = rewritten(text, _HTML_COMMENT, lambda _: "", stop=text.rfind("-->") + 3)
    return collapsed(bare.text, bare)


def visible(text: str) -> View:
    """Zero-width and direction marks are gone."""
    return rewritten(text, _INVISIBLE, lambda _: "")

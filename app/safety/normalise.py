"""Text in one comparable form, with a map back to where each character stood in the text as it was written.

`plain` undoes what is invisible or equivalent in writing (full width, zero width, decomposed Hangul). The stronger
undoing of disguises lives in `disguises.py`, because it may change what an honest text means.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Characters that show nothing: zero width, bidi controls, fillers, variation selectors, tag characters.
_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00"
    "-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e01ef"
)
_DROP = re.compile(f"[{_INVISIBLE}]+")
# ASCII, Hangul syllables and compatibility jamo stay as they are; jamo are composed only in a side view.
_CHANGING = re.compile(r"[^\x00-\x7f가-힣\u3131-\u318e]+")
_CLUSTER = re.compile(r".[\u0300-\u036f\u1160-\u11ff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]*", re.DOTALL)
_CONJOINING = re.compile(r"[\u1100-\u11ff]")
_UNUSUAL = re.compile(f"[{_INVISIBLE}\u1100-\u11ff]")
_ROUNDS = 4


@dataclass(frozen=True)
class View:
    """A changed text. Character i of `text` comes from the original characters `starts[i]` up to `ends[i]`."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where `text[start:end]` (not empty) stood in the original."""
        return self.starts[start], self.ends[end - 1]

    def without(self, pattern: re.Pattern[str]) -> View:
        """The same view with every match of `pattern` left out."""
        return self.replaced(pattern, lambda match: "")

    def replaced(self, pattern: re.Pattern[str], change: Callable[[re.Match[str]], str]) -> View:
        """The same view with every match changed; each new character stands for the whole match."""
        pieces: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        at = 0
        for match in pattern.finditer(self.text):
            begin, end = match.span()
            if begin == end:
                continue
            new = change(match)
            pieces += (self.text[at:begin], new)
            starts += self.starts[at:begin]
            ends += self.ends[at:begin]
            starts += [self.starts[begin]] * len(new)
            ends += [self.ends[end - 1]] * len(new)
            at = end
        if not pieces:
            return self
        pieces.append(self.text[at:])
        starts += self.starts[at:]
        ends += self.ends[at:]
        return View("".join(pieces), starts, ends)


def as_written(text: str) -> View:
    """The text itself."""
    return View(text, range(len(text)), range(1, len(text) + 1))


def plain(text: str) -> View:
    """NFKC and NFC, without invisible characters; compatibility jamo (ㅋㅋ) are left alone. Idempotent."""
    view = as_written(text)
    if text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _UNUSUAL.search(text)):
        return view  # nearly every text
    for _ in range(_ROUNDS):
        before = view.text
        view = _composed(view.without(_DROP))
        if view.text == before:
            break
    return view


def _composed(view: View) -> View:
    """NFKC by clusters of a letter and what combines with it; only the parts that change are touched."""
    text = view.text
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    for run in _CHANGING.finditer(text):
        # A mark may combine with the plain letter before it.
        begin = max(run.start() - 1, at)
        part = text[begin : run.end()]
        if unicodedata.is_normalized("NFKC", part) and not _CONJOINING.search(part):
            continue
        pieces.append(text[at:begin])
        starts += view.starts[at:begin]
        ends += view.ends[at:begin]
        for cluster in _CLUSTER.finditer(part):
            new = _nfkc(cluster.group())
            first, last = begin + cluster.start(), begin + cluster.end() - 1
            pieces.append(new)
            starts += [view.starts[first]] * len(new)
            ends += [view.ends[last]] * len(new)
        at = run.end()
    if not pieces:
        return view
    pieces.append(text[at:])
    starts += view.starts[at:]
    ends += view.ends[at:]
    return View("".join(pieces), starts, ends)


def _nfkc(cluster: str) -> str:
    """NFKC, with a lone conjoining jamo given as the compatibility jamo that people type."""
    if len(cluster) == 1 and "\u3131" <= cluster <= "\u318e":
        return cluster
    if len(cluster) == 1 and "\uffa1" <= cluster <= "\uffdc":
        return chr(int(unicodedata.decomposition(cluster).split()[1], 16))
    return _CONJOINING.sub(_compatibility, unicodedata.normalize("NFKC", cluster))


def _compatibility(match: re.Match[str]) -> str:
    name = unicodedata.name(match.group(), "").rpartition(" ")[2]
    try:
        return unicodedata.lookup(f"HANGUL LETTER {name}")
    except KeyError:
        return match.group()

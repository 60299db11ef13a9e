"""Whether an answer repeats texts that are not for people (a prompt, a tool's schema, a card), by the letters it shares
with them: in whatever order, spacing, case and punctuation, and in a stream as well as in a whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.safety.normalise import plain

Hashes = NDArray[np.uint64]

_NO_LETTER = re.compile(r"[\W_]+")
_NO_HANGUL = re.compile(r"[^가-힣]+")
_SEPARATOR = "\0"
_ALL = 10**9  # letters
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Protected:
    """Texts that no answer may repeat beyond `most` letters, told by runs of `size` letters; `backwards` are those of
    the texts read from their ends, where that is watched too."""

    size: int
    most: int
    runs: Hashes
    backwards: Hashes | None
    share: float | None = None
    """Of these texts a draft may repeat as much as it likes; where runs make up more than this share of its letters so
    far, it waits to be judged whole."""

    @classmethod
    def of(
        cls,
        texts: Iterable[str],
        *,
        size: int,
        most: int = _ALL,
        disguised: bool = False,
        free: Sequence[str] = (),
        share: float | None = None,
    ) -> Protected:
        """For `texts`; words of `free` (names of products) may be said as often as one likes. 60 ms for 100,000
        letters.

        `disguised`: also with other letters between the Korean ones, and backwards.
        """
        names = sorted(filter(None, map(letters, free)), key=len, reverse=True)
        cut = re.compile("|".join(map(re.escape, names))) if names else None
        bare = (letters(text) for text in texts)
        joined = _SEPARATOR.join(cut.sub(_SEPARATOR, text) if cut else text for text in bare)
        backwards = np.unique(_runs(joined[::-1], size)) if disguised else None
        return cls(size, most, np.unique(_runs(joined, size)), backwards, share)


class Repeating:
    """How much one draft repeats, taken piece by piece. What the person said or a tool found is no repetition."""

    def __init__(self, protected: Sequence[Protected], known: Callable[[], Iterable[str]]) -> None:
        """`known` gives what may be repeated; it is asked once, and only where a draft shares that much."""
        self._known_texts = known
        self._known_letters: str | None = None
        self._known: dict[int, Hashes] = {}
        self._beyond = False
        self._plainly: list[_Count] = []
        self._korean: list[_Count] = []
        self._wary = [
            (_Count(each.size, each.most, each.runs, self._may_be_said), each.share)
            for each in protected
            if each.share is not None
        ]
        for each in protected:
            if each.share is not None:
                continue
            self._plainly.append(_Count(each.size, each.most, each.runs, self._may_be_said))
            if each.backwards is not None:
                self._plainly.append(_Count(each.size, each.most, each.backwards, self._may_be_said))
                self._korean.append(_Count(each.size, each.most, each.runs, self._may_be_said))

    def beyond(self, piece: str) -> bool:
        """Whether the draft with this next piece repeats more than a short phrase. Under 1 ms for 2,000
        letters; 4 ms where 20,000 letters of results must be read to tell."""
        bare = letters(piece)
        korean = _NO_HANGUL.sub("", bare)
        self._beyond = self._beyond or any(
            count.take(text) for text, counts in ((bare, self._plainly), (korean, self._korean)) for count in counts
        )
        for count, _ in self._wary:
            count.take(bare)
        return self._beyond

    @property
    def wary(self) -> bool:
        """Whether so much of the draft so far is repeated that it had better be judged whole before it is shown."""
        return any(count.is_over(share) for count, share in self._wary)

    def _may_be_said(self, size: int) -> Hashes:
        if self._known_letters is None:
            self._known_letters = _SEPARATOR.join(map(letters, self._known_texts()))
        if size not in self._known:
            self._known[size] = np.unique(_runs(self._known_letters, size))
        return self._known[size]


class _Count:
    """The letters of one view of a draft that belong to protected runs; a run counts once."""

    def __init__(self, size: int, most: int, protected: Hashes, known: Callable[[int], Hashes]) -> None:
        self._size, self._most, self._protected, self._known = size, most, protected, known
        self._text = ""
        self._begin()

    def _begin(self, allowed: Hashes | None = None) -> None:
        self._allowed = allowed
        self._at = self._end = self._found = 0
        self._seen: set[int] = set()

    def take(self, piece: str) -> bool:
        """Whether more than the texts allow is repeated, this piece included."""
        if self._found <= self._most:
            self._text += piece
            self._count()
        if self._found > self._most and self._allowed is None:
            self._begin(self._known(self._size))
            self._count()
        return self._found > self._most

    def is_over(self, share: float) -> bool:
        """Whether runs make up more than this share of the letters taken; what may be said is read where it matters."""
        if self._found <= share * len(self._text):
            return False
        if self._allowed is None:
            self._begin(self._known(self._size))
            self._count()
        return self._found > share * len(self._text)

    def _count(self) -> None:
        """Goes on from the first run that was not whole before, and no further than needed."""
        runs = _runs(self._text[self._at :], self._size)
        hits = np.flatnonzero(_among(runs, self._protected))
        if self._allowed is not None and len(hits):
            hits = hits[~_among(runs[hits], self._allowed)]
        for place in hits.tolist():
            run = int(runs[place])
            if run not in self._seen:
                self._seen.add(run)
                start = self._at + place
                self._found += start + self._size - max(start, self._end)
                self._end = start + self._size
            if self._found > self._most:
                return
        self._at += len(runs)


def letters(text: str) -> str:
    """The letters and digits of a text, nothing else, in lower case."""
    return _NO_LETTER.sub("", plain(text).text).lower()


def _runs(text: str, size: int) -> Hashes:
    """A number for each run of `size` letters; runs over a separator are left out."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    count = len(codes) - size + 1
    if count <= 0:
        return np.empty(0, dtype=np.uint64)
    runs = np.zeros(count, dtype=np.uint64)
    whole = np.ones(count, dtype=bool)
    for offset in range(size):
        part = codes[offset : offset + count]
        runs = runs * _FACTOR + part
        whole &= part != 0
    return runs[whole] if not whole.all() else runs


def _among(runs: Hashes, held: Hashes) -> NDArray[np.bool_]:
    """Which of `runs` are among the sorted `held`."""
    if not len(held):
        return np.zeros(len(runs), dtype=bool)
    places = np.searchsorted(held, runs)
    places[places == len(held)] = 0
    found: NDArray[np.bool_] = held[places] == runs
    return found

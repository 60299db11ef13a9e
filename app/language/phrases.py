"""Finding known phrases in Korean text: spacing-proof, and typo-proof by edit distance over jamo.

The text is folded once (NFKC, lower case, letters and digits only) with a map back to its positions, so that
'더건강한 치아 보험' finds '더건강한치아보험'. A typo is one wrong, missing or added jamo for every five or so.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Generic, TypeVar

from rapidfuzz.distance import OSA

from app.language.hangul import FIRST_SYLLABLE, LEADS, PER_LEAD, SYLLABLES, TAILS, VOWELS

T = TypeVar("T")
# What may follow a one-syllable phrase inside its word: particles and the copula.
_PARTICLE_LIST = (
    "은요 는요 도요 은 는 이 가 을 를 도 만 의 에 로 와 과 랑 요 여 면 이랑 으로 로는 "
    "으로는 에서 에는 이요 인데 이면 까지"
    " 부터 보다 한테 처럼 쪽 말고 이고 이나 나 이라 "
    "라 으로도 로도 에도 관련 용 건 걸로 거 꺼 것 이야 야 이에요 예요 입니다 인가요 이죠 죠 이라도 라도"
    " 이든 든 밖에 뿐 마다 하고"
)
PARTICLES = frozenset(_PARTICLE_LIST.split())
MIN_TYPO_SYLLABLES = 4
# What may follow a two-syllable phrase found inside a word (대장용종제거, 혈압약먹): treatments and copulas, not just
# any noun.
_AFTER_INNER = frozenset("약수제치진앓있걸판을은이가도였인라로으때")


def _is_hangul(char: str) -> bool:
    return "가" <= char <= "힣"


def jamo(text: str) -> str:
    """Each syllable as its two or three letters: 암 -> ㅇㅏㅁ; other characters as they are."""
    letters: list[str] = []
    for char in text:
        index = ord(char) - FIRST_SYLLABLE
        if 0 <= index < SYLLABLES:
            letters.append(LEADS[index // PER_LEAD])
            letters.append(VOWELS[index % PER_LEAD // len(TAILS)])
            if index % len(TAILS):
                letters.append(TAILS[index % len(TAILS)])
        else:
            letters.append(char)
    return "".join(letters)


def jamo_distance(a: str, b: str, limit: int) -> int:
    """Optimal string alignment distance over the jamo of `a` and `b`; `limit` + 1 as soon as it must be larger."""
    return _distance(jamo(a), jamo(b), limit)


def _distance(a: str, b: str, limit: int) -> int:
    return OSA.distance(a, b, score_cutoff=limit)


@dataclass(frozen=True)
class Folded:
    """A text folded for matching: `chars[i]` came from `positions[i]`; `starts` are the fold indices where a word
    begins."""

    text: str
    chars: str
    positions: tuple[int, ...]
    starts: frozenset[int]
    ends: tuple[int, ...] = field(repr=False)  # fold index one past the last letter of the word that holds i

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text behind fold indices [start, end)."""
        return self.positions[start], self.positions[end - 1] + 1


def fold(text: str) -> Folded:
    """The folded form of `text`. Time is linear; costs some microseconds for a chat message."""
    chars: list[str] = []
    positions: list[int] = []
    starts: list[int] = []
    in_word = False
    for at, char in enumerate(text):
        if not (char.isalnum() or char.isalpha()):
            in_word = False
            continue
        plain = char.lower() if "가" <= char <= "힣" or char.isascii() else unicodedata.normalize("NFKC", char).lower()
        for letter in plain:
            if not in_word:
                starts.append(len(chars))
                in_word = True
            chars.append(letter)
            positions.append(at)
    ends = [0] * len(chars)
    bounds = [*starts, len(chars)]
    for begin, end in pairwise(bounds):
        for i in range(begin, end):
            ends[i] = end
    return Folded(text, "".join(chars), tuple(positions), frozenset(starts), tuple(ends))


def fold_key(phrase: str) -> str:
    """A phrase as it is compared: what `fold` keeps of it."""
    return fold(phrase).chars


@dataclass(frozen=True, slots=True)
class PhraseMatch(Generic[T]):
    """A phrase found: span in the original text, its value, the phrase itself, confidence (1 exact, less for a
    typo)."""

    start: int
    end: int
    value: T
    phrase: str
    confidence: float


class PhraseTable(Generic[T]):
    """Phrases and what they mean. Built once; `find` is thread-safe and takes well under a millisecond for a chat
    message.

    One-syllable phrases must be a whole word but for a particle; two-syllable ones must begin a word unless `inner`.
    With `typos`, phrases of four or more syllables are also found with about one wrong jamo in five. `others` are words
    that hold a phrase and mean something else (어금니 is no 금니).
    """

    def __init__(
        self,
        phrases: Iterable[tuple[str, T]],
        *,
        typos: bool = False,
        inner: bool = False,
        others: Iterable[str] = (),
    ) -> None:
        self._values: dict[str, T] = {}
        for phrase, value in phrases:
            key = fold_key(phrase)
            if key:
                self._values.setdefault(key, value)
        self._inner = inner
        self._others = frozenset(map(fold_key, others))
        heads: dict[str, list[str]] = {}
        for key in self._values:
            heads.setdefault(key[:2], []).append(key)
        self._heads = {head: tuple(sorted(keys, key=len, reverse=True)) for head, keys in heads.items()}
        self._long = tuple((key, jamo(key)) for key in self._values if typos and len(key) >= MIN_TYPO_SYLLABLES)
        # A typo keeps the first consonant, so only phrases that begin with it are counted by their syllables.
        self._by_lead: dict[str, dict[str, list[int]]] = {}
        for number, (key, _) in enumerate(self._long):
            numbers = self._by_lead.setdefault(jamo(key[0])[0], {})
            for syllable in set(key):
                numbers.setdefault(syllable, []).append(number)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, phrase: str) -> T | None:
        """The value of exactly this phrase (spacing and case aside)."""
        return self._values.get(fold_key(phrase))

    def find(self, folded: Folded, taken: Iterable[tuple[int, int]] = ()) -> list[PhraseMatch[T]]:
        """Matches in order, longest first at each place, none overlapping another or a span of `taken`."""
        busy = bytearray(len(folded.text) + 1)
        for start, end in taken:
            busy[start:end] = b"\1" * (end - start)
        found = self._exact(folded, busy)
        if self._long:
            found.extend(self._typos(folded, busy))
        return sorted(found, key=lambda match: match.start)

    def _exact(self, folded: Folded, busy: bytearray) -> list[PhraseMatch[T]]:
        chars = folded.chars
        found: list[PhraseMatch[T]] = []
        at, size = 0, len(chars)
        while at < size:
            length = self._length_at(folded, at, busy)
            if not length and (other := next((word for word in self._others if chars.startswith(word, at)), None)):
                at += len(other)
                continue
            if length:
                start, end = folded.span(at, at + length)
                key = chars[at : at + length]
                found.append(PhraseMatch(start, end, self._values[key], key, 1.0))
                busy[start:end] = b"\1" * (end - start)
            at += max(length, 1)
        return found

    def _length_at(self, folded: Folded, at: int, busy: bytearray) -> int:
        chars = folded.chars
        for head in (chars[at : at + 2], chars[at]):
            for key in self._heads.get(head, ()):
                if not chars.startswith(key, at) or not self._stands(folded, at, len(key)):
                    continue
                start, end = folded.span(at, at + len(key))
                if not any(busy[start:end]):
                    return len(key)
        return 0

    def _stands(self, folded: Folded, at: int, length: int) -> bool:
        """Whether a phrase of this length may stand here (see the class)."""
        chars, end = folded.chars, at + length
        edge_digit = chars[at].isdigit() and at > 0 and chars[at - 1].isdigit() and at not in folded.starts
        if edge_digit or (
            chars[end - 1].isdigit() and end < len(chars) and chars[end].isdigit() and end not in folded.starts
        ):
            return False
        if (
            chars[at].isascii()
            and chars[at].isalpha()
            and at > 0
            and at not in folded.starts
            and chars[at - 1].isascii()
        ):
            return False
        if chars[end - 1].isascii() and chars[end - 1].isalpha() and end < len(chars) and end not in folded.starts:
            following = chars[end]
            if following.isascii() and following.isalpha():
                return False
        if length >= 3:
            return True
        if length == 2:
            if at in folded.starts:
                return True
            rest = chars[end : folded.ends[at]] if end <= folded.ends[at] else "-"
            return not _is_hangul(chars[at - 1]) or (
                self._inner and (not rest or rest in PARTICLES or rest[0] in _AFTER_INNER)
            )
        if chars[at].isascii():
            return True
        rest = chars[end : folded.ends[at]]
        return at in folded.starts and (not rest or rest in PARTICLES or rest[0].isdigit())

    def _typos(self, folded: Folded, busy: bytearray) -> list[PhraseMatch[T]]:
        found: list[PhraseMatch[T]] = []
        chars = folded.chars
        for at in sorted(folded.starts):
            if busy[folded.positions[at]]:
                continue
            best = self._best_typo(chars, at)
            if best is None:
                continue
            key, length, distance = best
            start, end = folded.span(at, at + length)
            if any(busy[start:end]):
                continue
            busy[start:end] = b"\1" * (end - start)
            found.append(PhraseMatch(start, end, self._values[key], key, round(0.9 - 0.1 * distance, 2)))
        return found

    def _best_typo(self, chars: str, at: int) -> tuple[str, int, int] | None:
        """(phrase, matched length, distance) of the nearest phrase starting at `at`, within its allowance."""
        by_syllable = self._by_lead.get(jamo(chars[at])[0])
        if by_syllable is None:
            return None
        shared: dict[int, int] = {}
        for syllable in set(chars[at : at + 14]):
            for number in by_syllable.get(syllable, ()):
                shared[number] = shared.get(number, 0) + 1
        best: tuple[int, int, str, int] | None = None
        for number, count in shared.items():
            key, letters = self._long[number]
            allowance = 1 if len(key) <= 5 else 2
            # A typo spoils at most `allowance` syllables, so most of the phrase must be there unharmed.
            if count < len(set(key)) - allowance:
                continue
            for length in (len(key), len(key) - 1, len(key) + 1):
                piece = chars[at : at + length]
                if len(piece) < 3 or not _same_signs(piece, key):
                    continue
                distance = _distance(jamo(piece), letters, allowance)
                candidate = (distance, -len(key), key, len(piece))
                if distance <= allowance and (best is None or candidate < best):
                    best = candidate
        return (best[2], best[3], best[0]) if best else None


def _same_signs(piece: str, key: str) -> bool:
    """Digits and Latin letters tell names apart (치아보험V, 채우는335), so no typo is allowed in them."""
    return [c for c in piece if c.isascii()] == [c for c in key if c.isascii()]

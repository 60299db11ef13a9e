"""How like known attacks a text is, in letters, words and meaning: kernel ridge regression over chosen training lines.

The likeness of two texts is the cosine of their letters, morphemes and the meanings of those morphemes, bent by an
exponential so that a few near lines weigh more than many that are a little alike. numpy alone at run time; trained by
scripts/train_injection. Source of the meanings: the language model inside Kiwi (app/language/morpheme_vectors.py).
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.errors import Unavailable
from app.language.features import Tagged
from app.language.line_weights import Weighing, lines_from_parts, lines_to_parts
from app.language.postings import Postings, added_to_lines, by_feature
from app.language.vocabulary import Vocabulary
from app.packed import Int8Rows, open_packed, write_packed

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
Row = tuple[Places, NDArray[np.floating[Any]]]

LIKENESS_FILE = "safety/likeness.packed"

BEND = 1.5
# Shares of letters, words, pairs of morphemes and meaning in the likeness, together 1 (flat around these).
_SHARES = np.array([0.40, 0.20, 0.0667], dtype=np.float32)
MEANING_SHARE = 1 / 3
_SIZES = (2, 3, 4)
_CONTENT = ("N", "V", "MM", "MAG", "XR", "SL", "SN", "SH", "IC")
_DIGITS = re.compile(r"\d")
_SPACES = re.compile(r"\s+")
_LETTERS = 400


class LikenessTokenizer(Protocol):
    """What is needed of the tokenizer."""

    def fully_tagged(self, text: str) -> tuple[Tagged, ...]:
        """Every morpheme with its tag."""
        ...


@dataclass(frozen=True)
class Reading:
    """A text boiled down: hashes of its features by block (letters, words, pairs), and its morphemes."""

    blocks: tuple[dict[int, int], dict[int, int], dict[int, int]]
    morphemes: frozenset[Tagged]


def read(text: str, tokenizer: LikenessTokenizer) -> Reading:
    """At most the first 400 characters; about 0.3 ms for a question."""
    text = text[:_LETTERS]
    tagged = tokenizer.fully_tagged(text)
    line = f" {_DIGITS.sub('0', _SPACES.sub(' ', text.lower())).strip()} "
    joined = line.replace(" ", "")
    grams = [line[i : i + size] for size in _SIZES for i in range(len(line) - size + 1)]
    grams += [f"~{joined[i : i + 3]}" for i in range(len(joined) - 2)]
    words = [f"{form.lower()}/{tag[0]}" for form, tag in tagged if tag.startswith(_CONTENT)]
    forms = [form for form, _ in tagged]
    pairs = [f"w{a} {b}" for a, b in pairwise(words)] + [f"w{a} {b}" for a, b in zip(words, words[2:], strict=False)]
    pairs += [f"m{a} {b}" for a, b in pairwise(forms)]
    pairs.append("e" + " ".join(forms[-2:]))
    return Reading((_counts(grams), _counts(words), dict.fromkeys(_counts(pairs), 1)), frozenset(tagged))


def _counts(names: Iterable[str]) -> dict[int, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return {zlib.crc32(name.encode()): count for name, count in found.items()}


@dataclass(frozen=True)
class Space:
    """Where texts are compared. `blocks` say where a feature's hash stands; `idf` weighs places.

    `meanings` holds the vectors of known morphemes, times how rare each is. Others have none: to place one by the
    language model takes a millisecond, and 788 attacks and 803 look-alikes were told apart no better with it.
    """

    blocks: tuple[Vocabulary, ...]
    idf: Floats
    meanings: dict[Tagged, Floats]

    @property
    def weighing(self) -> Weighing:
        """What the features of a line weigh."""
        sizes = [len(block) for block in self.blocks]
        return Weighing(self.idf, np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes), np.sqrt(_SHARES))

    @property
    def dimension(self) -> int:
        """Length of the meanings."""
        return len(next(iter(self.meanings.values())))

    def sparse(self, reading: Reading) -> Row:
        """Places and values; each block has its own length."""
        places: list[Places] = []
        values: list[Floats] = []
        for share, block, found in zip(_SHARES, self.blocks, reading.blocks, strict=True):
            place = block.places(found)
            known = place >= 0
            if not known.any():
                continue
            place = place[known]
            counts = np.fromiter(found.values(), np.float32, len(found))[known]
            weight = (1.0 + np.log(counts)) * self.idf[place]
            places.append(place)
            values.append((weight * (np.sqrt(share) / np.sqrt(weight @ weight))).astype(np.float32))
        if not places:
            return np.zeros(0, np.intp), np.zeros(0, np.float32)
        return np.concatenate(places), np.concatenate(values)

    def meaning(self, reading: Reading) -> Floats:
        """The weighted mean of the morphemes' meanings, scaled to its share (or zeros)."""
        held = [vector for morpheme in reading.morphemes if (vector := self.meanings.get(morpheme)) is not None]
        total: Floats = np.sum(held, axis=0) if held else np.zeros(self.dimension, np.float32)
        length = float(np.sqrt(total @ total))
        return (total * (np.sqrt(MEANING_SHARE) / length)).astype(np.float32) if length > 1e-6 else total


@dataclass(frozen=True)
class AttackLikeness:
    """Scores texts: near 1 for what is like known attacks, near -1 for what is like known harmless texts."""

    space: Space
    tokenizer: LikenessTokenizer
    meaning: Floats
    alpha: Floats
    _held: Postings

    @classmethod
    def of(
        cls, space: Space, tokenizer: LikenessTokenizer, lines: Sequence[Row], meaning: Floats, alpha: Floats
    ) -> AttackLikeness:
        """From the training lines that were kept and their weights."""
        starts = np.cumsum([0, *(len(places) for places, _ in lines)])
        features = np.concatenate([places for places, _ in lines])
        values = np.concatenate([held for _, held in lines]).astype(np.float16)
        return cls(space, tokenizer, meaning, alpha, by_feature(starts, features, values, len(space.idf)))

    def score(self, text: str) -> float:
        """About 0.7 ms for a question."""
        reading = read(text, self.tokenizer)
        places, values = self.space.sparse(reading)
        likeness = np.vecdot(self.meaning, self.space.meaning(reading))
        likeness = likeness + added_to_lines(self._held, places, values, len(likeness))
        return float(np.exp(BEND * (likeness - 1.0)) @ self.alpha)

    def save(self, path: Path) -> None:
        """Everything but the tokenizer, in one packed file. The hashes of a block ascend. Raises OSError."""
        space = self.space
        known = sorted(space.meanings)
        header = {"known": known, "blocks": [len(block) for block in space.blocks]}
        gaps = [np.diff(block.hashes(), prepend=0) for block in space.blocks]
        parts = {
            "header": json.dumps(header, ensure_ascii=False),
            "hash_gaps": np.concatenate(gaps).astype(np.uint32),
            "idf": space.idf.astype(np.float16),
            "vectors": Int8Rows.of(np.stack([space.meanings[item] for item in known])),
            "meaning": Int8Rows.of(self.meaning),
            "alpha": self.alpha,
            **lines_to_parts(self._held, space.weighing, len(self.meaning)),
        }
        write_packed(path, parts)

    @classmethod
    def load(cls, path: Path, tokenizer: LikenessTokenizer) -> AttackLikeness:
        """What `save` wrote. Raises Unavailable when the file is missing or damaged."""
        try:
            with open_packed(path) as stored:
                header = json.loads(stored.text("header"))
                known = [(form, tag) for form, tag in header["known"]]
                gaps = stored.array("hash_gaps").astype(np.int64)
                space = Space(
                    tuple(Vocabulary(np.cumsum(gaps[a:b]), a) for a, b in pairwise(np.cumsum([0, *header["blocks"]]))),
                    stored.array("idf").astype(np.float32),
                    dict(zip(known, stored.rows("vectors").whole(), strict=True)),
                )
                meaning = stored.rows("meaning").whole()
                held = lines_from_parts(stored, space.weighing, len(meaning))
                return cls(space, tokenizer, meaning, stored.array("alpha"), held)
        except (OSError, ValueError) as error:
            raise Unavailable(
                f"입력 가드의 뜻 분류기 파일을 읽을 수 없습니다: {path}. 저장소에서 다시 받아 주세요."
            ) from error

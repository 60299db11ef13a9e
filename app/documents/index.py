"""The searchable snapshot of a project: postings of words and letter pairs, vectors, citation graph. Never changed.

Row i of every part belongs to passage i.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.documents.bm25 import BigramIndex, WordIndex
from app.documents.citations import CitationGraph, build_graph
from app.documents.shapes import Chunk
from app.documents.terms import bigram_codes
from app.language.normalise import compact

_NUMBER = re.compile(r"^제\s?\d+\s?조(?:의\s?\d+)?|^별표\s?\d+")
TITLE_WEIGHT = 3
"""How often the words of an article's title count (notes: 2 to 3)."""


@dataclass(frozen=True)
class Snapshot:
    """Everything a search needs; row i of every part belongs to `chunks[i]`.

    `words` is over all a passage says, `headings` over its last heading alone.
    `vectors` are the embedder's, `meanings` those of the words (`MeaningSpace`).
    """

    chunks: tuple[Chunk, ...]
    words: WordIndex
    headings: WordIndex
    bigrams: BigramIndex
    vectors: NDArray[np.float32]
    meanings: NDArray[np.float32]
    graph: CitationGraph
    version: str

    @classmethod
    def build(
        cls,
        chunks: Sequence[Chunk],
        terms: Sequence[Sequence[str]],
        titles: Sequence[Sequence[str]],
        vectors: NDArray[np.float32],
        meanings: NDArray[np.float32],
    ) -> Snapshot:
        """About 0.4 s for 2,000 chunks."""
        digest = hashlib.sha256("".join(chunk.id for chunk in chunks).encode()).hexdigest()[:12]
        return cls(
            tuple(chunks), WordIndex.build(terms), WordIndex.build(titles),
            BigramIndex.build([bigram_codes(searchable(chunk)) for chunk in chunks]),
            vectors, meanings, build_graph(chunks), digest,
        )  # fmt: skip

    @cached_property
    def articles(self) -> dict[str, tuple[int, ...]]:
        """Chunk numbers by article label."""
        found: dict[str, list[int]] = {}
        for number, chunk in enumerate(self.chunks):
            if chunk.article:
                found.setdefault(chunk.article, []).append(number)
        return {label: tuple(numbers) for label, numbers in found.items()}

    @cached_property
    def document_keys(self) -> dict[str, str]:
        """Compact titles and names of documents, for finding one that a question names."""
        keys: dict[str, str] = {}
        for chunk in self.chunks:
            keys.setdefault(compact(chunk.title), chunk.doc_id)
            keys.setdefault(compact(chunk.doc_id), chunk.doc_id)
        return {key: doc for key, doc in keys.items() if len(key) >= 2}

    @cached_property
    def scope_keys(self) -> dict[str, str]:
        """Compact rider titles without 약관 and brackets, for finding a rider that a question names."""
        keys: dict[str, str] = {}
        for scope in {chunk.scope for chunk in self.chunks if chunk.scope}:
            name = rider_key(scope)
            if len(name) >= 3:
                keys[name] = name
        return keys

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each passage's last heading says, without its number."""
        return tuple(title_key(chunk) for chunk in self.chunks)

    @cached_property
    def kinds(self) -> NDArray[np.object_]:
        return np.array([chunk.kind for chunk in self.chunks], dtype=object)

    @cached_property
    def in_rider(self) -> NDArray[np.bool_]:
        """Whether each passage stands in a rider."""
        return np.array([bool(chunk.scope) for chunk in self.chunks], dtype=np.bool_)

    @cached_property
    def by_id(self) -> dict[str, int]:
        return {chunk.id: number for number, chunk in enumerate(self.chunks)}

    @cached_property
    def documents(self) -> tuple[str, ...]:
        """Document ids in order."""
        return tuple(dict.fromkeys(chunk.doc_id for chunk in self.chunks))


def title_key(chunk: Chunk) -> str:
    """What a passage's last heading says, without its number: '제8조의3(보험수익자의 지정)' → '보험수익자의지정'."""
    heading = chunk.heading[-1] if chunk.heading else ""
    return compact(_NUMBER.sub("", heading))


def rider_key(scope: str) -> str:
    """What people call a rider: '무배당 스케일링치료특약(갱신형) 약관 [상품]' → '스케일링치료특약'."""
    plain = compact(scope.split("[")[0]).removeprefix("무배당")
    for ending in ("약관", "특별", "갱신형", "비"):
        plain = plain.removesuffix(ending)
    return plain


def searchable(chunk: Chunk) -> str:
    """What is indexed of a chunk: context header, title once more, text."""
    return f"{chunk.header}\n{heading_title(chunk)}\n{chunk.text}"


def embedded(chunk: Chunk) -> str:
    """What is embedded of a chunk."""
    return f"{chunk.title} {' '.join(chunk.heading[-2:])}\n{chunk.text}"


def last_heading(chunk: Chunk) -> str:
    """The heading that names what a chunk is about, '' when there is none."""
    return chunk.heading[-1] if chunk.heading else ""


def heading_title(chunk: Chunk) -> str:
    """The last heading as often as it counts beside the header."""
    return " ".join([last_heading(chunk)] * (TITLE_WEIGHT - 1))

"""The citation graph of documents, found by reading: '제12조에 따라', ranges, annexes, riders citing main terms."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.documents.headings import ANNEX_CITATION, CITATION, label_of
from app.documents.shapes import Chunk
from app.language.normalise import compact

_RANGE_LIMIT = 12
_SIBLING = "같은 조"
_DEFINITION = re.compile(r"['‘]([가-힣A-Za-z0-9· ]{2,20})['’]의 뜻은")
_MOST_USES = 40
_MAIN_TERMS = ("보통약관", "주계약", "주계약약관")


@dataclass(frozen=True)
class Edge:
    """From one chunk to another. `kind` in Korean for people, `quote` the words that make the link."""

    source: int
    target: int
    kind: str
    quote: str


@dataclass(frozen=True)
class CitationGraph:
    """Edges in both directions, sorted by source; `starts[i]:starts[i+1]` are those of chunk i."""

    edges: tuple[Edge, ...]
    starts: NDArray[np.int64]
    degrees: NDArray[np.int64]

    def of(self, chunk: int) -> Sequence[Edge]:
        """The edges that leave a chunk."""
        return self.edges[self.starts[chunk] : self.starts[chunk + 1]]

    def spread(self, seeds: Sequence[tuple[int, float]], share: float) -> dict[int, tuple[float, Edge]]:
        """What the seeds lend to their neighbours: `share` of the seed's score, damped by the neighbour's links."""
        lent: dict[int, tuple[float, Edge]] = {}
        for seed, score in seeds:
            for edge in self.of(seed):
                amount = share * score / (1.0 + float(np.log1p(self.degrees[edge.target])))
                if amount > lent.get(edge.target, (0.0, edge))[0]:
                    lent[edge.target] = (amount, edge)
        return lent


def build_graph(chunks: Sequence[Chunk]) -> CitationGraph:
    """Cites, cited by, defines and used by, within each document, and to a document that is named in 「」."""
    articles: dict[tuple[str, str, str], list[int]] = {}
    documents: dict[str, str] = {}
    for number, chunk in enumerate(chunks):
        documents.setdefault(compact(chunk.title), chunk.doc_id)
        documents.setdefault(compact(chunk.doc_id), chunk.doc_id)
        if chunk.article:
            articles.setdefault((chunk.doc_id, chunk.scope, chunk.article), []).append(number)
    found: dict[tuple[int, int], Edge] = {}
    for number, chunk in enumerate(chunks):
        for label, quote, scope, law in _citations(chunk):
            document = documents.get(compact(law), "") if law else chunk.doc_id
            for target in articles.get((document, scope, label), ())[:3]:
                if target != number:
                    found.setdefault((number, target), Edge(number, target, "인용", quote))
                    found.setdefault((target, number), Edge(target, number, "인용됨", quote))
    for edge in _definitions(chunks):
        found.setdefault((edge.source, edge.target), edge)
    for numbers in articles.values():
        for one, other in itertools.pairwise(numbers):
            for a, b in ((one, other), (other, one)):
                found.setdefault((a, b), Edge(a, b, _SIBLING, chunks[a].article))
    edges = sorted(found.values(), key=lambda edge: (edge.source, edge.target))
    counts = (
        np.bincount([edge.source for edge in edges], minlength=len(chunks))
        if edges
        else np.zeros(len(chunks), np.int64)
    )
    return CitationGraph(
        tuple(edges), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), counts.astype(np.int64)
    )


def _citations(chunk: Chunk) -> Iterator[tuple[str, str, str, str]]:
    """(label, quoted words, scope, law) of every citation in a chunk."""
    for match in CITATION.finditer(chunk.text):
        base = (match["base"] or "").replace(" ", "")
        scope = "" if base in _MAIN_TERMS or _inherits_main(chunk, match.start()) else chunk.scope
        quote = match.group().strip()[:40]
        if match["to"] and not match["branch"]:
            first, last = int(match["no"]), int(match["to"])
            for number in range(first, min(last, first + _RANGE_LIMIT) + 1):
                yield label_of(number), quote, scope, match["law"] or ""
        else:
            yield label_of(match["no"], match["branch"]), quote, scope, match["law"] or ""
    for match in ANNEX_CITATION.finditer(chunk.text):
        yield f"별표 {match['no']}", match.group(), "", ""
    if "전조" in chunk.text and (before := _before(chunk.article)):
        yield before, "전조", chunk.scope, ""


def _inherits_main(chunk: Chunk, place: int) -> bool:
    """A list that began with '주계약 보통약관의 제14조' goes on in the main terms."""
    start = chunk.text.rfind(".", 0, place)
    return bool(chunk.scope) and any(word in chunk.text[max(start, 0) : place] for word in ("보통약관", "주계약"))


def _before(article: str) -> str:
    match = re.fullmatch(r"제(\d+)조", article)
    return label_of(int(match[1]) - 1) if match and int(match[1]) > 1 else ""


def _definitions(chunks: Sequence[Chunk]) -> Iterator[Edge]:
    """From a definition to the chunks of its document that use the term, and back; very common terms are left out."""
    by_document: dict[str, list[int]] = {}
    for number, chunk in enumerate(chunks):
        by_document.setdefault(chunk.doc_id, []).append(number)
    for number, chunk in enumerate(chunks):
        for term in _DEFINITION.findall(chunk.text):
            users = [n for n in by_document[chunk.doc_id] if n != number and term in chunks[n].text]
            if len(users) <= _MOST_USES:
                for user in users:
                    yield Edge(user, number, "용어 정의", term)
                    yield Edge(number, user, "용어 사용", term)

"""Ranking passages for a question: the lists, each hit's confidence, fusion, article look-up and the graph walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.documents.citations import Edge
from app.documents.confidence import Calibration, raw_values
from app.documents.index import Snapshot
from app.documents.lookup import Named, looked_up, read_names
from app.documents.terms import MorphemeReader, QueryTerms, query_terms

Floats = NDArray[np.float32]

POOL = 200
"""Passages of each list that are considered."""
WIDE_SHARE = 0.65
"""Semantic list: expansion against vectors (notes, section 3, give .6)."""
HYBRID_PAIRS = 0.5
"""Letter pairs in hybrid's keyword list: less than in keyword mode, as words of the trade have none in a question."""
SEEDS = 5
BESIDE_NAMED = 0.3
"""Weight of other words in graph mode when the question names an article: its neighbours are what is asked for."""
GRAPH_SHARE = 0.4
"""What a seed lends along the citation graph (notes, section 6). Lending inside hybrid cost .06 R@1 here: left out."""
LOOKED_UP = 0.95
NAMED_PRODUCT, OTHER_PRODUCT = 1.15, 0.75


@dataclass(frozen=True)
class Hit:
    """One ranked passage: chunk number, ranking score, calibrated confidence, and the link that led to it."""

    number: int
    score: float
    confidence: float
    edge: Edge | None = None


@dataclass(frozen=True)
class Ranked:
    """Hits, best first, and how many candidates each list gave."""

    hits: tuple[Hit, ...]
    candidates: dict[str, int]


@dataclass(frozen=True)
class _Scores:
    """Everything that was computed for one question, one value a chunk."""

    keyword: Floats
    termed: Floats
    semantic: Floats
    confidence: Floats
    allowed: NDArray[np.bool_]
    found: list[int]


@dataclass(frozen=True)
class Ranker:
    """Ranks the passages of one snapshot. `product_names` maps compact names to codes."""

    snapshot: Snapshot
    reader: MorphemeReader
    encode: Callable[[str], Floats]
    calibration: Calibration
    concepts: Callable[[str], tuple[str, ...]]
    product_names: Mapping[str, str]

    def rank(
        self,
        query: str,
        mode: str,
        *,
        vector: Floats | None = None,
        top_k: int = 10,
        threshold: float = 0.3,
        fusion: str = "rrf",
        rrf_k: int = 60,
        vector_weight: float = 0.6,
        product_code: str | None = None,
        kind: str | None = None,
    ) -> Ranked:
        """The hits of one mode. The threshold works on the confidence, before fusion, in semantic and hybrid mode."""
        allowed = self._allowed(product_code, kind)
        if not len(allowed) or not allowed.any():
            return Ranked((), {})
        scores = self._score(query, vector, allowed, product_code)
        keyword = _best(scores.keyword, allowed)
        semantic = _best(scores.semantic, allowed)
        counts = {"keyword": len(keyword), "semantic": len(semantic), "lookup": len(scores.found)}
        if mode == "keyword":
            ranked = self._listed(keyword, scores.keyword, scores)
        elif mode == "semantic":
            ranked = [hit for hit in self._listed(semantic, scores.semantic, scores) if hit.confidence >= threshold]
        elif mode == "hybrid":
            passing = scores.confidence >= threshold
            termed = _best(scores.termed, allowed)
            lists = ([n for n in termed if passing[n]], [n for n in semantic if passing[n]])
            fused = (
                _rrf(lists, rrf_k) if fusion == "rrf"
                else _weighted(lists, (scores.termed, scores.semantic), (1 - vector_weight, vector_weight))
            )  # fmt: skip
            ranked = [Hit(n, score, float(scores.confidence[n])) for n, score in fused]
        else:
            ranked = self._walked(self._listed(semantic, scores.semantic, scores), allowed, scores)
            counts["graph"] = sum(1 for hit in ranked if hit.edge is not None)
        distinct = self._distinct_first(ranked)
        return Ranked(tuple(_with_looked_up(distinct, scores.found, threshold)[:top_k]), counts)

    def raw_best(self, query: str) -> float:
        """The raw confidence value of a question's best hit, for calibration."""
        terms = query_terms(self.reader, query, self.concepts(query))
        wide = self.snapshot.words.scores(terms.wide)
        raw = self._raw(terms, wide, self._cosines(self.encode(query)))
        return float(raw.max(initial=0.0))

    def _allowed(self, product_code: str | None, kind: str | None) -> NDArray[np.bool_]:
        chunks = self.snapshot.chunks
        allowed = np.ones(len(chunks), dtype=np.bool_)
        if kind is not None:
            allowed &= self.snapshot.kinds == kind
        if product_code is not None:
            # what names no product (standard terms, company information) holds for all of them
            allowed &= np.fromiter(
                (not c.products or product_code in c.products for c in chunks), np.bool_, len(chunks)
            )
        return allowed

    def _score(
        self, query: str, vector: Floats | None, allowed: NDArray[np.bool_], product_code: str | None
    ) -> _Scores:
        terms = query_terms(self.reader, query, self.concepts(query))
        named = read_names(self.snapshot, query, self.product_names)
        if product_code is not None:
            named = replace(named, products=named.products | {product_code})
        own = self.snapshot.words.scores(dict.fromkeys(terms.words, 1.0))
        pairs = _share(self.snapshot.bigrams.scores(terms.bigrams))
        keyword = _share(own) + pairs
        termed = _share(self.snapshot.words.scores(terms.termed)) + HYBRID_PAIRS * pairs
        encoded = self.encode(query) if vector is None else vector
        cosines = self._cosines(encoded)
        wide = self.snapshot.words.scores(terms.wide)
        pool = np.zeros(len(wide), dtype=np.bool_)
        pool[_best(wide, allowed)] = True
        pool[_best(cosines, allowed)] = True
        semantic = np.where(pool, WIDE_SHARE * _share(wide) + (1 - WIDE_SHARE) * _share(np.maximum(cosines, 0.0)), 0.0)
        favour = self._favour(named)
        confidence = self.calibration.confidence(self._raw(terms, wide, cosines))
        plain = {word: 1.0 for word in terms.words if not word.startswith("§")}
        found = (
            looked_up(self.snapshot, named, query, allowed, self.snapshot.words.scores(plain)) if named.articles else []
        )
        return _Scores(
            (keyword * favour).astype(np.float32),
            (termed * favour).astype(np.float32),
            (semantic * favour).astype(np.float32),
            confidence,
            allowed,
            found,
        )

    def _raw(self, terms: QueryTerms, wide: Floats, cosines: Floats) -> Floats:
        return raw_values(wide, self.snapshot.words.ideal(terms.words), cosines)

    def _cosines(self, vector: Floats) -> Floats:
        if self.snapshot.vectors.shape[1:] != vector.shape:
            return np.zeros(len(self.snapshot.chunks), dtype=np.float32)
        # einsum stays on this thread: BLAS would wake its own for a product of half a millisecond, and wait for them
        cosines: Floats = np.einsum("ij,j->i", self.snapshot.vectors, vector)
        return cosines

    def _favour(self, named: Named) -> Floats:
        """A named product lifts its own passages and lowers those of others."""
        chunks = self.snapshot.chunks
        favour = np.ones(len(chunks), dtype=np.float32)
        if named.products:
            for number, chunk in enumerate(chunks):
                if chunk.products:
                    favour[number] = NAMED_PRODUCT if named.products & set(chunk.products) else OTHER_PRODUCT
        return favour

    def _distinct_first(self, hits: list[Hit]) -> list[Hit]:
        """Word-for-word repeats (a clause that every policy line shares) go behind what says something new."""
        seen: set[str] = set()
        first: list[Hit] = []
        again: list[Hit] = []
        for hit in hits:
            text = self.snapshot.chunks[hit.number].text
            (again if text in seen else first).append(hit)
            seen.add(text)
        least = first[-1].score if first else 0.0
        return [*first, *(replace(hit, score=min(hit.score, least)) for hit in again)]

    def _listed(self, numbers: Sequence[int], values: Floats, scores: _Scores) -> list[Hit]:
        best = float(values[numbers[0]]) if len(numbers) else 1.0
        return [Hit(n, float(values[n]) / best, float(scores.confidence[n])) for n in numbers]

    def _walked(self, hits: list[Hit], allowed: NDArray[np.bool_], scores: _Scores) -> list[Hit]:
        """One hop from the best seeds (and a looked-up article); each hit keeps the link that raised it most."""
        graph = self.snapshot.graph
        if scores.found:
            hits = [replace(hit, score=hit.score * BESIDE_NAMED) for hit in hits]
        lent = graph.spread([(hit.number, hit.score) for hit in hits[:SEEDS]], GRAPH_SHARE)
        if scores.found:
            # an article that the question names is a seed beyond doubt
            lent |= graph.spread([(n, 1.0) for n in scores.found[:2]], 1.0)
        merged = {hit.number: hit for hit in hits}
        for number, (amount, edge) in lent.items():
            if not allowed[number]:
                continue
            old = merged.get(number)
            if old is None:
                merged[number] = Hit(number, amount, float(scores.confidence[number]), edge)
            else:
                merged[number] = replace(old, score=old.score + amount, edge=edge)
        top = max((hit.score for hit in merged.values()), default=1.0)
        return sorted((replace(h, score=h.score / top) for h in merged.values()), key=lambda h: (-h.score, h.number))


def _best(values: Floats, allowed: NDArray[np.bool_]) -> list[int]:
    """Numbers of the best positive values, ties in document order."""
    usable = np.where(allowed, values, 0.0)
    count = min(POOL, int((usable > 0).sum()))
    if count == 0:
        return []
    top = np.argpartition(-usable, count - 1)[:count]
    return [int(n) for n in top[np.lexsort((top, -usable[top]))]]


def _share(values: Floats) -> Floats:
    best = float(values.max(initial=0.0))
    return values / best if best > 0 else values


def _rrf(lists: Sequence[Sequence[int]], k: int) -> list[tuple[int, float]]:
    """Reciprocal rank fusion as a share of the best that is possible."""
    total: dict[int, float] = {}
    for ranked in lists:
        for place, number in enumerate(ranked, 1):
            total[number] = total.get(number, 0.0) + 1.0 / (k + place)
    most = len(lists) / (k + 1)
    return sorted(((n, score / most) for n, score in total.items()), key=lambda pair: (-pair[1], pair[0]))


def _weighted(
    lists: Sequence[Sequence[int]], values: Sequence[Floats], weights: Sequence[float]
) -> list[tuple[int, float]]:
    """Each list's values as shares of its best, weighted and added."""
    shares = [_share(each) for each in values]
    numbers = dict.fromkeys(n for ranked in lists for n in ranked)
    total = {n: sum(w * float(share[n]) for w, share in zip(weights, shares, strict=True)) for n in numbers}
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))


def _with_looked_up(hits: list[Hit], found: Sequence[int], threshold: float) -> list[Hit]:
    """Articles that the question names come first, surely."""
    if not found:
        return hits
    first = list(dict.fromkeys(found))[:POOL]
    known = set(first)
    sure = [Hit(n, 1.0 - 0.0005 * place, max(LOOKED_UP - 0.001 * place, threshold)) for place, n in enumerate(first)]
    rest = [
        replace(hit, score=hit.score * (1.0 - 0.0005 * len(first)) * 0.9) for hit in hits if hit.number not in known
    ]
    return [*sure, *rest]

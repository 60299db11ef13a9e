"""Ranking passages for a question: the lists, each hit's confidence, fusion, article look-up and the graph walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.documents.citations import Edge
from app.documents.confidence import Calibration, question_value
from app.documents.index import Snapshot
from app.documents.lookup import Named, looked_up, read_names
from app.documents.meaning import MeaningSpace
from app.documents.shapes import Chunk
from app.documents.signals import Signals, cosines, read_signals, share_of_best
from app.documents.terms import Lexicon, MorphemeReader, QueryTerms, query_terms

Floats = NDArray[np.float32]

POOL = 200
"""Passages of each list that are considered."""
RANKED_AGAIN = 100
"""Hybrid's best passages after fusion that are ranked again by all signals together."""
FUSED_SHARE = 0.12
"""How much the fusion's order counts among those."""
SEEDS = 3
BESIDE_NAMED = 0.3
"""Weight of other words in graph mode when the question names an article: its neighbours are what is asked for."""
GRAPH_SHARE = 0.5
"""What a seed lends along the citation graph. Lending inside hybrid cost .06 R@1 here: left out."""
LOOKED_UP = 0.95
LOOKED_THROUGH = 100
NEAR_REPEAT = 0.9
"""Cosine of the meanings of two clauses under one title from which on they say the same."""
NAMED_PRODUCT, OTHER_PRODUCT = 1.15, 0.75
RIDER = 0.95
"""Of a rider's clause when the question names no rider and no product: the main terms hold for more people."""


@dataclass(frozen=True)
class Hit:
    """One ranked passage: chunk number, ranking score, calibrated confidence, and the link that led to it."""

    number: int
    score: float
    confidence: float
    edge: Edge | None = None


@dataclass(frozen=True)
class Ranked:
    """Hits, best first, how many candidates each list gave, and the words of the question: its own and the trade's."""

    hits: tuple[Hit, ...]
    candidates: dict[str, int]
    words: tuple[str, ...] = ()
    trade: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Scores:
    """Everything that was computed for one question, one value a chunk."""

    keyword: Floats
    semantic: Floats
    overall: Floats
    confidence: Floats
    allowed: NDArray[np.bool_]
    found: list[int]
    terms: QueryTerms


@dataclass(frozen=True)
class Ranker:
    """Ranks the passages of one snapshot. `product_names` maps compact names to codes, `full_names` those without the
    nicknames."""

    snapshot: Snapshot
    reader: MorphemeReader
    meaning: MeaningSpace
    encode: Callable[[str], Floats]
    calibration: Calibration
    lexicon: Lexicon
    product_names: Mapping[str, str]
    full_names: Mapping[str, str] = field(default_factory=dict)

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
            lists = ([n for n in keyword if passing[n]], [n for n in semantic if passing[n]])
            fused = (
                _rrf(lists, rrf_k) if fusion == "rrf"
                else _weighted(lists, (scores.keyword, scores.semantic), (1 - vector_weight, vector_weight))
            )  # fmt: skip
            ranked = [Hit(n, score, float(scores.confidence[n])) for n, score in _again(fused, scores.overall)]
        else:
            ranked = self._walked(self._listed(semantic, scores.semantic, scores), allowed, scores)
            counts["graph"] = sum(1 for hit in ranked if hit.edge is not None)
        distinct = self._distinct_first(ranked)
        return Ranked(
            tuple(_with_looked_up(distinct, scores.found, threshold)[:top_k]),
            counts,
            scores.terms.words,
            scores.terms.concepts + scores.terms.trade,
        )

    def raw_best(self, query: str) -> float:
        """The raw confidence value of a question's best hit, for calibration."""
        terms = query_terms(self.reader, query, self.lexicon)
        return question_value(self._signals(terms, self.encode(query)), len(terms.words))

    def _signals(self, terms: QueryTerms, vector: Floats) -> Signals:
        return read_signals(self.snapshot, terms, self.meaning.encode(terms.meant), vector)

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
        terms = query_terms(self.reader, query, self.lexicon)
        named = read_names(self.snapshot, query, self.product_names)
        if product_code is not None:
            named = replace(named, products=frozenset({product_code}))
        signals = self._signals(terms, self.encode(query) if vector is None else vector)
        favour = self._favour(named)
        plain = {word: 1.0 for word in terms.words if not word.startswith("§")}
        found = (
            looked_up(self.snapshot, named, query, allowed, self.snapshot.words.scores(plain)) if named.articles else []
        )
        return _Scores(
            (signals.keyword * favour).astype(np.float32),
            (signals.semantic * favour).astype(np.float32),
            (signals.overall * favour).astype(np.float32),
            self.calibration.confidence(question_value(signals, len(terms.words)), share_of_best(signals.semantic)),
            allowed,
            found,
            terms,
        )

    def _favour(self, named: Named) -> Floats:
        """A named product lifts its own passages and lowers those of others; unnamed riders give way a little."""
        chunks = self.snapshot.chunks
        favour = np.ones(len(chunks), dtype=np.float32)
        if not named.products and not named.scopes:
            favour[self.snapshot.in_rider] = RIDER
        if named.products:
            for number, chunk in enumerate(chunks):
                if chunk.products:
                    favour[number] = NAMED_PRODUCT if named.products & set(chunk.products) else OTHER_PRODUCT
        return favour

    def _distinct_first(self, hits: list[Hit]) -> list[Hit]:
        """Repeats of a passage (a clause that every policy line shares) go behind what says something new."""
        looked = hits[:LOOKED_THROUGH]
        repeats = self._repeats([hit.number for hit in looked])
        first = [hit for hit, again in zip(looked, repeats, strict=True) if not again] + hits[LOOKED_THROUGH:]
        least = first[-1].score if first else 0.0
        behind = (hit for hit, again in zip(looked, repeats, strict=True) if again)
        return [*first, *(Hit(hit.number, min(hit.score, least), hit.confidence, hit.edge) for hit in behind)]

    def _repeats(self, numbers: Sequence[int]) -> list[bool]:
        """Whether each passage repeats one before it: word for word, or nearly so under the same title in another
        document or rider."""
        snapshot = self.snapshot
        found: list[bool] = []
        texts: set[str] = set()
        under: dict[str, list[int]] = {}
        for number in numbers:
            chunk, title = snapshot.chunks[number], snapshot.titles[number]
            same = under.setdefault(title, []) if title else []
            again = chunk.text in texts
            others = [n for n in same if _place(snapshot.chunks[n]) != _place(chunk)]
            if not again and others:
                again = bool(cosines(snapshot.meanings[others], snapshot.meanings[number]).max() >= NEAR_REPEAT)
            if not again:
                same.append(number)
            texts.add(chunk.text)
            found.append(again)
        return found

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


def _place(chunk: Chunk) -> tuple[str, str]:
    return chunk.doc_id, chunk.scope


def _best(values: Floats, allowed: NDArray[np.bool_]) -> list[int]:
    """Numbers of the best positive values, ties in document order."""
    usable = np.where(allowed, values, 0.0)
    count = min(POOL, int((usable > 0).sum()))
    if count == 0:
        return []
    top = np.argpartition(-usable, count - 1)[:count]
    return [int(n) for n in top[np.lexsort((top, -usable[top]))]]


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
    shares = [share_of_best(each) for each in values]
    numbers = dict.fromkeys(n for ranked in lists for n in ranked)
    total = {n: sum(w * float(share[n]) for w, share in zip(weights, shares, strict=True)) for n in numbers}
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))


def _again(fused: list[tuple[int, float]], overall: Floats) -> list[tuple[int, float]]:
    """The best of the fusion in the order of all signals together; the rest follows as it was."""
    first, rest = fused[:RANKED_AGAIN], fused[RANKED_AGAIN:]
    if not first:
        return fused
    best, top = max(float(max(overall[n] for n, _ in first)), 1e-6), first[0][1]
    ranked = sorted(
        ((n, FUSED_SHARE * score + (1 - FUSED_SHARE) * top * float(overall[n]) / best) for n, score in first),
        key=lambda pair: (-pair[1], pair[0]),
    )
    least = ranked[-1][1]
    return [*ranked, *((n, min(score, least)) for n, score in rest)]


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

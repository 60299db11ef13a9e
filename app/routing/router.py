"""Picks the few tools that fit a question, and tells whether any is needed at all."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import VectorCollection
from app.language.features import Analysis, TextAnalyser
from app.language.kernel_heads import HeardText
from app.routing.annotation_scorer import compute_annotation_scores
from app.routing.calibration import Calibration
from app.routing.fusion import WEIGHTS, fuse, ranks_of
from app.routing.intent import Intents, QueryIntent
from app.routing.tool_index import IndexBuilder, ToolIndex
from app.toolbox.snapshot import ToolSnapshot

Floats = NDArray[np.float32]

log = logging.getLogger(__name__)

_SEEDS = 5
# A source says nothing of a tool that it scores no higher than this.
_FLOORS = {"bm25": 0.0, "graph": 0.0}
_IN_LIKENESS = frozenset(("bm25", "embedding", "graph"))
_KEPT_VERSIONS = 4
# The likeness of a question to a tool's description stands in for the head that the tool lacks: so much of what lies
# over the likeness of questions to the shipped tools, and the more, the surer the heads find the question foreign.
# Chosen on two foreign catalogues and half of a third beside the shipped tools, and on questions to those.
PROTOTYPE_SCALE, PROTOTYPE_ZERO, PROTOTYPE_OUTSIDE = 0.2, 0.75, 0.7


class SourceScore(NamedTuple):
    """Where one source put a tool: rank from 1, and the source's own score."""

    rank: int
    score: float


@dataclass(frozen=True)
class Candidate:
    """A tool that may fit. `score` is the fused one; `matched` is the card line that came closest."""

    tool: str
    score: float
    rank: int
    sources: dict[str, SourceScore]
    matched: str


@dataclass(frozen=True)
class Route:
    """The answer of the router. `no_call`: the question needs no tool; `no_call_score` is its probability (0-1)."""

    candidates: tuple[Candidate, ...]
    no_call: bool
    no_call_score: float
    intent: QueryIntent
    duration_ms: float


@dataclass(frozen=True)
class Standing:
    """Every usable tool, best first, with its fused score and the share that the trained head gives it (none where it
    has no head)."""

    tools: tuple[str, ...]
    fused: Mapping[str, float]
    share: Mapping[str, float]
    no_call_score: float


@dataclass(frozen=True)
class Unlearned:
    """How much more a text is like each tool without a head than small talk ever is (over 0 where it may be meant), and
    whether one of them is `meant` rather than a tool that has a head."""

    over: Mapping[str, float]
    meant: bool


@dataclass(frozen=True)
class _Seen:
    """What the sources say of a question: scores and ranks a source, fused; `order` are the usable tools' places."""

    index: ToolIndex
    sources: Mapping[str, Floats]
    ranks: Mapping[str, Floats]
    fused: Floats
    lines: Floats
    order: Sequence[int]
    intent: QueryIntent
    score: float
    no_call: bool

    def candidates(self, top_k: int) -> tuple[Candidate, ...]:
        # Plain lists: numbers are read out of an array one by one ten times slower.
        found = [(name, self.ranks[name].tolist(), scores.tolist()) for name, scores in self.sources.items()]
        shares = self.fused.tolist()
        table = self.index.keyword.table
        return tuple(
            Candidate(
                tool=self.index.names[place],
                score=shares[place],
                rank=rank,
                sources={
                    name: SourceScore(int(ranked[place]), round(scores[place], 4))
                    for name, ranked, scores in found
                    if ranked[place] != inf
                },
                matched=table.lines[table.best_line(self.lines, place)].text,
            )
            for rank, place in enumerate(self.order[:top_k], 1)
        )


class Router:
    """Routes questions over the indexes of the living tool snapshots. Safe to share between threads."""

    def __init__(
        self,
        builder: IndexBuilder,
        calibration: Calibration,
        analyser: TextAnalyser,
        embedder: Embedder,
        intents: Intents,
    ) -> None:
        self._builder, self._analyser, self._embedder, self._intents = builder, analyser, embedder, intents
        self.calibration = calibration
        self._indexes: dict[int, ToolIndex] = {}
        self._newest: ToolIndex | None = None
        self._lock = threading.Lock()

    def prepare(self, old: ToolSnapshot | None, new: ToolSnapshot) -> None:
        """Index a snapshot before it is swapped in; unchanged lines are taken over from the newest index."""
        self._indexed(new)

    def keep_vectors(self, collection: VectorCollection) -> None:
        """Keep the vectors of the newest index, and of all later ones, in this collection."""
        self._exchange(lambda newest: self._builder.kept(newest, collection))

    def leave_vectors_out(self) -> None:
        """Route without vectors, as where their store is lost."""
        self._exchange(self._builder.without_vectors)

    def forget_older(self) -> None:
        """Keep the newest index alone (each is some 15 MB): nobody holds a snapshot before it."""
        with self._lock:
            if self._newest is not None:
                self._indexes = {self._newest.version: self._newest}

    def _exchange(self, changed: Callable[[ToolIndex], ToolIndex]) -> None:
        if self._newest is not None:
            index = changed(self._newest)
            with self._lock:
                self._newest = self._indexes[index.version] = index

    def trial(self, snapshot: ToolSnapshot) -> Router:
        """A router of its own over a set that is not in force: nothing is stored, and nothing changes here."""
        trial = Router(self._builder.without_store(), self.calibration, self._analyser, self._embedder, self._intents)
        trial._newest = trial._builder.build(snapshot, self._newest)
        trial._indexes = {snapshot.version: trial._newest}
        return trial

    def settle(self, old: ToolSnapshot, new: ToolSnapshot) -> None:
        """After the swap: delete from the store what only the older set used."""
        before, after = self._indexes.get(old.version), self._indexes.get(new.version)
        if after is not None:
            self._builder.prune(after, before)

    def index(self, snapshot: ToolSnapshot) -> ToolIndex:
        """The index of a snapshot; built on the spot if nobody prepared it."""
        return self._indexes.get(snapshot.version) or self._indexed(snapshot)

    def prerequisites(self, tool: str, snapshot: ToolSnapshot) -> tuple[str, ...]:
        """The tools that give what this one asks for, by name."""
        return tuple(sorted({edge.source for edge in self.index(snapshot).graph.prerequisites(tool)}))

    def _indexed(self, snapshot: ToolSnapshot) -> ToolIndex:
        # Built without the lock: a store that hangs would keep everybody else from it.
        index = self._builder.build(snapshot, self._newest)
        with self._lock:
            # A turn may still hold an old snapshot, so what was asked for last is kept, not only the highest versions.
            rest = [(version, old) for version, old in self._indexes.items() if version != snapshot.version]
            self._indexes = dict([*rest, (snapshot.version, index)][-_KEPT_VERSIONS:])
            if self._newest is None or snapshot.version >= self._newest.version:
                self._newest = index
            return index

    @property
    def degraded(self) -> bool:
        """True while the newest index has no embedding source (vector store lost)."""
        return self._newest is not None and self._newest.embedding is None

    def route(
        self,
        query: str,
        snapshot: ToolSnapshot,
        *,
        vector: Floats | None = None,
        heard: HeardText | None = None,
        top_k: int = 5,
        allowed: Collection[str] | None = None,
        without: Collection[str] = (),
    ) -> Route:
        """At most `top_k` tools of `snapshot`, best first; only those in `allowed` when it is given. 1-2 ms.

        `heard` is the text where it was read before; `without` names sources that have no say in the ranking (for
        measuring what each is worth).
        """
        started = time.perf_counter()
        seen = self._seen(query, snapshot, vector, heard, allowed, without)
        return Route(
            candidates=seen.candidates(top_k),
            no_call=seen.no_call or not seen.order,
            no_call_score=round(seen.score, 4),
            intent=seen.intent,
            duration_ms=(time.perf_counter() - started) * 1000,
        )

    def holders(self, snapshot: ToolSnapshot) -> Callable[[str], int]:
        """In how many tools' lines a word stands."""
        return self.index(snapshot).keyword.holders

    def standing(
        self, query: str, snapshot: ToolSnapshot, *, vector: Floats, heard: HeardText, allowed: Collection[str]
    ) -> Standing:
        """Where every allowed tool stands, without the trail that `route` gives of each."""
        seen = self._seen(query, snapshot, vector, heard, allowed, ())
        names, fused = seen.index.names, seen.fused.tolist()
        heads = seen.sources.get("head")
        learned = [] if heads is None else [round(score, 4) for score in heads.tolist()]
        return Standing(
            tools=tuple(names[place] for place in seen.order),
            fused={names[place]: fused[place] for place in seen.order},
            share={names[place]: learned[place] for place in seen.order if learned and learned[place] != -inf},
            no_call_score=round(seen.score, 4),
        )

    def unlearned(
        self, text: str, snapshot: ToolSnapshot, *, vector: Floats, heard: HeardText, allowed: Collection[str]
    ) -> Unlearned:
        """What is known of the tools without a head for a text; nothing, and at no cost, where every tool has one."""
        index = self.index(snapshot)
        if index.prototypes is None or index.heads is None:
            return Unlearned({}, meant=False)
        alike = index.alike(heard.by(index.heads)[0], vector, self._analyser.tagged(heard.analysis.text))
        over = (alike - np.float32(index.least_alike)).tolist()
        places = index.prototypes.places.tolist()
        known = {index.names[p]: more for p, more in zip(places, over, strict=True) if index.names[p] in allowed}
        first = self._seen(text, snapshot, vector, heard, allowed, ()).order[:1]
        return Unlearned(known, meant=bool(first) and index.names[first[0]] in known)

    def _seen(
        self,
        query: str,
        snapshot: ToolSnapshot,
        vector: Floats | None,
        heard: HeardText | None,
        allowed: Collection[str] | None,
        without: Collection[str],
    ) -> _Seen:
        index = self.index(snapshot)
        heard = heard or HeardText(self._analyser.analyse(query))
        analysis = heard.analysis
        embedded = self._embedder.encode_query(query) if vector is None else vector
        intent = self._intents.of(analysis.text)
        reading, learned = heard.by(index.heads) if index.heads is not None else (None, None)
        alike = None
        if index.prototypes is not None and reading is not None:
            alike = index.alike(reading, embedded, self._analyser.tagged(analysis.text))
        sources, lines = self._sources(index, analysis, embedded, intent, learned, alike)
        score = self._needs_no_tool(index, analysis, learned)
        usable = {name for name in snapshot.names() if allowed is None or name in allowed}
        no_call = score >= self.calibration.no_call.threshold
        said = {name: scores for name, scores in sources.items() if name not in without} or sources
        ranks = {name: ranks_of(scores, _FLOORS.get(name, -np.inf)) for name, scores in said.items()}
        fused = fuse([(_in_fusion(name, ranks, index), WEIGHTS[name]) for name in said])
        order = [place for place in np.argsort(-fused, kind="stable").tolist() if index.names[place] in usable]
        unlearned = index.unlearned & usable
        likeliest = 0.0 if alike is None else float(alike.max(initial=0.0))
        if no_call and unlearned and likeliest >= index.least_alike:
            # The heads see nothing for the tools they know, so it is for one they were never shown.
            order.sort(key=lambda place: index.names[place] not in unlearned)
            no_call = False
        return _Seen(index, said, ranks, fused, lines, order, intent, score, no_call)

    def _sources(
        self,
        index: ToolIndex,
        analysis: Analysis,
        vector: Floats,
        intent: QueryIntent,
        learned: Floats | None,
        alike: Floats | None,
    ) -> tuple[dict[str, Floats], Floats]:
        keyword_lines = index.keyword.line_scores(analysis.terms)
        bm25 = index.keyword.tool_scores(analysis.terms, keyword_lines)
        sources = {"bm25": bm25}
        lines = keyword_lines / max(float(keyword_lines.max(initial=0.0)), 1e-6)
        seeds_from = bm25 / 2
        if index.embedding is not None:
            cosines = index.embedding.line_scores(vector)
            sources["embedding"] = index.embedding.tool_scores(cosines)
            lines = lines + cosines
            seeds_from = seeds_from + sources["embedding"]
        if learned is not None:
            sources["head"] = np.append(learned, np.float32(-np.inf))[index.head_columns]
            if alike is not None and index.prototypes is not None:
                outside = PROTOTYPE_OUTSIDE * float(learned[index.outside])
                sources["head"][index.prototypes.places] = (alike - PROTOTYPE_ZERO) * PROTOTYPE_SCALE + outside
            seeds_from = seeds_from + np.maximum(sources["head"], 0)
        seeds = np.argsort(-seeds_from)[:_SEEDS]
        reached = index.graph.expand({int(seed): float(seeds_from[seed]) for seed in seeds if seeds_from[seed] > 0})
        graph = np.zeros_like(bm25)
        graph[list(reached.keys())] = list(reached.values())
        if index.learned:
            # Inferred from nothing but names and descriptions it misleads: 3 points of Recall@5 of such a catalogue.
            sources["graph"] = graph
        aligned = compute_annotation_scores(intent, index.annotations)
        if aligned:
            sources["annotation"] = np.array([aligned.get(name, 0.5) for name in index.names], dtype=np.float32)
        return sources, lines

    def _needs_no_tool(self, index: ToolIndex, analysis: Analysis, learned: Floats | None) -> float:
        """The judge's probability, from the heads' raw scores: fused ranks cannot tell that nothing fits."""
        if index.heads is None or learned is None:
            return 0.0
        return self.calibration.no_call.probability(
            self.calibration.reader.facts(learned, index.heads.labels, analysis)
        )


def _in_fusion(name: str, ranks: Mapping[str, Floats], index: ToolIndex) -> Floats:
    """The ranks of a source; those of tools without a head are the ones of their likeness, which holds letters, words
    and meaning already."""
    if index.prototypes is None or "head" not in ranks or name not in _IN_LIKENESS:
        return ranks[name]
    merged = ranks[name].copy()
    merged[index.prototypes.places] = ranks["head"][index.prototypes.places]
    return merged

"""Everything the router needs of one tool snapshot, built once and never changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import VectorCollection
from app.errors import Unavailable
from app.language.everyday import EverydayWords
from app.language.evidence import OUTSIDE
from app.language.feature_space import Example
from app.language.features import Tagged, TextAnalyser
from app.language.kernel_heads import KernelHeads, Reading
from app.language.prototypes import Prototypes
from app.messages import worded
from app.routing.embedding_index import EmbeddingIndex
from app.routing.keyword_index import KeywordIndex
from app.routing.lines import LineTable
from app.routing.tool_graph import ToolGraph
from app.routing.word_match import WordMatch, argument_texts, words_of_tool
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.tools.declare import Annotations

Floats = NDArray[np.float32]

log = logging.getLogger(__name__)

_LOST_STORE = worded("tool_index.degraded")

# More new tools than this at once (an imported catalogue) are left to the other sources until the next start.
_MOST_NEW_HEADS = 24
# The likeness of the sentence vectors counts this much beside that of words when a tool has no head.
PROTOTYPE_MEANING = 0.5
# Of lines that need no tool, this share may still find one in a catalogue without heads.
UNRELATED_SHARE = 0.13


@dataclass(frozen=True)
class ToolIndex:
    """The sources of one snapshot. `head_columns[i]` is the head's label of tool i.

    `prototypes` holds the lines of the tools that no head was trained for (an imported catalogue), `words` their words
    one by one, and `least_alike` the likeness (`alike`) that small talk and other lines without a tool hardly ever
    reach there.
    """

    version: int
    names: tuple[str, ...]
    keyword: KeywordIndex
    embedding: EmbeddingIndex | None
    graph: ToolGraph
    annotations: dict[str, Annotations | None]
    heads: KernelHeads | None
    head_columns: NDArray[np.intp]
    prototypes: Prototypes | None
    words: WordMatch | None = None
    least_alike: float = np.inf

    def alike(self, reading: Reading, vector: Floats, tagged: Sequence[Tagged]) -> Floats:
        """How much a text is like each tool without a head, in the order of `prototypes.places`."""
        if self.prototypes is None:
            return np.zeros(0, dtype=np.float32)
        alike = self.prototypes.scores(reading)
        if self.words is not None:
            alike = alike + self.words.scores(tagged)
        if self.embedding is None:
            return alike
        meant = self.embedding.tool_scores(self.embedding.line_scores(vector))[self.prototypes.places]
        return np.asarray(alike + PROTOTYPE_MEANING * meant, dtype=np.float32)

    @property
    def learned(self) -> bool:
        """Whether any tool has a head, or none can have."""
        return self.prototypes is None or len(self.prototypes.places) < len(self.names)

    @cached_property
    def outside(self) -> int:
        """The place of the label of questions that are no business of the shipped tools."""
        return self.heads.labels.index(OUTSIDE) if self.heads is not None else 0

    @cached_property
    def unlearned(self) -> frozenset[str]:
        """The tools that the heads do not know (none when there are no heads)."""
        if self.heads is None:
            return frozenset()
        return frozenset(self.names) - frozenset(self.heads.labels)


class IndexBuilder:
    """Makes a ToolIndex out of a snapshot; what the previous index already holds is not computed again."""

    def __init__(
        self,
        analyser: TextAnalyser,
        embedder: Embedder,
        heads: KernelHeads | None,
        collection: VectorCollection | None,
        terms: Mapping[str, tuple[str, ...]] | None = None,
        gloss: Callable[[str], str] | None = None,
        unrelated: Sequence[tuple[str, Reading]] = (),
        everyday: EverydayWords | None = None,
        *,
        embeds: bool = True,
    ) -> None:
        """`terms` holds the words of lines that were read already; `gloss` puts English descriptions into Korean.

        `unrelated` are lines that need no tool, from which `least_alike` of tools without a head is calibrated.
        `everyday` knows what people say for the words of descriptions.
        `embeds`: whether indexes get vectors from the start, or only once `kept` was called.
        """
        self._analyser, self._embedder, self._heads, self._collection = analyser, embedder, heads, collection
        self._terms, self._gloss, self._unrelated = terms or {}, gloss, tuple(unrelated)
        self._everyday = everyday
        self._unrelated_seen: list[tuple[Floats, tuple[Tagged, ...]]] = []
        self._embeds = embeds

    def kept(self, index: ToolIndex, collection: VectorCollection) -> ToolIndex:
        """The index with its vectors kept in this collection, as those of all later ones; without vectors where the
        store fails."""
        self._collection, self._embeds = collection, True
        try:
            if index.embedding is None:
                return replace(index, embedding=EmbeddingIndex.build(index.keyword.table, self._embedder, collection))
            index.embedding.keep(collection)
        except Unavailable:
            log.warning(_LOST_STORE, exc_info=True)
            return self.without_vectors(index)
        return index

    def without_vectors(self, index: ToolIndex) -> ToolIndex:
        """The index as it is while the vector store is lost."""
        return replace(index, embedding=None)

    def build(self, snapshot: ToolSnapshot, previous: ToolIndex | None = None) -> ToolIndex:
        """The index of `snapshot`. A lost vector store leaves the embedding source out and says so in the log."""
        older = previous.keyword if previous is not None else None
        table = LineTable.of(snapshot.entries, self._gloss, older.table if older is not None else None)
        heads = previous.heads if previous is not None else self._heads
        if heads is not None:
            heads = self._with_new_tools(heads, snapshot.entries)
        rows = dict(previous.prototypes.rows) if previous is not None and previous.prototypes is not None else {}
        columns = _columns(heads, table.names)
        alone = np.flatnonzero(columns == len(heads.labels)).tolist() if heads is not None else []
        texts = {place: [line.text for line in table.lines_of(place)] for place in alone}
        wanted = {text for lines in texts.values() for text in lines}

        def read(text: str) -> tuple[str, ...]:
            known = self._terms.get(text)
            if known is not None:
                return known
            analysis = self._analyser.analyse(text)
            if heads is not None and text in wanted:
                rows[text] = heads.row(analysis)
            return analysis.terms

        keyword = KeywordIndex.build(table, read, older)
        if heads is not None:
            rows.update((text, heads.row(self._analyser.analyse(text))) for text in wanted - rows.keys())
        embedding = self._embedded(table, previous)
        centroids = embedding.centroids() if embedding is not None and table.names else None
        width = len(heads.space.vocabulary) if heads is not None else 0
        index = ToolIndex(
            version=snapshot.version,
            names=table.names,
            keyword=keyword,
            embedding=embedding,
            graph=ToolGraph.infer(snapshot.entries, centroids),
            annotations={entry.name: entry.annotations for entry in snapshot.entries},
            heads=heads,
            head_columns=columns,
            prototypes=Prototypes.of(texts, rows, width) if texts else None,
            words=self._words(heads, table, alone, previous),
        )
        return replace(index, least_alike=self._least_alike(index, previous))

    def _least_alike(self, index: ToolIndex, previous: ToolIndex | None) -> float:
        """What UNRELATED_SHARE of the unrelated lines reach: a larger catalogue is like more of them by chance."""
        if index.prototypes is None or not self._unrelated:
            return float(np.inf)
        if previous is not None and _same(index, previous):
            return previous.least_alike
        if not self._unrelated_seen:
            texts = [text for text, _ in self._unrelated]
            self._unrelated_seen = [(self._embedder.encode_query(t), self._analyser.tagged(t)) for t in texts]
        reached = [
            float(index.alike(reading, vector, tagged).max(initial=0.0))
            for (_, reading), (vector, tagged) in zip(self._unrelated, self._unrelated_seen, strict=True)
        ]
        return float(np.quantile(reached, 1.0 - UNRELATED_SHARE))

    def _words(
        self, heads: KernelHeads | None, table: LineTable, alone: Sequence[int], previous: ToolIndex | None
    ) -> WordMatch | None:
        """The words of the tools without a head."""
        if heads is None or not alone:
            return None
        lines = [table.lines_of(place) for place in alone]
        texts = tuple(tuple(line.text for line in of_tool) for of_tool in lines)
        if previous is not None and previous.words is not None and previous.words.texts == texts:
            return previous.words
        related = self._everyday.related if self._everyday is not None else None
        tools = [
            words_of_tool(of_tool, argument_texts(table.entries[place], self._gloss), self._analyser.tagged, related)
            for place, of_tool in zip(alone, lines, strict=True)
        ]
        return WordMatch.of(tools, heads.space, texts)

    def without_store(self) -> IndexBuilder:
        """The same builder, for indexes that are only tried out: it writes nothing."""
        same = (self._analyser, self._embedder, self._heads, None)
        return IndexBuilder(*same, self._terms, self._gloss, self._unrelated, self._everyday)

    def prune(self, index: ToolIndex, older: ToolIndex | None) -> None:
        """Delete stored vectors that only `older` used; a store that fails is left for the next start."""
        if self._collection is None or index.embedding is None:
            return
        try:
            index.embedding.prune(self._collection, older.embedding if older else None)
        except Unavailable:
            log.warning(worded("tool_index.not_removed"), exc_info=True)

    def _embedded(self, table: LineTable, previous: ToolIndex | None) -> EmbeddingIndex | None:
        if not self._embeds:
            return None
        older = previous.embedding if previous is not None else None
        try:
            return EmbeddingIndex.build(table, self._embedder, self._collection, older)
        except Unavailable:
            log.warning(_LOST_STORE, exc_info=True)
            return None

    def _with_new_tools(self, heads: KernelHeads, entries: Sequence[ToolEntry]) -> KernelHeads:
        new = [entry for entry in entries if entry.name not in heads.labels]
        if len(new) > _MOST_NEW_HEADS:
            return heads
        return heads.with_labels(
            {
                entry.name: [Example(self._analyser.analyse(text), entry.name) for _, _, text in entry.card.lines()]
                for entry in new
            }
        )


def _same(index: ToolIndex, other: ToolIndex) -> bool:
    """Whether both hold the same tools without a head, and both or neither compare meanings."""
    if index.prototypes is None or other.prototypes is None:
        return index.prototypes is other.prototypes
    alike = index.prototypes.rows.keys() == other.prototypes.rows.keys()
    return alike and (index.embedding is None) == (other.embedding is None)


def _columns(heads: KernelHeads | None, names: Sequence[str]) -> NDArray[np.intp]:
    """The column of each tool; one beyond the last for a tool without a head."""
    if heads is None:
        return np.zeros(0, dtype=np.intp)
    place = {label: column for column, label in enumerate(heads.labels)}
    return np.array([place.get(name, len(heads.labels)) for name in names], dtype=np.intp)

"""Card lines as vectors: kept in Chroma (collection `tool_embeddings`), searched in memory.

A document a line, ids `tool_{name}`, `tool_{name}__use_{i}`, `tool_{name}__tags`; metadata `type`, `tool_name` and a
hash of the text, so that only changed lines are embedded again.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import VectorCollection
from app.routing.lines import Line, LineTable

Floats = NDArray[np.float32]

COLLECTION = "tool_embeddings"
_BEST_LINES = 5


@dataclass(frozen=True)
class EmbeddingIndex:
    """Scores tools by the cosine of their best lines; row i of `matrix` belongs to line i of `table`."""

    table: LineTable
    matrix: Floats

    @classmethod
    def build(
        cls,
        table: LineTable,
        embedder: Embedder,
        collection: VectorCollection | None,
        previous: EmbeddingIndex | None = None,
    ) -> EmbeddingIndex:
        """Vectors come from `previous`, else from the collection, else from the embedder; new ones are stored.

        Raises Unavailable when the store fails; without a collection everything stays in memory.
        """
        if previous is not None:
            matrix, changed = _taken_over(table, embedder, previous)
            _store(table, matrix, changed, collection)
            return cls(table, matrix)
        vectors, stored = _known(collection)
        texts = dict.fromkeys(line.text for line in table.lines)
        hashes = {text: text_hash(text) for text in texts}
        missing = [text for text in texts if hashes[text] not in vectors]
        if missing:
            fresh = embedder.encode_passages(missing)
            vectors = {**vectors, **{hashes[text]: row for text, row in zip(missing, fresh, strict=True)}}
        matrix = np.zeros((len(table.lines), embedder.dimension), dtype=np.float32)
        for row, line in enumerate(table.lines):
            matrix[row] = vectors[hashes[line.text]]
        changed = [row for row, line in enumerate(table.lines) if stored.get(line.id) != hashes[line.text]]
        _store(table, matrix, changed, collection)
        return cls(table, matrix)

    def keep(self, collection: VectorCollection) -> None:
        """Store what the collection lacks of these vectors. Raises Unavailable when the store fails."""
        _, stored = _known(collection)
        changed = [row for row, line in enumerate(self.table.lines) if stored.get(line.id) != text_hash(line.text)]
        _store(self.table, self.matrix, changed, collection)

    def prune(self, collection: VectorCollection, older: EmbeddingIndex | None) -> int:
        """Delete the rows that only the older index used; returns how many."""
        before = {line.id for line in older.table.lines} if older is not None else set(collection.load().ids)
        gone = sorted(before - {line.id for line in self.table.lines})
        if gone:
            collection.delete(gone)
        return len(gone)

    def line_scores(self, vector: Floats) -> Floats:
        """The cosine of every line."""
        # vecdot stays on this thread: a threaded product waits for the slowest core, 16 ms on a busy machine.
        scores: Floats = np.vecdot(self.matrix, vector)
        return scores

    def tool_scores(self, line_scores: Floats) -> Floats:
        """The mean of each tool's five best lines."""
        return self.table.best(line_scores, _BEST_LINES)

    def centroids(self) -> Floats:
        """One unit vector a tool: the mean of its lines."""
        sums = np.add.reduceat(self.matrix, self.table.starts[:-1], axis=0)
        lengths: Floats = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(lengths, 1e-9), dtype=np.float32)


def text_hash(text: str) -> str:
    """The content hash that is kept beside a vector."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _metadata(line: Line, tool: str) -> dict[str, str | int | float | bool]:
    return {"type": line.kind, "tool_name": tool, "hash": text_hash(line.text)}


def _known(
    collection: VectorCollection | None,
) -> tuple[dict[str, Floats], dict[str, str]]:
    """Vectors by text hash, and the hash of each stored id."""
    if collection is None:
        return {}, {}
    loaded = collection.load()
    hashes = [str(metadata.get("hash", "")) for metadata in loaded.metadatas]
    return dict(zip(hashes, loaded.matrix, strict=True)), dict(zip(loaded.ids, hashes, strict=True))


def _taken_over(table: LineTable, embedder: Embedder, previous: EmbeddingIndex) -> tuple[Floats, list[int]]:
    """The matrix with the rows of the older index, new texts embedded, and the rows whose text or id is new."""
    place = {line.text: row for row, line in enumerate(previous.table.lines)}
    stored = {line.id: line.text for line in previous.table.lines}
    rows = np.array([place.get(line.text, -1) for line in table.lines], dtype=np.intp)
    new = np.flatnonzero(rows < 0)
    if len(rows) == len(previous.matrix) and np.array_equal(rows, np.arange(len(rows))):
        matrix = previous.matrix  # the same lines in the same order: shared, never written
    elif len(previous.matrix):
        matrix = previous.matrix[rows]
    else:
        matrix = np.zeros((len(rows), embedder.dimension), np.float32)
    if len(new):
        matrix[new] = embedder.encode_passages([table.lines[row].text for row in new])
    return matrix, [row for row, line in enumerate(table.lines) if stored.get(line.id) != line.text]


def _store(table: LineTable, matrix: Floats, changed: list[int], collection: VectorCollection | None) -> None:
    if changed and collection is not None:
        collection.upsert(
            [table.lines[row].id for row in changed],
            matrix[changed],
            [_metadata(table.lines[row], table.tool_of(row)) for row in changed],
        )

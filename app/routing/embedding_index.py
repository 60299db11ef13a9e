"""Card lines as vectors: kept in Chroma (collection `tool_embeddings`), searched in memory.

A document a line, ids `tool_{name}`, `tool_{name}__use_{i}`, `tool_{name}__tags`; metadata `type`, `tool_name` and a
hash of the text, so that only changed lines are embedded again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
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
    """Scores tools by the cosine of their best lines. `hashes` maps a document id to (text hash, row)."""

    table: LineTable
    matrix: Floats
    hashes: dict[str, tuple[str, int]]

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
        known = _known(previous, collection)
        hashes = {line.id: (text_hash(line.text), row) for row, line in enumerate(table.lines)}
        tool_of = {line.id: table.names[int(np.searchsorted(table.starts, row, side="right")) - 1]
                   for row, line in enumerate(table.lines)}
        matrix = np.zeros((len(table.lines), embedder.dimension), dtype=np.float32)
        missing: list[int] = []
        for row, line in enumerate(table.lines):
            found = known.get(line.id)
            if found is not None and found[0] == hashes[line.id][0]:
                matrix[row] = found[1]
            else:
                missing.append(row)
        if missing:
            fresh = [table.lines[row] for row in missing]
            matrix[missing] = embedder.encode_passages([line.text for line in fresh])
            if collection is not None:
                collection.upsert(
                    [line.id for line in fresh],
                    matrix[missing],
                    [_metadata(line, tool_of[line.id], hashes[line.id][0]) for line in fresh],
                )
        return cls(table, matrix, hashes)

    def prune(self, collection: VectorCollection, older: EmbeddingIndex | None) -> int:
        """Delete the rows that only the older index used; returns how many."""
        before = set(older.hashes) if older is not None else set(collection.load().ids)
        gone = sorted(before - set(self.hashes))
        if gone:
            collection.delete(gone)
        return len(gone)

    def line_scores(self, vector: Floats) -> Floats:
        """The cosine of every line."""
        scores: Floats = self.matrix @ vector
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


def _metadata(line: Line, tool: str, digest: str) -> dict[str, str | int | float | bool]:
    return {"type": line.kind, "tool_name": tool, "hash": digest}


def _known(
    previous: EmbeddingIndex | None, collection: VectorCollection | None
) -> dict[str, tuple[str, Floats]]:
    if previous is not None:
        return {name: (digest, previous.matrix[row]) for name, (digest, row) in previous.hashes.items()}
    if collection is None:
        return {}
    loaded = collection.load()
    hashes: Sequence[str] = [str(metadata.get("hash", "")) for metadata in loaded.metadatas]
    return dict(zip(loaded.ids, zip(hashes, loaded.matrix, strict=True), strict=True))

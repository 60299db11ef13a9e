"""From what a project's stores hold to the ranker that searches it."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import Loaded, VectorCollection
from app.documents.confidence import Calibration, calibrate
from app.documents.examples import CustomerWords, Examples
from app.documents.index import Snapshot, embedded
from app.documents.ingest import Ingest
from app.documents.meaning import MeaningSpace
from app.documents.ranking import Ranker
from app.documents.search import DEFAULT_PROJECT
from app.documents.shapes import Chunk, FileReport
from app.documents.store import ChunkStore, Stored
from app.documents.terms import NeighbourCache
from app.errors import Unavailable
from app.messages import worded

Floats = NDArray[np.float32]
log = logging.getLogger(__name__)

_EVERY = 2
"""Other projects are calibrated with every second of the outsiders."""
_RECIPE = "11"
"""Raise when the ranking or the way of calibrating changes."""


@dataclass
class Project:
    """One set of documents with its stores. `ranker` is replaced whole; readers take it without a lock."""

    name: str
    store: ChunkStore
    collection: VectorCollection
    ranker: Ranker | None = None
    reports: tuple[FileReport, ...] = ()
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class RankerMaker:
    """Makes rankers; `ingest` makes vectors that are lost."""

    ingest: Ingest
    embedder: Embedder
    meaning: MeaningSpace
    reader: NeighbourCache
    lexicon: CustomerWords
    examples: Examples
    names: Mapping[str, str]
    full_names: Mapping[str, str]

    def open(self, project: Project) -> Ranker:
        """The ranker over what the store holds."""
        stored = project.store.load()
        snapshot = Snapshot.build(
            stored.chunks,
            stored.terms,
            stored.titles,
            self._matrix(project.collection, stored.chunks),
            self._meanings(project, stored),
        )
        ranker = Ranker(
            snapshot, self.reader, self.meaning, self.embedder.encode_query, Calibration(), self.lexicon,
            self.names, self.full_names,
        )  # fmt: skip
        return replace(ranker, calibration=self._calibrated(project, ranker))

    def _meanings(self, project: Project, stored: Stored) -> Floats:
        """The meanings of all chunks; made anew from their terms when another model made those that are stored."""
        meanings = stored.meanings
        if project.store.meta("meaning") != self.meaning.fingerprint:
            meanings = tuple(self.meaning.encode_passage(words) for words in stored.terms)
            project.store.put_meanings(meanings)
            project.store.note("meaning", self.meaning.fingerprint)
        if not meanings:
            return np.zeros((0, self.meaning.dimension), dtype=np.float32)
        return np.stack(meanings)

    def _matrix(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> Floats:
        """The embedder's vector of each chunk. Chroma is a cache: when it fails, they are made anew for this run."""
        if not chunks:
            return np.zeros((0, self.embedder.dimension), dtype=np.float32)
        try:
            loaded = self._stored_vectors(collection, chunks)
        except Unavailable as error:
            log.warning("vectors of the documents are made anew, the stored ones cannot be used: %s", error)
            return self.embedder.encode_passages([embedded(chunk) for chunk in chunks])
        rows = {name: row for row, name in enumerate(loaded.ids)}
        return np.ascontiguousarray(loaded.matrix[[rows[chunk.id] for chunk in chunks]])

    def _stored_vectors(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> Loaded:
        """What Chroma holds, after missing vectors were made and those of nothing pruned."""
        loaded = collection.load()
        known = set(loaded.ids)
        missing = [chunk for chunk in chunks if chunk.id not in known]
        if missing:
            self.ingest.embed(collection, missing)
            loaded = collection.load()
        wanted = {chunk.id for chunk in chunks}
        collection.delete([name for name in loaded.ids if name not in wanted])
        if not wanted <= set(loaded.ids):
            raise Unavailable(worded("document_opening.vectors_missing"))
        return loaded

    def _calibrated(self, project: Project, ranker: Ranker) -> Calibration:
        """Stored with what it was made from; questions about insurance tell nothing about other documents."""
        own = project.name == DEFAULT_PROJECT
        examples = self.examples if own else Examples((), self.examples.off_topic[::_EVERY])
        models = f"{self.embedder.fingerprint}:{self.meaning.fingerprint}:{self.lexicon.fingerprint}"
        key = f"{_RECIPE}:{ranker.snapshot.version}:{models}:{_fingerprint(examples)}"
        stored = project.store.meta("calibration")
        if stored and project.store.meta("calibration-key") == key:
            return Calibration.loads(stored)
        if not ranker.snapshot.chunks:
            return Calibration()
        found = calibrate(
            [ranker.raw_best(q) for q in examples.on_topic], [ranker.raw_best(q) for q in examples.off_topic]
        )
        project.store.note("calibration", found.dumps())
        project.store.note("calibration-key", key)
        return found


def _fingerprint(examples: Examples) -> str:
    return hashlib.sha256("\n".join((*examples.on_topic, "|", *examples.off_topic)).encode()).hexdigest()[:12]

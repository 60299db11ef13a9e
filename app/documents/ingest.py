"""Reading what changed in the folders of a project into its stores, one file at a time."""

from __future__ import annotations

import hashlib
import json
import logging
import math
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import VectorCollection
from app.documents.bounds import READING_S, Patience
from app.documents.faults import OutOfTime, UnreadableFile
from app.documents.index import embedded, last_heading, searchable
from app.documents.loader import FoundFile, find_files, load_file
from app.documents.meaning import MeaningSpace
from app.documents.progress import Progress
from app.documents.shapes import Chunk, FileReport, SourceDocument
from app.documents.splitter import Splitter
from app.documents.store import ChunkStore, FileRow, ReadFile
from app.documents.terms import BatchReader, TermReader
from app.errors import Unavailable
from app.messages import worded

log = logging.getLogger(__name__)

SOURCES_FOLDER = frozenset({"sources"})
"""Folder of the prose that the shipped corpus is made from; not a document itself."""
TWIN = "'"
"""A reason that begins so names the file whose twin this one is."""
DEATHS = 2
"""A file is set aside when the process died so often while it was read."""
WAITING = worded("ingest.reading")
SET_ASIDE = worded("ingest.gave_up")
_BATCH = 256


@dataclass
class _Changes:
    """What a look at the folders found."""

    seen: set[str] = field(default_factory=set)
    places: dict[str, str] = field(default_factory=dict)
    reports: list[FileReport] = field(default_factory=list)
    waiting: list[tuple[FoundFile, str]] = field(default_factory=list)


class Ingest:
    """Reads files into one project's stores. The caller holds the project's lock."""

    def __init__(self, splitter: Splitter, reader: BatchReader, embedder: Embedder, meaning: MeaningSpace) -> None:
        self._splitter, self._reader, self._embedder, self._meaning = splitter, reader, embedder, meaning

    def read(
        self,
        store: ChunkStore,
        collection: VectorCollection,
        folders: Sequence[Path],
        ready: ReadFile | None = None,
        within_s: float | None = None,
        trusted: Path | None = None,
    ) -> tuple[FileReport, ...]:
        """Read new and changed files, forget gone ones; a report for each file, by path.

        A file's vectors are stored before its passages are replaced in one transaction: after a kill at any moment the
        next run finds each file either as it was or as it is now. `ready` was read before. What cannot be read
        `within_s` seconds, all together, is `waiting` and stays as it was; files below `trusted` are always read.
        """
        known = store.files()
        changes = self._look(store, known, folders)
        names = {row.source: row.doc_id for row in known.values() if not row.reason}
        terms = TermReader(self._reader)
        until = None if within_s is None else time.monotonic() + within_s
        with Progress(worded("ingest.under_way"), len(changes.waiting)) as progress:
            for file, digest in changes.waiting:
                taken = {doc_id for source, doc_id in names.items() if source != file.source and source in changes.seen}
                limit = READING_S if until is None else min(READING_S, until - time.monotonic())
                if ready is not None and _fits(ready, file, digest, taken):
                    found: ReadFile | None = ready
                elif trusted is not None and file.path.is_relative_to(trusted):
                    found = self.read_file(file, digest, Patience(math.inf), terms, taken)
                elif limit > 0:
                    found = self.read_watched(store, file, digest, Patience(limit), terms, taken)
                else:
                    found = None
                if found is None:
                    changes.reports.append(FileReport(file.source, "waiting", WAITING))
                else:
                    changes.reports.append(self.keep(store, collection, found))
                    names[file.source] = found.row.doc_id if not found.row.reason else ""
                progress.advance(file.source)
        store.note("places", json.dumps(changes.places, ensure_ascii=False))
        gone = sorted(set(known) - changes.seen)
        store.remove(gone)
        reports = [*changes.reports, *(FileReport(source, "removed") for source in gone)]
        for report in reports:
            if report.status == "skipped":
                log.warning("document left out: %s: %s", report.source, report.reason)
        return tuple(sorted(reports, key=lambda report: report.source))

    def _look(self, store: ChunkStore, known: dict[str, FileRow], folders: Sequence[Path]) -> _Changes:
        """Every file of the folders: unchanged, the twin of another, or waiting to be read."""
        changes = _Changes()
        contents: dict[str, str] = {}
        for file in _files(folders):
            changes.seen.add(file.source)
            changes.places[file.source] = str(file.path)
            digest = digest_of(file.path)
            twin = contents.setdefault(digest, file.source)
            row = known.get(file.source)
            if twin != file.source:
                reason = worded("ingest.same_content", twin=TWIN, name=twin)
                store.put(_left_out(file, digest, reason).row, (), (), (), ())
                changes.reports.append(FileReport(file.source, "skipped", reason))
            elif row is not None and row.digest == digest and not row.reason.startswith(TWIN):
                kept = FileReport(file.source, "skipped" if row.reason else "unchanged", row.reason, row.pages)
                changes.reports.append(kept)
            else:
                changes.waiting.append((file, digest))
        return changes

    def read_watched(
        self,
        store: ChunkStore,
        file: FoundFile,
        digest: str,
        patience: Patience,
        reader: TermReader | None = None,
        taken: Collection[str] = (),
    ) -> ReadFile | None:
        """As `read_file`, of a file that may do harm: it is left out where the time is over or the process died of it;
        None where the time was shorter than a file may take. Raises Unavailable at a stop."""
        with _Watch(store, file.source, digest) as watch:
            if watch.deaths >= DEATHS:
                return _left_out(file, digest, SET_ASIDE)
            try:
                return self.read_file(file, digest, patience, reader, taken)
            except OutOfTime as error:
                return _left_out(file, digest, str(error)) if patience.limit_s >= READING_S else None

    def read_file(
        self,
        file: FoundFile,
        digest: str,
        patience: Patience,
        reader: TermReader | None = None,
        taken: Collection[str] = (),
    ) -> ReadFile:
        """Read a file without storing anything; one that is no good is left out. Raises what `patience` raises."""
        reader = reader or TermReader(self._reader)
        try:
            document = load_file(file, patience)
            if document.doc_id in taken:
                # two files of one name in two folders, or of two endings: the path tells them apart
                mark = hashlib.sha256(file.source.encode()).hexdigest()[:4]
                document = replace(document, doc_id=f"{document.doc_id}~{mark}")
            patience.stage()
            chunks = self._splitter.split(document, patience)
        except OutOfTime:
            raise
        except UnreadableFile as error:
            return _left_out(file, digest, str(error))
        patience.stage()
        terms = reader.all([searchable(chunk) for chunk in chunks], patience)
        patience.stage()
        titles = reader.all([last_heading(chunk) for chunk in chunks], patience)
        meanings = [self._meaning.encode_passage(words) for words in terms]
        return ReadFile(_row(document, digest), chunks, terms, titles, meanings)

    def keep(self, store: ChunkStore, collection: VectorCollection, found: ReadFile) -> FileReport:
        """Store what was read of a file, its vectors first."""
        row = found.row
        if row.reason:
            store.put(row, (), (), (), ())
            return FileReport(row.source, "skipped", row.reason)
        try:
            self.embed(collection, found.chunks)
        except Unavailable as error:
            log.warning("vectors of %s are not stored now: %s", row.source, error)
        store.put(row, found.chunks, found.terms, found.titles, found.meanings)
        return FileReport(row.source, "ok", "", row.pages, len(found.chunks))

    def embed(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> None:
        """Store the vectors of passages."""
        for start in range(0, len(chunks), _BATCH):
            part = chunks[start : start + _BATCH]
            vectors = self._embedder.encode_passages([embedded(chunk) for chunk in part])
            collection.upsert([chunk.id for chunk in part], vectors, [_metadata(chunk) for chunk in part])


def _files(folders: Sequence[Path]) -> Iterator[FoundFile]:
    taken: set[str] = set()
    for folder in folders:
        if folder.is_dir():
            for file in find_files(folder, SOURCES_FOLDER):
                source = file.source if file.source not in taken else f"{folder.name}/{file.source}"
                taken.add(source)
                yield FoundFile(file.path, source)


def digest_of(path: Path) -> str:
    """The hash of a file's bytes; what cannot be read has the hash of its fault."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as opened:
            while block := opened.read(2**20):
                digest.update(block)
    except OSError as error:
        return f"unreadable:{error.errno}"
    return digest.hexdigest()


def _row(document: SourceDocument, digest: str) -> FileRow:
    return FileRow(
        document.source, digest, document.doc_id, document.title, document.kind, document.product_code,
        document.version, document.pages,
    )  # fmt: skip


def _left_out(file: FoundFile, digest: str, reason: str) -> ReadFile:
    """A file that is not taken in, and why."""
    stem = Path(file.source).stem
    return ReadFile(FileRow(file.source, digest, stem, stem, "company", "", "", 0, reason))


def _fits(ready: ReadFile, file: FoundFile, digest: str, taken: Collection[str]) -> bool:
    return (ready.row.source, ready.row.digest) == (file.source, digest) and ready.row.doc_id not in taken


class _Watch:
    """Counts how often the process died while one content of a file was read; whoever leaves the block has not died."""

    def __init__(self, store: ChunkStore, source: str, digest: str) -> None:
        self._store, self._key, self._digest, self.deaths = store, f"reading:{source}", digest, 0

    def __enter__(self) -> _Watch:
        digest, _, count = self._store.meta(self._key).partition(" ")
        self.deaths = int(count) if count and digest == self._digest else 0
        self._store.note(self._key, f"{self._digest} {self.deaths + 1}")
        return self

    def __exit__(self, *_: object) -> None:
        self._store.note(self._key, "")


def _metadata(chunk: Chunk) -> dict[str, str | int | float | bool]:
    return {
        "source": chunk.source, "product_code": chunk.product_code, "doc_version": chunk.version,
        "doc_id": chunk.doc_id,
        "page": chunk.page, "heading_path": chunk.heading_path, "kind": chunk.kind,
    }  # fmt: skip

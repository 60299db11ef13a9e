"""Reading what changed in the folders of a project into its stores, one file at a time."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import VectorCollection
from app.documents.faults import UnreadableFile
from app.documents.index import embedded, last_heading, searchable
from app.documents.loader import FoundFile, find_files, load_file
from app.documents.meaning import MeaningSpace
from app.documents.progress import Progress
from app.documents.shapes import Chunk, FileReport, SourceDocument
from app.documents.splitter import Splitter
from app.documents.store import ChunkStore, FileRow
from app.documents.terms import BatchReader, TermReader
from app.errors import Unavailable

log = logging.getLogger(__name__)

SOURCES_FOLDER = frozenset({"sources"})
"""Folder of the prose that the shipped corpus is made from; not a document itself."""
TWIN = "'"
"""A reason that begins so names the file whose twin this one is."""
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

    def read(self, store: ChunkStore, collection: VectorCollection, folders: Sequence[Path]) -> tuple[FileReport, ...]:
        """Read new and changed files, forget gone ones; a report for each file, by path.

        A file's vectors are stored before its passages are replaced in one transaction: after a kill at any moment the
        next run finds each file either as it was or as it is now.
        """
        known = store.files()
        changes = self._look(store, known, folders)
        names = {row.source: row.doc_id for row in known.values() if not row.reason}
        terms = TermReader(self._reader)
        with Progress("문서를 읽는 중", len(changes.waiting)) as progress:
            for file, digest in changes.waiting:
                taken = {doc_id for source, doc_id in names.items() if source != file.source and source in changes.seen}
                report, doc_id = self._read(store, collection, file, digest, terms, taken)
                names[file.source] = doc_id
                changes.reports.append(report)
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
                reason = f"{TWIN}{twin}'와 내용이 같은 파일입니다."
                store.put(_left_out(file, digest, reason), (), (), (), ())
                changes.reports.append(FileReport(file.source, "skipped", reason))
            elif row is not None and row.digest == digest and not row.reason.startswith(TWIN):
                kept = FileReport(file.source, "skipped" if row.reason else "unchanged", row.reason, row.pages)
                changes.reports.append(kept)
            else:
                changes.waiting.append((file, digest))
        return changes

    def _read(
        self,
        store: ChunkStore,
        collection: VectorCollection,
        file: FoundFile,
        digest: str,
        reader: TermReader,
        taken: set[str],
    ) -> tuple[FileReport, str]:
        try:
            document = load_file(file)
        except UnreadableFile as error:
            store.put(_left_out(file, digest, str(error)), (), (), (), ())
            return FileReport(file.source, "skipped", str(error)), ""
        if document.doc_id in taken:
            # two files of one name in two folders, or of two endings: the path tells them apart
            mark = hashlib.sha256(file.source.encode()).hexdigest()[:4]
            document = replace(document, doc_id=f"{document.doc_id}~{mark}")
        chunks = self._splitter.split(document)
        terms = reader.all([searchable(chunk) for chunk in chunks])
        titles = reader.all([last_heading(chunk) for chunk in chunks])
        try:
            self.embed(collection, chunks)
        except Unavailable as error:
            log.warning("vectors of %s are not stored now: %s", file.source, error)
        meanings = [self._meaning.encode_passage(words) for words in terms]
        store.put(_row(document, digest), chunks, terms, titles, meanings)
        return FileReport(file.source, "ok", "", document.pages, len(chunks)), document.doc_id

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


def _left_out(file: FoundFile, digest: str, reason: str) -> FileRow:
    stem = Path(file.source).stem
    return FileRow(file.source, digest, stem, stem, "company", "", "", 0, reason)


def _metadata(chunk: Chunk) -> dict[str, str | int | float | bool]:
    return {
        "source": chunk.source, "product_code": chunk.product_code, "doc_version": chunk.version,
        "doc_id": chunk.doc_id,
        "page": chunk.page, "heading_path": chunk.heading_path, "kind": chunk.kind,
    }  # fmt: skip

"""The document library: reads what changed, keeps Chroma and SQLite in step, and swaps in a new snapshot at once."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import ChromaStore, VectorCollection
from app.documents.confidence import Calibration, calibrate
from app.documents.examples import Examples, load_concept_words, load_examples
from app.documents.index import Snapshot, embedded, searchable
from app.documents.loader import FoundFile, UnreadableFile, find_files, load_file
from app.documents.progress import Progress
from app.documents.ranking import Ranker
from app.documents.search import DEFAULT_PROJECT, DocumentInfo, DocumentSearch, product_keys
from app.documents.shapes import Chunk, FileReport, SourceDocument
from app.documents.splitter import Splitter
from app.documents.store import ChunkStore, FileRow
from app.documents.terms import NeighbourCache, TermReader
from app.errors import IndexBuildError
from app.insurance.catalogue import Catalogue
from app.insurance.names import names_of
from app.language.tokenizer import Tokenizer
from app.settings import Settings

log = logging.getLogger(__name__)

COLLECTION = "rag_documents"
SOURCES_FOLDER = frozenset({"sources"})
"""Folder of the prose that the shipped corpus is made from; not a document itself."""
_BATCH = 256
_RECIPE = "3"
"""Raise when the ranking or the way of calibrating changes."""


@dataclass
class Project:
    """One set of documents with its stores. `ranker` is replaced whole; readers take it without a lock."""

    name: str
    store: ChunkStore
    collection: VectorCollection
    ranker: Ranker | None = None
    reports: tuple[FileReport, ...] = ()
    folders: tuple[Path, ...] = ()
    lock: threading.Lock = field(default_factory=threading.Lock)


class DocumentLibrary:
    """Opens projects and keeps them up to date. Every public method may be called from any thread."""

    def __init__(
        self, settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
    ) -> None:
        self._settings, self._embedder, self._tokenizer, self._vectors = settings, embedder, tokenizer, store
        names = {name: product.code for product in catalogue.products for name in (*names_of(product), product.code)}
        self._names = product_keys(names)
        self._reader = NeighbourCache(tokenizer)
        self._splitter = Splitter(
            settings.chunk_chars,
            settings.chunk_overlap_chars,
            tokenizer.sentences,
            {product.name: product.code for product in catalogue.products},
        )
        self._concepts = load_concept_words(settings.content_dir)
        self._projects: dict[str, Project] = {}
        self._opening = threading.Lock()

    def search(self) -> DocumentSearch:
        """The search over all projects that have been opened or indexed before."""
        return DocumentSearch(self)

    def project(self, name: str = DEFAULT_PROJECT) -> Project:
        """Open a project's stores. Raises IndexBuildError."""
        with self._opening:
            if name not in self._projects:
                stamp = f"{self._settings.chunk_chars}:{self._settings.chunk_overlap_chars}"
                collection = COLLECTION if name == DEFAULT_PROJECT else f"{COLLECTION}.{name}"
                self._projects[name] = Project(
                    name,
                    ChunkStore(self._path(name), stamp),
                    self._vectors.collection(collection, self._embedder.fingerprint, self._embedder.dimension),
                )
            return self._projects[name]

    def forget(self, name: str) -> None:
        """Drop everything that was read of a project, so that the next `refresh` reads it anew."""
        project = self.project(name)
        project.store.remove(list(project.store.files()))

    def refresh(
        self, folders: Sequence[Path], name: str = DEFAULT_PROJECT, examples: Examples | None = None
    ) -> tuple[FileReport, ...]:
        """Bring a project up to date with its folders and swap the new snapshot in; unchanged files are not touched.

        New vectors are added before old ones go, so that a search never sees a gap; two refreshes wait for each other,
        in this process and between processes. Raises IndexBuildError when the stores cannot be written.
        """
        project = self.project(name)
        with project.lock, _file_lock(self._settings.data_dir / f"documents-{name}.lock"):
            reports = self._read_changes(project, folders)
            project.reports, project.folders = tuple(reports), tuple(folders)
            project.ranker = self._open(project, examples)
        return project.reports

    def ranker(self, name: str) -> Ranker | None:
        """The current ranker of a project; None for one that was never indexed."""
        project = self._projects.get(name)
        if project is None and name != DEFAULT_PROJECT and self._path(name).is_file():
            project = self.project(name)
        if project is None:
            return None
        if project.ranker is None:
            with project.lock:
                if project.ranker is None:
                    project.ranker = self._open(project, None)
        return project.ranker

    def documents(self, name: str) -> tuple[DocumentInfo, ...]:
        """The documents that were taken in, by path."""
        project = self.project(name)
        ranker = self.ranker(name)
        counts = Counter(chunk.source for chunk in ranker.snapshot.chunks) if ranker else Counter[str]()
        places = json.loads(project.store.meta("places") or "{}")
        return tuple(
            DocumentInfo(
                document_id=row.doc_id, path=row.source, title=row.title, kind=row.kind, product_code=row.product_code,
                version=row.version, pages=row.pages, chunks=counts[row.source], file=Path(places.get(row.source, "")),
            )
            for row in project.store.files().values() if not row.reason
        )  # fmt: skip

    def _path(self, name: str) -> Path:
        return self._settings.data_dir / f"documents-{name}.sqlite"

    def _read_changes(self, project: Project, folders: Sequence[Path]) -> list[FileReport]:
        known = project.store.files()
        reports: list[FileReport] = []
        waiting: list[tuple[FoundFile, str]] = []
        reader = TermReader(self._tokenizer)
        seen: set[str] = set()
        contents: dict[str, str] = {}
        places: dict[str, str] = {}
        for file in _files(folders):
            seen.add(file.source)
            places[file.source] = str(file.path)
            digest = _digest(file.path)
            twin = contents.setdefault(digest, file.source)
            row = known.get(file.source)
            if twin != file.source:
                reason = f"'{twin}'와 내용이 같은 파일입니다."
                project.store.put(_left_out(file, digest, reason), (), ())
                reports.append(FileReport(file.source, "skipped", reason))
            elif row is not None and row.digest == digest and not row.reason.startswith("'"):
                reports.append(FileReport(file.source, "skipped" if row.reason else "unchanged", row.reason, row.pages))
            else:
                waiting.append((file, digest))
        with Progress("문서를 읽는 중", len(waiting)) as progress:
            for file, digest in waiting:
                reports.append(self._read(project, file, digest, reader))
                progress.advance(file.source)
        project.store.note("places", json.dumps(places, ensure_ascii=False))
        gone = sorted(set(known) - seen)
        project.store.remove(gone)
        reports += [FileReport(source, "removed") for source in gone]
        for report in reports:
            if report.status == "skipped":
                log.warning("document left out: %s: %s", report.source, report.reason)
        return sorted(reports, key=lambda report: report.source)

    def _read(self, project: Project, file: FoundFile, digest: str, reader: TermReader) -> FileReport:
        try:
            document = load_file(file)
        except UnreadableFile as error:
            project.store.put(_left_out(file, digest, str(error)), (), ())
            return FileReport(file.source, "skipped", str(error))
        chunks = self._splitter.split(document)
        terms = [reader.terms(searchable(chunk)) for chunk in chunks]
        self._embed(project.collection, chunks)
        project.store.put(_row(document, digest), chunks, terms)
        return FileReport(file.source, "ok", "", document.pages, len(chunks))

    def _embed(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> None:
        for start in range(0, len(chunks), _BATCH):
            part = chunks[start : start + _BATCH]
            vectors = self._embedder.encode_passages([embedded(chunk) for chunk in part])
            collection.upsert([chunk.id for chunk in part], vectors, [_metadata(chunk) for chunk in part])

    def _open(self, project: Project, examples: Examples | None) -> Ranker:
        """The ranker over what the store holds; missing vectors are made, vectors of nothing are pruned."""
        chunks, terms = project.store.load()
        snapshot = Snapshot.build(chunks, terms, self._matrix(project.collection, chunks))
        ranker = Ranker(snapshot, self._reader, self._embedder.encode_query, Calibration(), self._concepts, self._names)
        return replace(ranker, calibration=self._calibrated(project, ranker, examples))

    def _matrix(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> NDArray[np.float32]:
        loaded = collection.load()
        rows = {name: row for row, name in enumerate(loaded.ids)}
        missing = [chunk for chunk in chunks if chunk.id not in rows]
        if missing:
            self._embed(collection, missing)
            loaded = collection.load()
            rows = {name: row for row, name in enumerate(loaded.ids)}
        wanted = {chunk.id for chunk in chunks}
        collection.delete([name for name in loaded.ids if name not in wanted])
        if not chunks:
            return np.zeros((0, self._embedder.dimension), dtype=np.float32)
        return np.ascontiguousarray(loaded.matrix[[rows[chunk.id] for chunk in chunks]])

    def _calibrated(self, project: Project, ranker: Ranker, examples: Examples | None) -> Calibration:
        key = f"{_RECIPE}:{ranker.snapshot.version}:{self._embedder.fingerprint}:{_fingerprint(examples)}"
        if project.store.meta("calibration-key") == key or examples is None:
            stored = project.store.meta("calibration")
            if stored:
                return Calibration.loads(stored)
        if examples is None or not ranker.snapshot.chunks:
            return Calibration()
        found = calibrate(
            [ranker.raw_best(q) for q in examples.on_topic], [ranker.raw_best(q) for q in examples.off_topic]
        )
        project.store.note("calibration", found.dumps())
        project.store.note("calibration-key", key)
        return found


def open_documents(
    settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
) -> DocumentSearch:
    """The search over the shipped documents and the operator's own (DATA_DIR/documents); builds what changed.

    The first start reads everything (progress on stderr when it takes longer), later ones load in a fraction of a
    second. Raises IndexBuildError when the index cannot be written.
    """
    begun = time.perf_counter()
    library = open_library(settings, catalogue, embedder, tokenizer, store)
    reports = library.refresh(default_folders(settings), examples=load_examples(settings.content_dir))
    search = library.search()
    log.info(
        "documents: %d chunks of %d documents, %d files left out, %.2f s",
        search.chunk_count,
        search.document_count,
        sum(report.status == "skipped" for report in reports),
        time.perf_counter() - begun,
    )
    return search


def open_library(
    settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
) -> DocumentLibrary:
    """The library itself, for scripts."""
    return DocumentLibrary(settings, catalogue, embedder, tokenizer, store)


def default_folders(settings: Settings) -> tuple[Path, ...]:
    """Where the insurance project's documents lie: shipped ones and the operator's."""
    return settings.content_dir / "documents", settings.data_dir / "documents"


def _files(folders: Sequence[Path]) -> Iterator[FoundFile]:
    taken: set[str] = set()
    for folder in folders:
        if folder.is_dir():
            for file in find_files(folder, SOURCES_FOLDER):
                source = file.source if file.source not in taken else f"{folder.name}/{file.source}"
                taken.add(source)
                yield FoundFile(file.path, source)


def _digest(path: Path) -> str:
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


def _fingerprint(examples: Examples | None) -> str:
    if examples is None:
        return ""
    return hashlib.sha256("\n".join((*examples.on_topic, "|", *examples.off_topic)).encode()).hexdigest()[:12]


@contextlib.contextmanager
def _file_lock(path: Path) -> Iterator[None]:
    """One writer at a time between processes; the system lets go of it when a process dies."""
    try:
        opened = path.open("w", encoding="ascii")
    except OSError as error:
        raise IndexBuildError(
            f"잠금 파일 {path}을(를) 만들 수 없습니다({error.strerror}). 쓰기 권한을 확인해 주세요."
        ) from error
    with opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield

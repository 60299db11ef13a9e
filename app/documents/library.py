"""The document library: reads what changed, keeps Chroma and SQLite in step, and swaps in a new snapshot at once."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import re
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.adapters.embeddings import Embedder
from app.adapters.file_lock import file_lock
from app.adapters.vector_store import ChromaStore, Loaded, VectorCollection
from app.documents.confidence import Calibration, calibrate
from app.documents.examples import CustomerWords, Examples, load_examples
from app.documents.faults import UnreadableFile
from app.documents.index import Snapshot, embedded
from app.documents.ingest import Ingest, digest_of
from app.documents.meaning import FOLDER as MEANING_FOLDER
from app.documents.meaning import MeaningSpace
from app.documents.ranking import Ranker
from app.documents.search import DEFAULT_PROJECT, DocumentInfo, DocumentSearch, product_keys
from app.documents.shapes import Chunk, FileReport
from app.documents.splitter import Splitter
from app.documents.store import ChunkStore, Stored
from app.documents.terms import NeighbourCache, content_words
from app.errors import Conflict, Unavailable
from app.insurance.catalogue import Catalogue
from app.insurance.names import names_of
from app.language.tokenizer import Tokenizer
from app.settings import Settings

Floats = NDArray[np.float32]
log = logging.getLogger(__name__)

COLLECTION = "rag_documents"
_SAFE_NAME = re.compile(r"(?:[A-Za-z0-9]|(?<=[A-Za-z0-9])[._-](?=[A-Za-z0-9]))+")
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


class DocumentLibrary:
    """Opens projects and keeps them up to date. Every public method may be called from any thread."""

    def __init__(
        self, settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
    ) -> None:
        self._settings, self._embedder, self._tokenizer, self._vectors = settings, embedder, tokenizer, store
        names = {name: product.code for product in catalogue.products for name in (*names_of(product), product.code)}
        self._names = product_keys(names)
        full = {name: p.code for p in catalogue.products for name in (p.name, p.official_name)}
        self._full = product_keys(full)
        self._reader = NeighbourCache(tokenizer)
        splitter = Splitter(settings.chunk_chars, settings.chunk_overlap_chars, tokenizer.sentences, full)
        self._lexicon = CustomerWords(settings.content_dir, lambda text: content_words(tokenizer, text))
        self._meaning = MeaningSpace.load(settings.content_dir / "models" / MEANING_FOLDER, tokenizer)
        self._examples = load_examples(settings.content_dir)
        self._ingest = Ingest(splitter, tokenizer, embedder, self._meaning)
        self._projects: dict[str, Project] = {}
        self._opening = threading.Lock()

    def warm(self) -> None:
        """Do now what the first question would have to wait for (about 0.25 s)."""
        self._lexicon.warm()

    def search(self) -> DocumentSearch:
        """The search over all projects that have been opened or indexed before."""
        return DocumentSearch(self)

    def project(self, name: str = DEFAULT_PROJECT) -> Project:
        """Open a project's stores. Raises IndexBuildError."""
        with self._opening:
            if name not in self._projects:
                stamp = f"{self._settings.chunk_chars}:{self._settings.chunk_overlap_chars}"
                self._projects[name] = Project(
                    name,
                    ChunkStore(self._path(name), stamp),
                    self._vectors.collection(_collection(name), self._embedder.fingerprint, self._embedder.dimension),
                )
            return self._projects[name]

    def forget(self, name: str) -> None:
        """Drop everything that was read of a project, so that the next `refresh` reads it anew."""
        project = self.project(name)
        project.store.remove(list(project.store.files()))

    def folders(self, name: str = DEFAULT_PROJECT) -> tuple[Path, ...]:
        """Where a project's documents lie: the shipped ones (insurance alone), uploads, and folders added by script."""
        own = default_folders(self._settings) if name == DEFAULT_PROJECT else (uploads_folder(self._settings, name),)
        known = json.loads(self.project(name).store.meta("folders") or "[]")
        return tuple(dict.fromkeys((*own, *map(Path, known))))

    def refresh(
        self, folders: Sequence[Path] | None = None, name: str = DEFAULT_PROJECT, *, remember: bool = False
    ) -> tuple[FileReport, ...]:
        """Bring a project up to date with its folders and swap the new snapshot in; unchanged files are not touched.

        Without `folders` the project's own are taken; `remember` makes these its own from now on. New vectors are added
        before old ones go, so that a search never sees a gap; two refreshes wait for each other, in this process and
        between processes. Raises IndexBuildError when the stores cannot be written.
        """
        project = self.project(name)
        with project.lock, file_lock(self._settings.data_dir / f"documents-{name}.lock"):
            if folders is not None and remember:
                project.store.note("folders", json.dumps([str(folder.resolve()) for folder in folders]))
            read = self.folders(name) if folders is None or remember else tuple(folders)
            project.reports = self._ingest.read(project.store, project.collection, read)
            project.ranker = self._open(project)
        return project.reports

    def add(self, upload: Path, name: str, project_name: str = DEFAULT_PROJECT) -> FileReport:
        """Take in one file: `upload` becomes `name` in the project's folder, replacing what was there, and is indexed.

        Raises Conflict for a name or a content that another document has, UnreadableFile when it cannot be read;
        the folder is then as it was.
        """
        project = self.project(project_name)
        home = uploads_folder(self._settings, project_name)
        target = home / name
        with project.lock, file_lock(self._settings.data_dir / f"documents-{project_name}.upload.lock"):
            self._refuse_twins(project, upload, target)
            home.mkdir(parents=True, exist_ok=True)
            before = upload.with_name(f"{upload.name}.before")
            if target.is_file():
                os.replace(target, before)
            os.replace(upload, target)
        reports = self.refresh(name=project_name)
        report = next(found for found in reports if found.source.endswith(name) and found.status != "removed")
        if report.status == "skipped":
            _restore(target, before)
            self.refresh(name=project_name)
            raise UnreadableFile(report.reason)
        before.unlink(missing_ok=True)
        return report

    def remove(self, document_id: str, project_name: str = DEFAULT_PROJECT) -> FileReport:
        """Delete an uploaded document and its passages. Raises NotFound, and Conflict for one that was not uploaded."""
        home = uploads_folder(self._settings, project_name).resolve()
        document = self.search().document(document_id, project_name)
        path = document.file.resolve()
        if not path.is_relative_to(home):
            raise Conflict(
                f"문서 {document_id!r}는 올린 문서가 아니어서 여기서 지울 수 없습니다. 원본 폴더에서 지워 주세요."
            )
        path.unlink(missing_ok=True)
        self.refresh(name=project_name)
        return FileReport(document.path, "removed")

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
                    with file_lock(self._settings.data_dir / f"documents-{name}.lock"):
                        project.ranker = self._open(project)
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

    def left_out(self, name: str) -> tuple[FileReport, ...]:
        """The files that could not be taken in, with the reason."""
        rows = self.project(name).store.files().values()
        return tuple(FileReport(row.source, "skipped", row.reason) for row in rows if row.reason)

    def _path(self, name: str) -> Path:
        return self._settings.data_dir / f"documents-{name}.sqlite"

    def _refuse_twins(self, project: Project, upload: Path, target: Path) -> None:
        places = json.loads(project.store.meta("places") or "{}")
        digest = digest_of(upload)
        for row in project.store.files().values():
            place = Path(places.get(row.source, ""))
            if row.digest == digest and not row.reason:
                raise Conflict(f"같은 내용의 문서 {row.title!r}(이)가 이미 있습니다.")
            if row.doc_id == target.stem and not row.reason and place != target.resolve():
                raise Conflict(f"{target.stem!r}라는 이름의 문서가 이미 있습니다. 파일 이름을 바꿔 주세요.")

    def _open(self, project: Project) -> Ranker:
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
            snapshot, self._reader, self._meaning, self._embedder.encode_query, Calibration(), self._lexicon,
            self._names, self._full,
        )  # fmt: skip
        return replace(ranker, calibration=self._calibrated(project, ranker))

    def _meanings(self, project: Project, stored: Stored) -> Floats:
        """The meanings of all chunks; made anew from their terms when another model made those that are stored."""
        meanings = stored.meanings
        if project.store.meta("meaning") != self._meaning.fingerprint:
            meanings = tuple(self._meaning.encode_passage(words) for words in stored.terms)
            project.store.put_meanings(meanings)
            project.store.note("meaning", self._meaning.fingerprint)
        if not meanings:
            return np.zeros((0, self._meaning.dimension), dtype=np.float32)
        return np.stack(meanings)

    def _matrix(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> Floats:
        """The embedder's vector of each chunk. Chroma is a cache: when it fails, they are made anew for this run."""
        if not chunks:
            return np.zeros((0, self._embedder.dimension), dtype=np.float32)
        try:
            loaded = self._stored_vectors(collection, chunks)
        except Unavailable as error:
            log.warning("vectors of the documents are made anew, the stored ones cannot be used: %s", error)
            return self._embedder.encode_passages([embedded(chunk) for chunk in chunks])
        rows = {name: row for row, name in enumerate(loaded.ids)}
        return np.ascontiguousarray(loaded.matrix[[rows[chunk.id] for chunk in chunks]])

    def _stored_vectors(self, collection: VectorCollection, chunks: Sequence[Chunk]) -> Loaded:
        """What Chroma holds, after missing vectors were made and those of nothing pruned."""
        loaded = collection.load()
        known = set(loaded.ids)
        missing = [chunk for chunk in chunks if chunk.id not in known]
        if missing:
            self._ingest.embed(collection, missing)
            loaded = collection.load()
        wanted = {chunk.id for chunk in chunks}
        collection.delete([name for name in loaded.ids if name not in wanted])
        if not wanted <= set(loaded.ids):
            raise Unavailable("벡터 저장소에 저장한 벡터가 보이지 않습니다.")
        return loaded

    def _calibrated(self, project: Project, ranker: Ranker) -> Calibration:
        """Stored with what it was made from; questions about insurance tell nothing about other documents."""
        own = project.name == DEFAULT_PROJECT
        examples = self._examples if own else Examples((), self._examples.off_topic[::_EVERY])
        models = f"{self._embedder.fingerprint}:{self._meaning.fingerprint}:{self._lexicon.fingerprint}"
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


def open_documents(
    settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
) -> DocumentSearch:
    """The search over the shipped documents and the operator's own (DATA_DIR/documents); builds what changed.

    The first start reads everything (progress on stderr when it takes longer), later ones load in a fraction of a
    second. Raises IndexBuildError when the index cannot be written.
    """
    begun = time.perf_counter()
    library = open_library(settings, catalogue, embedder, tokenizer, store)
    reports = library.refresh()
    library.warm()
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


def uploads_folder(settings: Settings, project: str) -> Path:
    """Where uploaded documents of a project lie."""
    return settings.data_dir / "documents" if project == DEFAULT_PROJECT else settings.data_dir / "projects" / project


def _collection(project: str) -> str:
    """The Chroma collection of a project; a name that Chroma would not take goes by its hash."""
    if project == DEFAULT_PROJECT:
        return COLLECTION
    safe = project if _SAFE_NAME.fullmatch(project) else hashlib.sha256(project.encode()).hexdigest()[:16]
    return f"{COLLECTION}.{safe}"


def _restore(path: Path, before: Path) -> None:
    if before.is_file():
        os.replace(before, path)
    else:
        path.unlink(missing_ok=True)


def _fingerprint(examples: Examples) -> str:
    return hashlib.sha256("\n".join((*examples.on_topic, "|", *examples.off_topic)).encode()).hexdigest()[:12]

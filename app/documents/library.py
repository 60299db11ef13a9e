"""The document library: reads what changed, keeps Chroma and SQLite in step, and swaps in a new snapshot at once."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.adapters.embeddings import Embedder
from app.adapters.file_lock import file_lock
from app.adapters.vector_store import ChromaStore
from app.documents.bounds import Patience
from app.documents.examples import CustomerWords, load_examples
from app.documents.faults import UnreadableFile
from app.documents.ingest import Ingest, digest_of
from app.documents.loader import FoundFile
from app.documents.meaning import FOLDER as MEANING_FOLDER
from app.documents.meaning import MeaningSpace
from app.documents.opening import Project, RankerMaker
from app.documents.places import clear_received, collection_of, default_folders, uploads_folder
from app.documents.ranking import Ranker
from app.documents.reading_on import ReadingOn
from app.documents.search import DEFAULT_PROJECT, DocumentInfo, DocumentSearch, product_keys
from app.documents.shapes import FileReport
from app.documents.splitter import Splitter
from app.documents.store import ChunkStore, ReadFile
from app.documents.terms import NeighbourCache, content_words
from app.errors import Conflict
from app.insurance.catalogue import Catalogue
from app.insurance.names import names_of
from app.language.tokenizer import Tokenizer
from app.messages import worded
from app.settings import Settings

log = logging.getLogger(__name__)

IN_LINE_S = 5.0
"""A start, a turn or an upload waits no longer for other people's documents; the rest is read behind."""


class DocumentLibrary:
    """Opens projects and keeps them up to date. Every public method may be called from any thread."""

    def __init__(
        self, settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
    ) -> None:
        self._settings, self._embedder, self._tokenizer, self._vectors = settings, embedder, tokenizer, store
        names = {name: product.code for product in catalogue.products for name in (*names_of(product), product.code)}
        full = {name: p.code for p in catalogue.products for name in (p.name, p.official_name)}
        splitter = Splitter(settings.chunk_chars, settings.chunk_overlap_chars, tokenizer.sentences, full)
        lexicon = CustomerWords(settings.content_dir, lambda text: content_words(tokenizer, text))
        meaning = MeaningSpace.load(settings.content_dir / "models" / MEANING_FOLDER, tokenizer)
        self._lexicon, self._ingest = lexicon, Ingest(splitter, tokenizer, embedder, meaning)
        self._maker = RankerMaker(
            self._ingest, embedder, meaning, NeighbourCache(tokenizer), lexicon,
            load_examples(settings.content_dir), product_keys(names), product_keys(full),
        )  # fmt: skip
        self._projects: dict[str, Project] = {}
        self._opening = threading.Lock()
        self._reading_on = ReadingOn(settings.data_dir, self._read_next)

    def warm(self) -> None:
        """Do now what the first question would have to wait for (about 0.25 s)."""
        self._lexicon.warm()

    def close(self) -> None:
        """Stop reading on."""
        self._reading_on.close()

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
                    self._vectors.collection(collection_of(name), self._embedder.fingerprint, self._embedder.dimension),
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
        self,
        folders: Sequence[Path] | None = None,
        name: str = DEFAULT_PROJECT,
        *,
        remember: bool = False,
        within_s: float | None = None,
        ready: ReadFile | None = None,
    ) -> tuple[FileReport, ...]:
        """Bring a project up to date with its folders and swap the new snapshot in; unchanged files are not touched.

        Without `folders` the project's own are taken; `remember` makes these its own from now on. New vectors are added
        before old ones go, so that a search never sees a gap; two refreshes wait for each other, in this process and
        between processes. What is not read `within_s` seconds is read behind (the shipped documents are always read);
        `ready` was read before. Raises IndexBuildError when the stores cannot be written.
        """
        project = self.project(name)
        with project.lock, file_lock(self._settings.data_dir / f"documents-{name}.lock"):
            if folders is not None and remember:
                project.store.note("folders", json.dumps([str(folder.resolve()) for folder in folders]))
            read = self.folders(name) if folders is None or remember else tuple(folders)
            project.reports = self._ingest.read(
                project.store, project.collection, read, ready, within_s, self._settings.content_dir.resolve()
            )
            project.ranker = self._maker.open(project)
        if any(report.status == "waiting" for report in project.reports):
            self._reading_on.want(name)
        return project.reports

    def catch_up(self, name: str = DEFAULT_PROJECT) -> None:
        """Take what was added or went; what takes longer than IN_LINE_S is read behind."""
        self.refresh(name=name, within_s=IN_LINE_S)

    def read(self, upload: Path, name: str, project_name: str = DEFAULT_PROJECT) -> ReadFile:
        """Read one file that is to become `name`, and store nothing.

        Raises Conflict for a name or a content that another document has, UnreadableFile when it cannot be read,
        Unavailable when the library is closed meanwhile.
        """
        home = uploads_folder(self._settings, project_name)
        self._refuse_twins(self.project(project_name), upload, home / name)
        found = self._ingest.read_file(FoundFile(upload, name), digest_of(upload), Patience(stop=self._reading_on.stop))
        if found.row.reason:
            raise UnreadableFile(found.row.reason)
        return found

    def add(self, upload: Path, found: ReadFile, project_name: str = DEFAULT_PROJECT) -> FileReport:
        """Take in a file that was `read`: `upload` is moved into the project's folder, replacing what was there, and
        its passages are stored. Raises Conflict as `read`; the folder is then as it was.
        """
        project = self.project(project_name)
        home = uploads_folder(self._settings, project_name)
        target = home / found.row.source
        with project.lock, file_lock(self._settings.data_dir / f"documents-{project_name}.upload.lock"):
            self._refuse_twins(project, upload, target)
            home.mkdir(parents=True, exist_ok=True)
            before = upload.with_name(f"{upload.name}.before")
            if target.is_file():
                os.replace(target, before)
            os.replace(upload, target)
        try:
            reports = self.refresh(name=project_name, within_s=IN_LINE_S, ready=found)
            report = next(r for r in reports if r.source.endswith(target.name) and r.status != "removed")
            if report.status == "skipped":
                raise UnreadableFile(report.reason)
        except Exception:
            _restore(target, before)
            self.catch_up(project_name)
            raise
        before.unlink(missing_ok=True)
        return report

    def remove(self, document_id: str, project_name: str = DEFAULT_PROJECT) -> FileReport:
        """Delete an uploaded document and its passages. Raises NotFound, and Conflict for one that was not uploaded."""
        home = uploads_folder(self._settings, project_name).resolve()
        document = self.search().document(document_id, project_name)
        path = document.file.resolve()
        if not path.is_relative_to(home):
            raise Conflict(worded("library.not_uploaded", document_id=document_id))
        path.unlink(missing_ok=True)
        self.catch_up(project_name)
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
                        project.ranker = self._maker.open(project)
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
        """The files that could not be taken in or are not read yet, with the reason."""
        project = self.project(name)
        waiting = tuple(report for report in project.reports if report.status == "waiting")
        later = {report.source for report in waiting}
        skipped = (row for row in project.store.files().values() if row.reason and row.source not in later)
        return (*(FileReport(row.source, "skipped", row.reason) for row in skipped), *waiting)

    def _path(self, name: str) -> Path:
        return self._settings.data_dir / f"documents-{name}.sqlite"

    def _read_next(self, name: str) -> bool:
        """Read the next file that waits, without keeping anybody from searching or uploading; whether one is left."""
        project = self.project(name)
        source = next((report.source for report in project.reports if report.status == "waiting"), None)
        if source is None:
            return False
        place = Path(json.loads(project.store.meta("places") or "{}").get(source, ""))
        file, digest = FoundFile(place, source), digest_of(place)
        ready = self._ingest.read_watched(project.store, file, digest, Patience(stop=self._reading_on.stop))
        self.refresh(name=name, within_s=0.0, ready=ready)
        return any(report.status == "waiting" for report in project.reports)

    def _refuse_twins(self, project: Project, upload: Path, target: Path) -> None:
        places = json.loads(project.store.meta("places") or "{}")
        digest = digest_of(upload)
        for row in project.store.files().values():
            place = Path(places.get(row.source, ""))
            if row.digest == digest and not row.reason:
                raise Conflict(worded("library.same_exists", title=row.title))
            if row.doc_id == target.stem and not row.reason and place != target.resolve():
                raise Conflict(worded("library.name_exists", stem=target.stem))


def open_documents(
    settings: Settings, catalogue: Catalogue, embedder: Embedder, tokenizer: Tokenizer, store: ChromaStore
) -> DocumentSearch:
    """The search over the shipped documents and the operator's own (DATA_DIR/documents); builds what changed.

    The first start reads the shipped ones (progress on stderr when it takes longer), later ones load in a fraction of
    a second. The operator's get IN_LINE_S; what that is too short for is read behind the service. Raises
    IndexBuildError when the index cannot be written.
    """
    begun = time.perf_counter()
    clear_received(settings)
    library = open_library(settings, catalogue, embedder, tokenizer, store)
    reports = library.refresh(within_s=IN_LINE_S)
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


def _restore(path: Path, before: Path) -> None:
    if before.is_file():
        os.replace(before, path)
    else:
        path.unlink(missing_ok=True)

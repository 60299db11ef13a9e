"""Searching documents: keyword, semantic, graph and hybrid, with every parameter of the search tool's contract."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.documents.by_product import only_of
from app.documents.quotes import Asked, quotation
from app.documents.ranking import Hit, Ranker
from app.documents.shapes import Chunk, FileReport, Kind
from app.documents.store import ReadFile
from app.errors import NotFound
from app.language.normalise import compact
from app.messages import worded

Mode = Literal["keyword", "semantic", "graph", "hybrid"]
Fusion = Literal["rrf", "weighted_sum"]
DEFAULT_PROJECT = "insurance"


class SearchRequest(BaseModel):
    """One search. Names are camelCase on the wire (topK) and snake_case in Python (top_k)."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)

    query: Annotated[str, Field(min_length=1, max_length=5000, description=worded("document_search.query"))]
    project_id: Annotated[
        str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$", description=worded("document_search.project"))
    ] = DEFAULT_PROJECT
    mode: Annotated[Mode, Field(description=worded("document_search.mode"))] = "semantic"
    top_k: Annotated[int, Field(ge=1, le=100, description=worded("document_search.limit"))] = 10
    similarity_threshold: Annotated[float, Field(ge=0, le=1, description=worded("document_search.min_score"))] = 0.3
    fusion_strategy: Annotated[Fusion, Field(description=worded("document_search.fusion"))] = "rrf"
    rrf_k: Annotated[int, Field(ge=1, le=1000, description=worded("document_search.rrf_k"))] = 60
    vector_weight: Annotated[float, Field(ge=0, le=1, description=worded("document_search.weight"))] = 0.6
    product_code: Annotated[str | None, Field(pattern=r"^B\d{8}$", description=worded("document_search.product"))] = (
        None
    )
    kind: Annotated[Kind | None, Field(description=worded("document_search.kind"))] = None


class GraphStep(BaseModel):
    """How the graph led to a passage: from which one, by which link, on whose words."""

    model_config = ConfigDict(frozen=True)

    from_chunk: str
    from_heading: str
    edge: str
    quote: str


class Passage(BaseModel):
    """One hit. `score` (0 to 1) ranks within a reply; `confidence` (0 to 1) is calibrated and comparable always.

    `snippet` is the part to quote, and `page` the one on which it begins.
    """

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    document_id: str
    chunk_id: str
    path: str
    title: str
    heading_path: str
    page: int
    page_end: int
    score: float
    confidence: float
    snippet: str
    text: str
    product_code: str
    kind: Kind
    article: str = ""
    version: str = ""
    graph_path: GraphStep | None = None


class SearchMetadata(BaseModel):
    """What was done. Parameters that the mode does not use are None."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    mode: Mode
    total_results: int
    query_time: str
    similarity_threshold: float | None
    fusion_strategy: Fusion | None
    rrf_k: int | None
    vector_weight: float | None
    top_k: int
    candidates: dict[str, int]
    index_version: str


class DocumentInfo(BaseModel):
    """One document of a project; `file` is where it lies."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    document_id: str
    path: str
    title: str
    kind: Kind
    product_code: str
    version: str
    pages: int
    chunks: int
    file: Path


class DocumentsOf(Protocol):
    """Where the search gets its projects."""

    def ranker(self, project: str) -> Ranker | None:
        """The current ranker of a project; None for one that does not exist."""
        ...

    def documents(self, project: str) -> tuple[DocumentInfo, ...]:
        """The documents that were taken in."""
        ...

    def left_out(self, name: str) -> tuple[FileReport, ...]:
        """The files that could not be taken in, with the reason."""
        ...

    def catch_up(self, name: str) -> None:
        """Bring a project up to date with its folders."""

    def read(self, upload: Path, name: str, project_name: str) -> ReadFile:
        """Read one file that is to have this name."""
        ...

    def add(self, upload: Path, found: ReadFile, project_name: str) -> FileReport:
        """Take in one file that was read."""
        ...

    def close(self) -> None:
        """Stop what is done behind."""

    def remove(self, document_id: str, project_name: str) -> FileReport:
        """Delete an uploaded document."""
        ...


class SearchReply(BaseModel):
    """The passages, best first, and what was done."""

    model_config = ConfigDict(frozen=True)

    results: tuple[Passage, ...]
    metadata: SearchMetadata


class DocumentSearch:
    """Searches the projects. Safe to share: each search works on the snapshot that is current when it begins."""

    def __init__(self, projects: DocumentsOf) -> None:
        self._projects = projects

    def search(self, request: SearchRequest, vector: NDArray[np.float32] | None = None) -> SearchReply:
        """The best passages. `vector` is the query's embedding if the caller has it. Raises NotFound for a project."""
        begun = time.perf_counter()
        ranker = self.ranker(request.project_id)
        ranked = ranker.rank(
            request.query,
            request.mode,
            vector=vector,
            top_k=request.top_k,
            threshold=request.similarity_threshold,
            fusion=request.fusion_strategy,
            rrf_k=request.rrf_k,
            vector_weight=request.vector_weight,
            product_code=request.product_code,
            kind=request.kind,
        )
        asked = Asked.read(request.query, ranked.words, ranked.trade)
        told = (self._passage(ranker, hit, asked, request.product_code) for hit in ranked.hits)
        passages = tuple(passage for passage in told if passage is not None)
        fused = request.mode == "hybrid"
        return SearchReply(
            results=passages,
            metadata=SearchMetadata(
                mode=request.mode,
                total_results=len(passages),
                query_time=f"{max(1, round((time.perf_counter() - begun) * 1000))}ms",
                similarity_threshold=request.similarity_threshold if request.mode in ("semantic", "hybrid") else None,
                fusion_strategy=request.fusion_strategy if fused else None,
                rrf_k=request.rrf_k if fused and request.fusion_strategy == "rrf" else None,
                vector_weight=request.vector_weight if fused and request.fusion_strategy == "weighted_sum" else None,
                top_k=request.top_k,
                candidates=ranked.candidates,
                index_version=ranker.snapshot.version,
            ),
        )

    def ranker(self, project: str = DEFAULT_PROJECT) -> Ranker:
        """The current ranker of a project. Raises NotFound."""
        found = self._projects.ranker(project)
        if found is None:
            raise NotFound(worded("document_search.no_project", project=project))
        return found

    def documents(self, project: str = DEFAULT_PROJECT) -> tuple[DocumentInfo, ...]:
        """Every document of a project in order. Raises NotFound for a project."""
        self.ranker(project)
        return self._projects.documents(project)

    def document(self, document_id: str, project: str = DEFAULT_PROJECT) -> DocumentInfo:
        """One document. Raises NotFound."""
        wanted = unicodedata.normalize("NFC", document_id)
        for item in self.documents(project):
            if item.document_id == wanted:
                return item
        raise NotFound(worded("document_search.no_document", document_id=document_id))

    def chunk(self, chunk_id: str, project: str = DEFAULT_PROJECT) -> Chunk:
        """One chunk. Raises NotFound."""
        snapshot = self.ranker(project).snapshot
        number = snapshot.by_id.get(chunk_id)
        if number is None:
            raise NotFound(worded("document_search.no_passage", chunk_id=chunk_id))
        return snapshot.chunks[number]

    def left_out(self, project: str = DEFAULT_PROJECT) -> tuple[FileReport, ...]:
        """The files of a project that could not be taken in, with the reason. Raises NotFound for a project."""
        self.ranker(project)
        return self._projects.left_out(project)

    def reread(self, project: str = DEFAULT_PROJECT) -> None:
        """Take what another process added to or took out of the project's folder; what takes long is read behind."""
        self._projects.catch_up(project)

    def read(self, upload: Path, name: str, project: str = DEFAULT_PROJECT) -> ReadFile:
        """Read the file at `upload`, which is to be called `name`, for `add`; nothing is stored.

        Raises UnreadableFile, and Conflict for a name or content that another document has.
        """
        return self._projects.read(upload, name, project)

    def add(self, upload: Path, found: ReadFile, project: str = DEFAULT_PROJECT) -> FileReport:
        """Take in the file at `upload` (moved away) that was `read`; a project that does not exist is made.

        Raises Conflict for a name or content that another document has by now.
        """
        return self._projects.add(upload, found, project)

    def close(self) -> None:
        """Stop reading documents behind the service."""
        self._projects.close()

    def remove(self, document_id: str, project: str = DEFAULT_PROJECT) -> FileReport:
        """Delete an uploaded document. Raises NotFound, and Conflict for one that was not uploaded."""
        self.ranker(project)
        return self._projects.remove(document_id, project)

    @property
    def chunk_count(self) -> int:
        """Chunks of the insurance project."""
        found = self._projects.ranker(DEFAULT_PROJECT)
        return len(found.snapshot.chunks) if found else 0

    @property
    def document_count(self) -> int:
        """Documents of the insurance project."""
        found = self._projects.ranker(DEFAULT_PROJECT)
        return len(found.snapshot.documents) if found else 0

    @staticmethod
    def _passage(ranker: Ranker, hit: Hit, asked: Asked, product: str | None) -> Passage | None:
        """What is told of a hit: without the rows, items and sentences of other products where one was asked for; None
        where nothing is left."""
        chunk = ranker.snapshot.chunks[hit.number]
        shared = product is not None and chunk.products != (product,)
        text = only_of(chunk.text, str(product), ranker.full_names) if shared else chunk.text
        quoted = quotation(text, asked)
        if not quoted.text:
            return None
        step = None
        if hit.edge is not None:
            seed = ranker.snapshot.chunks[hit.edge.source]
            step = GraphStep(
                from_chunk=seed.id, from_heading=seed.heading_path, edge=hit.edge.kind, quote=hit.edge.quote
            )
        return Passage(
            document_id=chunk.doc_id, chunk_id=chunk.id, path=chunk.source, title=chunk.title,
            heading_path=chunk.heading_path, page=chunk.page_at(quoted.at), page_end=chunk.page_end,
            score=round(hit.score, 4), confidence=round(hit.confidence, 4), snippet=quoted.text,
            text=chunk.text if text == chunk.text else _closed_up(text),
            product_code=chunk.product_code, kind=chunk.kind, article=chunk.article, version=chunk.version,
            graph_path=step,
        )  # fmt: skip


def _closed_up(text: str) -> str:
    """Without the blanks that `only_of` put in the place of what was left out."""
    return "\n".join(kept for line in text.split("\n") if (kept := " ".join(line.split())))


def product_keys(names: Mapping[str, str]) -> dict[str, str]:
    """Product names made comparable: compact name → code; very short ones are left out."""
    return {key: code for name, code in names.items() if len(key := compact(name)) >= 3}

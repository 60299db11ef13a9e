"""/api/documents: search, list, upload, delete, and a page as an image."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from app.api.principals import ActsDep, AdminCaller, Caller, OperatorCaller
from app.api.state import KnowledgeDep, SettingsDep, ToolsDep
from app.api.uploads import PROJECT, received
from app.documents.ingest import digest_of
from app.documents.search import DEFAULT_PROJECT, DocumentInfo, DocumentSearch, SearchMetadata, SearchRequest
from app.documents.trial import try_file
from app.errors import BadRequest, Conflict
from app.services import Knowledge

router = APIRouter(prefix="/api/documents", tags=["documents"])

DocumentId = Annotated[str, Path(max_length=300, description="문서 id: 파일 이름에서 확장자를 뺀 것")]
PageNumber = Annotated[int, Path(ge=1, le=5000, description="쪽 번호, 1부터")]
ChunkId = Annotated[str | None, Query(max_length=64, description="표시할 문단의 chunkId")]
ProjectId = Annotated[str, Query(alias="projectId", pattern=PROJECT)]
FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "string", "format": "binary", "description": "PDF, TXT, MD 파일 하나"},
                        "projectId": {"type": "string", "pattern": PROJECT, "default": DEFAULT_PROJECT},
                    },
                }
            }
        },
    }
}

_SHOWN = (
    "document_id",
    "chunk_id",
    "path",
    "title",
    "heading_path",
    "page",
    "score",
    "snippet",
    "confidence",
    "kind",
    "graph_path",
)


def _page_link(document_id: str, page: int, chunk_id: str, project: str) -> str:
    """The page image with the passage marked; document ids hold spaces and brackets."""
    return f"/api/documents/{quote(document_id, safe='')}/pages/{page}.png?highlight={chunk_id}&projectId={project}"


class FoundPassage(BaseModel):
    """One passage as clients get it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow")

    document_id: str
    chunk_id: str
    path: str
    title: str
    heading_path: str
    page: int
    score: Annotated[float, Field(description="이 답변 안에서의 순위 점수, 0~1 (Ranks within one reply)")]
    confidence: Annotated[float, Field(description="보정된 확신, 0~1 (Calibrated, comparable between replies)")]
    snippet: str
    kind: str
    product_code: str | None = None
    page_image: Annotated[str, Field(description="표시된 쪽 그림의 경로 (Path of the page image)")]


class Found(BaseModel):
    """The reply of a document search (docs/api.md, "Document search")."""

    results: list[FoundPassage]
    metadata: SearchMetadata


def found(documents: DocumentSearch, body: SearchRequest) -> dict[str, Any]:
    """The reply of a document search, over REST and MCP alike. Blocks: call it off the event loop."""
    reply = documents.search(body)
    return {
        "results": [
            {
                **passage.model_dump(mode="json", by_alias=True, include=set(_SHOWN), exclude_none=True),
                "productCode": passage.product_code,
                "pageImage": _page_link(passage.document_id, passage.page, passage.chunk_id, body.project_id),
            }
            for passage in reply.results
        ],
        "metadata": reply.metadata.model_dump(mode="json", by_alias=True),
    }


def revised(item: DocumentInfo, knowledge: Knowledge) -> str | None:
    """Since when this revision of a product's document holds; None where that is not known."""
    product = next((product for product in knowledge.catalogue.products if product.code == item.product_code), None)
    if product is None or item.version != str(product.revision):
        return None
    return product.effective_date.isoformat()


@router.post("/search", operation_id="search_documents", summary="약관·상품요약서·회사 문서에서 문단을 찾습니다.")
async def search(body: SearchRequest, principal: Caller, knowledge: KnowledgeDep, toolset: ToolsDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    return await asyncio.to_thread(found, knowledge.documents, body)


@router.get("", operation_id="list_documents", summary="검색할 수 있는 문서 목록입니다.")
async def listed(principal: Caller, knowledge: KnowledgeDep, project: ProjectId = DEFAULT_PROJECT) -> dict[str, Any]:
    kept = await asyncio.to_thread(knowledge.documents.documents, project)
    answer: dict[str, Any] = {
        "count": len(kept),
        "documents": [
            item.model_dump(mode="json", by_alias=True, exclude={"file"}) | {"revised": revised(item, knowledge)}
            for item in kept
        ],
    }
    if principal.at_least("staff"):
        left_out = await asyncio.to_thread(knowledge.documents.left_out, project)
        answer["leftOut"] = [{"path": report.source, "reason": report.reason} for report in left_out]
    return answer


@router.post(
    "",
    operation_id="add_document",
    status_code=201,
    openapi_extra=FORM,
    summary="PDF, TXT, MD 문서를 올려 검색에 넣습니다. 같은 이름의 올린 문서는 새 내용으로 바뀝니다.",
)
async def add(
    request: Request,
    principal: OperatorCaller,
    knowledge: KnowledgeDep,
    toolset: ToolsDep,
    settings: SettingsDep,
    acts: ActsDep,
) -> dict[str, Any]:
    async with received(request, settings.data_dir / "uploads", settings.max_upload_bytes) as upload:
        project = upload.project
        audited = partial(acts.note, "document.add", upload.name, project=project)
        digest = await asyncio.to_thread(digest_of, upload.path)
        try:
            await try_file(upload.path, upload.name)
            read = await asyncio.to_thread(knowledge.documents.read, upload.path, upload.name, project)
            async with toolset.changes.changing("documents", project, principal.id):
                report = await asyncio.to_thread(knowledge.documents.add, upload.path, read, project)
        except (BadRequest, Conflict) as error:
            await audited(result="failed", reason=str(error))
            raise
    await audited(pages=report.pages, chunks=report.chunks, sha256=digest)
    document = next(
        item for item in await asyncio.to_thread(knowledge.documents.documents, project) if item.path == report.source
    )
    return {"status": "ok", "projectId": project, **document.model_dump(mode="json", by_alias=True, exclude={"file"})}


@router.delete("/{document_id}", operation_id="remove_document", summary="올린 문서를 지웁니다.")
async def remove(
    document_id: DocumentId,
    principal: AdminCaller,
    knowledge: KnowledgeDep,
    toolset: ToolsDep,
    acts: ActsDep,
    project: ProjectId = DEFAULT_PROJECT,
) -> dict[str, Any]:
    async with toolset.changes.changing("documents", project, principal.id):
        report = await asyncio.to_thread(knowledge.documents.remove, document_id, project)
    await acts.note("document.remove", report.source, project=project)
    return {"status": "ok", "documentId": document_id, "path": report.source, "message": "문서를 지웠습니다."}


@router.get(
    "/{document_id}/pages/{number}.png",
    operation_id="document_page",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}}},
    summary="한 쪽의 그림. highlight의 문단을 표시합니다.",
)
async def page(
    document_id: DocumentId,
    number: PageNumber,
    principal: Caller,
    knowledge: KnowledgeDep,
    highlight: ChunkId = None,
    project: ProjectId = DEFAULT_PROJECT,
) -> Response:
    document = knowledge.documents.document(document_id, project)
    chunk = knowledge.documents.chunk(highlight, project) if highlight else None
    marked = chunk if chunk is not None and chunk.doc_id == document.document_id else None
    from app.documents.pages import page_png  # noqa: PLC0415  PDF libraries: see app/documents/loader.py

    image = await asyncio.to_thread(page_png, document.file, number, marked)
    return Response(image, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})

"""POST /api/documents/search, GET /api/documents, GET /api/documents/{id}/pages/{n}.png."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response

from app.api.principals import Caller
from app.api.state import ServicesDep
from app.documents.pages import page_png
from app.documents.search import DEFAULT_PROJECT, SearchRequest

router = APIRouter(prefix="/api/documents", tags=["documents"])

DocumentId = Annotated[str, Path(max_length=300, description="문서 id: 파일 이름에서 확장자를 뺀 것")]
PageNumber = Annotated[int, Path(ge=1, le=5000, description="쪽 번호, 1부터")]
ChunkId = Annotated[str | None, Query(max_length=64, description="표시할 문단의 chunkId")]
ProjectId = Annotated[str, Query(alias="projectId", pattern=r"^[A-Za-z0-9._-]{1,64}$")]

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


@router.post("/search", operation_id="search_documents", summary="약관·상품요약서·회사 문서에서 문단을 찾습니다.")
async def search(body: SearchRequest, principal: Caller, services: ServicesDep) -> dict[str, Any]:
    reply = await asyncio.to_thread(services.documents.search, body)
    metadata = reply.metadata.model_dump(mode="json", by_alias=True)
    return {
        "results": [
            {
                **passage.model_dump(mode="json", by_alias=True, include=set(_SHOWN), exclude_none=True),
                "productCode": passage.product_code,
                "pageImage": _page_link(passage.document_id, passage.page, passage.chunk_id, body.project_id),
            }
            for passage in reply.results
        ],
        "metadata": metadata,
    }


@router.get("", operation_id="list_documents", summary="검색할 수 있는 문서 목록입니다.")
async def listed(principal: Caller, services: ServicesDep, project: ProjectId = DEFAULT_PROJECT) -> dict[str, Any]:
    found = await asyncio.to_thread(services.documents.documents, project)
    return {
        "count": len(found),
        "documents": [item.model_dump(mode="json", by_alias=True, exclude={"file"}) for item in found],
    }


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
    services: ServicesDep,
    highlight: ChunkId = None,
    project: ProjectId = DEFAULT_PROJECT,
) -> Response:
    document = services.documents.document(document_id, project)
    chunk = services.documents.chunk(highlight, project) if highlight else None
    marked = chunk if chunk is not None and chunk.doc_id == document.document_id else None
    image = await asyncio.to_thread(page_png, document.file, number, marked)
    return Response(image, media_type="image/png", headers={"Cache-Control": "private, max-age=300"})

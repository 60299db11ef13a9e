"""GET /api/documents/{id}/original: the file itself, for "원문 열기" (the browser shows it)."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import FileResponse

from app.api.documents import DocumentId, ProjectId
from app.api.principals import Caller
from app.api.state import KnowledgeDep
from app.documents.search import DEFAULT_PROJECT

router = APIRouter(prefix="/api/documents", tags=["documents"])

_TYPES = {".pdf": "application/pdf"}
# The browser's PDF viewer is an object of our own origin; nothing else may load, and no script runs.
_POLICY = "default-src 'none'; object-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"


@router.get(
    "/{document_id}/original",
    operation_id="document_original",
    response_class=FileResponse,
    responses={200: {"content": {"application/pdf": {}, "text/plain": {}}}},
    summary="문서 원본 파일. 브라우저에서 바로 열립니다.",
)
async def original(
    document_id: DocumentId, principal: Caller, knowledge: KnowledgeDep, project: ProjectId = DEFAULT_PROJECT
) -> FileResponse:
    file = knowledge.documents.document(document_id, project).file
    return FileResponse(
        file,
        media_type=_TYPES.get(file.suffix.lower(), "text/plain; charset=utf-8"),
        filename=file.name,
        content_disposition_type="inline",
        headers={"Cache-Control": "private, max-age=300", "Content-Security-Policy": _POLICY},
    )

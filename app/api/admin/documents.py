"""/api/admin/documents: the documents with their state, the chunks of a page with their boxes, uploads in the
background."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from app.api.documents import FORM, DocumentId, ProjectId, revised
from app.api.intake import Intake
from app.api.principals import OperatorCaller, StaffCaller
from app.api.state import KnowledgeDep, SettingsDep
from app.api.uploads import received
from app.documents.places import uploads_folder
from app.documents.search import DEFAULT_PROJECT, DocumentInfo
from app.services import Knowledge

router = APIRouter(prefix="/api/admin/documents", tags=["admin"])


@router.get("", operation_id="admin_documents", summary="문서 목록: 상품, 종류, 개정, 시행일, 쪽, 문단, 상태입니다.")
async def listed(
    principal: StaffCaller,
    request: Request,
    knowledge: KnowledgeDep,
    settings: SettingsDep,
    project: ProjectId = DEFAULT_PROJECT,
) -> dict[str, Any]:
    documents, left_out = await asyncio.gather(
        asyncio.to_thread(knowledge.documents.documents, project),
        asyncio.to_thread(knowledge.documents.left_out, project),
    )
    intake: Intake = request.state.intake
    jobs = [job for job in await intake.jobs.newest() if job.project == project]
    uploads = uploads_folder(settings, project).resolve()
    return {
        "documents": [_shown(item, knowledge, uploads) for item in documents],
        "left_out": [{"path": report.source, "reason": report.reason} for report in left_out],
        "jobs": [
            {**job.__dict__, "created_at": job.created_at.isoformat(), "seen_at": job.seen_at.isoformat()}
            for job in jobs
        ],
        "index": {
            "version": knowledge.documents.ranker(project).snapshot.version,
            "documents": len(documents),
            "chunks": sum(item.chunks for item in documents),
        },
    }


@router.post(
    "",
    operation_id="take_in_document",
    status_code=202,
    openapi_extra=FORM,
    summary="문서를 올립니다. 뒤에서 읽고, 준비되면 한 번에 바뀝니다. 진행은 목록의 jobs에 있습니다.",
)
async def take_in(request: Request, principal: OperatorCaller, settings: SettingsDep) -> dict[str, Any]:
    async with received(request, settings.data_dir / "uploads", settings.max_upload_bytes) as upload:
        intake: Intake = request.state.intake
        job = await intake.take(upload, upload.project, principal.id, request.state.request_id)
    return {"job_id": job.job_id, "name": job.name, "state": job.state}


@router.get("/{document_id}/chunks", operation_id="document_chunks", summary="문서의 문단과 쪽 위의 자리입니다.")
async def chunks(
    document_id: DocumentId,
    principal: StaffCaller,
    knowledge: KnowledgeDep,
    settings: SettingsDep,
    page: Annotated[int | None, Query(ge=1, le=5000, description="이 쪽에 걸친 문단만")] = None,
    project: ProjectId = DEFAULT_PROJECT,
) -> dict[str, Any]:
    document = knowledge.documents.document(document_id, project)
    snapshot = knowledge.documents.ranker(project).snapshot
    own = [chunk for chunk in snapshot.chunks if chunk.doc_id == document.document_id]
    numbers = {chunk.id: number for number, chunk in enumerate(own, 1)}
    shown = [chunk for chunk in own if page is None or chunk.page <= page <= chunk.page_end]
    uploads = uploads_folder(settings, project).resolve()
    answer: dict[str, Any] = {
        "document": _shown(document, knowledge, uploads),
        "total": len(own),
        "chunks": [
            {
                "chunk_id": chunk.id,
                "number": numbers[chunk.id],
                "heading": " > ".join(chunk.heading),
                "article": chunk.article,
                "page": chunk.page,
                "page_end": chunk.page_end,
                "chars": len(chunk.text),
                "text": chunk.text,
            }
            for chunk in shown
        ],
    }
    if page is not None:
        from app.documents.pages import page_boxes  # noqa: PLC0415  PDF libraries: see app/documents/loader.py

        width, height, boxes = await asyncio.to_thread(page_boxes, document.file, page, shown)
        answer["page"] = {"number": page, "width": width, "height": height}
        for row, found in zip(answer["chunks"], boxes, strict=True):
            row["boxes"] = found
    return answer


def _shown(item: DocumentInfo, knowledge: Knowledge, uploads: Path) -> dict[str, Any]:
    product = next((p for p in knowledge.catalogue.products if p.code == item.product_code), None)
    return {
        "document_id": item.document_id,
        "path": item.path,
        "title": item.title,
        "kind": item.kind,
        "product_code": item.product_code or None,
        "product": product.name if product else None,
        "revision": item.version or None,
        "effective_date": revised(item, knowledge),
        "pages": item.pages,
        "chunks": item.chunks,
        "state": "ready" if item.chunks else "empty",
        "removable": item.file.resolve().is_relative_to(uploads),
    }

"""Documents for operators: their state, the chunks with their places on a page, uploads read in the background."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest

DOCUMENTS = "/api/admin/documents"


async def job_of(staff: httpx2.AsyncClient, job_id: str) -> dict[str, Any]:
    """The upload when it has ended."""
    for _ in range(600):
        jobs = (await staff.get(DOCUMENTS)).json()["jobs"]
        job: dict[str, Any] = next(item for item in jobs if item["job_id"] == job_id)
        if job["state"] in ("ready", "failed"):
            return job
        await asyncio.sleep(0.1)
    raise AssertionError("the upload did not end")


@pytest.mark.requirement("console:documents:listed")
async def test_documents_tell_product_revision_day_pages_and_chunks(staff: httpx2.AsyncClient) -> None:
    listed = (await staff.get(DOCUMENTS)).json()
    own = next(item for item in listed["documents"] if item["document_id"] == "B00115023_6_S")
    assert (own["product"], own["kind"], own["revision"]) == ("뉴스타트암보험", "summary", "6")
    assert own["effective_date"] == "2025-04-01" and own["pages"] > 0 and own["chunks"] > 0
    assert own["removable"] is False and listed["index"]["chunks"] >= own["chunks"]
    plain = next(
        item
        for item in (await staff.get("/api/documents")).json()["documents"]
        if item["documentId"] == "B00115023_6_S"
    )
    assert plain["revised"] == "2025-04-01"


@pytest.mark.requirement("console:documents:boxes")
async def test_chunks_of_a_page_stand_inside_it(staff: httpx2.AsyncClient) -> None:
    found = (await staff.get(f"{DOCUMENTS}/B00115023_6_S/chunks", params={"page": 2})).json()
    page = found["page"]
    boxes = [box for chunk in found["chunks"] for box in chunk["boxes"]]
    assert boxes and all(chunk["page"] <= 2 <= chunk["page_end"] for chunk in found["chunks"])
    assert all(0 <= x0 < x1 <= page["width"] and 0 <= y0 < y1 <= page["height"] for x0, y0, x1, y1 in boxes)
    whole = (await staff.get(f"{DOCUMENTS}/B00115023_6_S/chunks")).json()
    assert [chunk["number"] for chunk in whole["chunks"]] == list(range(1, whole["total"] + 1))
    assert (await staff.get(f"{DOCUMENTS}/nothing/chunks")).status_code == 404


@pytest.mark.requirement("console:documents:taken-in")
async def test_an_upload_is_read_in_the_background_found_and_removed_again(staff: httpx2.AsyncClient) -> None:
    text = "# 지점 운영 안내\n\n제주 지점은 오전 아홉 시에 문을 열고 라벤더 주차장을 함께 씁니다.\n".encode()
    sent = await staff.post(DOCUMENTS, files={"file": ("지점 안내.md", text, "text/markdown")})
    assert sent.status_code == 202, sent.text
    job = await job_of(staff, sent.json()["job_id"])
    assert job["state"] == "ready" and job["chunks"] >= 1
    hits = (await staff.post("/api/documents/search", json={"query": "라벤더 주차장", "mode": "keyword"})).json()[
        "results"
    ]
    assert hits[0]["documentId"] == "지점 안내"
    listed = (await staff.get(DOCUMENTS)).json()["documents"]
    assert next(item for item in listed if item["document_id"] == "지점 안내")["removable"] is True
    chunk = (await staff.get(f"{DOCUMENTS}/지점 안내/chunks", params={"page": 1})).json()["chunks"][0]
    assert "라벤더" in chunk["text"]
    logged = (await staff.get("/api/admin/audit/entries", params={"action": "document.add"})).json()["entries"]
    assert logged[0]["target"] == "지점 안내.md"
    assert (await staff.delete("/api/documents/지점 안내")).status_code == 200


@pytest.mark.requirement("console:documents:taken-in")
async def test_an_upload_that_cannot_be_read_says_why(staff: httpx2.AsyncClient) -> None:
    sent = await staff.post(DOCUMENTS, files={"file": ("깨진 문서.pdf", b"%PDF-1.7 broken", "application/pdf")})
    job = await job_of(staff, sent.json()["job_id"])
    assert job["state"] == "failed" and job["reason"]


async def test_customers_see_no_console_of_documents(visitor: httpx2.AsyncClient) -> None:
    assert (await visitor.get(DOCUMENTS)).status_code == 403
    assert (await visitor.post(DOCUMENTS, files={"file": ("a.md", b"x", "text/markdown")})).status_code == 403

"""Requests to talk to a person: listed without contacts, taken, done; a contact is shown on demand and audited."""

from __future__ import annotations

import httpx2
import pytest

from tests.api.conftest import Ask

PLACE = "/api/admin/handoffs"


async def passed_on(client: httpx2.AsyncClient, ask: Ask, thread: str) -> str:
    await ask("뉴스타트암보험 알려 주세요", thread, client)
    sent = {"note": "전화로 상담을 원합니다", "contact": "010-1234-5678", "consent": True}
    made = await client.post(f"/api/threads/{thread}/handoff", json=sent)
    assert made.status_code == 201
    return str(made.json()["id"])


@pytest.mark.requirement("console:handoffs:worked")
async def test_a_request_waits_is_taken_and_done(
    staff: httpx2.AsyncClient, visitor: httpx2.AsyncClient, ask: Ask
) -> None:
    handoff = await passed_on(visitor, ask, "hand-1")
    waiting = (await staff.get(f"{PLACE}/queue")).json()["handoffs"]
    own = next(item for item in waiting if item["id"] == handoff)
    assert own["status"] == "접수" and own["has_contact"] and "010-" not in str(waiting)
    taken = (await staff.post(f"{PLACE}/{handoff}", json={"status": "처리중"})).json()
    assert taken["taken_by"] == "local" and taken["changed_at"]
    assert (await staff.post(f"{PLACE}/{handoff}", json={"status": "완료"})).json()["status"] == "완료"
    assert handoff not in {item["id"] for item in (await staff.get(f"{PLACE}/queue")).json()["handoffs"]}
    done = (await staff.get(f"{PLACE}/queue", params={"status": "완료"})).json()["handoffs"]
    assert handoff in {item["id"] for item in done}
    back = (await staff.post(f"{PLACE}/{handoff}", json={"status": "접수"})).json()
    assert back["taken_by"] is None
    moves = (await staff.get("/api/admin/audit/entries", params={"target": handoff})).json()["entries"]
    assert [entry["details"]["after"]["status"] for entry in moves] == ["접수", "완료", "처리중"]


@pytest.mark.requirement("console:handoffs:contact")
async def test_a_contact_is_shown_for_a_reason_that_is_written_down(
    staff: httpx2.AsyncClient, visitor: httpx2.AsyncClient, ask: Ask
) -> None:
    handoff = await passed_on(visitor, ask, "hand-2")
    one = (await staff.get(f"{PLACE}/{handoff}")).json()
    assert one["turns"][0]["query"] == "뉴스타트암보험 알려 주세요" and "contact" not in one
    shown = await staff.post(f"{PLACE}/{handoff}/contact", json={"reason": "지금 전화드리려고 합니다"})
    assert shown.json()["contact"] == "010-1234-5678"
    logged = (await staff.get("/api/admin/audit/entries", params={"action": "handoff.contact"})).json()["entries"]
    assert logged[0]["target"] == handoff and logged[0]["details"]["reason"] == "지금 전화드리려고 합니다"


async def test_customers_see_no_queue(visitor: httpx2.AsyncClient) -> None:
    assert (await visitor.get(f"{PLACE}/queue")).status_code == 403
    assert (await visitor.post(f"{PLACE}/H000000000000", json={"status": "완료"})).status_code == 403

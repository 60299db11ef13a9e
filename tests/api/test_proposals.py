"""Proposals over HTTP: made, edited, compared, kept with a customer, printed, erased; by whoever may."""

from __future__ import annotations

import statistics
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pymupdf
import pytest
from fastapi import FastAPI

from app.access import Principal
from app.adapters.proposal_store import ProposalStore
from app.advice.desk import ProposalDesk
from app.errors import Conflict
from app.services import Services
from tests.api.guarded import Guarded, guarded
from tests.mcp.serving import connected
from tests.on_disk import bytes_on_disk

FAMILY: dict[str, Any] = {
    "household": {
        "people": [
            {"age": 45, "sex": "M", "told": ["고혈압약 복용 중이고 번호는 010-1234-5678"]},
            {"age": 42, "sex": "F", "role": "partner"},
            {"age": 12, "sex": "M"},
        ],
        "budget": {"amount": 180_000},
    }
}


@pytest.fixture(scope="module")
async def gate(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with guarded(app, tmp_path_factory.mktemp("proposals-var"), customers=True) as opened:
        yield opened


@pytest.fixture
def desk(app: FastAPI) -> ProposalDesk:
    """The desk of the application that runs."""
    services: Services = app.state.yielded["services"]
    assert services.talk.proposals is not None
    return services.talk.proposals


async def made(client: httpx2.AsyncClient, **more: Any) -> dict[str, Any]:
    answer = await client.post("/api/proposals", json={**FAMILY, **more})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def edit(client: httpx2.AsyncClient, name: str, *edits: dict[str, Any], **more: Any) -> httpx2.Response:
    return await client.patch(f"/api/proposals/{name}", json={"edits": list(edits), **more})


@pytest.mark.requirement("advice:api:versions")
async def test_a_proposal_is_made_edited_and_compared(staff: httpx2.AsyncClient) -> None:
    first = await made(staff)
    name = first["id"]
    assert first["version"] == 1 and first["state"] == "valid" and first["simulated"] is True
    assert len(first["variants"]) == 3 and first["sources"]["s1"]["title"]
    two = ({"kind": "without", "what": "치아"}, {"kind": "choose", "variant": "lean"})
    second = (await edit(staff, name, *two)).json()
    assert second["version"] == 2 and [v["id"] for v in second["variants"] if v["chosen"]] == ["lean"]
    assert all(line["need"] != "dental" for v in second["variants"] for p in v["people"] for line in p["lines"])
    assert (await staff.get(f"/api/proposals/{name}?version=1")).json() == {**first, "versions": 2}
    found = (await staff.get(f"/api/proposals/{name}/compare?before=1&after=2")).json()
    assert found["wishes_changed"] and not found["household_changed"]
    lean = next(v for v in found["variants"] if v["id"] == "lean")
    assert lean["difference"] == lean["after"] - lean["before"] < 0 and lean["removed"]
    stale = await edit(staff, name, {"kind": "again"}, version=1)
    assert stale.status_code == 409 and "2번째 판" in stale.json()["detail"]
    listed = (await staff.get("/api/proposals")).json()["proposals"]
    assert listed[0]["id"] == name and listed[0]["premium"] == second["variants"][0]["premium"]


@pytest.mark.requirement("advice:bad-input:told")
async def test_bad_edits_change_nothing_and_are_told(staff: httpx2.AsyncClient) -> None:
    first = await made(staff)
    for bad, field in (
        ({"kind": "budget", "amount": 0}, "household.budget"),
        ({"kind": "remove", "person": "p9"}, "person"),
        ({"kind": "without", "what": "달나라"}, "what"),
    ):
        answer = await edit(staff, first["id"], {"kind": "renewal", "value": "fixed"}, bad)
        problem = answer.json()
        assert answer.status_code == 422 and answer.headers["content-type"] == "application/problem+json"
        assert problem["type"] == "cannot-propose" and problem["errors"][0]["field"] == field
    assert (await staff.get(f"/api/proposals/{first['id']}")).json() == first
    twelve = {"household": {"people": [{"age": 30, "sex": "M"}] * 12}}
    assert "8명" in (await staff.post("/api/proposals", json=twelve)).json()["detail"]
    wrong = await staff.post("/api/proposals", json={"household": {"people": [{"age": 130, "sex": "M"}]}})
    assert wrong.status_code == 422 and wrong.json()["errors"][0]["field"] == "household.people.0.age"


@pytest.mark.requirement("advice:api:roles")
async def test_everybody_sees_their_own_and_staff_sees_all(gate: Guarded) -> None:
    one, other = [await gate.client((await gate.key("customer")).key) for _ in range(2)]
    clerk = await gate.client((await gate.key("staff")).key)
    owner = await gate.client((await gate.key("customer", customer_id="C0001")).key)
    name = (await made(one))["id"]
    for client, status in ((one, 200), (other, 404), (owner, 404), (clerk, 200)):
        assert (await client.get(f"/api/proposals/{name}")).status_code == status
    for call in ((other.delete, f"/api/proposals/{name}"), (other.get, f"/api/proposals/{name}.pdf")):
        assert (await call[0](call[1])).status_code == 404
    assert (await edit(other, name, {"kind": "again"})).status_code == 404
    assert (await one.post(f"/api/proposals/{name}/keep", json={"customer_id": "C0001"})).status_code == 403
    kept = await clerk.post(f"/api/proposals/{name}/keep", json={"customer_id": "C0001", "handed_to": "김대리"})
    assert kept.status_code == 200 and kept.json()["kept"]["handed_to"] == "김대리"
    seen = (await owner.get(f"/api/proposals/{name}")).json()["kept"]
    assert seen["customer_id"] == "C0001" and seen["handed_to"] is seen["by"] is seen["note"] is None
    assert (await edit(owner, name, {"kind": "again"})).status_code == 404, "the owner edits, the customer reads"
    for client, status in ((owner, 200), (clerk, 200), (one, 403)):
        answer = await client.get("/api/proposals?customer_id=C0001")
        assert answer.status_code == status
        assert status != 200 or name in [row["id"] for row in answer.json()["proposals"]]
    missing = await clerk.post(f"/api/proposals/{name}/keep", json={"customer_id": "C99999"})
    assert missing.status_code == 404


@pytest.mark.requirement("advice:api:roles")
async def test_contracts_of_a_customer_count_for_staff_and_for_that_customer_alone(gate: Guarded) -> None:
    clerk, owner, other = [
        await gate.client((await gate.key(role, customer_id=number)).key)  # type: ignore[arg-type]
        for role, number in (("staff", None), ("customer", "C0001"), ("customer", "C0002"))
    ]
    asked = {"household": {"people": [{"age": 41, "sex": "M"}]}, "customer_id": "C0001"}
    assert (await other.post("/api/proposals", json=asked)).status_code == 403
    for client in (clerk, owner):
        found = (await client.post("/api/proposals", json=asked)).json()
        refused = {item["product"]["code"]: item["reason"] for item in found["refused"]}
        held = next((c for v in found["variants"] for c in v["cover"] if c["need"] == "cancer"), None)
        assert "B00115023" in refused or (held is not None and held["held"] > 0)


@pytest.mark.requirement("advice:api:audited")
async def test_what_is_done_to_a_proposal_is_written_down_and_personal_data_is_not(
    gate: Guarded, staff: httpx2.AsyncClient
) -> None:
    visitor = await gate.client((await gate.key("customer")).key)
    first = await made(visitor)
    name = first["id"]
    assert "010-1234-5678" not in str(first) and "고혈압약" in str(first)
    await edit(visitor, name, {"kind": "again"})
    clerk = await gate.client((await gate.key("staff")).key)
    await clerk.get(f"/api/proposals/{name}")
    await visitor.delete(f"/api/proposals/{name}")
    rows = (await staff.get("/api/admin/audit?limit=100")).json()["entries"]
    acts = [row["action"] for row in rows if row["target"] == name]
    assert sorted(acts) == ["proposal.create", "proposal.delete", "proposal.edit", "proposal.read"]
    assert "고혈압" not in str([row for row in rows if row["target"] == name])


@pytest.mark.requirement("advice:api:erased")
async def test_proposals_go_with_their_thread_and_owner_but_not_from_the_customer(
    app: FastAPI, visitor: httpx2.AsyncClient, staff: httpx2.AsyncClient, desk: ProposalDesk, data_dir: Path
) -> None:
    asked = await visitor.post("/api/chat", json={"query": "암보험 상품 알려줘", "thread_id": "with-proposal"})
    assert asked.status_code == 200
    in_thread = (await made(visitor, thread_id="with-proposal"))["id"]
    plain, kept = (await made(visitor))["id"], (await made(visitor))["id"]
    await visitor.delete("/api/threads/with-proposal")
    assert (await visitor.get(f"/api/proposals/{in_thread}")).status_code == 404
    await staff.post(f"/api/proposals/{kept}/keep", json={"customer_id": "C0002"})
    mine = (await made(staff))["id"]
    await staff.post(f"/api/proposals/{mine}/keep", json={"customer_id": "C0002", "note": "통화 예정"})
    assert "통화 예정".encode() not in bytes_on_disk(data_dir, "customer.db*")
    assert "고혈압약".encode() not in bytes_on_disk(data_dir, "customer.db*")
    assert (await visitor.delete("/api/me/data")).status_code == 200
    for name in (plain, kept):
        assert (await staff.get(f"/api/proposals/{name}")).status_code == 404
    assert (await staff.get(f"/api/proposals/{mine}")).json()["kept"]["note"] == "통화 예정"
    old = (await made(staff))["id"]
    later = (await desk.store.get(old)).updated_at + timedelta(seconds=1)
    assert await desk.store.purge(later) >= 1
    assert (await staff.get(f"/api/proposals/{old}")).status_code == 404
    assert (await staff.get(f"/api/proposals/{mine}")).status_code == 200


@pytest.mark.requirement("advice:api:expired-withdrawn")
async def test_an_expired_proposal_and_a_withdrawn_product_are_told(
    app: FastAPI, staff: httpx2.AsyncClient, desk: ProposalDesk
) -> None:
    services: Services = app.state.yielded["services"]
    first = await made(staff)
    code = first["variants"][0]["people"][0]["lines"][0]["product"]["code"]
    left = replace(
        services.knowledge.catalogue, products=tuple(p for p in services.knowledge.catalogue.products if p.code != code)
    )  # fmt: skip
    today = desk._today() + timedelta(days=desk.book.plan.valid_days + 1)

    def later(catalogue: Any, day: Any) -> ProposalDesk:
        return ProposalDesk(
            desk.book, ProposalStore(services.storage.database, services.storage.cipher), desk._inquire,
            lambda text: text, lambda: day, lambda: catalogue, desk._customers, services.storage.audit,
        )  # fmt: skip

    me = Principal("local", "admin")
    expired = await later(services.knowledge.catalogue, today).read(me, first["id"])
    assert expired.state == "expired" and "유효했던" in expired.notices[0]
    with pytest.raises(Conflict, match="다시 계산"):
        await later(services.knowledge.catalogue, today).keep(me, first["id"], "C0001", None, None)
    withdrawn = await later(left, desk._today()).read(me, first["id"])
    assert withdrawn.state == "withdrawn" and "판매하지 않습니다" in withdrawn.notices[0]
    assert withdrawn.as_data()["household"] == first["household"]
    assert (await edit(staff, first["id"], {"kind": "again"})).json()["state"] == "valid"


@pytest.mark.requirement("advice:paper:korean")
async def test_the_paper_has_its_text_pages_sources_date_and_mark(staff: httpx2.AsyncClient) -> None:
    first = await made(staff)
    took = []
    for _ in range(5):
        started = time.perf_counter()
        answer = await staff.get(f"/api/proposals/{first['id']}.pdf")
        took.append(time.perf_counter() - started)
    assert answer.headers["content-type"] == "application/pdf" and answer.content.startswith(b"%PDF")
    assert f"{first['id']}-1.pdf" in answer.headers["content-disposition"]
    document = pymupdf.open("pdf", answer.content)
    pages = [page.get_text() for page in document]
    text = "\n".join(pages)
    chosen = next(v for v in first["variants"] if v["chosen"])
    assert f"{chosen['premium']:,}원" in text and "보험료표의 45세 남성" in text
    for number, page in enumerate(pages, 1):
        assert f"{number} / {len(pages)}" in page and "가상의 자료" in page and first["id"] in page
    for item in (*first["questions"], *first["disclosures"]):
        assert item["text"].removeprefix("※ ")[:12] in text.replace("\n", "")
    assert {font[3] for page in document for font in page.get_fonts()} and "�" not in text
    assert len(answer.content) < 500_000 and statistics.median(took) < 3


async def test_letters_drawn_as_one_sign_are_not_taken_for_lost(staff: httpx2.AsyncClient) -> None:
    people = [{"age": 40, "sex": "F", "job": "office staff, CFFI fluff"}]
    made_for = await staff.post("/api/proposals", json={"household": {"people": people}})
    answer = await staff.get(f"/api/proposals/{made_for.json()['id']}.pdf")
    assert answer.content.startswith(b"%PDF"), answer.text


@pytest.mark.requirement("advice:mcp:same")
async def test_mcp_makes_and_reads_the_same(mcp_urls: dict[str, str]) -> None:
    async with connected(mcp_urls["http"]) as client:
        told = await client.call_tool("make_proposal", FAMILY)
        assert not told.is_error
        data = told.structured_content
        [contents] = (await client.read_resource(f"insurance://proposals/{data['id']}")).contents
        assert data["id"] in contents.text and "균형안" in told.content[0].text  # type: ignore[union-attr]
        bad = await client.call_tool("make_proposal", {"household": {"people": []}})
        assert bad.is_error and "나이와 성별" in bad.content[0].text  # type: ignore[union-attr]


async def test_the_plan_tells_slots_needs_and_variants(staff: httpx2.AsyncClient) -> None:
    found = (await staff.get("/api/proposals/plan")).json()
    assert found["at_once"] <= 2 and found["slots"][0]["id"] == "people"
    assert [variant["id"] for variant in found["variants"]] == ["lean", "balanced", "wide"]

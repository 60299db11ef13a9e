"""The audit log by page and filter, and as a file; approvals by page."""

from __future__ import annotations

import csv
import io
import json

import httpx2
import pytest

AUDIT = "/api/admin/audit"


@pytest.mark.requirement("console:audit:found")
async def test_entries_are_filtered_paged_and_counted(staff: httpx2.AsyncClient) -> None:
    for number in range(3):
        await staff.put(f"/api/admin/conversations/{number:032x}/review", json={})  # unknown turns: nothing to log
        await staff.get(f"{AUDIT}/export", params={"format": "json"})
    page = (await staff.get(f"{AUDIT}/entries", params={"action": "audit.export", "limit": 2})).json()
    assert page["total"] >= 3 and len(page["entries"]) == 2
    assert {entry["action"] for entry in page["entries"]} == {"audit.export"}
    numbers = [entry["entry_id"] for entry in page["entries"]]
    assert numbers == sorted(numbers, reverse=True)
    older = (await staff.get(f"{AUDIT}/entries", params={"action": "audit.export", "order": "asc"})).json()
    assert older["entries"][0]["entry_id"] < numbers[0]
    assert (await staff.get(f"{AUDIT}/entries", params={"since": "2100-01-01"})).json()["total"] == 0
    assert (await staff.get(f"{AUDIT}/entries", params={"outcome": "refused", "actor": "nobody"})).json()["total"] == 0
    assert "audit.export" in page["facets"]["actions"] and "local" in page["facets"]["actors"]


@pytest.mark.requirement("console:audit:taken-along")
async def test_the_log_can_be_taken_along_and_its_chain_holds(staff: httpx2.AsyncClient) -> None:
    table = await staff.get(f"{AUDIT}/export", params={"format": "csv"})
    rows = list(csv.DictReader(io.StringIO(table.content.decode("utf-8-sig"))))
    text = (await staff.get(f"{AUDIT}/export", params={"format": "json"})).text
    assert rows and json.loads(text)["count"] >= len(rows)
    verified = (await staff.get(AUDIT, params={"limit": 1, "verify": True})).json()
    assert verified["intact"] is True


@pytest.mark.requirement("console:approvals:paged")
async def test_approvals_are_paged_as_waiting_and_as_decided(staff: httpx2.AsyncClient) -> None:
    args = {"action": "해지", "contract_id": "P000001", "submit": True}
    asked = await staff.post("/api/tools/contract_manage/invoke", json={"args": args})
    assert asked.status_code in (200, 202, 409), asked.text
    waiting = (await staff.get("/api/approvals", params={"decided": False})).json()
    own = next(item for item in waiting["approvals"] if item["tool"] == "contract_manage")
    assert own["person"] == "김*수 (C***01)" and waiting["total"] >= 1
    await staff.post(f"/api/approvals/{own['id']}", json={"decision": "reject"})
    decided = (await staff.get("/api/approvals", params={"decided": True, "limit": 1})).json()
    assert decided["approvals"][0]["id"] == own["id"] and decided["approvals"][0]["status"] == "rejected"

"""Suites run in the background, kept, compared; questions saved as cases."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest
from sqlalchemy import func, select

from app.adapters.case_store import SavedCase
from app.adapters.console_tables import evaluation_cases
from app.adapters.tables import approvals, service_requests, threads, turns
from app.evaluation.suites import as_talk
from app.services import Services
from tests.api.own_app import opened_with

RUNS = "/api/admin/evaluation/runs"


opened = opened_with()


async def begun(client: httpx2.AsyncClient, suite: str) -> dict[str, Any]:
    answer = await client.post(RUNS, json={"suite": suite, "note": "시험"})
    assert answer.status_code == 202, answer.text
    run: dict[str, Any] = answer.json()
    return run


async def ended(client: httpx2.AsyncClient, run: dict[str, Any]) -> dict[str, Any]:
    async with asyncio.timeout(120):
        while True:
            now: dict[str, Any] = (await client.get(f"{RUNS}/{run['id']}")).json()
            if now["status"] != "running":
                return now
            await asyncio.sleep(0.05)


async def outcomes(client: httpx2.AsyncClient, run: dict[str, Any], **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(f"{RUNS}/{run['id']}/outcomes", params=query)).json()
    return found


async def saved(client: httpx2.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await client.post("/api/admin/cases", json=body)
    assert answer.status_code == 201, answer.text
    case: dict[str, Any] = answer.json()
    return case


@pytest.mark.requirement("console:evaluation:runs-in-the-background")
async def test_a_suite_runs_in_the_background_and_its_measures_are_kept(client: httpx2.AsyncClient) -> None:
    suites = (await client.get("/api/admin/evaluation/suites")).json()["suites"]
    assert [suite["id"] for suite in suites] == ["routing", "development", "independent", "dialogues", "saved"]
    run = await begun(client, "routing")
    assert run["status"] == "running" and run["total"] == next(s["total"] for s in suites if s["id"] == "routing")
    assert (await client.get("/api/health/live")).status_code == 200
    now = await ended(client, run)
    assert now["status"] == "done" and now["done"] == now["total"] and now["ended_at"]
    assert {"hit_at_1", "recall_at_3", "recall_at_5", "no_call_accuracy"} <= now["rates"].keys()
    assert all(0 <= rate["low"] <= rate["rate"] <= rate["high"] <= 1 for rate in now["rates"].values() if "low" in rate)
    assert now["under"]["engine"] and now["under"]["registry_version"] >= 1
    listed = (await client.get(RUNS, params={"suite": "routing"})).json()
    assert listed["total"] == 1 and listed["runs"][0]["id"] == run["id"]
    assert (await client.get(RUNS, params={"suite": "dialogues"})).json()["total"] == 0


async def test_outcomes_come_failing_first_and_are_filtered_and_paged(client: httpx2.AsyncClient) -> None:
    run = await begun(client, "routing")
    await ended(client, run)
    every = await outcomes(client, run, limit=2000)
    kinds = [one["ok"] for one in every["outcomes"]]
    assert kinds == sorted(kinds) and every["total"] == every["failing"] + every["passing"] == run["total"]
    failing = await outcomes(client, run, only="failing")
    assert failing["total"] == every["failing"] and not any(one["ok"] for one in failing["outcomes"])
    of_tool = await outcomes(client, run, tool="product_search")
    assert of_tool["total"] and all("product_search" in one["expected"] for one in of_tool["outcomes"])
    page = await outcomes(client, run, offset=3, limit=2)
    assert page["outcomes"] == every["outcomes"][3:5]


@pytest.mark.requirement("console:evaluation:one-run-that-can-be-stopped")
async def test_one_run_goes_on_at_a_time_and_can_be_stopped(client: httpx2.AsyncClient) -> None:
    run = await begun(client, "development")
    second = await client.post(RUNS, json={"suite": "routing"})
    assert second.status_code == 409 and "진행 중" in second.json()["detail"]
    assert (await client.delete(f"{RUNS}/{run['id']}")).status_code == 409
    assert (await client.post(f"{RUNS}/{run['id']}/stop")).json()["stop_asked"] is True
    now = await ended(client, run)
    assert now["status"] == "stopped" and now["done"] < now["total"]
    assert (await client.post(f"{RUNS}/{run['id']}/stop")).status_code == 409
    assert (await client.delete(f"{RUNS}/{run['id']}")).status_code == 200
    assert (await client.get(f"{RUNS}/{run['id']}")).status_code == 404


async def test_a_suite_that_nobody_knows_is_refused(client: httpx2.AsyncClient) -> None:
    assert (await client.post(RUNS, json={"suite": "nothing"})).status_code == 404
    assert (await client.post(RUNS, json={"suite": "../x"})).status_code == 422


@pytest.mark.requirement("console:evaluation:saved-cases")
async def test_saved_questions_are_measured_and_two_runs_are_compared(
    services: Services, client: httpx2.AsyncClient
) -> None:
    empty = await client.post(RUNS, json={"suite": "saved"})
    assert empty.status_code == 400 and "평가에 추가" in empty.json()["detail"]
    right = await saved(client, query="달무리 우산 같은 보험이 있을지 골라봐 주세요", expected_tools=["product_search"])
    wrong = await saved(
        client, query="예순둘 여자 실속치매 다달이 낼 돈이 궁금합니다", expected_tools=["privacy_masking"]
    )
    first = await begun(client, "saved")
    before = await ended(client, first)
    assert before["status"] == "done" and before["total"] == 2
    found = {one["id"]: one["ok"] for one in (await outcomes(client, first))["outcomes"]}
    assert found[wrong["id"]] is False
    # The saved question's right tool is put right: it passes in the next run.
    assert (await client.delete(f"/api/admin/cases/{right['id']}")).status_code == 200
    await services.storage.database.change(evaluation_cases.update().values(expected_tools=["premium_estimate"]))
    second = await begun(client, "saved")
    await ended(client, second)
    compared = (
        await client.get("/api/admin/evaluation/compare", params={"before": first["id"], "after": second["id"]})
    ).json()
    assert [one["id"] for one in compared["newly_passing"]] == [wrong["id"]] and compared["newly_failing"] == []
    assert compared["in_both"] == 1 and compared["only_before"] == 1 and compared["only_after"] == 0
    assert compared["rates"]["hit_at_1"]["after"]["rate"] == 1.0
    back = (
        await client.get("/api/admin/evaluation/compare", params={"before": second["id"], "after": first["id"]})
    ).json()
    assert [one["id"] for one in back["newly_failing"]] == [wrong["id"]]
    await client.delete(f"/api/admin/cases/{wrong['id']}")


@pytest.mark.requirement("console:evaluation:leaves-nothing-behind")
async def test_a_saved_talk_is_held_with_its_earlier_questions_and_leaves_nothing_behind(
    services: Services, client: httpx2.AsyncClient
) -> None:
    async def rows() -> list[int]:
        return [
            await services.storage.database.value(select(func.count()).select_from(table))
            for table in (threads, turns, approvals, service_requests)
        ]

    before = await rows()
    priced = await saved(
        client,
        kind="dialogue",
        query="그럼 예순이면요?",
        history=["쉰둘 남자인데 치아보험 보험료 얼마예요?"],
        expected_tools=["premium_estimate"],
        expected_args={"premium_estimate": {"age": 60}},
    )
    writes = await saved(
        client,
        kind="dialogue",
        query="P000001 계약 해지 접수해 주세요",
        expected_tools=["contract_manage"],
    )
    run = await begun(client, "saved")
    now = await ended(client, run)
    assert now["status"] == "done" and now["total"] == 3 and now["done"] == 3
    found = {one["id"]: one for one in (await outcomes(client, run))["outcomes"]}
    assert found.keys() == {f"{priced['id']}/2", f"{writes['id']}/1"}
    assert found[f"{priced['id']}/2"]["ok"], found
    assert now["rates"]["slot_accuracy"]["rate"] == 1.0 and "grounded_share" in now["rates"]
    assert await rows() == before
    for case in (priced, writes):
        await client.delete(f"/api/admin/cases/{case['id']}")


def test_a_saved_turn_without_a_tool_is_a_talk_that_calls_none() -> None:
    saved_case = SavedCase("case_1", "dialogue", "고마워요", ("안녕",), (), {}, "", None, "me", datetime.now(UTC))
    talk = as_talk(saved_case)
    assert [turn.user for turn in talk.turns] == ["안녕", "고마워요"] and talk.turns[-1].calls == ()


async def test_a_case_is_masked_listed_and_removed(client: httpx2.AsyncClient) -> None:
    case = await saved(
        client, query="제 번호 010-1234-5678로 보험료 안내 보내 주세요", expected_tools=["premium_estimate"]
    )
    assert "1234-5678" not in case["query"]
    listed = (await client.get("/api/admin/cases", params={"search": "안내 보내"})).json()
    assert [one["id"] for one in listed["cases"]] == [case["id"]] and listed["total"] == 1
    assert (await client.get("/api/admin/cases", params={"kind": "dialogue"})).json()["total"] == 0
    assert (await client.delete(f"/api/admin/cases/{case['id']}")).json()["id"] == case["id"]
    assert (await client.delete(f"/api/admin/cases/{case['id']}")).status_code == 404


async def test_a_case_with_an_unknown_tool_or_a_line_of_a_card_is_refused(
    services: Services, client: httpx2.AsyncClient
) -> None:
    unknown = await client.post("/api/admin/cases", json={"query": "무엇이든", "expected_tools": ["no_such_tool"]})
    assert unknown.status_code == 404
    line = services.tools.registry.snapshot().entry("premium_estimate").card.when_to_use[0]
    known = await client.post("/api/admin/cases", json={"query": line, "expected_tools": ["premium_estimate"]})
    assert known.status_code == 400 and "premium_estimate" in known.json()["detail"]


@pytest.mark.requirement("console:evaluation:saved-cases")
async def test_a_saved_question_may_not_become_a_line_of_a_card(client: httpx2.AsyncClient) -> None:
    case = await saved(client, query="달무리 우산 얼마짜리예요 진짜로", expected_tools=["premium_estimate"])
    card = (await client.get("/api/tools/premium_estimate/card")).json()["card"]
    wanted = {**card, "when_to_use": [*card["when_to_use"], "달무리 우산 얼마짜리예요, 진짜로!"]}
    preview = (await client.post("/api/tools/premium_estimate/card/preview", json={"card": wanted})).json()
    assert preview["preview"] is None and any("평가 질문" in fault for fault in preview["faults"])
    await client.delete(f"/api/admin/cases/{case['id']}")

"""Writing calls wait for a person: asked in the conversation, decided over REST, run once for their owner."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import select, update

from app.access import LOCAL_ADMIN, Principal
from app.adapters.approval_store import hash_of
from app.adapters.tables import approvals, followup_tasks, service_requests
from app.errors import Conflict, NotFound, ToolFailed
from app.graph.approvals import ApprovalDesk
from app.services import Services
from app.settings import ROOT
from tests.api.conftest import Ask
from tests.api.sse import parse, shown_text
from tests.graph.scripted import ScriptedModel
from tests.graph.speaking import runner_with
from tests.state import lay_out

CANCEL = (
    "김민수 고객님 치아보험 계약 살아 있나요?",
    "그 계약 해지하면 어떻게 되는지 알려 주세요",
    "그럼 해지로 접수해 주세요",
)
KIM = Principal("login:kim", "customer", "C0001")
OTHER = Principal("login:other", "customer", "C0002")


@pytest.fixture
def thread() -> str:
    return f"approval-{uuid.uuid4().hex[:10]}"


async def requested(ask: Ask, thread: str) -> dict[str, Any]:
    """The reply of a turn that asks to cancel a contract."""
    reply: dict[str, Any] = {}
    for text in CANCEL:
        reply = await ask(text, thread)
    assert reply["approval"], reply["answer"]
    return reply


async def recorded(services: Services, table: Any = service_requests) -> int:
    return len(await services.storage.database.rows(select(table)))


async def decide(client: httpx2.AsyncClient, approval_id: str, **body: Any) -> httpx2.Response:
    return await client.post(f"/api/approvals/{approval_id}", json=body)


async def make_late(services: Services, approval_id: str) -> None:
    past = {"expires_at": datetime.now(UTC) - timedelta(seconds=1)}
    await services.storage.database.change(update(approvals).where(approvals.c.approval_id == approval_id).values(past))


# --- asking -------------------------------------------------------------------------------------------------------


async def test_a_writing_call_waits_and_the_reply_shows_exactly_what_would_be_done(
    ask: Ask, services: Services, thread: str
) -> None:
    before = await recorded(services)
    reply = await requested(ask, thread)
    card = reply["approval"]
    assert set(card) >= {"id", "tool", "args", "effect", "expires_at"}
    assert card["tool"] == "contract_manage" and card["args"]["submit"] is True
    assert card["args"]["contract_id"] == "P000002" and "해지" in card["effect"] and "P000002" in card["effect"]
    left = datetime.fromisoformat(card["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=13) < left <= timedelta(minutes=15)
    assert "아직 진행되지 않았습니다" in reply["answer"] and reply["tools_used"] == []
    assert [row["status"] for row in reply["trace"] if row["node"] == "tools"] == ["waiting"]
    assert await recorded(services) == before


async def test_the_stream_tells_the_approval_and_its_text_is_the_answer(
    staff: httpx2.AsyncClient, ask: Ask, thread: str
) -> None:
    for text in CANCEL[:2]:
        await ask(text, thread)
    response = await staff.post("/api/chat/stream", json={"query": CANCEL[2], "thread_id": thread})
    events = parse(response.text)
    [asked] = [event for event in events if event.type == "approval"]
    assert events[-1].type == "done" and events[-1].data["approval"] == {
        key: value for key, value in asked.data.items() if key != "run_id"
    }
    assert shown_text(events) == events[-1].data["answer"]
    assert not [event for event in events if event.type in ("tool_start", "tool_end")]


async def test_what_cannot_be_done_is_refused_at_once_and_asks_nobody(
    staff: httpx2.AsyncClient, services: Services
) -> None:
    before = len(await services.talk.approvals.listed(Principal("local", "admin")))
    for args, status in (
        ({"action": "부활", "contract_id": "P000002", "submit": True}, 422),
        ({"action": "해지", "contract_id": "P999999", "submit": True}, 422),
        ({"action": "없는 일", "contract_id": "P000002", "submit": True}, 422),
    ):
        response = await staff.post("/api/tools/contract_manage/invoke", json={"args": args})
        assert response.status_code == status, response.text
    missing = await staff.post("/api/tools/contract_manage/invoke", json={"args": {"action": "해지", "submit": True}})
    assert [field["name"] for field in missing.json()["result"]["fields"]] == ["contract_id"]
    assert len(await services.talk.approvals.listed(Principal("local", "admin"))) == before


@pytest.mark.parametrize("flag", [True, "true", 1, "yes"])
async def test_however_the_flag_is_written_a_submission_waits(staff: httpx2.AsyncClient, flag: Any) -> None:
    args = {"action": "해지", "contract_id": "P000002", "submit": flag}
    response = await staff.post("/api/tools/contract_manage/invoke", json={"args": args})
    assert response.status_code == 202 and response.json()["approval"]["tool"] == "contract_manage"


async def test_explaining_a_procedure_needs_no_approval(staff: httpx2.AsyncClient) -> None:
    for args in ({"action": "해지"}, {"action": "해지", "contract_id": "P000002", "submit": False}):
        response = await staff.post("/api/tools/contract_manage/invoke", json={"args": args})
        assert response.status_code == 200 and response.json()["kind"] == "ContractGuide"


# --- the table of outcomes ----------------------------------------------------------------------------------------


async def test_approved_the_request_is_recorded_and_the_turn_ends_with_its_number(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    before = await recorded(services)
    card = (await requested(ask, thread))["approval"]
    response = await decide(staff, card["id"], decision="approve")
    decided = response.json()
    assert response.status_code == 200 and decided["status"] == "approved" and decided["decided_by"] == "local"
    number = decided["outcome"]["data"]["request_id"]
    assert decided["outcome"]["status"] == "ok" and number in decided["reply"]["answer"]
    assert decided["reply"]["approval"] is None and decided["reply"]["tools_used"] == ["contract_manage"]
    assert await recorded(services) == before + 1


async def test_edited_the_changed_arguments_are_run_and_the_thread_says_so(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    args = {**card["args"], "details": "이사로 인한 해지", "submit": False}
    decided = (await decide(staff, card["id"], decision="edit", args=args)).json()
    assert decided["status"] == "edited" and decided["args"] == card["args"], "what was asked stays on record"
    assert decided["decided_args"]["details"] == "이사로 인한 해지" and decided["decided_args"]["submit"] is True
    async with services.storage.database.reading() as connection:
        query = select(service_requests).where(
            service_requests.c.request_id == decided["outcome"]["data"]["request_id"]
        )
        row = (await connection.execute(query)).one()
    assert row.details == {"내용": "이사로 인한 해지"}
    [ran] = [row for row in decided["reply"]["trace"] if row["node"] == "tools"]
    assert ran["input"]["details"] == "이사로 인한 해지"


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"contract_id": "P999999"}, "P999999"),
        ({"contract_id": "없는 번호"}, "contract_id"),
        ({"action": "부활"}, "부활"),
        ({"contract_id": None}, "계약"),
    ],
)
async def test_arguments_changed_to_what_cannot_be_run_decide_nothing(
    ask: Ask, staff: httpx2.AsyncClient, thread: str, change: dict[str, Any], word: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    refused = await decide(staff, card["id"], decision="edit", args={**card["args"], **change})
    assert refused.status_code == 422 and word in refused.text
    assert (await staff.get(f"/api/approvals/{card['id']}")).json()["status"] == "pending"


async def test_arguments_changed_to_anothers_contract_are_refused(services: Services, thread: str) -> None:
    await services.talk.runner.ask("제 계약 보여 주세요", KIM, thread)
    context = services.talk.make_context(KIM, thread, "r1")
    store = services.talk.parts.gate
    args = {"action": "해지", "contract_id": "P000002", "submit": True}
    made = await store._store.request(KIM, thread, "r1", "contract_manage", args, "해지")
    theirs = (await context.customers.contracts_of("C0002"))[0].contract_id
    with pytest.raises(ToolFailed, match="본인"):
        await services.talk.approvals.decide(made.approval_id, KIM, "edit", args={**args, "contract_id": theirs})
    assert (await services.talk.approvals.get(made.approval_id, KIM)).status == "pending"


async def test_rejected_nothing_is_recorded_and_the_comment_is_told(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    before = await recorded(services)
    card = (await requested(ask, thread))["approval"]
    decided = (await decide(staff, card["id"], decision="reject", comment="고객님과 다시 통화한 뒤에 해요")).json()
    assert decided["status"] == "rejected" and "다시 통화한 뒤에" in decided["reply"]["answer"]
    assert not re.search("접수했|접수되었", decided["reply"]["answer"])
    assert await recorded(services) == before
    again = await ask("그럼 해지로 접수해 주세요", thread)
    assert again["approval"] and again["approval"]["id"] != card["id"], "a new request is asked anew"


async def test_a_second_decision_is_a_conflict_and_runs_nothing_again(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    assert (await decide(staff, card["id"], decision="approve")).status_code == 200
    before = await recorded(services)
    for body in ({"decision": "approve"}, {"decision": "reject"}, {"decision": "edit", "args": card["args"]}):
        assert (await decide(staff, card["id"], **body)).status_code == 409
    assert await recorded(services) == before


async def test_decided_by_many_at_once_it_runs_once(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    import asyncio

    before = await recorded(services)
    card = (await requested(ask, thread))["approval"]
    answers = await asyncio.gather(*(decide(staff, card["id"], decision="approve") for _ in range(8)))
    assert sorted(answer.status_code for answer in answers) == [200, *[409] * 7]
    assert await recorded(services) == before + 1


async def test_expired_it_is_refused_and_cannot_be_approved(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    before = await recorded(services)
    card = (await requested(ask, thread))["approval"]
    await make_late(services, card["id"])
    late = await decide(staff, card["id"], decision="approve")
    assert late.status_code == 409 and "시간이 지나" in late.json()["detail"]
    assert (await staff.get(f"/api/approvals/{card['id']}")).json()["status"] == "expired"
    assert await recorded(services) == before
    assert (await ask("그 계약 보험료는 얼마예요?", thread))["answer"], "the thread goes on"
    again = await ask("해지하면 어떻게 되나요?", thread)
    assert again["approval"] is None


async def test_another_person_does_not_even_see_it(
    ask: Ask, staff: httpx2.AsyncClient, visitor: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    assert (await visitor.get(f"/api/approvals/{card['id']}")).status_code == 404
    assert (await decide(visitor, card["id"], decision="approve")).status_code == 404
    assert (await visitor.get("/api/approvals")).json() == {"count": 0, "approvals": []}
    for other in (OTHER, Principal("tmr-9", "staff")):
        with pytest.raises(NotFound):
            await services.talk.approvals.decide(card["id"], other, "approve")
    shown = (await staff.get("/api/approvals", params={"status": "pending"})).json()["approvals"]
    assert card["id"] in [item["id"] for item in shown]


async def test_an_operator_decides_for_others_and_the_call_runs_as_its_owner(
    services: Services, staff: httpx2.AsyncClient, thread: str
) -> None:
    for text in ("제 치아보험 계약 살아 있나요?", "그 계약 해지하면 어떻게 돼요?", "네 접수해 주세요"):
        reply = await services.talk.runner.ask(text, KIM, thread)
    assert reply["approval"], reply["answer"]
    decided = (await decide(staff, reply["approval"]["id"], decision="approve")).json()
    assert (decided["requested_by"], decided["decided_by"]) == (KIM.id, "local")
    async with services.storage.database.reading() as connection:
        number = decided["outcome"]["data"]["request_id"]
        row = (await connection.execute(select(service_requests).where(service_requests.c.request_id == number))).one()
    assert (row.requested_by, row.customer_id) == (KIM.id, "C0001")


async def test_talk_may_go_on_and_the_approval_stays_open(
    ask: Ask, staff: httpx2.AsyncClient, services: Services, thread: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    between = await ask("뉴스타트암보험은 어떤 보험이에요?", thread)
    assert between["approval"] is None and "뉴스타트암보험" in between["answer"]
    before = await recorded(services)
    decided = (await decide(staff, card["id"], decision="approve")).json()
    assert decided["reply"] is None and decided["outcome"]["data"]["recorded"] is True
    assert await recorded(services) == before + 1


async def test_the_same_request_twice_is_one_approval(ask: Ask, thread: str) -> None:
    card = (await requested(ask, thread))["approval"]
    again = await ask(CANCEL[2], thread)
    assert again["approval"] and again["approval"]["id"] == card["id"]


async def test_a_plain_no_takes_it_back(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    card = (await requested(ask, thread))["approval"]
    reply = await ask("아니요 그냥 두세요", thread)
    assert reply["approval"] is None
    assert (await staff.get(f"/api/approvals/{card['id']}")).json()["status"] == "withdrawn"
    assert (await decide(staff, card["id"], decision="approve")).status_code == 409


async def test_what_was_submitted_once_is_not_submitted_again_by_a_question(
    ask: Ask, staff: httpx2.AsyncClient, thread: str
) -> None:
    card = (await requested(ask, thread))["approval"]
    await decide(staff, card["id"], decision="approve")
    assert (await ask(CANCEL[1], thread))["approval"] is None


async def test_tasks_are_saved_after_their_approval(staff: httpx2.AsyncClient, services: Services) -> None:
    args = {"case_summary": "내일 다시 전화하기로 함", "customer_id": "C0003", "save": True}
    before = await recorded(services, followup_tasks)
    waiting = await staff.post("/api/tools/customer_followup_tasks/invoke", json={"args": args})
    assert waiting.status_code == 202 and "C0003" in waiting.json()["approval"]["effect"]
    assert await recorded(services, followup_tasks) == before
    decided = (await decide(staff, waiting.json()["approval"]["id"], decision="approve")).json()
    assert decided["outcome"]["data"]["saved"] is True and decided["reply"] is None
    assert await recorded(services, followup_tasks) > before


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"decision": "maybe"}, 422),
        ({"decision": "edit"}, 400),
        ({"decision": "approve", "args": {"action": "대출"}}, 400),
        ({"decision": "approve", "principal": "admin"}, 422),
    ],
)
async def test_a_decision_that_is_none_changes_nothing(
    ask: Ask, staff: httpx2.AsyncClient, thread: str, body: dict[str, Any], status: int
) -> None:
    card = (await requested(ask, thread))["approval"]
    assert (await decide(staff, card["id"], **body)).status_code == status
    assert (await staff.get(f"/api/approvals/{card['id']}")).json()["status"] == "pending"


async def test_unknown_ids_are_not_found(staff: httpx2.AsyncClient) -> None:
    assert (await decide(staff, "ap_nothing", decision="approve")).status_code == 404


# --- binding ------------------------------------------------------------------------------------------------------


async def test_an_approval_is_bound_to_person_thread_tool_and_arguments(services: Services, thread: str) -> None:
    store = services.talk.parts.gate._store
    args = {"action": "해지", "contract_id": "P000002", "submit": True}
    made = await store.request(KIM, thread, "run-1", "contract_manage", args, "해지")
    await store.decide(made.approval_id, "approved", KIM.id)
    for owner, where, run, tool, given in (
        (OTHER.id, thread, "run-1", "contract_manage", args),
        (KIM.id, "elsewhere", "run-1", "contract_manage", args),
        (KIM.id, thread, "run-2", "contract_manage", args),
        (KIM.id, thread, "run-1", "customer_followup_tasks", args),
        (KIM.id, thread, "run-1", "contract_manage", {**args, "contract_id": "P000001"}),
    ):
        assert await store.find(owner, where, run, tool, given) is None
    assert await store.find(KIM.id, thread, "run-1", "contract_manage", dict(reversed(args.items()))) is not None
    assert await store.use(made.approval_id) is True and await store.use(made.approval_id) is False
    with pytest.raises(Conflict):
        await store.decide(made.approval_id, "rejected", KIM.id)


def test_the_hash_of_arguments_does_not_depend_on_their_order() -> None:
    assert hash_of({"a": 1, "b": [2]}) == hash_of({"b": [2], "a": 1}) != hash_of({"a": 1, "b": [3]})


async def test_what_was_approved_when_the_process_died_is_carried_out_at_the_next_start(services: Services) -> None:
    store = services.talk.parts.gate._store
    args = {"action": "해지", "contract_id": "P000002", "submit": True}
    left = await store.request(KIM, None, uuid.uuid4().hex, "contract_manage", args, "해지")
    cut = await store.request(KIM, None, uuid.uuid4().hex, "contract_manage", args, "해지")
    for approval in (left, cut):
        await store.decide(approval.approval_id, "approved", KIM.id)
    await store.use(cut.approval_id)
    await services.talk.approvals.recover()
    before = await recorded(services)
    for approval in (left, cut):
        assert (await store.get(approval.approval_id)).outcome["status"] == "ok"  # type: ignore[index]
    await services.talk.approvals.recover()
    assert await recorded(services) == before, "once"


# --- kill -9 ------------------------------------------------------------------------------------------------------


@contextmanager
def server(data_dir: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    environment = {
        **os.environ,
        "DATA_DIR": str(data_dir),
        "PORT": str(port),
        "HF_HUB_OFFLINE": "1",
        "TWIN_PROCESS": "true",
    }
    process = subprocess.Popen([sys.executable, "run.py"], cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        _until_ready(process, port)
        yield process
    finally:
        process.kill()
        process.wait()


def _until_ready(process: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None, "the server did not start"
        try:
            if httpx2.get(f"http://127.0.0.1:{port}/api/health/live", timeout=2).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.3)
    raise AssertionError("the server did not answer in time")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def test_a_request_survives_kill_9_and_is_decided_after_the_restart(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path)
    port = _free_port()
    url = f"http://127.0.0.1:{port}"

    def ask(text: str) -> dict[str, Any]:
        answer = httpx2.post(f"{url}/api/chat", json={"query": text, "thread_id": "killed"}, timeout=60)
        assert answer.status_code == 200, answer.text
        reply: dict[str, Any] = answer.json()
        return reply

    with server(tmp_path, port) as process:
        reply = [ask(text) for text in CANCEL][-1]
        process.send_signal(signal.SIGKILL)
        process.wait()
    approval_id = reply["approval"]["id"]
    with server(tmp_path, port):
        waiting = httpx2.get(f"{url}/api/approvals", params={"status": "pending"}, timeout=30).json()["approvals"]
        assert [item["id"] for item in waiting] == [approval_id]
        decided = httpx2.post(f"{url}/api/approvals/{approval_id}", json={"decision": "approve"}, timeout=60).json()
        assert decided["status"] == "approved" and decided["outcome"]["data"]["recorded"] is True
        assert decided["outcome"]["data"]["request_id"] in decided["reply"]["answer"], "the very turn goes on"
        again = httpx2.post(f"{url}/api/approvals/{approval_id}", json={"decision": "approve"}, timeout=60)
        assert again.status_code == 409
        assert "접수" not in json.dumps(ask("그 계약 지금 상태가 어때요?")["approval"], ensure_ascii=False)


# --- several at once ----------------------------------------------------------------------------------------------


async def test_a_turn_that_waits_for_two_goes_on_with_the_last_decision(services: Services, thread: str) -> None:
    wanted = {"action": "해지", "submit": True}
    calls = [("contract_manage", {**wanted, "contract_id": number}) for number in ("P000001", "P000002")]
    model = ScriptedModel(script=[calls, "요청하신 내용을 처리했습니다."])
    runner = runner_with(services, model)
    desk = ApprovalDesk(services.talk.parts.gate._store, services.talk.parts.gate, runner, services.talk.make_context)
    before = await recorded(services)
    reply = await runner.ask("보험계약 해지하려고요. 해지 접수해 주세요", LOCAL_ADMIN, thread)
    first, second = reply["approvals"]
    assert reply["approval"] == first and len(model.prompts) == 1
    decided, went_on = await desk.decide(first["id"], LOCAL_ADMIN, "approve")
    assert (decided.status, decided.outcome, went_on) == ("approved", None, None)
    assert await recorded(services) == before
    decided, went_on = await desk.decide(second["id"], LOCAL_ADMIN, "reject", comment="이건 두세요")
    assert went_on is not None and went_on["answer"].startswith("요청하신 내용을 처리했습니다.")
    assert await recorded(services) == before + 1
    told = [str(message.content) for message in model.prompts[1] if message.type == "tool"]
    assert "request_id" in told[0] and "이건 두세요" in told[1], "the model hears of both"


async def test_a_model_that_repeats_its_call_after_a_no_has_to_ask_again(services: Services, thread: str) -> None:
    call = [("contract_manage", {"action": "해지", "contract_id": "P000002", "submit": True})]
    model = ScriptedModel(script=[call, call, "알겠습니다."])
    runner = runner_with(services, model)
    desk = ApprovalDesk(services.talk.parts.gate._store, services.talk.parts.gate, runner, services.talk.make_context)
    before = await recorded(services)
    reply = await runner.ask("치아보험 계약 해지 접수해 주세요", LOCAL_ADMIN, thread)
    _, went_on = await desk.decide(reply["approval"]["id"], LOCAL_ADMIN, "reject")
    assert went_on is not None and await recorded(services) == before
    if went_on["approval"] is not None:
        assert went_on["approval"]["id"] != reply["approval"]["id"]

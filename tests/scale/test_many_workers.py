"""Three workers behind nginx are one service: no wrong answer, whatever is reloaded, killed or taken away."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import signal
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.scale.cluster import ANSWER, QUESTION, Cluster, Load, admin_key, open_cluster
from tests.scale.servers import Postgres, Process, chroma_server, redis_server

LONG = bool(os.environ.get("SOAK"))


@pytest.fixture(scope="module")
async def cluster(servers_folder: Path, indexed: Path) -> AsyncIterator[Cluster]:
    folder = servers_folder / "cluster"
    folder.mkdir()
    servers = Postgres(folder / "postgres"), redis_server(folder / "redis"), chroma_server(folder / "chroma")
    opened = open_cluster(folder, *servers, indexed)
    yield opened
    opened.stop()


@pytest.fixture(scope="module")
async def admin(cluster: Cluster) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"X-API-Key": await admin_key(cluster)}
    async with httpx2.AsyncClient(base_url=cluster.url, headers=headers, timeout=60) as client:
        yield client


async def said_by(client: httpx2.AsyncClient, url: str) -> tuple[str, int]:
    """What the operator's tool says at one worker, and the number of the tool set there."""
    answer = await client.post(f"{url}/api/tools/window_opening_hours/invoke", json={"args": {}})
    assert answer.status_code == 200, answer.text
    listed = await client.get(f"{url}/api/tools")
    return str(answer.json()["result"]["said"]), int(listed.json()["registry_version"])


async def test_a_reload_is_in_force_at_every_worker_before_its_next_answer(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    rounds = 50 if LONG else 5
    async with Load(cluster.url, admin.headers, people=3) as load:
        for number in range(rounds):
            cluster.write_module(f"버전{number + 1}")
            done = await admin.post("/api/tools/reload-module/opening")
            assert done.status_code == 200, done.text
            seen = await asyncio.gather(*(said_by(admin, cluster.direct(i)) for i in range(3)))
            assert seen == [(f"버전{number + 1}", done.json()["registry_version"])] * 3
    assert not load.wrong and set(load.told) == {"200"}, load.told


async def test_a_deleted_tool_is_gone_everywhere_and_comes_back_by_a_reload(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    cluster.write_module("지우기 전")
    assert (await admin.post("/api/tools/reload-module/opening")).status_code == 200
    gone = await admin.delete("/api/tools/window_opening_hours")
    assert gone.status_code == 200
    for number in range(3):
        answer = await admin.post(f"{cluster.direct(number)}/api/tools/window_opening_hours/invoke", json={"args": {}})
        assert answer.status_code == 404
    assert (await admin.post("/api/tools/reload-module/opening")).status_code == 200
    versions = {(await said_by(admin, cluster.direct(i)))[1] for i in range(3)}
    assert len(versions) == 1


@pytest.mark.requirement("console:tools:switched-off")
async def test_a_tool_switched_off_at_one_worker_is_off_at_every_worker_until_it_is_on(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    cluster.write_module("켜짐")
    assert (await admin.post("/api/tools/reload-module/opening")).status_code == 200
    wanted = {"tools": ["window_opening_hours"], "off": True, "reason": "시험"}
    done = await admin.post(f"{cluster.direct(0)}/api/admin/tools/switch", json=wanted)
    assert done.status_code == 200, done.text
    for number in range(3):
        answer = await admin.post(f"{cluster.direct(number)}/api/tools/window_opening_hours/invoke", json={"args": {}})
        assert answer.status_code == 422 and "꺼 둔" in answer.text
        told = (await admin.get(f"{cluster.direct(number)}/api/admin/tools/window_opening_hours")).json()
        assert told["off"] and told["switch"]["reason"] == "시험"
    back = await admin.post(f"{cluster.direct(2)}/api/admin/tools/switch", json={**wanted, "off": False})
    assert back.status_code == 200, back.text
    seen = await asyncio.gather(*(said_by(admin, cluster.direct(i)) for i in range(3)))
    assert seen == [("켜짐", back.json()["registry_version"])] * 3


@pytest.mark.requirement("console:guards:moved")
async def test_a_threshold_moved_at_one_worker_holds_at_every_worker(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    path = "api/admin/guards/thresholds"

    async def values() -> list[float]:
        told = [(await admin.get(f"{cluster.direct(number)}/{path}")).json()["thresholds"] for number in range(3)]
        return [next(dial["value"] for dial in dials if dial["guard"] == "domain") for dials in told]

    first = await values()
    for number, value in ((0, 0.8), (2, first[0])):
        body = {"value": value, "reason": "여러 서버에서 시험"}
        moved = await admin.put(f"{cluster.direct(number)}/{path}/domain", json=body)
        assert moved.status_code == 200, moved.text
        assert await values() == [value] * 3


async def test_two_operators_at_once_get_a_conflict_not_a_mix(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    cluster.write_module("카드")
    assert (await admin.post("/api/tools/reload-module/opening")).status_code == 200

    async def publish(number: int) -> int:
        url = f"{cluster.direct(number)}/api/tools/window_opening_hours/card"
        shown = (await admin.get(url)).json()
        card = {**shown["card"], "purpose": f"창구 운영 시간을 알려 준다 {number}"}
        body = {"card": card, "publish": True, "base_version": shown["version"], "override_reason": "시험으로 게시"}
        return (await admin.put(url, json=body)).status_code

    statuses = sorted(await asyncio.gather(publish(0), publish(1)))
    assert statuses == [200, 409]
    cards = [(await admin.get(f"{cluster.direct(i)}/api/tools/window_opening_hours/card")).json() for i in range(3)]
    assert len({json.dumps(card["card"], sort_keys=True) for card in cards}) == 1


async def test_one_message_sent_to_every_worker_at_once_is_one_turn(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    for _ in range(10 if LONG else 3):
        body = {"query": QUESTION, "thread_id": f"t{secrets.token_hex(4)}", "message_id": secrets.token_hex(8)}
        answers = await asyncio.gather(*(admin.post(f"{cluster.direct(i % 3)}/api/chat", json=body) for i in range(6)))
        assert [answer.status_code for answer in answers] == [200] * 6, [answer.text[:200] for answer in answers]
        assert len({answer.json()["run_id"] for answer in answers}) == 1
        thread = await admin.get(f"/api/threads/{body['thread_id']}")
        assert len(thread.json()["turns"]) == 1


async def test_turns_of_one_thread_wait_for_each_other_over_workers(
    cluster: Cluster, admin: httpx2.AsyncClient
) -> None:
    thread = f"t{secrets.token_hex(4)}"
    body = {"query": QUESTION, "thread_id": thread}
    answers = await asyncio.gather(*(admin.post(f"{cluster.direct(i)}/api/chat", json=body) for i in range(3)))
    assert [answer.status_code for answer in answers] == [200] * 3
    kept = (await admin.get(f"/api/threads/{thread}")).json()["turns"]
    assert len(kept) == 3 and {turn["answer"] for turn in kept} == {answer.json()["answer"] for answer in answers}
    # Each knows the answer before it: the same figure, but not the same answer again.
    told = [turn["answer"] for turn in kept]
    assert len({re.search(r"[\d,]+원", answer)[0] for answer in told}) == 1  # type: ignore[index]
    assert told[0] != told[1]


async def events_of(response: httpx2.Response) -> list[tuple[int, str, dict[str, Any]]]:
    """(id, name, data) of each event."""
    text = "".join([part async for part in response.aiter_text()])
    found = []
    for frame in text.replace("\r\n", "\n").split("\n\n"):
        fields = dict(line.split(":", 1) for line in frame.splitlines() if line and not line.startswith(":"))
        if "data" in fields:
            found.append((int(fields["id"]), fields["event"].strip(), json.loads(fields["data"])))
    return found


async def test_a_stream_is_resumed_at_another_worker(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    body = {"query": QUESTION, "thread_id": f"t{secrets.token_hex(4)}"}
    async with admin.stream("POST", f"{cluster.direct(0)}/api/chat/stream", json=body) as first:
        whole = await events_of(first)
    run_id = whole[0][2]["run_id"]
    for number in (1, 2):
        url = f"{cluster.direct(number)}/api/runs/{run_id}/events"
        async with admin.stream("GET", url, headers={"Last-Event-ID": "4"}) as rest:
            assert await events_of(rest) == [event for event in whole if event[0] > 4]
    stranger = await admin.get(f"{cluster.direct(1)}/api/runs/{run_id}/events", headers={"X-API-Key": "", "Cookie": ""})
    assert stranger.status_code in (401, 404)


async def test_limits_count_over_all_workers(cluster: Cluster) -> None:
    wrong = {"X-API-Key": "iak_" + "0" * 40}
    async with httpx2.AsyncClient(headers={**wrong, "X-Forwarded-For": "203.0.113.77"}, timeout=30) as stranger:
        statuses = [(await stranger.get(f"{cluster.direct(i % 3)}/api/me")).status_code for i in range(24)]
    assert statuses[:20] == [401] * 20 and set(statuses[20:]) == {429}, statuses


async def test_a_logout_ends_the_login_at_every_worker(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    async with httpx2.AsyncClient(base_url=cluster.direct(0), timeout=30) as browser:
        made = await browser.post("/api/login", json={"key": admin.headers["X-API-Key"]})
        assert made.status_code == 200
        cookie = {"Cookie": f"session={browser.cookies['session']}"}
        csrf = {**cookie, "X-CSRF-Token": made.json()["csrf_token"]}
        assert (await admin.get(f"{cluster.direct(1)}/api/me", headers={**cookie, "X-API-Key": ""})).status_code in (
            200,
            401,
        )
        out = await browser.post(f"{cluster.direct(2)}/api/logout", headers=csrf)
        assert out.status_code == 200
        async with httpx2.AsyncClient(timeout=30) as copy:
            after = await copy.get(f"{cluster.direct(1)}/api/me", headers=cookie)
        assert after.json()["way"] != "session"


async def test_a_killed_worker_costs_its_own_turns_only(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    async with Load(cluster.url, admin.headers, people=4) as load:
        await asyncio.sleep(2)
        victim = cluster.workers[2]
        victim.stop(signal.SIGKILL)
        await asyncio.sleep(8 if LONG else 4)
    assert not load.wrong and load.told["200"] > 10, load.told
    failed = sum(count for kind, count in load.told.items() if kind != "200")
    assert failed <= 4 * 2 and load.slowest_s < 20, (load.told, load.slowest_s)
    cluster.workers.pop()
    if LONG:
        cluster.start_worker()
        await asyncio.to_thread(cluster.wait_ready)
    assert len({await said_by(admin, cluster.direct(i)) for i in range(len(cluster.workers))}) == 1


async def test_redis_gone_for_ten_seconds_costs_no_wrong_answer(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    async with Load(cluster.direct(0), admin.headers, people=3) as load:
        await asyncio.sleep(1)
        await asyncio.to_thread(cluster.redis.stop, signal.SIGKILL)
        refused = await admin.post(f"{cluster.direct(1)}/api/tools/reload-module/opening")
        assert refused.status_code == 503
        await asyncio.sleep(10 if LONG else 4)
        assert (await admin.get(f"{cluster.direct(0)}/api/health")).json()["checks"]["shared"] is False
        await asyncio.to_thread(cluster.redis.start)
        await asyncio.sleep(3)
    assert not load.wrong and set(load.told) == {"200"} and load.slowest_s < 10, (load.told, load.slowest_s)
    cluster.write_module("다시")
    deadline = time.monotonic() + 10
    while (done := await admin.post(f"{cluster.direct(1)}/api/tools/reload-module/opening")).status_code != 200:
        assert time.monotonic() < deadline, done.text
        await asyncio.sleep(0.5)
    assert {(await said_by(admin, cluster.direct(i)))[0] for i in (0, 1)} == {"다시"}


async def test_postgres_restarted_costs_clear_errors_only(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    async with Load(cluster.direct(0), admin.headers, people=3) as load:
        await asyncio.sleep(1)
        await asyncio.to_thread(cluster.postgres.stop)
        await asyncio.sleep(1)
        assert (await admin.get(f"{cluster.direct(1)}/api/health/ready")).status_code == 503
        await asyncio.to_thread(cluster.postgres.start)
        await asyncio.sleep(3)
    assert not load.wrong and set(load.told) <= {"200", "503", "500"} and load.told["200"] > 5, load.told
    assert load.told["500"] == 0, load.told
    after = await admin.post(f"{cluster.direct(1)}/api/chat", json={"query": QUESTION})
    assert after.status_code == 200 and ANSWER in after.json()["tools_used"]


async def test_chroma_gone_costs_no_answer(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    await asyncio.to_thread(cluster.chroma.stop, signal.SIGKILL)
    try:
        for question in (QUESTION, "약관에 청약철회 며칠 안에 하라고 돼 있죠?"):
            answer = await admin.post(f"{cluster.direct(0)}/api/chat", json={"query": question})
            assert answer.status_code == 200 and answer.json()["tools_used"]
    finally:
        await asyncio.to_thread(cluster.chroma.start)


async def test_a_stopping_worker_finishes_what_it_began(cluster: Cluster, admin: httpx2.AsyncClient) -> None:
    body = {"query": QUESTION, "thread_id": f"t{secrets.token_hex(4)}"}
    leaving: Process = cluster.workers[0]
    asked = asyncio.create_task(admin.post(f"{cluster.direct(0)}/api/chat", json=body))
    await asyncio.sleep(0.05)
    await asyncio.to_thread(leaving.stop, signal.SIGTERM)
    assert (await asked).status_code == 200
    kept = await admin.post(f"{cluster.direct(1)}/api/chat", json={"query": QUESTION})
    assert kept.status_code == 200

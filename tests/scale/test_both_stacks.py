"""The core of the product on both stacks: one machine with SQLite, and Postgres with a Chroma server."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.access import LOCAL_ADMIN, Principal
from app.composition import open_services
from app.errors import Conflict, NotFound
from app.services import Services
from app.settings import Settings
from tests.scale.servers import Postgres, Process

KIM = Principal("key:kim", "staff")


@pytest.fixture(scope="module", params=["sqlite", "servers"])
async def services(
    request: pytest.FixtureRequest, indexed: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Services]:
    place = {}
    if request.param == "servers":
        postgres: Postgres = request.getfixturevalue("postgres")
        chroma: Process = request.getfixturevalue("chroma")
        place = {"database_url": postgres.database("core"), "chroma_url": f"http://127.0.0.1:{chroma.port}"}
    folder = tmp_path_factory.mktemp(f"core-{request.param}")
    shutil.copytree(indexed, folder, dirs_exist_ok=True)
    settings = Settings(_env_file=None, data_dir=folder, **place)
    async with open_services(settings) as opened:
        yield opened


async def test_every_part_works_and_health_says_so(services: Services) -> None:
    health = await services.health()
    assert health["status"] == "ok" and all(health["checks"].values()) and health["tools_count"] == 54


async def test_a_talk_is_remembered_over_turns_and_kept(services: Services) -> None:
    first = await services.talk.runner.ask("실속치매보험 쉰여섯 여자 보험료요", KIM, "talk")
    assert "premium_estimate" in first["tools_used"]
    second = await services.talk.runner.ask("남자는요?", KIM, "talk")
    assert "premium_estimate" in second["tools_used"] and second["facts"]["gender"] == "M"
    thread, turns = await services.talk.threads.store.thread(KIM.id, "talk")
    assert [turn.query for turn in turns] == ["실속치매보험 쉰여섯 여자 보험료요", "남자는요?"]
    assert thread.title == "실속치매보험 쉰여섯 여자 보험료요"


async def test_facts_are_corrected_and_used(services: Services) -> None:
    await services.talk.runner.ask("실속치매보험 쉰여섯 여자 보험료요", KIM, "facts")
    facts = await services.talk.threads.change_facts(KIM, "facts", {"age": 60}, ())
    assert facts["age"] == 60
    assert (await services.talk.threads.facts(KIM, "facts"))["age"] == 60


async def test_documents_and_customers_answer(services: Services) -> None:
    reply = await services.talk.runner.ask("약관에 청약철회 며칠 안에 하라고 돼 있죠?", KIM, "documents")
    assert reply["sources"] or reply["tools_used"]
    customer = await services.talk.runner.ask("김민수 고객 계약 현황 알려줘", LOCAL_ADMIN, "customers")
    assert customer["tools_used"] and "김민수" in customer["answer"]


async def test_a_writing_call_waits_for_its_approval_and_runs_once(services: Services) -> None:
    reply = await services.talk.runner.ask("김민수 고객 계약 현황 알려줘", KIM, "writes")
    reply = await services.talk.runner.ask("P000101 계약 부활 신청 접수해줘", KIM, "writes")
    waiting = await services.talk.approvals.listed(KIM, "pending")
    if reply["approval"]:
        decided, after = await services.talk.approvals.decide(reply["approval"]["id"], KIM, "reject")
        assert decided.status == "rejected" and after is not None
        assert not await services.talk.approvals.listed(KIM, "pending")
    else:
        assert not waiting


async def test_forgetting_leaves_nothing(services: Services) -> None:
    park = Principal("key:park", "staff")
    await services.talk.runner.ask("실속치매보험 쉰여섯 여자 보험료요", park, "one")
    await services.talk.runner.ask("갱신형이 무슨 말이에요?", park, "two")
    await services.talk.threads.delete(park, "one")
    with pytest.raises(NotFound):
        await services.talk.threads.facts(park, "one")
    gone = await services.talk.threads.forget(park)
    assert gone["threads"] == 1 and gone["checkpoints"] >= 1
    assert await services.storage.checkpoints.aget_tuple({"configurable": {"thread_id": f"{park.id}:two"}}) is None


async def test_many_turns_at_once_are_all_right(services: Services) -> None:
    asked = [services.talk.runner.ask("실속치매보험 쉰여섯 여자 보험료요", KIM, f"many-{i}") for i in range(12)]
    answers = {reply["answer"] for reply in await asyncio.gather(*asked)}
    assert len(answers) == 1


async def test_two_workers_that_answer_one_thread_at_once_never_mix_it(services: Services) -> None:
    """Without the lock that normally keeps them apart: Postgres refuses the second save."""
    if services.storage.database.dialect == "sqlite":
        return  # one process, one lock: nothing to keep apart
    saver = services.storage.checkpoints
    await services.talk.runner.ask("실속치매보험 쉰여섯 여자 보험료요", KIM, "fence")
    earlier = await saver.aget_tuple({"configurable": {"thread_id": f"{KIM.id}:fence"}})
    await services.talk.runner.ask("남자는요?", KIM, "fence")
    assert earlier is not None
    stale = {**earlier.checkpoint, "id": "f" * 8 + earlier.checkpoint["id"][8:]}
    with pytest.raises(Conflict, match="다른 질문"):
        await saver.aput(earlier.config, stale, {}, {})

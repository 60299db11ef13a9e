"""Saved cases and runs of the evaluation in the database, and the migration that makes their tables."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, update

from app.adapters.case_store import CaseStore
from app.adapters.console_tables import evaluation_runs
from app.adapters.database import Database, open_database
from app.adapters.evaluation_store import SILENT_S, Ending, EvaluationStore
from app.errors import Conflict, NotFound
from app.settings import ROOT


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'evaluation.db'}")
    yield opened
    await opened.close()


async def test_the_migration_of_the_evaluation_goes_down_and_up_again(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))

    def tables(connection: object) -> set[str]:
        return {name for name in inspect(connection).get_table_names() if name.startswith("evaluation_")}

    async with database.writing() as connection:
        config.attributes["connection"] = await connection.run_sync(lambda sync: sync)
        await connection.run_sync(lambda sync: command.downgrade(config, "0006"))
        assert await connection.run_sync(tables) == set()
        await connection.run_sync(lambda sync: command.upgrade(config, "head"))
        assert await connection.run_sync(tables) == {"evaluation_cases", "evaluation_runs"}


async def test_a_saved_case_comes_back_as_it_was_kept(database: Database) -> None:
    store = CaseStore(database)
    kept = await store.add(
        "dialogue",
        "그거 얼마예요?",
        "key:1",
        history=["암보험 알려 줘"],
        expected_tools=["premium_estimate"],
        expected_args={"premium_estimate": {"age": 45}},
        note="월 보험료를 말해야 합니다",
        source_run_id="a" * 32,
    )
    assert await store.get(kept.case_id) == kept
    assert await store.remove(kept.case_id) == kept
    with pytest.raises(NotFound, match=kept.case_id):
        await store.get(kept.case_id)
    with pytest.raises(NotFound):
        await store.remove(kept.case_id)


async def test_cases_are_listed_newest_first_by_kind_and_by_words(database: Database) -> None:
    store = CaseStore(database)
    first = await store.add("routing", "100%_환급되나요", "key:1")
    second = await store.add("routing", "보험료 납입 유예", "key:1")
    await store.add("dialogue", "보험료 환급", "key:1")
    assert await store.list("routing") == ((second, first), 2)
    assert await store.list("routing", limit=1, offset=1) == ((first,), 2)
    assert await store.list(search="%_") == ((first,), 1)
    assert (await store.list(search="보험료"))[1] == 2


async def test_one_run_goes_on_at_a_time(database: Database) -> None:
    store = EvaluationStore(database)
    run = await store.begin("routing", 3, "key:1", note="", under={"registry_version": 1})
    with pytest.raises(Conflict, match="진행 중"):
        await store.begin("routing", 3, "key:1", note="", under={})
    with pytest.raises(Conflict):
        await store.remove(run.run_id)
    assert await store.progress(run.run_id, 2)
    await store.end(run.run_id, Ending("done", 3, {"hit_at_1": {"rate": 1.0}}, [{"id": "1", "ok": True}]))
    ended = await store.get(run.run_id)
    assert (ended.status, ended.done, ended.rates) == ("done", 3, {"hit_at_1": {"rate": 1.0}})
    assert await store.outcomes(run.run_id) == [{"id": "1", "ok": True}]
    second = await store.begin("saved", 1, "key:1", note="", under={})
    assert [found.run_id for found in (await store.list())[0]] == [second.run_id, run.run_id]
    assert await store.list("routing") == ((ended,), 1)
    assert await store.remove(run.run_id) == ended
    with pytest.raises(NotFound):
        await store.outcomes(run.run_id)


async def test_a_run_is_asked_to_stop_and_does_so_at_its_next_word(database: Database) -> None:
    store = EvaluationStore(database)
    run = await store.begin("routing", 3, "key:1", note="", under={})
    assert (await store.ask_to_stop(run.run_id)).stop_asked
    assert not await store.progress(run.run_id, 1)
    await store.end(run.run_id, Ending("stopped", 1))
    with pytest.raises(Conflict, match="이미 끝났"):
        await store.ask_to_stop(run.run_id)


async def test_a_run_whose_worker_is_gone_counts_as_failed(database: Database) -> None:
    store = EvaluationStore(database)
    lost = await store.begin("routing", 3, "key:1", note="", under={})
    long_ago = datetime.now(UTC) - timedelta(seconds=SILENT_S + 1)
    await database.change(update(evaluation_runs).values(seen_at=long_ago))
    await store.begin("routing", 3, "key:1", note="", under={})
    ended = await store.get(lost.run_id)
    assert ended.status == "failed" and ended.problem and ended.ended_at is not None
    assert not await store.progress(lost.run_id, 2)


async def test_the_oldest_runs_go_when_there_are_many(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.adapters.evaluation_store.KEPT", 2)
    store = EvaluationStore(database)
    made = []
    for _ in range(3):
        made.append((await store.begin("routing", 1, "key:1", note="", under={})).run_id)
        await store.end(made[-1], Ending("done", 1))
    assert [run.run_id for run in (await store.list())[0]] == made[:0:-1]

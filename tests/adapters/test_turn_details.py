"""What turns are found by: filled in for what was said before there were details, kept with the turn, gone with it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, func, inspect, select, text

from app.adapters.database import Database, open_database
from app.adapters.tables import turn_details
from app.adapters.thread_store import ThreadStore, Turn, TurnDetail
from app.adapters.turn_store import TurnFilter, TurnStore
from app.editing.veil import Veil
from app.errors import NotFound
from app.language.initials import all_initials, initials, searchable
from app.settings import ROOT
from tests.words import PEOPLE

OLD_REPLY = {
    "answer": "월 20,625원입니다.",
    "engine": "embedded-planner",
    "sources": [],
    "tools_used": ["premium_estimate"],
    "guard": {"input": "pass", "output": "pass"},
    "trace": [{"node": "tools", "tool": "premium_estimate", "status": "ok", "duration_ms": 5.0}],
}


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'turns.db'}")
    yield opened
    await opened.close()


def turn(run_id: str, query: str, reply: dict[str, object]) -> Turn:
    asked = searchable(query)
    words = f"{asked}\n{searchable(str(reply['answer']))}"
    detail = TurnDetail(
        role="customer", customer_id=None, took_ms=12.0, first_ms=None, words=words, initials=initials(asked), shown={}
    )
    return Turn(run_id, "visitor:1", "t", query, dict(reply), detail=detail)


@pytest.mark.requirement("console:conversations:found")
async def test_turns_of_before_are_found_after_the_migration_which_goes_down_again(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))

    def tables(connection: Connection) -> set[str]:
        return {name for name in inspect(connection).get_table_names() if name.startswith(("turn_", "document_"))}

    def columns(connection: Connection) -> set[str]:
        return {column["name"] for column in inspect(connection).get_columns("handoffs")}

    async with database.writing() as connection:
        config.attributes["connection"] = await connection.run_sync(lambda sync: sync)
        await connection.run_sync(lambda sync: command.downgrade(config, "0007"))
        assert await connection.run_sync(tables) == set()
        assert "taken_by" not in await connection.run_sync(columns)
        now = datetime.now(UTC).isoformat(sep=" ")
        await connection.execute(text("insert into threads values ('visitor:1', 't', 'x', :now, :now)"), {"now": now})
        insert = text("insert into turns values ('r1', 1, 'visitor:1', 't', null, :query, :reply, 0, :now)")
        await connection.execute(insert, {"query": "암보험 보험료", "reply": json.dumps(OLD_REPLY), "now": now})
        await connection.run_sync(lambda sync: command.upgrade(config, "head"))
        assert await connection.run_sync(tables) == {"turn_details", "turn_reviews", "document_jobs"}
    for wanted in (
        TurnFilter(words="암보험보험료"),
        TurnFilter(words="ㅇㅂㅎ", initials="ㅇㅂㅎ"),
        TurnFilter(role="customer"),
    ):
        [found], total = await TurnStore(database).page(wanted)
        assert (found.run_id, total, found.took_ms, found.tools) == ("r1", 1, 5.0, ("premium_estimate",))


async def test_details_follow_the_turn_and_go_with_its_thread(database: Database) -> None:
    threads, turns = ThreadStore(database), TurnStore(database)
    await threads.record(turn("r1", "암보험 50% 감액", OLD_REPLY))
    await threads.record(turn("r1", "암보험 50% 감액", {**OLD_REPLY, "guard": {"input": "pass", "output": "replaced"}}))
    await turns.review("r1", "wrong", ["근거 없음", "근거 없음", " "], "다시", "key:1")
    [found], total = await turns.page(TurnFilter(replaced_text=True, tag="근거 없음", verdict="wrong"))
    assert total == 1 and found.review is not None and found.review.tags == ("근거 없음",)
    assert (await turns.page(TurnFilter(words="%")))[1] == 0  # a sign of SQL's own finds nothing
    await threads.delete("visitor:1", "t")
    with pytest.raises(NotFound, match="r1"):
        await turns.one("r1")
    assert await database.value(select(func.count()).select_from(turn_details)) == 0


def test_first_consonants_are_told_from_words() -> None:
    assert initials(searchable("암보험 면책기간")) == "ㅇㅂㅎㅁㅊㄱㄱ"
    assert all_initials(searchable("ㅇㅂ ㅎ")) and not all_initials("암ㅂㅎ") and not all_initials("ㅇ")


@pytest.mark.requirement("console:conversations:veiled")
def test_the_veil_hides_people_and_leaves_products_and_amounts() -> None:
    told = {
        "answer": "김민수 고객님의 계약입니다. 뉴스타트암보험(B00115023) 월 20,625원, 계약 P000001",
        "customer": {"name": "남궁민수", "birth_date": "1978-11-02", "customer_id": "C0001"},
        "note": "남궁민수 님께 안내했습니다",
    }
    shown = Veil(PEOPLE.names, told)(told)
    assert shown["answer"] == "김*수 고객님의 계약입니다. 뉴스타트암보험(B00115023) 월 20,625원, 계약 P***01"
    assert shown["customer"] == {"name": "남**수", "birth_date": "****", "customer_id": "C***01"}
    assert "남궁민수" not in shown["note"]

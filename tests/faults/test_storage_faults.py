"""Storage that is locked, full, read-only or damaged: a clear error, nothing half kept, and it recovers."""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, event, text

from app.access import LOCAL_ADMIN
from app.adapters.database import Database
from app.adapters.disk import check_room, is_full
from app.composition import open_services
from app.errors import AppError, DataFaults, DiskFull, Unavailable
from app.language.tokenizer import Tokenizer
from app.safety.crisis import CRISIS_FILE, CrisisCheck
from app.safety.injection import LIKENESS_FILE, MODEL_FILE, RULES_FILE, InjectionCheck
from app.safety.mass_data import MASS_DATA_FILE
from app.safety.phrase_classifier import CONCEPTS_FILE, PhraseClassifier
from app.safety.phrase_classifier import LIKENESS_FILE as PHRASE_LIKENESS_FILE
from app.safety.phrase_classifier import MODEL_FILE as PHRASE_MODEL_FILE
from app.services import Services
from app.settings import ROOT, Settings
from tests.faults.conftest import PRICE, QUESTION, last_event, told_in_korean
from tests.state import lay_out

CONTENT = Path(__file__).resolve().parents[2] / "data"
GUARD_FILES = (
    RULES_FILE, MODEL_FILE, LIKENESS_FILE, MASS_DATA_FILE,
    CONCEPTS_FILE, PHRASE_MODEL_FILE, PHRASE_LIKENESS_FILE, CRISIS_FILE,
)  # fmt: skip
DAMAGES = {
    "missing": None,
    "empty": b"",
    "garbage": b"\x00\x01 not a model \xff" * 50,
    "cut": b"PK\x03\x04",
    "of another kind": b"- just\n- a list\n",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("name", GUARD_FILES)
def test_a_damaged_guard_file_stops_the_start_and_is_named(tmp_path: Path, name: str, damage: bytes | None) -> None:
    (tmp_path / "safety").mkdir()
    for file in GUARD_FILES:
        shutil.copy(CONTENT / file, tmp_path / file)
    (tmp_path / name).unlink()
    if damage is not None:
        (tmp_path / name).write_bytes(damage)
    with pytest.raises((Unavailable, DataFaults), match=Path(name).name.replace(".", r"\.")):
        InjectionCheck(tmp_path, Tokenizer())
        PhraseClassifier(tmp_path, Tokenizer())
        CrisisCheck(tmp_path)


@pytest.mark.parametrize("pragma", ["query_only = 1", "max_page_count = 1"], ids=["read-only", "full"])
async def test_a_turn_that_cannot_be_kept_is_told_and_the_next_one_works(services: Services, pragma: str) -> None:
    name = pragma.partition(" ")[0]
    before = await services.storage.checkpoints.execute(f"PRAGMA {name}")
    await services.storage.checkpoints.execute(f"PRAGMA {pragma}")
    ended = await last_event(services, thread=f"storage-{name}")
    [[usual]] = before
    await services.storage.checkpoints.execute(f"PRAGMA {name} = {usual}")
    assert ended.type == "error" and told_in_korean(ended)
    assert ended.data["type"] == ("disk-full" if name == "max_page_count" else "unavailable")
    after = await last_event(services, thread=f"storage-{name}")
    assert after.type == "done" and PRICE in after.data["answer"]


def test_a_full_disk_is_told_by_the_turn_and_by_ready_and_both_recover(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.full_disk", str(lay_out(tmp_path))],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    before, full, after = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    for usual in (before, after):
        assert usual["ready"] == 200 and usual["faults"] == {} and PRICE in usual["turn"]["text"], usual
    assert full["ready"] == 503 and "저장 공간이 가득" in full["faults"]["disk"]
    assert (full["turn"]["status"], full["turn"]["type"]) == (503, "disk-full")
    assert "저장 공간이 가득" in full["turn"]["text"]


def test_a_disk_with_little_room_is_told_before_it_is_full(tmp_path: Path) -> None:
    check_room([tmp_path])
    with pytest.raises(DiskFull, match="공간을 비운 뒤"):
        check_room([tmp_path], least_free_bytes=2**62)
    for number in (errno.ENOSPC, errno.EDQUOT):
        assert is_full(OSError(number, "x")) and is_full(_caused(ValueError("y"), OSError(number, "x")))
    assert not is_full(OSError(errno.EACCES, "x")) and not is_full(None)


def _caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


async def test_a_locked_checkpoint_file_is_waited_for_and_told(services: Services) -> None:
    await services.storage.checkpoints.execute("PRAGMA busy_timeout = 300")
    other = sqlite3.connect(services.settings.checkpoints_path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        ended = await last_event(services, thread="locked")
    finally:
        other.execute("ROLLBACK")
        other.close()
        await services.storage.checkpoints.execute("PRAGMA busy_timeout = 5000")
    assert ended.type == "error" and told_in_korean(ended)
    after = await last_event(services, thread="locked")
    assert after.type == "done" and PRICE in after.data["answer"]


async def test_a_broken_customer_database_is_told_without_its_words(services: Services) -> None:
    await services.storage.database.change(text("ALTER TABLE contracts RENAME TO contracts_away"))
    try:
        ended = await last_event(services, "김민수 고객 계약 현황 알려줘")
    finally:
        await services.storage.database.change(text("ALTER TABLE contracts_away RENAME TO contracts"))
    said = ended.data["answer"] if ended.type == "done" else ended.data["error"]
    assert "P0000" not in said and "no such table" not in said and "sqlite" not in said.lower()
    after = await last_event(services, "김민수 고객 계약 현황 알려줘")
    assert after.type == "done" and after.data["tools_used"]


@asynccontextmanager
async def every_write(database: Database, pragma: str) -> AsyncIterator[None]:
    """Every transaction of the service database meets this pragma until the end."""
    engines = [engine for engine in (database._engine.sync_engine, database._at_once) if engine is not None]

    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA {pragma}")

    for engine in engines:
        event.listen(engine, "begin", begun)
    try:
        yield
    finally:
        for engine in engines:
            event.remove(engine, "begin", begun)
        await database.close()  # a pragma stays with its connection; new ones are opened as they are needed


@pytest.mark.parametrize("pragma", ["query_only = 1", "max_page_count = 1"], ids=["read-only", "full"])
async def test_a_service_database_that_takes_no_writes_costs_no_answer_and_is_told(
    services: Services, pragma: str
) -> None:
    thread = f"service-{pragma.partition(' ')[0]}"
    async with every_write(services.storage.database, pragma):
        ended = await last_event(services, thread=thread)
        assert ended.type == "done" and PRICE in ended.data["answer"]
        approval = await last_event(services, "김민수 고객 뉴스타트암보험 해지 접수해 줘", thread)
        assert approval.type == "error" or approval.data["approval"] is None, (
            "nothing was asked for that cannot be kept"
        )
        with pytest.raises(Unavailable) as told:  # more than the pages at hand can take
            await services.storage.audit.record("test", "anything", details={"filler": ["가" * 2000] * 60})
        assert "sqlite" not in str(told.value).lower() and any("가" <= letter <= "힣" for letter in str(told.value))
    await services.storage.audit.record("test", "anything")
    after = await last_event(services, thread=thread)
    assert after.type == "done" and PRICE in after.data["answer"]


async def test_a_locked_service_database_costs_no_answer(services: Services) -> None:
    other = sqlite3.connect(services.settings.data_dir / "customer.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    freed = threading.Timer(1.5, lambda: other.execute("ROLLBACK"))
    freed.start()
    try:
        ended = await last_event(services, thread="service-locked")
    finally:
        freed.join()
        other.close()
    assert ended.type == "done" and PRICE in ended.data["answer"]
    kept = await services.talk.threads.store.thread(LOCAL_ADMIN.id, "service-locked")
    assert [turn.query for turn in kept[1]] == [QUESTION]


async def test_a_vector_store_that_vanishes_while_running_costs_no_answer(services: Services) -> None:
    away = services.settings.chroma_path.with_name("chroma-away")
    services.settings.chroma_path.rename(away)
    try:
        for question in (QUESTION, "암보험 약관에서 면책 조항 찾아줘"):
            ended = await last_event(services, question, "no-chroma")
            assert ended.type == "done" and ended.data["answer"]
    finally:
        shutil.rmtree(services.settings.chroma_path, ignore_errors=True)
        away.rename(services.settings.chroma_path)


async def test_a_damaged_vector_store_costs_no_answer(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=lay_out(tmp_path))
    for file in settings.chroma_path.rglob("*"):
        if file.is_file():
            file.write_bytes(b"damaged" * 100)
    try:
        async with open_services(settings) as services:
            ended = await last_event(services)
            assert ended.type == "done" and PRICE in ended.data["answer"]
    except AppError as error:
        pytest.fail(f"a damaged index is rebuilt from the data, not fatal: {error}")

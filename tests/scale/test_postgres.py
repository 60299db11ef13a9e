"""The tables and the graph's memory on a real Postgres."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, inspect

from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.customer_seed import seed_customers
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.quiet_database import admitted, undisturbed
from app.adapters.secret_files import open_secrets
from app.adapters.tables import metadata
from app.adapters.thread_store import ThreadStore, Turn
from app.errors import Conflict, StartError, Unavailable
from app.insurance.catalogue import Catalogue
from app.settings import ROOT, Settings
from scripts import backup
from tests.adapters.figures import check_figures, check_stops, check_switches, check_thresholds
from tests.scale.servers import Postgres

CIPHER = FieldCipher(b"k" * 32)


def _tables(connection: Connection) -> dict[str, set[str]]:
    seen = inspect(connection)
    return {
        name: {column["name"] for column in seen.get_columns(name)}
        for name in seen.get_table_names()
        if name != "alembic_version"
    }


@pytest.mark.parametrize("stack", ["sqlite", "postgres"])
def test_migrations_go_up_and_down_and_up_again(postgres: Postgres, tmp_path: Path, stack: str) -> None:
    url = postgres.database("migrations") if stack == "postgres" else f"sqlite:///{tmp_path / 'customer.db'}"
    engine = create_engine(url)
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    config.attributes["cipher"] = CIPHER
    wanted = {table.name: {column.name for column in table.columns} for table in metadata.sorted_tables}
    for _ in range(2):
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            assert _tables(connection) == wanted
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.downgrade(config, "base")
            assert _tables(connection) == {}
    engine.dispose()


async def test_processes_that_start_at_once_migrate_and_seed_once(postgres: Postgres, catalogue: Catalogue) -> None:
    url = postgres.database("at_once")

    async def start() -> int:
        database = await open_database(url, CIPHER)
        added = await seed_customers(database, ROOT / "data", catalogue)
        await database.close()
        return added

    added = sorted(await asyncio.gather(start(), start(), start()))
    assert added[:2] == [0, 0] and added[2] >= 220


async def test_the_audit_chain_holds_over_many_writers(postgres: Postgres) -> None:
    database = await open_database(postgres.database("audit"), CIPHER)
    log = AuditLog(database, b"s" * 32)
    await asyncio.gather(*(log.record("kim", "test", str(i), details={"나이": i}) for i in range(40)))
    assert len(await log.entries(limit=100)) == 40 and await log.verify() is None
    assert await log.purge(datetime.now(UTC) + timedelta(seconds=1)) == 40
    assert await log.verify() is None
    await database.close()


async def test_two_writers_of_one_thread_and_one_message_keep_one_turn_each_number(postgres: Postgres) -> None:
    database = await open_database(postgres.database("threads"), CIPHER)
    store = ThreadStore(database)

    async def keep(number: int) -> None:
        turn = Turn(f"run-{number}", "kim", "talk", "질문", {"answer": "답", "run_id": f"run-{number}"}, f"m-{number}")
        await store.record(turn)

    await asyncio.gather(*(keep(i) for i in range(20)))
    _, turns = await store.thread("kim", "talk")
    assert len(turns) == 20
    await database.close()


async def test_figures_and_switches_of_the_console_are_the_same_as_on_sqlite(postgres: Postgres) -> None:
    database = await open_database(postgres.database("figures"), CIPHER)
    await check_figures(database)
    await check_switches(database)
    await check_stops(database)
    await check_thresholds(database)
    await database.close()


async def test_a_server_that_is_away_stops_the_start_in_plain_words() -> None:
    with pytest.raises(StartError, match="데이터베이스"):
        await open_database("postgresql+psycopg://nobody:secret@127.0.0.1:9/none")


async def test_a_restarted_server_is_found_again_without_hands(postgres: Postgres, tmp_path: Path) -> None:
    from app.adapters.checkpoints import open_checkpoints

    url = postgres.database("restarted")
    database = await open_database(url, CIPHER)
    async with open_checkpoints(url, tmp_path / "unused.db", 4) as checkpoints:
        await checkpoints.ping()
        postgres.stop()
        with pytest.raises(Unavailable):
            await database.ping()
        with pytest.raises(Unavailable):
            await checkpoints.ping()
        await asyncio.to_thread(postgres.start)
        await database.ping()
        await checkpoints.ping()
    await database.close()


async def test_a_backup_of_postgres_is_put_back_whole(postgres: Postgres, tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "var", database_url=postgres.database("backup"))
    await asyncio.to_thread(settings.data_dir.mkdir)
    key = open_secrets(settings).signing_key("audit")
    database = await open_database(settings.effective_database_url, CIPHER)
    log = AuditLog(database, key)
    await log.record("kim", "before")
    await asyncio.to_thread(backup.create, settings, tmp_path / "backup.tar.gz")
    await log.record("kim", "after")
    with pytest.raises(Conflict, match="쓰는 서버나 다른 명령"):
        await asyncio.to_thread(backup.restore, settings, tmp_path / "backup.tar.gz", force=True)
    await database.close()
    with pytest.raises(Conflict, match="--force"):
        await asyncio.to_thread(backup.restore, settings, tmp_path / "backup.tar.gz")
    await asyncio.to_thread(backup.restore, settings, tmp_path / "backup.tar.gz", force=True)
    database = await open_database(settings.effective_database_url, CIPHER)
    log = AuditLog(database, key, head=AuditHead(settings.data_dir / HEAD_FILE, key))
    actions = [entry.action for entry in await log.entries()]
    assert actions == ["backup.restore", "before"] and await log.verify() is None
    await database.close()


async def test_no_worker_starts_while_a_command_has_postgres_alone(postgres: Postgres, tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, database_url=postgres.database("alone"))
    with undisturbed(settings):
        database = await open_database(settings.effective_database_url, CIPHER)
        with pytest.raises(StartError, match="키를 바꾸는 작업"):
            await admitted(database)
    await admitted(database)
    with pytest.raises(Conflict, match="모든 서버를 멈춘 뒤"), undisturbed(settings):
        pass
    await database.close()

"""A backup brings everything back; the config check prints no secret."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.access import Principal
from app.composition import open_services
from app.errors import BadRequest, Conflict
from app.settings import Settings
from scripts import backup, check_config
from tests.state import lay_out

KIM = Principal("key:kim", "staff")
QUESTION = "실속치매보험 쉰여섯 여자 보험료요"


async def test_a_backup_of_a_running_service_brings_talks_and_documents_back(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=lay_out(tmp_path / "var"))
    archive = tmp_path / "backup.tar.gz"
    async with open_services(settings) as services:
        await services.talk.runner.ask(QUESTION, KIM, "talk")
        own = settings.data_dir / "documents" / "insurance"
        own.mkdir(parents=True)
        (own / "own.md").write_text("# 우리 문서\n내용입니다.\n", encoding="utf-8")
        names = await asyncio.to_thread(backup.create, settings, archive, with_keys=True)
        await services.talk.runner.ask("남자는요?", KIM, "talk")
        with pytest.raises(Conflict, match="실행 중"):
            await asyncio.to_thread(backup.restore, settings, archive, force=True)
    assert {"customer.db", "checkpoints.db", "documents/insurance/own.md", "secret.key", "data.key"} <= set(names)
    assert archive.stat().st_mode & 0o077 == 0
    with pytest.raises(Conflict, match="--force"):
        await asyncio.to_thread(backup.restore, settings, archive)
    (settings.data_dir / "documents" / "insurance" / "own.md").unlink()
    await asyncio.to_thread(backup.restore, settings, archive, force=True)
    assert (settings.data_dir / "customer.db.before-restore").is_file()
    async with open_services(settings) as services:
        _, turns = await services.talk.threads.store.thread(KIM.id, "talk")
        assert [turn.query for turn in turns] == [QUESTION]
        again = await services.talk.runner.ask("남자는요?", KIM, "talk")
        assert "premium_estimate" in again["tools_used"] and again["facts"]["gender"] == "M"
        assert await services.storage.audit.verify() is None
    assert (settings.data_dir / "documents" / "insurance" / "own.md").is_file()


def test_a_damaged_backup_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "var")
    settings.data_dir.mkdir()
    with closing(sqlite3.connect(settings.data_dir / "customer.db")) as made:
        made.execute("CREATE TABLE t (x)")
        made.commit()
    archive = tmp_path / "backup.tar.gz"
    backup.create(settings, archive)
    whole = archive.read_bytes()
    before = (settings.data_dir / "customer.db").read_bytes()
    for damage in (b"", whole[: len(whole) // 2], b"not an archive", whole[:60] + b"\xff" * 40 + whole[100:]):
        archive.write_bytes(damage)
        with pytest.raises(BadRequest, match="백업"):
            backup.restore(settings, archive, force=True)
        assert (settings.data_dir / "customer.db").read_bytes() == before


def test_the_config_check_prints_every_setting_and_no_secret(tmp_path: Path) -> None:
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url="postgresql+psycopg://kim:hunter2@db/insurance",
        chroma_url="http://chroma:8000",
        redis_url=SecretStr("redis://:hunter3@redis/0"),
        openrouter_api_key=SecretStr("sk-hunter4"),
        secret_key=SecretStr("s" * 40),
        mcp_commands="tool --token hunter5",
    )
    lines = check_config.report(settings)
    text = "\n".join(lines)
    assert len(lines) == len(Settings.model_fields) and "hunter" not in text and "sssss" not in text
    assert "* DATABASE_URL=postgresql+psycopg://***@db/insurance" in lines
    assert "* OPENROUTER_API_KEY=(설정됨)" in lines and "  DATA_KEY=(없음)" in lines


async def test_the_config_check_names_the_part_that_does_not_answer(tmp_path: Path) -> None:
    settings = Settings(
        _env_file=None,
        data_dir=tmp_path,
        database_url="postgresql+psycopg://nobody@127.0.0.1:9/none",
        chroma_url="http://127.0.0.1:9",
        redis_url=SecretStr("redis://127.0.0.1:9/0"),
    )
    found = dict(await check_config.trials(settings))
    assert found["상태 폴더"] is None
    assert all(found[part] for part in ("데이터베이스", "Chroma 서버", "Redis", "여러 워커의 비밀값"))


@pytest.mark.parametrize("missing", ["database_url", "chroma_url"])
def test_redis_without_shared_stores_is_refused(tmp_path: Path, missing: str) -> None:
    given = {"database_url": "postgresql+psycopg://a@b/c", "chroma_url": "http://c:8000"}
    del given[missing]
    with pytest.raises(ValueError, match=missing.upper()):
        Settings(_env_file=None, data_dir=tmp_path, redis_url=SecretStr("redis://r"), **given)

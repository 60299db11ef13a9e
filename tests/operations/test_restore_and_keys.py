"""A restore and a new key are whole or not at all, beside no server, and what they write is for its owner alone."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.data_rotation import NEXT_FILE, OLD_FILE, rotate_data_key
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.quiet_database import undisturbed
from app.adapters.secret_files import DATA_FILE, open_secrets
from app.adapters.webhook_store import WebhookStore
from app.composition import open_services
from app.errors import BadRequest, Conflict, StartError
from app.settings import ROOT, Settings
from scripts import backup, check_config, keys
from tests.operations.cutting import read_state, write_state
from tests.state import lay_out

OTHER = "ein-anderes-geheimnis-von-vierzig-zeichen"


def settings_of(folder: Path, **given: object) -> Settings:
    return Settings(_env_file=None, data_dir=folder / "var", **given)


def cut_off(command: str, folder: Path) -> list[dict[str, object]]:
    """What a start found after the command was killed at its first, second, … step; the last run was not cut."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.operations.cutting", command, str(folder)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_restore_that_is_killed_at_any_step_leaves_all_of_before_or_all_of_the_backup(tmp_path: Path) -> None:
    found = cut_off("restore", tmp_path)
    assert len(found) > 10 and [run["cut"] for run in found] == [True] * (len(found) - 1) + [False]
    assert {tuple(run["words"]) for run in found} == {("now",), ("then",)}  # type: ignore[arg-type]
    assert found[0]["words"] == ["now"] and found[-1]["words"] == ["then"]
    assert all(run["audit"] is None and run["key"] is None and run["left"] == [] for run in found)


def test_a_rotation_that_is_killed_at_any_step_leaves_every_value_readable(tmp_path: Path) -> None:
    found = cut_off("rotate", tmp_path)
    assert len(found) > 4 and found[-1]["cut"] is False
    assert {run["phones"] for run in found} == {232}
    assert all(run["audit"] is None and run["left"] == [] for run in found)


def modes(folder: Path) -> set[str]:
    """What of the folder others could open."""
    return {path.name for path in folder.rglob("*") if path.stat().st_mode & 0o077}


def test_what_the_commands_write_is_for_their_user_alone(tmp_path: Path) -> None:
    environment = {**os.environ, "DATA_DIR": str(tmp_path / "var")}

    def run(*command: str) -> None:
        subprocess.run(
            ["sh", "-c", 'umask 022; exec "$@"', "sh", sys.executable, "-m", *command],
            cwd=ROOT, env=environment, check=True, capture_output=True,
        )  # fmt: skip

    run("scripts.keys", "create", "--role", "admin", "--label", "kim")
    run("scripts.backup", "create", str(tmp_path / "backup.tar.gz"))
    run("scripts.backup", "restore", str(tmp_path / "backup.tar.gz"), "--force")
    run("scripts.keys", "rotate-data")
    assert modes(tmp_path) == set()


async def test_nothing_is_restored_or_rotated_beside_a_server_and_no_server_starts_meanwhile(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    await write_state(settings, "then")
    archive = tmp_path / "backup.tar.gz"
    await asyncio.to_thread(backup.create, settings, archive)
    lay_out(settings.data_dir)
    async with open_services(settings) as services:
        for work in (
            lambda: backup.restore(settings, archive, force=True),
            lambda: undisturbed(settings).__enter__(),
        ):
            with pytest.raises(Conflict, match="프로세스를 모두 멈춘 뒤"):
                await asyncio.to_thread(work)
        assert await services.storage.audit.verify() is None
    with undisturbed(settings), pytest.raises(StartError, match="작업이 끝난 뒤 다시 시작"):
        await asyncio.to_thread(backup.create, settings, archive)


async def test_a_backup_of_another_data_key_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    await write_state(settings, "then")
    archive = tmp_path / "backup.tar.gz"
    await asyncio.to_thread(backup.create, settings, archive)
    with undisturbed(settings):
        await rotate_data_key(settings, None)
    await write_state(settings, "now")
    with pytest.raises(BadRequest, match="DATA_KEY"):
        await asyncio.to_thread(backup.restore, settings, archive, force=True)
    assert (await read_state(settings))["words"] == ["now"]
    old = (settings.data_dir / OLD_FILE).read_text(encoding="ascii")
    given = settings.model_copy(update={"data_key": SecretStr(old)})
    await asyncio.to_thread(backup.restore, given, archive, force=True)
    assert (await read_state(given))["words"] == ["then"]


async def test_rotation_changes_every_encrypted_value_and_keeps_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = settings_of(tmp_path)
    await write_state(settings, "then", customers=True)
    before = open_secrets(settings)
    database = await open_database(settings.effective_database_url, FieldCipher(before.data_key()))
    await WebhookStore(database, FieldCipher(before.data_key())).add("https://a.test", (), "", "kim", "whsec_1")
    await database.close()
    monkeypatch.setenv("DATA_DIR", str(settings.data_dir))
    assert await asyncio.to_thread(keys.main, ["rotate-data"]) == 0
    told = capsys.readouterr().out
    assert "암호화된 값 465개" in told and OLD_FILE in told and before.data.decode() not in told
    after = open_secrets(settings)
    assert after.data != before.data and after.signing == before.signing
    assert (settings.data_dir / OLD_FILE).read_bytes() == before.data
    assert not (settings.data_dir / NEXT_FILE).exists()
    found = await read_state(settings)
    assert (found["phones"], found["audit"], found["key"]) == (232, None, None)
    with pytest.raises(StartError, match="DATA_KEY"):
        await open_database(settings.effective_database_url, FieldCipher(before.data_key()))
    database = await open_database(settings.effective_database_url, FieldCipher(after.data_key()))
    [webhook] = await WebhookStore(database, FieldCipher(after.data_key())).all()
    assert webhook.secret == "whsec_1"
    assert (await AuditLog(database, after.signing_key("audit")).entries())[0].action == "data_key.rotate"
    await database.close()


async def test_a_key_of_the_settings_is_rotated_to_the_one_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    monkeypatch.setenv("DATA_KEY", OTHER)
    settings = settings_of(tmp_path, data_key=SecretStr(OTHER))
    await write_state(settings, "then", customers=True)
    assert await asyncio.to_thread(keys.main, ["rotate-data"]) == 1
    assert "--new-key-file" in capsys.readouterr().err
    (tmp_path / "short").write_text("kurz", encoding="ascii")
    assert await asyncio.to_thread(keys.main, ["rotate-data", "--new-key-file", str(tmp_path / "short")]) == 1
    assert (await read_state(settings))["phones"] == 232
    (tmp_path / "new").write_text(OTHER[::-1], encoding="ascii")
    assert await asyncio.to_thread(keys.main, ["rotate-data", "--new-key-file", str(tmp_path / "new")]) == 0
    assert "DATA_KEY를 새 값으로" in capsys.readouterr().out
    assert (await read_state(settings_of(tmp_path, data_key=SecretStr(OTHER[::-1]))))["phones"] == 232
    assert not (settings.data_dir / DATA_FILE).exists()


async def test_a_changed_secret_key_is_told_at_the_start_in_health_and_by_the_config_check(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = settings_of(tmp_path)
    await write_state(settings, "then")
    monkeypatch.setenv("DATA_DIR", str(settings.data_dir))
    assert await asyncio.to_thread(keys.main, ["create", "--role", "staff", "--label", "kim"]) == 0
    assert "주의" not in capsys.readouterr().err
    monkeypatch.setenv("SECRET_KEY", OTHER)
    changed = settings_of(tmp_path, secret_key=SecretStr(OTHER))
    lay_out(settings.data_dir)
    async with open_services(changed) as services:
        assert "API 키 1개와 로그인이 모두" in caplog.text and "accept-secret" in caplog.text
        health = await services.health()
        assert health["status"] == "degraded" and health["checks"]["secret_key"] is False
    assert "accept-secret" in str(dict(await check_config.trials(changed))["비밀값"])
    assert await asyncio.to_thread(keys.main, ["list"]) == 0
    assert "주의" in capsys.readouterr().err
    assert (await read_state(settings))["audit"] is None, "put back, it is as if nothing had been"

    assert await asyncio.to_thread(keys.main, ["accept-secret"]) == 0
    assert "API 키 1개를 폐기" in capsys.readouterr().out
    assert dict(await check_config.trials(changed))["비밀값"] is None
    found = await read_state(changed)
    assert found["audit"] is None and found["key"] is None


async def test_after_an_accepted_secret_what_is_changed_in_the_audit_log_is_still_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await write_state(settings_of(tmp_path), "then")
    monkeypatch.setenv("DATA_DIR", str(tmp_path / "var"))
    monkeypatch.setenv("SECRET_KEY", OTHER)
    settings = settings_of(tmp_path, secret_key=SecretStr(OTHER))
    assert await asyncio.to_thread(keys.main, ["accept-secret"]) == 0
    secrets = open_secrets(settings)
    key = secrets.signing_key("audit")
    database = await open_database(settings.effective_database_url, FieldCipher(secrets.data_key()))
    log = AuditLog(database, key, head=AuditHead(settings.data_dir / HEAD_FILE, key))
    await log.record("kim", "word", "after")
    assert await log.verify() is None
    newest = (await log.entries(limit=1))[0].entry_id
    async with database.writing() as connection:
        await connection.exec_driver_sql(f"UPDATE audit_log SET actor = 'park' WHERE entry_id = {newest}")
    assert await log.verify() == newest
    await database.close()

"""Personal data at rest, in logs and in the audit log."""

from __future__ import annotations

import logging
import sqlite3
import stat
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, delete, insert, text, update

from app.adapters.audit_head import AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.customer_seed import load_customers, seed_customers
from app.adapters.customer_store import SqlCustomerStore
from app.adapters.database import Database, open_database
from app.adapters.field_cipher import FieldCipher, private_place
from app.adapters.key_store import KeyStore
from app.adapters.plain_lines import one_line
from app.adapters.secret_files import DATA_FILE, SIGNING_FILE, open_secrets
from app.adapters.tables import audit_log, customer_private
from app.api.logs import SafeFormatter
from app.errors import StartError, Unavailable
from app.insurance.catalogue import Catalogue
from app.safety.personal_data import shipped_masker
from app.settings import ROOT, Settings
from scripts import keys as keys_script
from tests.on_disk import bytes_on_disk

CIPHER, OTHER = FieldCipher(b"k" * 32), FieldCipher(b"o" * 32)
PHONE = "010-0123-4567"


def url(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder / 'customer.db'}"


def on_disk(folder: Path) -> bytes:
    return bytes_on_disk(folder, "customer.db*")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(url(tmp_path), CIPHER)
    yield opened
    await opened.close()


# --- columns ------------------------------------------------------------------------------------------------------


@pytest.mark.requirement("privacy:at-rest:encrypted-columns")
async def test_phone_and_registration_numbers_lie_encrypted_and_names_can_be_searched(
    tmp_path: Path, database: Database, catalogue: Catalogue
) -> None:
    await seed_customers(database, ROOT / "data", catalogue)
    people = load_customers(ROOT / "data", catalogue).customers
    stored = on_disk(tmp_path)
    assert not any(person.phone.encode() in stored or person.rrn.encode() in stored for person in people)
    assert (await SqlCustomerStore(database).customers_named("김민수"))[0].name == "김민수"
    rows = await database.rows(customer_private.select())
    known = {person.customer_id: person for person in people}
    for row in rows[:5]:
        assert CIPHER.decrypt(row.phone, private_place("phone", row.customer_id)) == known[row.customer_id].phone
        assert CIPHER.decrypt(row.rrn, private_place("rrn", row.customer_id)) == known[row.customer_id].rrn
    assert len({row.phone for row in rows}) == len(rows)


@pytest.mark.requirement("privacy:at-rest:encrypted-columns")
async def test_the_migration_encrypts_what_was_stored_before_and_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "customer.db"
    _old_database(path, rows=300)
    assert PHONE[:-4].encode() in path.read_bytes()
    opened = await open_database(url(tmp_path), CIPHER)
    rows = await opened.rows(customer_private.select())
    assert len(rows) == 300
    assert CIPHER.decrypt(rows[7].phone, private_place("phone", rows[7].customer_id)).startswith(PHONE[:-4])
    stored = on_disk(tmp_path)
    assert PHONE[:-4].encode() not in stored and b"850412-2" not in stored
    await opened.close()


async def test_a_database_with_personal_rows_does_not_open_with_another_key_or_none(
    tmp_path: Path, database: Database, catalogue: Catalogue
) -> None:
    await seed_customers(database, ROOT / "data", catalogue)
    for cipher in (OTHER, None):
        with pytest.raises(StartError, match="DATA_KEY"):
            await open_database(url(tmp_path), cipher)
    again = await open_database(url(tmp_path), CIPHER)
    await again.close()


def test_a_value_moved_to_another_row_or_changed_is_refused() -> None:
    sealed = CIPHER.encrypt(PHONE, private_place("phone", "C0001"))
    assert sealed != CIPHER.encrypt(PHONE, private_place("phone", "C0001"))
    for cipher, value, place in (
        (CIPHER, sealed, private_place("phone", "C0002")),
        (CIPHER, sealed, private_place("rrn", "C0001")),
        (OTHER, sealed, private_place("phone", "C0001")),
        (CIPHER, sealed[:-2] + "AA", private_place("phone", "C0001")),
        (CIPHER, "enc1:", private_place("phone", "C0001")),
        (CIPHER, PHONE, private_place("phone", "C0001")),
    ):
        with pytest.raises(Unavailable):
            cipher.decrypt(value, place)


def _old_database(path: Path, rows: int) -> None:
    """A database as the first migration left it, with numbers in the clear."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(ROOT / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        for number in range(rows):
            who = {"id": f"C{number:04}", "phone": f"{PHONE[:-4]}{number:04}", "rrn": f"850412-2{number:06}"}
            connection.execute(
                text("INSERT INTO customers VALUES (:id, '아무개', '1985-04-12', 'F', '사무직')"), {"id": who["id"]}
            )
            connection.execute(text("INSERT INTO customer_private VALUES (:id, :phone, :rrn)"), who)
    engine.dispose()


# --- keys of the installation -------------------------------------------------------------------------------------


def test_secrets_are_made_once_readable_by_the_owner_only_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    first = open_secrets(settings)
    assert "data.key" in caplog.text and first.data.decode() not in caplog.text
    caplog.clear()
    assert open_secrets(settings) == first and not caplog.records
    for name in (SIGNING_FILE, DATA_FILE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert first.signing != first.data and first.signing.decode() not in repr(first)
    (tmp_path / DATA_FILE).chmod(0o644)
    open_secrets(settings)
    assert stat.S_IMODE((tmp_path / DATA_FILE).stat().st_mode) == 0o600


def test_secrets_may_come_from_the_settings_and_short_ones_are_refused(tmp_path: Path) -> None:
    given = Settings(_env_file=None, data_dir=tmp_path, secret_key="s" * 32, data_key="d" * 32)  # type: ignore[arg-type]
    assert open_secrets(given).data == b"d" * 32
    assert not list(tmp_path.iterdir())
    with pytest.raises(StartError, match="DATA_KEY") as caught:
        open_secrets(Settings(_env_file=None, data_dir=tmp_path, data_key="short-key"))  # type: ignore[arg-type]
    assert "short-key" not in str(caught.value)


# --- logs ---------------------------------------------------------------------------------------------------------


def logged(message: str, *args: object, **kwargs: object) -> str:
    record = logging.LogRecord("app", logging.ERROR, "f.py", 1, message, args, kwargs.get("exc_info"))  # type: ignore[arg-type]
    return SafeFormatter().format(record)


@pytest.mark.requirement("privacy:logs:masked-and-unforgeable")
@pytest.mark.parametrize("break_", ["\n", "\r", "\r\n", "\u2028", "\x85", "\x1b[2K\r", "\x00", "\u202e", "\x0b"])
def test_nobody_can_write_a_log_line_of_their_own(break_: str) -> None:
    line = logged("query %s", f"보험{break_}2026-01-01 00:00:00 WARNING app.api 관리자 로그인")
    assert len(line.splitlines()) == 1 and break_ not in line


@pytest.mark.requirement("privacy:logs:masked-and-unforgeable")
def test_a_traceback_is_masked_and_none_of_its_lines_is_an_entry() -> None:
    try:
        raise ValueError(f"{PHONE}\n2026-01-01 00:00:00 WARNING app 가짜")
    except ValueError as error:
        text = logged("failed", exc_info=(type(error), error, error.__traceback__))
    _, *rest = text.splitlines()
    assert rest and all(line.startswith("  | ") for line in rest)
    assert PHONE not in text and "[전화번호]" in text


@pytest.mark.requirement("privacy:logs:masked-and-unforgeable")
def test_personal_data_in_a_log_line_is_masked() -> None:
    line = logged("고객 %s, %s", "850412-2134567", PHONE)
    assert "850412" not in line and PHONE not in line


def test_one_line_keeps_korean_and_bounds_its_length() -> None:
    assert one_line("암보험 20,625원 ※ (B00115023)") == "암보험 20,625원 ※ (B00115023)"
    assert len(one_line("\n" * 5000, 100)) == 100


# --- the audit log ------------------------------------------------------------------------------------------------


@pytest.fixture
def audit(database: Database) -> AuditLog:
    return AuditLog(database, b"key", lambda value: shipped_masker().mask(value).text)


@pytest.mark.requirement("audit:chain:edits-are-found")
async def test_every_edit_of_the_audit_log_is_found(database: Database, audit: AuditLog) -> None:
    for number in range(6):
        await audit.record("key:1", "tools.reload", f"module{number}", details={"n": number})
    assert await audit.verify() is None
    entry = audit_log.c.entry_id
    edits = {
        3: update(audit_log).where(entry == 3).values(actor="key:2"),
        4: delete(audit_log).where(entry == 4),
        5: update(audit_log).where(entry == 5).values(details={"n": 9}),
        2: update(audit_log).where(entry == 2).values(at=datetime(2020, 1, 1, tzinfo=UTC)),
    }
    for broken, edit in edits.items():
        rows = [dict(row._mapping) for row in await database.rows(audit_log.select())]
        await database.change(edit)
        assert await audit.verify() in (broken, broken + 1)
        async with database.writing() as connection:
            await connection.execute(delete(audit_log))
            await connection.execute(insert(audit_log), rows)
        assert await audit.verify() is None
    await database.change(update(audit_log).where(entry == 6).values(digest="0" * 64))
    assert await audit.verify() == 6


@pytest.mark.requirement("audit:chain:edits-are-found")
async def test_old_entries_go_and_the_chain_holds(database: Database, audit: AuditLog) -> None:
    for number in range(4):
        await audit.record("a", "x", str(number))
    assert await audit.purge(datetime.now(UTC) - timedelta(days=1)) == 0
    assert await audit.purge(datetime.now(UTC) + timedelta(seconds=1)) == 4
    await audit.record("a", "x", "after")
    assert await audit.verify() is None
    assert [e.action for e in await audit.entries()] == ["x", "audit.purge"]


@pytest.mark.requirement("audit:chain:edits-are-found")
async def test_rows_taken_off_the_end_of_the_audit_log_are_missed(database: Database, tmp_path: Path) -> None:
    head = AuditHead(tmp_path / "audit.head", b"key")
    audit = AuditLog(database, b"key", head=head)
    for number in range(5):
        await audit.record("a", "x", str(number))
    assert await audit.verify() is None
    assert (tmp_path / "audit.head").stat().st_mode & 0o077 == 0
    rows = [dict(row._mapping) for row in await database.rows(audit_log.select())]

    async def left(count: int) -> int | None:
        async with database.writing() as connection:
            await connection.execute(delete(audit_log))
            if count:
                await connection.execute(insert(audit_log), rows[:count])
        return await audit.verify()

    assert [await left(count) for count in (4, 2, 0, 5)] == [5, 3, 1, None]
    # entries that come later do not cover it up
    await left(4)
    for number in range(4):
        await audit.record("a", "x", f"later {number}")
        assert await audit.verify() == 5
    await left(5)
    kept = (tmp_path / "audit.head").read_text()
    for forged in (kept.replace('"entry_id": 5', '"entry_id": 4'), "{}", ""):
        (tmp_path / "audit.head").write_text(forged)
        assert await audit.verify() == 5
    (tmp_path / "audit.head").write_text(kept)
    await audit.purge(datetime.now(UTC) + timedelta(seconds=1))
    await audit.record("a", "x", "after")
    assert await audit.verify() is None


async def test_a_head_that_cannot_be_written_costs_no_entry(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    audit = AuditLog(database, b"key", head=AuditHead(tmp_path / "missing" / "audit.head", b"key"))
    await audit.record("a", "x")
    assert len(await audit.entries()) == 1 and "감사 기록의 끝" in caplog.text


async def test_the_audit_log_holds_no_personal_data_and_no_line_breaks(audit: AuditLog) -> None:
    await audit.record(f"a\n{PHONE}", "x\r\n", f"고객 {PHONE}", details={"text": ["850412-2134567\u2028x"]})
    [entry] = await audit.entries()
    shown = repr(entry)
    assert PHONE not in shown and "850412" not in shown
    assert not any(c in f"{entry.actor}{entry.action}{entry.target}{entry.details['text'][0]}" for c in "\n\r\u2028")


# --- the keys script ----------------------------------------------------------------------------------------------


async def test_the_script_makes_lists_and_revokes_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], catalogue: Catalogue
) -> None:
    import asyncio

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    settings = Settings(_env_file=None, data_dir=tmp_path)
    secrets = open_secrets(settings)
    database = await open_database(settings.effective_database_url, FieldCipher(secrets.data_key()))
    await seed_customers(database, ROOT / "data", catalogue)

    async def run(*arguments: str) -> tuple[int, str, str]:
        code = await asyncio.to_thread(keys_script.main, list(arguments))
        out = capsys.readouterr()
        return code, out.out, out.err

    code, out, _ = await run(
        "create", "--role", "customer", "--customer-id", "C0001", "--label", "김민수", "--days", "3"
    )
    key = next(word for word in out.split() if word.startswith("ins_"))
    assert code == 0 and "한 번만" in out
    store = KeyStore(database, secrets.signing_key("keys"))
    record = await store.verify(key)
    assert record is not None and (record.role, record.customer_id) == ("customer", "C0001")
    code, out, _ = await run("list")
    assert record.key_id in out and "사용 중" in out and key not in out
    code, out, _ = await run("revoke", record.key_id)
    assert code == 0 and "폐기" in out
    store.forget_known()
    assert await store.verify(key) is None
    code, _, err = await run("revoke", record.key_id)
    assert code == 1 and "이미" in err
    code, _, err = await run("create", "--role", "staff", "--customer-id", "C0001", "--label", "x")
    assert code == 1 and "고객 번호" in err
    assert (await run("clean"))[0] == 0 and not await store.list()
    assert [e.action for e in await AuditLog(database, secrets.signing_key("audit")).entries()] == [
        "key.clean",
        "key.revoke",
        "key.create",
    ]
    await database.close()
    with sqlite3.connect(tmp_path / "customer.db") as raw:
        assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)

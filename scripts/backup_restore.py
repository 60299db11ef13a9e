"""A backup put back: all of it or none, while nothing else uses the state. The commands stand in backup.py."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import ExitStack, closing
from pathlib import Path

from alembic.util import CommandError

from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.database import open_database_unmigrated
from app.adapters.field_cipher import FieldCipher
from app.adapters.quiet_database import undisturbed
from app.adapters.secret_files import DATA_FILE, DATA_NAME, SIGNING_FILE, SIGNING_NAME, Secrets, open_secrets
from app.adapters.state_folder import owned_alike, prepare_state_folder
from app.adapters.state_swap import Move, announce, aside, finish, swap, unfinished, withdraw
from app.errors import BadRequest, Conflict, StartError, Unavailable
from app.settings import Settings
from scripts.backup_archive import (
    DATABASES,
    DOCUMENTS,
    KEYS,
    TABLES,
    database_place,
    digest,
    postgres_url,
    put_into_postgres,
    verify,
)

ACTOR = "scripts.backup"


def restore(settings: Settings, archive: Path, *, force: bool = False) -> dict[str, object]:
    """Put a backup in the place of what is there; answers its manifest, with `warnings` for people.

    Cut off at any point, what was there is there as it was, or the whole backup is once something opens the state.
    What stood there is kept as `*.before-restore`, of documents and SQLite. Raises Conflict while a server runs or
    where data would be overwritten without `force`, BadRequest for a backup that is damaged, foreign, newer than this
    version or encrypted with another DATA_KEY, Unavailable where Postgres refuses; nothing is changed then.
    """
    folder = settings.data_dir
    prepare_state_folder(folder)
    with ExitStack() as stack:
        stack.enter_context(undisturbed(settings))
        _end_earlier(folder)
        made = stack.enter_context(aside(folder))
        manifest = verify(archive, made)
        url = postgres_url(settings)
        if bool(manifest["postgres"]) != (url is not None):
            raise BadRequest("백업과 지금 설정의 데이터베이스 종류가 다릅니다. DATABASE_URL을 확인해 주세요.")
        if url is None and not (made / TABLES).is_file():
            raise BadRequest(f"백업 {archive}에 데이터베이스가 없습니다. 다른 백업을 써 주세요.")
        _refuse_overwriting(settings, force)
        secrets, manifest["warnings"] = _fitting_secrets(settings, made, manifest)
        note = {"made_at": str(manifest["made_at"]), "sha256": digest(archive)}
        if url is None:
            _write_into_audit(f"sqlite+aiosqlite:///{made / TABLES}", secrets, made, note)
            _fold_journals(made)
        else:
            announce(folder)
            try:
                put_into_postgres(url, made)
            except Unavailable:
                withdraw(folder)
                raise
            _write_into_audit(settings.effective_database_url, secrets, made, note)
        swap(folder, _moves(settings, made, stack))
    return manifest


def _end_earlier(folder: Path) -> None:
    """A restore that was cut off is ended first, so that what is kept of before is whole; where it had reached a
    database server, this one takes its place."""
    try:
        finish(folder)
    except StartError:
        if not unfinished(folder):
            raise


def _refuse_overwriting(settings: Settings, force: bool) -> None:
    taken = [settings.data_dir / DOCUMENTS]
    if postgres_url(settings) is None:
        taken = [*(database_place(settings, name) for name in DATABASES), *taken]
    there = [path.name for path in taken if path.exists()] + ["Postgres"] * (postgres_url(settings) is not None)
    if there and not force:
        raise Conflict(f"{', '.join(there)}에 자료가 있습니다. 서비스를 멈추고 --force로 다시 실행해 주세요.")


def _fitting_secrets(settings: Settings, made: Path, manifest: dict[str, object]) -> tuple[Secrets, list[str]]:
    """The secrets that will hold once the backup is back, and what people must know of them.

    Raises BadRequest where the personal columns could not be read with them.
    """
    places = {SIGNING_FILE: settings.secret_key, DATA_FILE: settings.data_key}
    for name, given in places.items():
        kept = settings.data_dir / name
        if not (given and given.get_secret_value()) and not (made / name).is_file() and kept.is_file():
            (made / name).write_bytes(kept.read_bytes())
            (made / name).chmod(0o600)
    secrets = open_secrets(settings.model_copy(update={"data_dir": made}))
    known, own = dict(manifest.get("secrets") or {}), secrets.fingerprints()  # type: ignore[call-overload]
    if known.get(DATA_NAME, own[DATA_NAME]) != own[DATA_NAME]:
        raise BadRequest(
            "백업을 암호화한 DATA_KEY가 지금 쓰는 것과 다르거나 여기에 없습니다. "
            "백업을 만들 때 쓰던 DATA_KEY를 설정하거나 data.key를 상태 폴더에 둔 뒤 다시 실행해 주세요."
        )
    if known.get(SIGNING_NAME, own[SIGNING_NAME]) != own[SIGNING_NAME]:
        return secrets, [
            "SECRET_KEY가 백업을 만들 때와 달라 API 키와 로그인, 감사 기록을 확인할 수 없습니다. "
            "그때의 값으로 되돌리거나, 일부러 바꾸었다면 'python -m scripts.keys accept-secret'을 실행해 주세요."
        ]
    return secrets, []


def _write_into_audit(url: str, secrets: Secrets, made: Path, note: dict[str, str]) -> None:
    """Bring the tables to this version, see that the key reads them, and tell the audit log of the restore: its end is
    noted anew, because what came after the backup is gone."""
    key = secrets.signing_key("audit")

    async def write() -> None:
        database = open_database_unmigrated(url, cipher=FieldCipher(secrets.data_key()))
        try:
            await database.migrate()
            await database.check_key()
            await AuditLog(database, key, head=AuditHead(made / HEAD_FILE, key)).record(
                ACTOR, "backup.restore", details=note
            )
        finally:
            await database.close()

    try:
        asyncio.run(write())
    except CommandError as error:
        raise BadRequest(
            f"백업이 이 버전보다 새 버전에서 만들어졌습니다({error}). 그 버전 이상에서 되돌려 주세요."
        ) from error
    except StartError as error:
        raise BadRequest(f"백업을 지금 키로 읽을 수 없습니다. {error}") from error


def _fold_journals(made: Path) -> None:
    """One file a database, with nothing beside it."""
    for path in (made / name for name in DATABASES if (made / name).is_file()):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")


def _moves(settings: Settings, made: Path, stack: ExitStack) -> list[Move]:
    """Everything that the backup is about: what it lacks goes, except keys, which stay."""
    folder, moves = settings.data_dir, []
    for name in DATABASES if postgres_url(settings) is None else ():
        target = database_place(settings, name)
        source = made / name
        if source.is_file() and target.parent.resolve() != folder.resolve():
            # Renaming needs one file system: a database that lies elsewhere is made ready beside its place.
            source = target.with_name(f".{target.name}.restoring")
            stack.callback(_drop, source, folder)
            shutil.copyfile(made / name, source)
            source.chmod(0o600)
        moves.append(Move(source if source.is_file() else None, target))
    documents = made / DOCUMENTS
    moves.append(Move(documents if documents.is_dir() else None, folder / DOCUMENTS))
    single = [name for name in (*KEYS, HEAD_FILE) if (made / name).is_file()]
    moves += [Move(made / name, folder / name) for name in single if not _same(made / name, folder / name)]
    for move in moves:
        if move.source is not None:
            for path in (move.source, *move.source.rglob("*")):
                owned_alike(path, folder)
    return moves


def _drop(made_ready: Path, folder: Path) -> None:
    """Where the swap was not even begun; else its note still speaks of the file."""
    if not unfinished(folder):
        made_ready.unlink(missing_ok=True)


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()

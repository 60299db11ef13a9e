"""Backups of everything that would be lost: made while the service runs, put back while it stands still.

    python -m scripts.backup create backup.tar.gz
    python -m scripts.backup verify backup.tar.gz
    python -m scripts.backup restore backup.tar.gz [--force]

A backup holds the database, the conversations' memory, the operator's documents and, with --with-keys, both keys.
Indexes are left out: they are built again. SQLite is copied page by page through its own backup function; Postgres
is dumped by `pg_dump` in one snapshot and put back by `pg_restore` in one transaction (both on the PATH).
Without its keys a backup cannot be read: keep them apart from it, and keep them.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, make_url

from app.adapters.secret_files import DATA_FILE, SIGNING_FILE
from app.errors import AppError, BadRequest, Conflict, Unavailable
from app.settings import Settings

MANIFEST, DUMP = "manifest.json", "postgres.dump"
_DATABASES = ("customer.db", "checkpoints.db")
_KEYS = (SIGNING_FILE, DATA_FILE)
_DOCUMENTS = "documents"


def create(settings: Settings, target: Path, *, with_keys: bool = False) -> dict[str, str]:
    """Write a backup; answers what is in it, with hashes. Raises Unavailable where a part cannot be copied."""
    with tempfile.TemporaryDirectory(dir=target.resolve().parent, prefix=".backup-") as made:
        folder = Path(made)
        _copy_databases(settings, folder)
        if (settings.data_dir / _DOCUMENTS).is_dir():
            shutil.copytree(settings.data_dir / _DOCUMENTS, folder / _DOCUMENTS)
        for name in _KEYS if with_keys else ():
            if (settings.data_dir / name).is_file():
                shutil.copy2(settings.data_dir / name, folder / name)
        files = {str(path.relative_to(folder)): _hash(path) for path in sorted(folder.rglob("*")) if path.is_file()}
        manifest = {
            "made_at": datetime.now(UTC).isoformat(),
            "postgres": _postgres(settings) is not None,
            "files": files,
        }
        partial = folder.with_name(f"{folder.name}.tar.gz")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as raw, tarfile.open(fileobj=raw, mode="w:gz") as archive:
            text = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
            entry = tarfile.TarInfo(MANIFEST)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
            for name in files:
                archive.add(folder / name, name)
        partial.replace(target)
    return files


def verify(archive: Path, folder: Path) -> dict[str, object]:
    """Unpack into `folder` and compare every hash; answers the manifest. Raises BadRequest for a damaged backup."""
    try:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        manifest: dict[str, object] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        wrong = [name for name, digest in dict(manifest["files"]).items() if _hash(folder / name) != digest]  # type: ignore[call-overload]
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError) as error:
        raise BadRequest(f"백업 {archive}을(를) 읽을 수 없습니다({error}). 다른 백업을 써 주세요.") from error
    kept = [name for name in _DATABASES if (folder / name).is_file()]
    wrong += [f"{name} ({fault})" for name in kept if (fault := _sqlite_fault(folder / name))]
    if wrong:
        raise BadRequest(f"백업 {archive}이(가) 손상되었습니다: {', '.join(wrong)}. 다른 백업을 써 주세요.")
    return manifest


def restore(settings: Settings, archive: Path, *, force: bool = False) -> dict[str, object]:
    """Put a backup in the place of what is there. The service must stand still.

    Raises Conflict where data would be overwritten without `force`, BadRequest for a damaged or foreign backup,
    Unavailable where Postgres refuses; nothing is changed then. What stood there is kept as `*.before-restore`.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=settings.data_dir, prefix=".restore-") as made:
        folder = Path(made)
        manifest = verify(archive, folder)
        url = _postgres(settings)
        if bool(manifest["postgres"]) != (url is not None):
            raise BadRequest("백업과 지금 설정의 데이터베이스 종류가 다릅니다. DATABASE_URL을 확인해 주세요.")
        taken = [name for name in (*_DATABASES, _DOCUMENTS) if (settings.data_dir / name).exists()]
        if (taken or url is not None) and not force:
            what = ", ".join([*taken, *(["Postgres"] if url is not None else [])])
            raise Conflict(f"{what}에 자료가 있습니다. 서비스를 멈추고 --force로 다시 실행해 주세요.")
        if url is not None:
            _run_tool(url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction",
                      "--dbname", _database_name(url), str(folder / DUMP))  # fmt: skip
        for name in (*_DATABASES, _DOCUMENTS, *_KEYS):
            if (folder / name).exists():
                _put(folder / name, settings.data_dir / name)
    return manifest


def _copy_databases(settings: Settings, folder: Path) -> None:
    url = _postgres(settings)
    if url is not None:
        _run_tool(url, "pg_dump", "--format=custom", "--no-owner", "--file", str(folder / DUMP), _database_name(url))
        return
    for name in _DATABASES:
        source = settings.data_dir / name
        if name == "customer.db" and settings.database_url:
            source = Path(make_url(settings.database_url).database or "")
        if not source.is_file():
            continue
        try:
            with (
                closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as live,
                closing(sqlite3.connect(folder / name)) as copy,
            ):
                live.backup(copy)
        except sqlite3.Error as error:
            raise Unavailable(f"{source}을(를) 복사할 수 없습니다({error}).") from error
        if fault := _sqlite_fault(folder / name):
            raise Unavailable(f"{source}의 사본이 온전하지 않습니다({fault}). 디스크를 확인해 주세요.")


def _sqlite_fault(path: Path) -> str | None:
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            (answer,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if answer == "ok" else str(answer)


def _put(source: Path, target: Path) -> None:
    for leftover in ("-wal", "-shm"):
        target.with_name(f"{target.name}{leftover}").unlink(missing_ok=True)
    if target.exists():
        before = target.with_name(f"{target.name}.before-restore")
        if before.is_dir():
            shutil.rmtree(before)
        before.unlink(missing_ok=True) if before.is_file() else None
        target.rename(before)
    shutil.move(source, target)


def _postgres(settings: Settings) -> URL | None:
    url = make_url(settings.effective_database_url)
    return url if url.get_backend_name() in ("postgresql", "postgres") else None


def _database_name(url: URL) -> str:
    return url.database or "postgres"


def _run_tool(url: URL, *command: str) -> None:
    """The password goes by the environment: command lines can be read by others."""
    place = {
        "PGHOST": url.host or str(url.query.get("host", "")),
        "PGPORT": str(url.port or ""),
        "PGUSER": url.username,
    }
    place["PGPASSWORD"] = str(url.password) if url.password else None
    environment = {**os.environ, **{name: value for name, value in place.items() if value}}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Unavailable(
            f"{command[0]}을(를) 실행할 수 없습니다({error}). postgresql-client를 설치해 주세요."
        ) from error
    if done.returncode:
        raise Unavailable(f"{command[0]}이(가) 실패했습니다: {done.stderr.strip()[-500:]}")


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(arguments: list[str] | None = None) -> int:
    """0 when it was done, 1 with the reason in Korean when not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("create", "verify", "restore"))
    parser.add_argument("archive", type=Path)
    parser.add_argument("--with-keys", action="store_true", help="secret.key와 data.key도 담습니다")
    parser.add_argument("--force", action="store_true", help="있는 자료를 바꿉니다(전 것은 남겨 둡니다)")
    options = parser.parse_args(arguments)
    try:
        settings = Settings()
        if options.command == "create":
            files = create(settings, options.archive, with_keys=options.with_keys)
            print(f"{options.archive}: 파일 {len(files)}개를 담았습니다.")
            if not options.with_keys:
                print("키(SECRET_KEY, DATA_KEY)는 담지 않았습니다. 따로 보관해 주세요.")
        elif options.command == "verify":
            with tempfile.TemporaryDirectory() as folder:
                manifest = verify(options.archive, Path(folder))
            print(f"{options.archive}: 온전합니다({manifest['made_at']}).")
        else:
            manifest = restore(settings, options.archive, force=options.force)
            print(f"{manifest['made_at']}의 백업으로 되돌렸습니다. 이제 서비스를 시작해 주세요.")
    except AppError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

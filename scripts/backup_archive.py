"""What a backup holds, how it is made and how it is checked. The commands stand in backup.py."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import URL, make_url

from app.adapters.secret_files import DATA_FILE, SIGNING_FILE, known_secrets
from app.adapters.state_lock import shared_folder
from app.errors import BadRequest, Unavailable
from app.settings import Settings

MANIFEST, DUMP = "manifest.json", "postgres.dump"
TABLES, THREADS, DOCUMENTS = "customer.db", "checkpoints.db", "documents"
DATABASES = (TABLES, THREADS)
KEYS = (SIGNING_FILE, DATA_FILE)


def create(settings: Settings, target: Path, *, with_keys: bool = False) -> dict[str, str]:
    """Write a backup; answers what is in it, with hashes. Raises Unavailable where a part cannot be copied, StartError
    while the state is being restored."""
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        shared_folder(settings.data_dir),
        tempfile.TemporaryDirectory(dir=target.resolve().parent, prefix=".backup-") as made,
    ):
        folder = Path(made)
        _copy_databases(settings, folder)
        if (settings.data_dir / DOCUMENTS).is_dir():
            shutil.copytree(settings.data_dir / DOCUMENTS, folder / DOCUMENTS)
        for name in KEYS if with_keys else ():
            if (settings.data_dir / name).is_file():
                shutil.copy2(settings.data_dir / name, folder / name)
        files = {str(path.relative_to(folder)): digest(path) for path in sorted(folder.rglob("*")) if path.is_file()}
        secrets = known_secrets(settings)
        manifest = {
            "made_at": datetime.now(UTC).isoformat(),
            "postgres": postgres_url(settings) is not None,
            "secrets": secrets.fingerprints() if secrets else {},
            "files": files,
        }
        partial = folder.with_name(f"{folder.name}.tar.gz")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as raw:
                with tarfile.open(fileobj=raw, mode="w:gz") as archive:
                    text = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
                    entry = tarfile.TarInfo(MANIFEST)
                    entry.size = len(text)
                    archive.addfile(entry, io.BytesIO(text))
                    for name in files:
                        archive.add(folder / name, name)
                raw.flush()
                os.fsync(raw.fileno())
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
    return files


def verify(archive: Path, folder: Path) -> dict[str, object]:
    """Unpack into `folder` and compare every hash; answers the manifest. Raises BadRequest for a damaged backup."""
    try:
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        for path in folder.rglob("*"):  # an archive says itself how its files are to be opened; these are private
            path.chmod(0o700 if path.is_dir() else 0o600)
        manifest: dict[str, object] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        wrong = [name for name, known in dict(manifest["files"]).items() if digest(folder / name) != known]  # type: ignore[call-overload]
    except (tarfile.TarError, OSError, EOFError, ValueError, KeyError) as error:
        raise BadRequest(f"백업 {archive}을(를) 읽을 수 없습니다({error}). 다른 백업을 써 주세요.") from error
    kept = [name for name in DATABASES if (folder / name).is_file()]
    wrong += [f"{name} ({fault})" for name in kept if (fault := _sqlite_fault(folder / name))]
    if wrong:
        raise BadRequest(f"백업 {archive}이(가) 손상되었습니다: {', '.join(wrong)}. 다른 백업을 써 주세요.")
    return manifest


def database_place(settings: Settings, name: str) -> Path:
    """Where a database of SQLite lies."""
    if name == TABLES and settings.database_url:
        return Path(make_url(settings.database_url).database or "")
    return settings.data_dir / name


def postgres_url(settings: Settings) -> URL | None:
    """The URL of the server; None for SQLite."""
    url = make_url(settings.effective_database_url)
    return url if url.get_backend_name() in ("postgresql", "postgres") else None


def put_into_postgres(url: URL, folder: Path) -> None:
    """The dump in `folder` takes the place of what the database holds, in one transaction. Raises Unavailable."""
    _run_tool(url, "pg_restore", "--clean", "--if-exists", "--no-owner", "--single-transaction",
              "--dbname", _database_name(url), str(folder / DUMP))  # fmt: skip


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _copy_databases(settings: Settings, folder: Path) -> None:
    url = postgres_url(settings)
    if url is not None:
        _run_tool(url, "pg_dump", "--format=custom", "--no-owner", "--file", str(folder / DUMP), _database_name(url))
        return
    for name in DATABASES:
        source = database_place(settings, name)
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

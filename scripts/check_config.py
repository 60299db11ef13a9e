"""Prints the effective settings, without secrets, and tries the parts that they name.

python -m scripts.check_config            (exit code 1 when something would stop the service)
python -m scripts.check_config --offline  (settings alone; nothing is opened)
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from pydantic import SecretStr, ValidationError

from app.adapters.database import PLAIN_REVISIONS, open_database_unmigrated
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks
from app.adapters.secret_files import known_secrets
from app.adapters.shared import open_shared
from app.adapters.state_folder import prepare_state_folder
from app.adapters.vector_store import ChromaStore
from app.errors import AppError
from app.settings import Settings

_PASSWORD = re.compile(r"(?<=://)[^/@\s]*@")
_SENSITIVE = ("commands",)


def shown(name: str, value: Any) -> str:
    """A setting as it may be printed: secrets say only whether they are set, addresses lose their credentials."""
    if isinstance(value, SecretStr):
        return "(설정됨)" if value.get_secret_value() else "(비어 있음)"
    if value is None:
        return "(없음)"
    if name.endswith(_SENSITIVE) and value:
        return "(설정됨)"
    return _PASSWORD.sub("***@", str(value))


def report(settings: Settings) -> list[str]:
    """One line a setting, those that differ from their default marked."""
    lines = []
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        mark = "*" if value != field.default else " "
        lines.append(f"{mark} {name.upper()}={shown(name, value)}")
    return lines


async def trials(settings: Settings) -> list[tuple[str, str | None]]:
    """Every part that the settings name, and what is wrong with it (None: it works)."""
    found = [("상태 폴더", await _tried(lambda: asyncio.to_thread(prepare_state_folder, settings.data_dir)))]
    found.append(("데이터베이스", await _tried(lambda: _database(settings))))
    found.append(("비밀값", await _tried(lambda: _secrets(settings))))
    if settings.chroma_url:
        found.append(("Chroma 서버", await _tried(lambda: asyncio.to_thread(_chroma, settings.chroma_url or ""))))
    if settings.redis_url is not None:
        found.append(("Redis", await _tried(lambda: _redis(settings))))
    if settings.redis_url is not None and (settings.secret_key is None or settings.data_key is None):
        found.append(
            (
                "여러 워커의 비밀값",
                "여러 워커는 SECRET_KEY와 DATA_KEY가 같아야 합니다. 상태 폴더를 함께 쓰지 않으면 둘 다 설정해 주세요.",
            )
        )  # fmt: skip
    return found


async def _tried(part: Callable[[], Awaitable[None]]) -> str | None:
    try:
        await part()
    except AppError as error:
        return str(error)
    return None


async def _database(settings: Settings) -> None:
    database = open_database_unmigrated(settings.effective_database_url, settings.database_pool_size)
    try:
        await database.ping()
    finally:
        await database.close()


async def _secrets(settings: Settings) -> None:
    """Whether the database was used with these secrets so far; nothing to compare where there are none yet."""
    secrets = known_secrets(settings)
    if secrets is None:
        return
    database = open_database_unmigrated(
        settings.effective_database_url, settings.database_pool_size, FieldCipher(secrets.data_key())
    )
    try:
        if await database.revision() not in (None, *PLAIN_REVISIONS):
            await database.check_key()
            await KeyChecks(database, secrets).confirm()
    finally:
        await database.close()


def _chroma(url: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = ChromaStore(Path(folder), url=url)
        store.names()
        store.close()


async def _redis(settings: Settings) -> None:
    shared = await open_shared(settings, "check-config")
    await shared.close()


def main(arguments: list[str] | None = None) -> int:
    """0 when the service could start with these settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offline", action="store_true", help="설정만 보고 아무것도 열지 않습니다")
    options = parser.parse_args(arguments)
    try:
        settings = Settings()
    except ValidationError as error:
        for item in error.errors():
            name = ".".join(map(str, item["loc"])).upper() or "설정"
            print(f"{name}: {item['msg']}", file=sys.stderr)
        return 1
    print("\n".join(report(settings)))
    if options.offline:
        return 0
    faults = 0
    for part, fault in asyncio.run(trials(settings)):
        print(f"{part}: {fault or '정상'}", file=sys.stderr if fault else sys.stdout)
        faults += fault is not None
    return 1 if faults else 0


if __name__ == "__main__":
    os.umask(0o077)  # what is written is for this user alone
    raise SystemExit(main())

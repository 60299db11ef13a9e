"""A command that is killed at each of its steps in turn: `python -m tests.operations.cutting restore|rotate FOLDER`.

A step is a file of the state folder that is renamed, linked or removed. After each kill the folder is opened as a start
opens it, and a line tells in JSON what was found; the last line is of the run that nothing cut.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

from sqlalchemy import select

from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.customer_seed import seed_customers
from app.adapters.data_rotation import rotate_data_key, settle_rotation
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher, private_place
from app.adapters.key_checks import KeyChecks
from app.adapters.quiet_database import undisturbed
from app.adapters.secret_files import open_secrets
from app.adapters.state_folder import prepare_state_folder
from app.adapters.state_lock import shared_folder
from app.adapters.tables import customer_private
from app.insurance.catalogue import load_catalogue
from app.settings import Settings
from scripts import backup

_STEPS = frozenset({"os.rename", "os.link", "os.remove"})
CUT = 9


async def write_state(settings: Settings, word: str, *, customers: bool = False) -> None:
    """Tables, threads and a document that all say `word`."""
    folder = settings.data_dir
    prepare_state_folder(folder)
    secrets = open_secrets(settings)
    cipher, key = FieldCipher(secrets.data_key()), secrets.signing_key("audit")
    database = await open_database(settings.effective_database_url, cipher)
    await KeyChecks(database, secrets).settle()
    if customers:
        await seed_customers(database, settings.content_dir, load_catalogue(settings.content_dir, "라이나생명"))
    await AuditLog(database, key, head=AuditHead(folder / HEAD_FILE, key)).record("kim", "word", word)
    await database.close()
    with closing(sqlite3.connect(folder / "checkpoints.db")) as threads:
        threads.execute("CREATE TABLE IF NOT EXISTS said (word TEXT)")
        threads.execute("DELETE FROM said")
        threads.execute("INSERT INTO said VALUES (?)", (word,))
        threads.commit()
    (folder / "documents").mkdir(exist_ok=True)
    (folder / "documents" / "own.md").write_text(word, encoding="utf-8")


async def read_state(settings: Settings) -> dict[str, object]:
    """What a start finds: the words of all parts, whether the audit chain holds, how many phone numbers can be read."""
    folder = settings.data_dir
    with shared_folder(folder):
        await settle_rotation(settings)
        secrets = open_secrets(settings)
        cipher, key = FieldCipher(secrets.data_key()), secrets.signing_key("audit")
        database = await open_database(settings.effective_database_url, cipher)
        log = AuditLog(database, key, head=AuditHead(folder / HEAD_FILE, key))
        words = {(await log.entries(action="word", limit=1))[0].target}
        broken = await log.verify()
        fault = await KeyChecks(database, secrets).fault()
        rows = await database.rows(select(customer_private))
        phones = [cipher.decrypt(row.phone, private_place("phone", row.customer_id)) for row in rows]
        await database.close()
    with closing(sqlite3.connect(folder / "checkpoints.db")) as threads:
        words |= {word for (word,) in threads.execute("SELECT word FROM said")}
    words.add((folder / "documents" / "own.md").read_text(encoding="utf-8"))
    left = sorted(path.name for path in folder.iterdir() if path.name.startswith(".") or path.name == "swap.json")
    return {
        "words": sorted(words), "audit": broken, "key": fault, "phones": len(set(phones)),
        "left": left,
    }  # fmt: skip


def _restore(settings: Settings) -> None:
    backup.restore(settings, settings.data_dir.parent / "backup.tar.gz", force=True)


def _rotate(settings: Settings) -> None:
    with undisturbed(settings):
        asyncio.run(rotate_data_key(settings, None))


def _killed_at(step: int, folder: Path, work: Callable[[], None]) -> bool:
    """Whether the work was cut off at this step."""
    child = os.fork()
    if child == 0:
        seen = count(1)

        def watch(name: str, given: tuple[object, ...]) -> None:
            if name in _STEPS and str(folder) in str(given[0]) and next(seen) == step:
                os._exit(CUT)

        sys.addaudithook(watch)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, CUT), code
    return code == CUT


def main(command: str, place: Path) -> None:
    work = {"restore": _restore, "rotate": _rotate}[command]
    settings = Settings(_env_file=None, data_dir=place / "var")
    asyncio.run(write_state(settings, "then", customers=command == "rotate"))
    if command == "restore":
        backup.create(settings, place / "backup.tar.gz")
        asyncio.run(write_state(settings, "now"))
    shutil.copytree(settings.data_dir, place / "kept")
    for step in count(1):
        shutil.rmtree(settings.data_dir)
        shutil.copytree(place / "kept", settings.data_dir)
        cut = _killed_at(step, settings.data_dir, lambda: work(settings))
        found = {"step": step, "cut": cut, **asyncio.run(read_state(settings))}
        sys.stdout.write(f"{json.dumps(found)}\n")
        sys.stdout.flush()
        if not cut:
            return


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

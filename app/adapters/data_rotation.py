"""The key of the encrypted columns changed for a new one: all values or none, whenever it is cut off.

Where the key is kept in the state folder, the new one lies beside it until the database has taken it: the database
alone decides which of the two is right.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from sqlalchemy import Table, bindparam, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.database import Database, open_database_unmigrated
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks, note
from app.adapters.metadata import metadata
from app.adapters.secret_files import DATA_FILE, DATA_NAME, LEAST_CHARS, Secrets, open_secrets
from app.adapters.state_folder import owned_alike
from app.errors import BadRequest, Unavailable
from app.messages import worded
from app.settings import Settings

NEXT_FILE, OLD_FILE = f"{DATA_FILE}.next", f"{DATA_FILE}.before-rotation"
_AT_ONCE = 500


async def rotate_data_key(settings: Settings, given: str | None) -> int:
    """Encrypt every encrypted value with a new key; answers how many. The caller has database and folder alone.

    `given`: the new secret, needed where DATA_KEY is a setting; else one is made. Raises BadRequest for one that is no
    good, Unavailable where a value cannot be read with the present key; nothing is changed then.
    """
    await settle_rotation(settings)
    now = open_secrets(settings)
    kept = settings.data_key is None or not settings.data_key.get_secret_value()
    if given is None and not kept:
        raise BadRequest(worded("data_rotation.new_key_file"))
    if given is not None and len(given) < LEAST_CHARS:
        raise BadRequest(worded("data_rotation.short_key", least_chars=LEAST_CHARS))
    new = Secrets(now.signing, (given or secrets.token_urlsafe(48)).encode())
    if kept:
        _write(settings.data_dir / NEXT_FILE, new.data)
    database = open_database_unmigrated(settings.effective_database_url, cipher=FieldCipher(now.data_key()))
    try:
        await database.migrate()
        await database.check_key()
        changed = await _rewrite(database, FieldCipher(now.data_key()), FieldCipher(new.data_key()), new)
        await database.forget_old_pages()
    finally:
        await database.close()
        # Where it failed, the database tells whether it was kept after all; where that is down, the next start asks.
        with suppress(Unavailable):
            await settle_rotation(settings)
    return changed


async def settle_rotation(settings: Settings) -> None:
    """End a rotation that was cut off: the new key takes its place where the database has taken it, else it goes."""
    path = settings.data_dir / NEXT_FILE
    if not path.is_file():
        return
    database = open_database_unmigrated(settings.effective_database_url)
    try:
        new = Secrets(b"", path.read_bytes().strip())
        taken = await _taken(database, new)
    finally:
        await database.close()
    if taken:
        _promote(settings.data_dir)
    else:
        path.unlink(missing_ok=True)


async def _taken(database: Database, new: Secrets) -> bool:
    return await KeyChecks(database, new).data_fits() is True


async def _rewrite(database: Database, old: FieldCipher, new: FieldCipher, secrets: Secrets) -> int:
    """One transaction; every value is read with the old key, which also proves it."""
    async with database.writing(alone=True) as connection:
        changed = 0
        for table in metadata.sorted_tables:
            if any(column.info.get("encrypted") for column in table.columns):
                changed += await _rewrite_table(connection, table, old, new)
        await note(connection, {DATA_NAME: secrets.fingerprints()[DATA_NAME]})
    return changed


async def _rewrite_table(connection: AsyncConnection, table: Table, old: FieldCipher, new: FieldCipher) -> int:
    [key] = table.primary_key.columns
    columns = [column for column in table.columns if column.info.get("encrypted")]
    change = update(table).where(key == bindparam("row")).values({c.name: bindparam(f"new_{c.name}") for c in columns})
    changed, done = 0, ""
    while True:
        page = select(key, *columns).where(key > done).order_by(key).limit(_AT_ONCE)
        rows = (await connection.execute(page)).all()
        if not rows:
            return changed
        done = rows[-1][0]
        values = []
        for name, *stored in rows:
            places = [f"{table.name}.{column.name}:{name}" for column in columns]
            fresh = [
                None if value is None else new.encrypt(old.decrypt(value, place), place)
                for value, place in zip(stored, places, strict=True)
            ]
            changed += sum(value is not None for value in fresh)
            values.append({"row": name} | {f"new_{c.name}": value for c, value in zip(columns, fresh, strict=True)})
        await connection.execute(change, values)


def _write(path: Path, secret: bytes) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, secret)
        os.fsync(handle)
    except OSError as error:
        raise Unavailable(worded("data_rotation.cannot_write", path=path, strerror=error.strerror)) from error
    finally:
        os.close(handle)
    owned_alike(path, path.parent)


def _promote(folder: Path) -> None:
    """Every step may have been made before, by this process or by another that starts at the same moment."""
    now, old, new = folder / DATA_FILE, folder / OLD_FILE, folder / NEXT_FILE
    draft = folder / f".{OLD_FILE}"
    try:
        if new.exists() and now.exists() and now.read_bytes() != new.read_bytes():
            draft.unlink(missing_ok=True)
            os.link(now, draft)
            draft.replace(old)
            draft.unlink(missing_ok=True)  # renaming does nothing where both are the same file already
        new.replace(now)
    except FileNotFoundError:
        return
    except OSError as error:
        raise Unavailable(worded("data_rotation.not_placed", now=now, strerror=error.strerror, new=new)) from error

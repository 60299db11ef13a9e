"""Whether the secrets of this installation are those that its database was used with so far."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy import delete, func, insert, inspect, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.database import Database
from app.adapters.secret_files import DATA_NAME, SIGNING_NAME, Secrets
from app.adapters.tables import api_keys, key_checks
from app.errors import Unavailable
from app.messages import worded

OTHER_SIGNING = worded("key_checks.other_secret")


class KeyChecks:
    """The fingerprints of the keys that the database is used with. Raises Unavailable while it is down."""

    def __init__(self, database: Database, secrets: Secrets) -> None:
        self._database, self._own = database, secrets.fingerprints()

    async def settle(self) -> str | None:
        """Note the fingerprints where there are none yet; what to tell people when the signing secret is another one
        than the database was used with, None when all is well."""
        async with self._database.writing(alone=True) as connection:
            noted = await _noted(connection)
            if new := {name: value for name, value in self._own.items() if name not in noted}:
                await note(connection, new)
        return await self.fault() if noted else None

    async def fault(self) -> str | None:
        """As `settle`, of a database that may be older than the fingerprints; nothing is noted."""
        async with self._database.reading() as connection:
            if not await connection.run_sync(lambda sync: inspect(sync).has_table(key_checks.name)):
                return None
            known = (await _noted(connection)).get(SIGNING_NAME)
            if known is None or known == self._own[SIGNING_NAME]:
                return None
            usable = select(func.count()).select_from(api_keys).where(api_keys.c.revoked_at.is_(None))
            return OTHER_SIGNING.format((await connection.execute(usable)).scalar_one())

    async def confirm(self) -> None:
        """Raises Unavailable, with what to tell people, where `fault` has something to tell."""
        if found := await self.fault():
            raise Unavailable(found)

    async def data_fits(self) -> bool | None:
        """Whether the personal columns were last rewritten with this data secret; None where it was never noted."""
        async with self._database.reading() as connection:
            if not await connection.run_sync(lambda sync: inspect(sync).has_table(key_checks.name)):
                return None
            known = (await _noted(connection)).get(DATA_NAME)
        return None if known is None else known == self._own[DATA_NAME]

    async def accept_signing(self) -> None:
        """From now on the present signing secret is the right one."""
        async with self._database.writing(alone=True) as connection:
            await note(connection, {SIGNING_NAME: self._own[SIGNING_NAME]})


async def note(connection: AsyncConnection, fingerprints: Mapping[str, str]) -> None:
    """Keep these fingerprints in place of those of the same names, within the caller's transaction."""
    await connection.execute(delete(key_checks).where(key_checks.c.name.in_(fingerprints)))
    rows = [{"name": name, "fingerprint": value, "at": datetime.now(UTC)} for name, value in fingerprints.items()]
    await connection.execute(insert(key_checks), rows)


async def _noted(connection: AsyncConnection) -> dict[str, str]:
    rows = await connection.execute(select(key_checks.c.name, key_checks.c.fingerprint))
    return {row.name: row.fingerprint for row in rows}

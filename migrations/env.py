"""Alembic's environment. The service migrates in process (app/adapters/database.py) and hands in its connection;
on the command line (`alembic revision --autogenerate`) the URL comes from the settings.
"""

from __future__ import annotations

import asyncio

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from app.adapters.field_cipher import FieldCipher
from app.adapters.secret_files import open_secrets
from app.adapters.tables import metadata
from app.settings import Settings


def run(connection: Connection) -> None:
    """Run the migrations in the connection's own transaction."""
    # render_as_batch: SQLite alters a table by copying it
    context.configure(connection=connection, target_metadata=metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


async def run_by_url() -> None:
    """The command line's way in."""
    settings = Settings()
    context.config.attributes["cipher"] = FieldCipher(open_secrets(settings).data_key())
    engine = create_async_engine(settings.effective_database_url)
    async with engine.begin() as connection:
        await connection.run_sync(run)
    await engine.dispose()


handed_in = context.config.attributes.get("connection")
if handed_in is not None:
    run(handed_in)
else:
    asyncio.run(run_by_url())

"""What turns and tool calls add up to, on SQLite; tests/scale asks the same of Postgres."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.database import Database, open_database
from app.adapters.field_cipher import FieldCipher
from tests.adapters.figures import check_figures, check_stops, check_switches, check_thresholds


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'x.db'}", FieldCipher(b"k" * 32))
    yield opened
    await opened.close()


async def test_the_figures_are_those_of_the_turns_that_were_kept(database: Database) -> None:
    await check_figures(database)


async def test_switches_are_kept_with_who_and_why(database: Database) -> None:
    await check_switches(database)


async def test_stops_are_found_judged_and_forgotten(database: Database) -> None:
    await check_stops(database)


async def test_thresholds_are_kept_with_who_and_why(database: Database) -> None:
    await check_thresholds(database)

"""The servers of a large installation, started once a test process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.composition import open_services
from app.settings import Settings
from tests.scale.servers import Postgres, Process, chroma_server, redis_server


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    """Not below pytest's own folder: each pytest that starts closes that one to other users again."""
    with tempfile.TemporaryDirectory(prefix="assistant-servers-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o711)
        yield Path(made)


@pytest.fixture(scope="session")
def postgres(servers_folder: Path) -> Iterator[Postgres]:
    server = Postgres(servers_folder / "postgres")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def redis(servers_folder: Path) -> Iterator[Process]:
    server = redis_server(servers_folder / "redis")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def chroma(servers_folder: Path) -> Iterator[Process]:
    server = chroma_server(servers_folder / "chroma")
    yield server
    server.stop()


@pytest.fixture(scope="session")
async def indexed(servers_folder: Path) -> Path:
    """A state folder whose documents were read and whose heads were fitted, to be copied: that takes the longest."""
    folder = servers_folder / "indexed"
    async with open_services(Settings(_env_file=None, data_dir=folder)):
        pass
    for name in ("customer.db", "checkpoints.db", "chroma_data", "secret.key", "data.key"):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    for leftover in folder.glob("*.db-*"):
        leftover.unlink()
    return folder

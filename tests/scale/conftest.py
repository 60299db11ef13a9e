"""The servers of a large installation, started once a test process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scale.servers import Postgres, Process, chroma_server, redis_server
from tests.state import lay_out


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
def indexed(servers_folder: Path) -> Path:
    """A state folder whose documents were read, to be copied; vectors lie in the server of Chroma."""
    folder = lay_out(servers_folder / "indexed")
    shutil.rmtree(folder / "chroma_data")
    return folder

"""What every area's tests stand on: the real catalogue, read once."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from app.insurance.catalogue import Catalogue, load_catalogue
from app.language.tokenizer import Tokenizer
from tests.left_out import LeftOut
from tests.state import PLACE

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped products, premium tables and reference lists."""
    return load_catalogue(ROOT / "data", "라이나생명")


@pytest.fixture(scope="session")
def tokenizer() -> Tokenizer:
    """One analyser for all tests: loading takes seconds."""
    made = Tokenizer()
    made.warm()
    return made


def pytest_configure(config: pytest.Config) -> None:
    """One place for the state folder that the run copies; test processes inherit it. Whole servers have a twin process
    as they do outside; services opened in a test process have none but where a test is about it."""
    os.environ["TWIN_PROCESS"] = "false"
    config.pluginmanager.register(LeftOut())
    if not hasattr(config, "workerinput"):
        os.environ[PLACE] = tempfile.mkdtemp(prefix="assistant-state-")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The files that mostly wait go first: at the end, one of them would keep every other process idle."""
    waiting = ("test_soak.py", "test_many_workers.py", "test_kill.py")
    items.sort(key=lambda item: waiting.index(item.path.name) if item.path.name in waiting else len(waiting))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove it; by the process that outlives the others."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(PLACE), ignore_errors=True)

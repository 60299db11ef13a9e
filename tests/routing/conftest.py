"""The real router over the shipped cards: trained once a test run, and shared by its workers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from app.adapters.embeddings import Embedder, build_embedder
from app.language.tokenizer import Tokenizer
from app.routing.opening import Routing, open_routing
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot

DATA = Path(__file__).resolve().parents[2] / "data"


@dataclass(frozen=True)
class Shipped:
    """The shipped tools and what routes over them."""

    routing: Routing
    snapshot: ToolSnapshot
    embedder: Embedder
    tokenizer: Tokenizer


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The bundled model."""
    return build_embedder(Settings(_env_file=None))


@pytest.fixture(scope="session")
def shipped(tokenizer: Tokenizer, embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Shipped:
    """The shipped tool set, opened without a vector store."""
    snapshot = ToolSnapshot(1, load_builtin_entries(DATA))
    folder = tmp_path_factory.mktemp("routing")
    return Shipped(open_routing(DATA, folder, snapshot, embedder, tokenizer), snapshot, embedder, tokenizer)

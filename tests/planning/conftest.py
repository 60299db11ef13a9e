"""Messages are read by the shipped words and the real analyser, over the shipped tools."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.tokenizer import Tokenizer
from app.planning.filling import SlotFiller
from tests.planning.made import WORDS
from tests.routing.conftest import embedder, shipped

__all__ = ["embedder", "shipped"]


@pytest.fixture(scope="session")
def filler(tokenizer: Tokenizer, catalogue: Catalogue) -> SlotFiller:
    """What reads messages for slots."""
    return SlotFiller(WORDS, tokenizer, EntityReader(catalogue))

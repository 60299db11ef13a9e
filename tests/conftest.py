"""What every area's tests stand on: the real catalogue, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.insurance.catalogue import Catalogue, load_catalogue

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """The shipped products, premium tables and reference lists."""
    return load_catalogue(ROOT / "data", "라이나생명")

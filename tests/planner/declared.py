"""What the shipped tools declare of themselves in their cards."""

from __future__ import annotations

from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot
from tests.conftest import ROOT

DECLARED = ToolSnapshot(1, load_builtin_entries(ROOT / "data")).declared

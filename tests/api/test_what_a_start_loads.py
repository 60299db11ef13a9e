"""A server loads no library that talks alone never use."""

from __future__ import annotations

import subprocess
import sys

from app.settings import ROOT

SEEN = "import sys, app.api.app; print(*sorted({'pymupdf', 'redis', 'openai', 'chromadb'} & set(sys.modules)))"


def test_neither_paper_nor_other_workers_nor_providers_are_loaded_before_they_are_used() -> None:
    told = subprocess.run([sys.executable, "-c", SEEN], cwd=ROOT, capture_output=True, text=True, check=True)
    assert told.stdout.split() == []

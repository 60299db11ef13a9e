"""Where scripts write what they measured: docs/benchmarks.md, or another page, each between marks of its own."""

from __future__ import annotations

import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from app.settings import ROOT

DOC = ROOT / "docs" / "benchmarks.md"


def commit() -> str:
    """The short name of the commit at hand; a dash where there is no history."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    return found.stdout.strip() or "—"


def measured_on() -> str:
    """The commit, day and machine of a measurement, for its first line."""
    python = platform.python_version()
    return f"Commit {commit()}, {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {python}"


def write_section(name: str, heading: str, text: str, doc: Path = DOC) -> None:
    """Puts the text between the marks of `name`; where there are none, under the heading at the end."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    block = f"{begin}\n{text}\n{end}"
    page = doc.read_text(encoding="utf-8")
    if begin in page:
        page = re.sub(f"{begin}.*?{end}", lambda _: block, page, flags=re.DOTALL)
    else:
        page = f"{page.rstrip()}\n\n## {heading}\n\n{block}\n"
    doc.write_text(page, encoding="utf-8")

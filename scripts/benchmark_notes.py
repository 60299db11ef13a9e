"""Where the benchmark scripts write what they measured: docs/benchmarks.md, each between marks of its own."""

from __future__ import annotations

import platform
import re
import subprocess
from datetime import UTC, datetime

from app.settings import ROOT

DOC = ROOT / "docs" / "benchmarks.md"


def measured_on() -> str:
    """The commit, day and machine of a measurement, for its first line."""
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT)
    python = platform.python_version()
    return f"Commit {found.stdout.strip() or '—'}, {datetime.now(UTC):%Y-%m-%d}, {platform.machine()}, Python {python}"


def write_section(name: str, heading: str, text: str) -> None:
    """Puts the text between the marks of `name`; where there are none, under the heading at the end."""
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    block = f"{begin}\n{text}\n{end}"
    doc = DOC.read_text(encoding="utf-8")
    if begin in doc:
        doc = re.sub(f"{begin}.*?{end}", lambda _: block, doc, flags=re.DOTALL)
    else:
        doc = f"{doc.rstrip()}\n\n## {heading}\n\n{block}\n"
    DOC.write_text(doc, encoding="utf-8")

"""Every snippet of docs/api.md and docs/mcp.md runs as it stands, against a real server."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.api.own_app import running_app
from tests.mcp.serving import served

BLOCK = re.compile(r"^```(bash|python|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NODE = ROOT / "tests" / "mcp" / "node_modules" / ".bin" / "node"
APART = ("run_mcp.py", "inspect.sh", "claude_desktop")
"""What starts servers of its own; tests/api/test_mcp_sessions.py shows those."""


def snippets() -> list[tuple[str, str, str]]:
    """(file and place, language, code) of each block."""
    found = []
    for name in ("api.md", "mcp.md"):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        for number, match in enumerate(BLOCK.finditer(text), 1):
            if not any(word in match[2] for word in APART):
                found.append((f"{name}-{number}", match[1], match[2]))
    return found


@pytest.mark.requirement("api:docs:snippets")
async def test_every_snippet_runs_as_it_stands(tmp_path: Path) -> None:
    # A service of its own, as its reader has it: other tests change tools of the shared one.
    async with running_app(tmp_path / "var") as own, served(own, dict(own.state.yielded)) as address:
        await _run_all(address, tmp_path)


async def _run_all(address: str, tmp_path: Path) -> None:
    told = snippets()
    assert {language for _, language, _ in told} == {"bash", "python", "js"}
    host = address.removeprefix("http://")
    for name, language, code in told:
        code = code.replace("localhost:8080", host)
        file = tmp_path / f"{name}.{'mjs' if language == 'js' else language}"
        file.write_text(code, encoding="utf-8")
        program = {"bash": [shutil.which("bash"), "-eo", "pipefail"], "python": [sys.executable], "js": [NODE]}[
            language
        ]
        running = await asyncio.create_subprocess_exec(
            *map(str, program), str(file), cwd=tmp_path, env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        output, errors = await asyncio.wait_for(running.communicate(), 60)
        assert running.returncode == 0, (name, errors.decode()[-2000:])
        shown = output.decode()
        assert shown.strip() and '"status": 4' not in shown and '"status": 5' not in shown, (name, shown[:500])
        if language == "js":
            assert shown.startswith("true"), shown

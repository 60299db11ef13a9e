"""Follows a section of CONTRIBUTING.md in a copy of the project: its files are written, its commands run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from app.settings import ROOT

_FENCE = re.compile(r"^(?P<before>[^\n]*)\n(?P<indent> *)```(?P<kind>\w*)\n(?P<block>.*?)\n *```$", re.M | re.S)
_WRITE = re.compile(r"[Ww]rite `([\w./-]+)`:$")
_APPEND = re.compile(r"[Aa]dd to the end of `([\w./-]+)`:$")
_INSERT = re.compile(r"[Uu]nder `([^`]+)` in `([\w./-]+)`:$")
_LARGE = ("models", "documents", "evaluation", "dialogues", "utterances", "told", "forms")
"""Folders of data/ that no recipe writes to: linked, not copied."""


def copied(folder: Path) -> Path:
    """The project's code and data in `folder`, to be changed; large data and npm packages are those of the project."""
    unbuilt = shutil.ignore_patterns("__pycache__", "node_modules", "dist*")
    for name in ("app", "scripts", "templates", "web"):
        shutil.copytree(ROOT / name, folder / name, ignore=unbuilt)
    (folder / "web" / "node_modules").symlink_to((ROOT / "web" / "node_modules").resolve())
    (folder / "data").mkdir()
    for place in (ROOT / "data").iterdir():
        if place.name in _LARGE:
            (folder / "data" / place.name).symlink_to(place.resolve())
        else:
            shutil.copytree(place, folder / "data" / place.name)
    return folder


def follow(section: str, folder: Path) -> list[str]:
    """Do what the section says, step by step, in a copy of the project; the files that were written or changed.

    Fails where a command fails, or where a block says neither what to write nor what to run.
    """
    touched = []
    for before, kind, block in _steps(section):
        if kind == "bash":
            command = block.replace(".venv/bin/python", sys.executable)
            environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
            ran = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
            )
            assert ran.returncode == 0, (command, ran.stdout[-1000:], ran.stderr[-2000:])
        elif found := _WRITE.search(before):
            touched.append(found[1])
            (folder / found[1]).parent.mkdir(parents=True, exist_ok=True)
            (folder / found[1]).write_text(f"{block}\n", encoding="utf-8")
        elif found := _APPEND.search(before):
            touched.append(found[1])
            text = (folder / found[1]).read_text(encoding="utf-8")
            (folder / found[1]).write_text(f"{text.rstrip()}\n{block}\n", encoding="utf-8")
        else:
            found = _INSERT.search(before)
            assert found is not None, f"what is to be done with the block below {before!r}?"
            touched.append(found[2])
            lines = (folder / found[2]).read_text(encoding="utf-8").splitlines()
            lines.insert(lines.index(found[1]) + 1, block)
            (folder / found[2]).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert touched
    return touched


def _steps(section: str) -> Iterator[tuple[str, str, str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    for found in _FENCE.finditer(part):
        indent = len(found["indent"])
        yield found["before"], found["kind"], "\n".join(line[indent:] for line in found["block"].split("\n"))

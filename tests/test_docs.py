"""The pages for people are true of the project: links, commands, paths, and the drawing of the structure."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.settings import ROOT
from scripts.structure import packages

PAGES = sorted(
    [ROOT / name for name in ("README.md", "README.en.md", "CONTRIBUTING.md", "CHANGELOG.md", "web/README.md")]
    + list((ROOT / "docs").glob("*.md"))
)
IDS = [page.relative_to(ROOT).as_posix() for page in PAGES]
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"python3? -m ((?:scripts|tests|app)(?:\.\w+)+)")
TARGET = re.compile(r"(?:`|^|&& |[A-Z_]+=\S+ )make ([a-z][a-z-]*)", re.MULTILINE)
FILE = re.compile(r"`((?:app|data|deploy|docs|examples|migrations|scripts|templates|tests|web)/[\w./-]+)`")
WRITTEN = re.compile(r"[Ww]rite `([\w./-]+)`")
"""What a page tells its reader to write."""
LENGTHS = {"README.md": 150, "README.en.md": 150, "docs/architecture.md": 200}


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def links(page: Path) -> Iterator[str]:
    """Where the page's links within the project lead."""
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if not re.match(r"[a-z]+:", target):
            yield target


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page: Path) -> None:
    broken = []
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = page.parent / name if name else page
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_command_that_is_named_can_be_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert [name for name in MODULE.findall(text) if importlib.util.find_spec(name) is None] == []
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert [name for name in TARGET.findall(text) if name not in targets] == []


@pytest.mark.parametrize("page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_every_file_that_is_named_is_there(page: Path) -> None:
    named = FILE.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    written = WRITTEN.findall(page.read_text(encoding="utf-8"))
    there = [(ROOT / name).exists() or (ROOT / f"{name}.py").exists() for name in named]
    assert [name for name, found in zip(named, there, strict=True) if not found and name not in written] == []


@pytest.mark.parametrize("name", LENGTHS)
def test_what_a_newcomer_reads_first_stays_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= LENGTHS[name]


def test_both_readmes_say_the_same_commands() -> None:
    def blocks(name: str) -> list[list[str]]:
        found = re.findall(r"```bash\n(.*?)```", (ROOT / name).read_text(encoding="utf-8"), re.DOTALL)
        return [[line.split("#")[0].strip() for line in block.splitlines()] for block in found]

    assert blocks("README.md") == blocks("README.en.md")


def test_the_drawing_of_the_structure_is_the_contract_of_the_imports() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (layers,) = [contract["layers"] for contract in contracts if contract["type"] == "layers"]
    wanted = [re.findall(r"app\.(\w+)", layer) for layer in layers]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = page.split("## The structure", 1)[1].split("```")[1]
    names = {name for layer in wanted for name in layer}
    drawn = [word for line in drawing.splitlines() for word in re.findall(r"^│ ([a-z_, ]+)", line)[:1]]
    found = [word for line in drawn for word in re.findall(r"\w+", line.split("  ")[0]) if word in names]
    floor = {name: number for number, layer in enumerate(wanted) for name in layer}
    assert sorted(found) == sorted(names)
    assert [floor[name] for name in found] == sorted(floor[name] for name in found)


def test_the_table_of_packages_names_each_once() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("<!-- structure -->")[1].split("<!-- /structure -->")[0]
    named = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert sorted(named) == sorted(package.name for package in packages())

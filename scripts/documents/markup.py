"""The small Markdown of the document sources: #, ##, ###, #### headings, paragraphs a line, and | tables |."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from app.language.formatting import FILTERS

_COMMENT = re.compile(r"<!--.*?-->", re.S)
_RULE = re.compile(r"^\|[\s:|-]+\|$")


@dataclass(frozen=True)
class Block:
    """A heading (h1 to h4), a line of text, or a table with its header as first row."""

    kind: str
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()


def environment() -> Environment:
    """Jinja with the filters of the answer templates, so that a document and an answer word a sum alike."""
    made = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)
    made.filters.update(FILTERS)
    return made


def read_template(env: Environment, path: Path) -> Template:
    """A whole source file as a template."""
    return env.from_string(_COMMENT.sub("", path.read_text(encoding="utf-8")))


def read_sections(env: Environment, path: Path) -> dict[str, Template]:
    """The sections of a source file by their ### title. Raises ValueError for a title that stands twice."""
    text = _COMMENT.sub("", path.read_text(encoding="utf-8"))
    found: dict[str, Template] = {}
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        title, _, body = part.partition("\n")
        if title.strip() in found:
            raise ValueError(f"{path.name}: section {title!r} stands twice")
        found[title.strip()] = env.from_string(body)
    return found


def render(template: Template, values: Mapping[str, Any]) -> str:
    """The text of a template."""
    return template.render(**values)


def parse(text: str) -> list[Block]:
    """The blocks of rendered Markdown. Raises ValueError for a table whose rows differ in length."""
    blocks: list[Block] = []
    rows: list[tuple[str, ...]] = []
    for raw in [*text.splitlines(), ""]:
        line = " ".join(raw.split())
        if line.startswith("|"):
            if not _RULE.match(line):
                rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if rows:
            if len({len(row) for row in rows}) != 1:
                raise ValueError(f"table rows differ in length: {rows[0]}")
            blocks.append(Block("table", rows=tuple(rows)))
            rows = []
        if not line:
            continue
        hashes = len(line) - len(line.lstrip("#"))
        if 1 <= hashes <= 4 and line[hashes : hashes + 1] == " ":
            blocks.append(Block(f"h{hashes}", line[hashes:].strip()))
        else:
            blocks.append(Block("text", line))
    return blocks


def plain(blocks: Iterable[Block]) -> str:
    """All words of the blocks, for comparing with what a PDF holds."""
    return "\n".join(block.text or "\n".join(" ".join(row) for row in block.rows) for block in blocks)

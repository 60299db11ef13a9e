"""The words that a model is driven by, read from data/prompts; the part that never changes comes first.

A provider caches the beginning of a prompt: company, rules and products stand there, and what differs from turn to turn
(the day, the facts, a hint) behind them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from app.errors import DataFaults, Fault
from app.insurance.models import Product
from app.messages import worded
from app.yaml_text import read_yaml

_PLACE = re.compile(r"\{\w+\}")
_HEAD = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_PLACES = {"system": ("{company}", "{products}"), "rewrite": (), "domain": (), "decide": ()}
_LINES: Mapping[str, tuple[str, ...]] = {
    "today": ("{today}",),
    "codes_shown": (),
    "codes_hidden": (),
    "facts": ("{facts}",),
    "rewritten": ("{question}",),
    "planned": ("{found}",),
    "spent": (),
    "draft": ("{hint}",),
    "again_language": (),
    "again_empty": (),
    "again_broken_stream": (),
}

FENCED = worded("prompting.marks")


@dataclass(frozen=True)
class PromptBook:
    """All prompts, filled in as far as they are the same for everybody.

    `version` is the one of system.md and ten letters of a hash over all files, so that answers can be told apart.
    """

    version: str
    system: str
    rewrite: str
    domain: str
    lines: Mapping[str, str]
    private: tuple[str, ...] = ()
    """What of all this no answer may repeat: everything but what was filled in."""
    decide: str = ""

    def tail(
        self,
        *,
        today: str,
        sees_codes: bool,
        facts: Mapping[str, Any],
        rewritten: str | None = None,
        planned: Mapping[str, Any] | None = None,
        spent: bool = False,
        hint: str | None = None,
    ) -> str:
        """What stands behind the unchanging part in this turn."""
        lines = [self.lines["today"].format(today=today), self.lines["codes_shown" if sees_codes else "codes_hidden"]]
        if facts:
            lines.append(self.lines["facts"].replace("{facts}", json.dumps(facts, ensure_ascii=False)))
        if rewritten:
            lines.append(self.lines["rewritten"].replace("{question}", rewritten))
        if planned is not None:
            lines.append(self.lines["planned"].replace("{found}", json.dumps(planned, ensure_ascii=False)))
        if spent:
            lines.append(self.lines["spent"])
        if hint:
            lines.append(self.lines["draft"].replace("{hint}", hint))
        return "\n\n".join(lines)

    def again(self, kind: str) -> str:
        """What a model hears when its last draft was spoiled in this way; empty when there is nothing to say."""
        return self.lines.get(f"again_{kind}", "")


def load_prompts(content_dir: Path, company: str, products: Sequence[Product]) -> PromptBook:
    """The prompts of `content_dir`/prompts. Raises DataFaults with every fault of every file."""
    folder = content_dir / "prompts"
    faults: list[Fault] = []
    texts, versions = {}, {}
    for name, places in _PLACES.items():
        texts[name], versions[name] = _text(folder / f"{name}.md", places, faults)
    lines = _lines(folder / "lines.yaml", faults)
    if faults:
        raise DataFaults(faults)
    listed = "\n".join(f"- {product.name}, {product.code}, {product.category}" for product in products)
    system = texts["system"].replace("{company}", company).replace("{products}", listed)
    digest = hashlib.sha256("\0".join([*texts.values(), *lines.values()]).encode()).hexdigest()
    private = tuple(_PLACE.sub("\n", text) for text in (*texts.values(), *lines.values(), FENCED))
    return PromptBook(
        f"{versions['system']}-{digest[:10]}",
        system,
        texts["rewrite"],
        texts["domain"],
        lines,
        private,
        texts["decide"],
    )


def _text(path: Path, places: tuple[str, ...], faults: list[Fault]) -> tuple[str, str]:
    raw = _read(path, faults)
    if raw is None:
        return "", ""
    match = _HEAD.fullmatch(raw)
    version = re.search(r"^version: *(\d+) *$", match.group(1), re.MULTILINE) if match else None
    if match is None or version is None:
        faults.append(Fault(str(path), 1, worded("prompting.header")))
        return "", ""
    body = match.group(2).strip()
    faults += [Fault(str(path), 0, worded("prompting.no_place", place=place)) for place in places if place not in body]
    if not body:
        faults.append(Fault(str(path), 0, worded("prompting.empty")))
    return body, version.group(1)


def _lines(path: Path, faults: list[Fault]) -> dict[str, str]:
    raw = _read(path, faults)
    if raw is None:
        return {}
    try:
        data = read_yaml(raw)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        faults.append(Fault(str(path), mark.line + 1 if mark else 0, worded("files.yaml")))
        return {}
    if not isinstance(data, dict):
        faults.append(Fault(str(path), 1, worded("prompting.not_mapping")))
        return {}
    for name, places in _LINES.items():
        line = data.get(name)
        if not isinstance(line, str) or not line.strip():
            faults.append(Fault(str(path), 0, worded("prompting.no_sentence", name=name)))
        else:
            faults += [
                Fault(str(path), 0, worded("prompting.no_place_in", name=name, place=place))
                for place in places
                if place not in line
            ]
    faults += [
        Fault(str(path), 0, worded("prompting.unused", name=name)) for name in data if name not in {*_LINES, "version"}
    ]
    return {name: str(data.get(name, "")) for name in _LINES}


def _read(path: Path, faults: list[Fault]) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        faults.append(Fault(str(path), 0, worded("prompting.unreadable", error=type(error).__name__)))
        return None

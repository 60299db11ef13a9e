"""The lines that the router learns from: cards, the utterance folder, no-tool and domain examples; and development.

A line of the utterance folder that stands in an evaluation file or under another label is left out and told as a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from app.errors import DataFaults, Fault
from app.json_lines import read_jsonl
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.feature_space import Example
from app.language.features import TextAnalyser
from app.language.normalise import compact, nfc
from app.messages import worded
from app.toolbox.snapshot import COMPANY, ToolSnapshot

UTTERANCES = "utterances"
# Tools whose card lines the heads learn: those of the content folder.
LEARNED = ("builtin", COMPANY)
_INSIDE = "inside"
_LABEL_OF_FILE: dict[str, str | None] = {NO_TOOL: NO_TOOL, OUTSIDE: OUTSIDE, _INSIDE: None}
_ASKED = ("query", "user", "question", "text")


@dataclass(frozen=True)
class LabelledLine:
    """A line and what it asks for: a tool, NO_TOOL, OUTSIDE, or None (insurance, but no one tool)."""

    text: str
    label: str | None


@dataclass(frozen=True)
class Utterances:
    """The lines of data/utterances that may be learned from, and what was wrong with the others."""

    lines: tuple[LabelledLine, ...]
    faults: tuple[Fault, ...]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Lines by label ('inside' for those of no one tool)."""
        found: dict[str, int] = {}
        for line in self.lines:
            name = line.label or _INSIDE
            found[name] = found.get(name, 0) + 1
        return found


def training_lines(content_dir: Path, snapshot: ToolSnapshot) -> list[LabelledLine]:
    """Card lines of the shipped tools, no-tool lines, inside and outside examples, and the utterance folder."""
    lines = example_lines(content_dir, snapshot)
    lines += read_utterances(content_dir, snapshot, lines).lines
    return lines


def example_lines(content_dir: Path, snapshot: ToolSnapshot) -> list[LabelledLine]:
    """The training lines without those of the utterance folder."""
    lines = [
        LabelledLine(text, entry.name)
        for entry in snapshot.entries
        if entry.has_own_card and entry.source in LEARNED
        for _, kind, text in entry.card.lines()
        if kind != "tags"
    ]
    lines += [LabelledLine(str(row["text"]), NO_TOOL) for row in read_jsonl(content_dir / "routing" / "no_tool.jsonl")]
    for row in read_jsonl(content_dir / "safety" / "domain_examples.jsonl"):
        lines.append(LabelledLine(str(row["text"]), OUTSIDE if row.get("label") == "out" else None))
    return lines


def read_utterances(content_dir: Path, snapshot: ToolSnapshot, known: Sequence[LabelledLine]) -> Utterances:
    """One line each of data/utterances/{tool name, no_tool, outside, inside}.txt; '#' begins a remark.

    A file of a tool that is not in `snapshot` is passed over (the tool may be switched off), one of an impossible name
    is a fault. Raises DataFaults for a file that cannot be read.
    """
    folder = content_dir / UTTERANCES
    if not folder.is_dir():
        return Utterances((), ())
    asked = evaluation_keys(content_dir)
    owner = {compact(line.text): line.label for line in known}
    shipped = {entry.name for entry in snapshot.entries if entry.has_own_card and entry.source in LEARNED}
    lines: list[LabelledLine] = []
    faults: list[Fault] = []
    for path in sorted(folder.glob("*.txt")):
        place = f"{UTTERANCES}/{path.name}"
        if path.stem not in shipped and path.stem not in _LABEL_OF_FILE:
            faults.append(Fault(place, 0, worded("routing_examples.no_tool", stem=path.stem)))
            continue
        label = _LABEL_OF_FILE.get(path.stem, path.stem)
        for number, text in _text_lines(path):
            key = compact(text)
            if not key:
                continue
            if key in asked:
                faults.append(Fault(place, number, worded("routing_examples.evaluation_line", text=text)))
            elif key in owner:
                if owner[key] != label:
                    faults.append(
                        Fault(place, number, worded("routing_examples.also_in", owner=owner[key] or _INSIDE, text=text))
                    )
            else:
                owner[key] = label
                lines.append(LabelledLine(text, label))
    return Utterances(tuple(lines), tuple(faults))


def evaluation_keys(content_dir: Path) -> frozenset[str]:
    """The letters of every question of data/evaluation (spaces, case and marks left out)."""
    found: set[str] = set()
    for path in sorted((content_dir / "evaluation").glob("*/*.jsonl")):
        for row in read_jsonl(path):
            found.update(compact(text) for text in _questions(row))
    return frozenset(key for key in found if key)


def _questions(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in _ASKED and isinstance(inner, str):
                yield inner
            elif isinstance(inner, (dict, list)):
                yield from _questions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _questions(inner)


def _text_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataFaults([Fault(str(path), 0, worded("files.unreadable", error=error))]) from error
    for number, line in enumerate(text.splitlines(), 1):
        plain = nfc(line).strip()
        if plain and not plain.startswith("#"):
            yield number, plain


def development_lines(content_dir: Path) -> list[LabelledLine]:
    """The development file: `expected` tools (the first one counts), no tool, or a domain label."""
    lines = []
    for row in read_jsonl(content_dir / "evaluation" / "routing" / "development.jsonl"):
        expected = row.get("expected")
        label: str | None = str(expected[0]) if isinstance(expected, list) and expected else NO_TOOL
        if row.get("domain") == "out":
            label = OUTSIDE
        elif row.get("domain") == "in" and not expected:
            label = None
        lines.append(LabelledLine(str(row["query"]), label))
    return lines


def as_examples(lines: Sequence[LabelledLine], analyser: TextAnalyser) -> list[Example]:
    """Lines with their analysis (0.3 ms a line)."""
    return [Example(analyser.analyse(line.text), line.label) for line in lines]

"""What the embedder learns from: public Korean pairs, statute articles, and the utterance bank's training lines."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.language.normalise import compact, nfc

DEVELOPMENT_SHARE = 5
GRADED_HELD_OUT = 8
LAWS_HELD_OUT = 10


class CorpusError(Exception):
    """A data folder lacks a file or a file has another shape than expected."""


@dataclass(frozen=True)
class Graded:
    """Two sentences and how alike people found them, 0 to 1."""

    first: str
    second: str
    score: float


@dataclass(frozen=True)
class Article:
    """One statute article: its law, its title, the first 400 characters of its text."""

    law: str
    title: str
    text: str


@dataclass(frozen=True)
class Corpus:
    """Training material by source, and what is kept aside to measure with."""

    groups: dict[str, tuple[tuple[str, ...], ...]]
    """Source to groups of sentences that say the same thing."""
    graded: tuple[Graded, ...]
    graded_held_out: tuple[Graded, ...]
    articles: tuple[Article, ...]
    articles_held_out: tuple[Article, ...]
    tools: dict[str, tuple[str, ...]]
    """Tool to its training lines."""
    tools_development: dict[str, tuple[str, ...]]
    others: dict[str, tuple[str, ...]]
    """Kind to training lines that want no tool: outside insurance, knowledge, chit-chat, about the assistant."""
    wordless: tuple[str, ...]
    """Insurance questions that hold no insurance word (training lines)."""

    def texts(self) -> Iterator[str]:
        """Every training text."""
        for groups in self.groups.values():
            for group in groups:
                yield from group
        for pair in self.graded:
            yield pair.first
            yield pair.second
        for article in self.articles:
            yield article.title
            yield article.text
        for lines in (*self.tools.values(), *self.others.values(), self.wordless):
            yield from lines


def in_development(text: str) -> bool:
    """Whether a bank line belongs to the development set: one line in five, decided by its letters alone."""
    return int(hashlib.sha256(compact(text).encode()).hexdigest(), 16) % DEVELOPMENT_SHARE == 0


def read_corpus(korean: Path, utterances: Path) -> Corpus:
    """Read both folders. Raises CorpusError naming the file."""
    graded, graded_held_out = _graded(korean / "korsts_train" / "sts-train.tsv")
    articles, articles_held_out = _articles(korean / "law_titles" / "articles.jsonl")
    tools, tools_development, others, wordless = _bank(utterances)
    style = [
        group
        for name in ("train", "dev", "test")
        for group in _tens(row[1] for row in _table(korean / "stylekqc" / f"{name}.tsv")[1:])
    ]
    groups = {
        "stylekqc": tuple(style),
        "parakqc": tuple(_tens(_lines(korean / "parakqc_train800" / "groups.txt"))),
        "sae4k": tuple(
            (row[0], row[1]) for row in _table(korean / "sae4k" / "sae4k_v1.txt") if _differ(row[0], row[1])
        ),
        # label 0 means "the same question" in this set
        "question_pair": tuple(
            (row[0], row[1])
            for name in ("train", "validation", "test")
            for row in _table(korean / "question_pair" / f"{name}.txt")[1:]
            if row[2] == "0" and _differ(row[0], row[1])
        ),
    }
    return Corpus(
        groups, graded, graded_held_out, articles, articles_held_out, tools, tools_development, others, wordless
    )


def _graded(path: Path) -> tuple[tuple[Graded, ...], tuple[Graded, ...]]:
    pairs = [Graded(row[5], row[6], float(row[4]) / 5) for row in _table(path)[1:]]
    held_out = [pair for pair in pairs if _share(pair.first, GRADED_HELD_OUT)]
    seen = {compact(text) for pair in held_out for text in (pair.first, pair.second)}
    kept = [pair for pair in pairs if compact(pair.first) not in seen and compact(pair.second) not in seen]
    return tuple(kept), tuple(held_out)


def _articles(path: Path) -> tuple[tuple[Article, ...], tuple[Article, ...]]:
    kept: list[Article] = []
    held_out: list[Article] = []
    for row in _json_lines(path):
        article = Article(nfc(row["law"]), nfc(row["title"]), nfc(row["text"]))
        if len(article.text) >= 30:
            (held_out if _share(article.law, LAWS_HELD_OUT) else kept).append(article)
    return tuple(kept), tuple(held_out)


def _bank(
    folder: Path,
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], dict[str, tuple[str, ...]], tuple[str, ...]]:
    tools: dict[str, list[str]] = defaultdict(list)
    development: dict[str, list[str]] = defaultdict(list)
    others: dict[str, list[str]] = defaultdict(list)
    wordless: list[str] = []
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise CorpusError(f"{folder}: no *.jsonl; the utterance bank is a folder of lines {{tool, text}}")
    for path in files:
        for row in _json_lines(path):
            text = nfc(row["text"])
            if "tool" in row:
                (development if in_development(text) else tools)[row["tool"]].append(text)
            elif in_development(text):
                continue
            elif row.get("label") == "in":
                wordless.append(text)
            else:
                others["out" if row.get("label") == "out" else row["kind"]].append(text)
    return _frozen(tools), _frozen(development), _frozen(others), tuple(wordless)


def _frozen(lines: dict[str, list[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(lines[name]) for name in sorted(lines)}


def _share(text: str, one_in: int) -> bool:
    return int(hashlib.sha256(compact(text).encode()).hexdigest(), 16) % one_in == 0


def _differ(first: str, second: str) -> bool:
    return compact(first) != compact(second) and len(compact(second)) >= 2


def _tens(lines: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Groups of ten consecutive lines."""
    group: list[str] = []
    for line in lines:
        group.append(line)
        if len(group) == 10:
            yield tuple(group)
            group = []


def _lines(path: Path) -> list[str]:
    if not path.is_file():
        raise CorpusError(f"{path}: missing; the model card says where to get each set")
    return [nfc(line) for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]


def _table(path: Path) -> list[list[str]]:
    if not path.is_file():
        raise CorpusError(f"{path}: missing; the model card says where to get each set")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [[nfc(cell) for cell in row] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row]
    width = len(rows[0])
    return [row for row in rows if len(row) >= width]


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(path), 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            raise CorpusError(f"{path}:{number}: {error}") from error

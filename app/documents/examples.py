"""What is read beside the documents: questions for calibrating the confidence, and the words of the trade."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from app.documents.glossary import GLOSSARY, Glossary, read_entries
from app.errors import DataFaults, Fault
from app.json_lines import read_jsonl
from app.language.concepts import load_concepts
from app.messages import worded
from app.yaml_text import read_yaml

_MOST_OUTSIDERS = 200
_LEXICONS = ("concepts.yaml", "document_words.yaml")


@dataclass(frozen=True)
class Examples:
    """Questions for calibration: what documents answer, and what they surely do not."""

    on_topic: tuple[str, ...] = ()
    off_topic: tuple[str, ...] = ()


def load_examples(content_dir: Path) -> Examples:
    """Card lines of the document tools, and outsiders of the domain examples. Raises DataFaults."""
    return Examples(
        _on_topic(content_dir / "tool_cards" / "rag_tools.yaml"),
        _off_topic(content_dir / "safety" / "domain_examples.jsonl"),
    )


class CustomerWords:
    """Customers' words → words of the trade: the shared concepts, those of documents, and the glossary.

    Safe to share. The glossary is analysed by `warm`, or with the first question that needs it (about 0.25 s).
    """

    def __init__(self, content_dir: Path, words: Callable[[str], Iterable[str]]) -> None:
        """`words` turns a text into content words. Raises DataFaults."""
        files = [path for name in (*_LEXICONS, GLOSSARY) if (path := content_dir / "language" / name).is_file()]
        self._lexicons = [load_concepts(path) for path in files if path.name != GLOSSARY]
        self._entries = tuple(entry for path in files if path.name == GLOSSARY for entry in read_entries(path))
        self._words = words
        self.fingerprint = hashlib.sha256(b"|".join(path.read_bytes() for path in files)).hexdigest()[:12]

    @cached_property
    def _glossary(self) -> Glossary:
        return Glossary.build(self._entries, self._words)

    def warm(self) -> None:
        """Analyse the glossary now."""
        self.trade(frozenset())

    def concepts(self, text: str) -> tuple[str, ...]:
        """Terms of the concepts that a text names."""
        return tuple(dict.fromkeys(term for lexicon in self._lexicons for term in lexicon.expand(text)))

    def trade(self, words: frozenset[str]) -> tuple[str, ...]:
        """Words of the trade for a text's content words."""
        return self._glossary.terms(words)


def _on_topic(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    try:
        cards = read_yaml(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise DataFaults([Fault(path.name, 0, worded("files.yaml_because", error=error))]) from error
    return tuple(str(line) for card in cards or () for line in card.get("when_to_use", ()))


def _off_topic(path: Path) -> tuple[str, ...]:
    if not path.is_file():
        return ()
    found = [str(row["text"]) for row in read_jsonl(path) if row.get("label") == "out"]
    return tuple(found[:: max(1, len(found) // _MOST_OUTSIDERS)])

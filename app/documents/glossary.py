"""Customers' words and the words that documents use for the same thing, matched by morphemes.

Source: data/language/document_glossary.yaml. An entry's saying is met when all of its content morphemes stand in the
question, in any order; the words of its term then count for the question too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from app.errors import DataFaults, Fault
from app.messages import worded
from app.yaml_text import read_model

GLOSSARY = "document_glossary.yaml"
Words = frozenset[str]


class Entry(BaseModel):
    """`term`: words of the trade, `says`: ways customers say it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    term: Annotated[str, Field(min_length=1)]
    says: Annotated[tuple[Annotated[str, Field(min_length=1)], ...], Field(min_length=1)]


def read_entries(path: Path) -> tuple[Entry, ...]:
    """The entries of a file. Raises DataFaults naming every fault."""
    entries = read_model(path, tuple[Entry, ...])
    doubled = [term for term, count in Counter(entry.term for entry in entries).items() if count > 1]
    if doubled:
        raise DataFaults([Fault(path.name, 0, worded("document_glossary.twice", term=term)) for term in doubled])
    return entries


@dataclass(frozen=True)
class Glossary:
    """Sayings by their rarest word, each with the words of its term. Never changed; safe to share."""

    sayings: Mapping[str, tuple[tuple[Words, tuple[str, ...]], ...]]

    @classmethod
    def build(cls, entries: Iterable[Entry], words: Callable[[str], Iterable[str]]) -> Glossary:
        """`words` turns a text into its content words (about 0.2 ms a saying)."""
        told = [(frozenset(words(say)), tuple(words(entry.term))) for entry in entries for say in entry.says]
        counts = Counter(word for saying, _ in told for word in saying)
        found: dict[str, list[tuple[Words, tuple[str, ...]]]] = {}
        for saying, term in told:
            if saying:
                found.setdefault(min(saying, key=lambda word: (counts[word], word)), []).append((saying, term))
        return cls({word: tuple(sayings) for word, sayings in found.items()})

    def terms(self, words: Words) -> tuple[str, ...]:
        """Words of the trade that a question of these words means beside its own, each once."""
        met = (term for word in sorted(words) for saying, term in self.sayings.get(word, ()) if saying <= words)
        return tuple(dict.fromkeys(word for term in met for word in term if word not in words))

"""What a few words ask on about the general question answered just before: by when, where, with which papers, for how
much."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from app.insurance.models import Model
from app.language.normalise import letters
from app.yaml_text import read_yaml


class Facet(Model):
    """A side of a procedure: the words that ask for it (a regex), the side that tells it `also`, the id of the question
    that is answered instead where an entry says nothing of it, or what is said then."""

    name: str
    says: str
    also: str = ""
    instead: str | None = Field(None, alias="else")
    unknown: str | None = None


class _FacetData(Model):
    most_letters: int
    idle: tuple[str, ...]
    facets: tuple[Facet, ...]


@dataclass(frozen=True)
class Facets:
    """data/language/facets.yaml. `asked` is pure."""

    most_letters: int
    idle: frozenset[str]
    tried: tuple[tuple[Facet, re.Pattern[str]], ...]

    @property
    def instead(self) -> frozenset[str]:
        """The entries that tell a side of others."""
        return frozenset(facet.instead for facet, _ in self.tried if facet.instead)

    def unknown_in(self, answer: str) -> bool:
        """Whether it was said there that a side is not known."""
        return any(facet.unknown in answer for facet, _ in self.tried if facet.unknown)

    @classmethod
    def load(cls, path: Path) -> Facets:
        """Raises OSError, yaml.YAMLError or pydantic's ValidationError."""
        data = _FacetData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
        tried = tuple((facet, re.compile(facet.says)) for facet in data.facets)
        return cls(data.most_letters, frozenset(data.idle), tried)

    def asked(self, text: str, about: frozenset[str], words: Callable[[str], frozenset[str]]) -> Facet | None:
        """The side that a message asks for which names nothing but it and what it is `about`; None for any other."""
        if len(letters(text)) > self.most_letters:
            return None
        found = next(((facet, match) for facet, says in self.tried if (match := says.search(text))), None)
        if found is None:
            return None
        facet, match = found
        said = match.group()
        named = {word for word in words(text) if not (word in said or word in self.idle or f"{word}다" in self.idle)}
        return None if named - about else facet

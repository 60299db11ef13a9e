"""Customers' words and the insurance terms they mean: 깨면 얼마 돌려받아 -> 해약환급금. Source:
data/language/concepts.yaml."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.language.normalise import compact, nfc
from app.messages import worded
from app.yaml_text import read_yaml


class Concept(BaseModel):
    """One concept: the term of the trade and the ways customers say it.

    `says` are plain stems matched with spaces ignored; `all_of` are groups of which each must have one word in the text
    (돈 + 돌려받), for meanings that take two words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    term: Annotated[str, Field(min_length=1)]
    says: tuple[Annotated[str, Field(min_length=1)], ...] = ()
    all_of: tuple[tuple[str, ...], ...] = ()
    unless: tuple[str, ...] = Field((), description=worded("concepts.not_this"))


class ConceptLexicon:
    """Finds the concepts of a text. Built once; `expand` is pure and takes a fraction of a millisecond."""

    def __init__(self, concepts: tuple[Concept, ...]) -> None:
        self._concepts = concepts
        self._patterns: list[
            tuple[str, re.Pattern[str] | None, tuple[re.Pattern[str], ...], re.Pattern[str] | None]
        ] = []
        for concept in concepts:
            self._patterns.append(
                (
                    concept.term,
                    _any_of(concept.says),
                    tuple(pattern for group in concept.all_of if (pattern := _any_of(group)) is not None),
                    _any_of(concept.unless),
                )
            )

    def __len__(self) -> int:
        return len(self._concepts)

    def expand(self, text: str) -> tuple[str, ...]:
        """Terms of the concepts found, each once, in the order of the file; () when the text names none."""
        # One-syllable says must begin a word, so word starts are kept as a mark; everything else ignores spaces.
        plain = "".join(f"|{key}" for word in nfc(text).split() if (key := compact(word)))
        joined = plain.replace("|", "")
        found: list[str] = []
        for term, says, all_of, unless in self._patterns:
            if term in found or (unless is not None and unless.search(joined)):
                continue
            if (says is not None and (says.search(joined) or says.search(plain))) or (
                all_of and all(p.search(joined) for p in all_of)
            ):
                found.append(term)
        return tuple(found)


def _any_of(words: tuple[str, ...]) -> re.Pattern[str] | None:
    keys = []
    for word in words:
        key = compact(word)
        if key:
            # '^' in the file and one-syllable stems: only at the start of a word.
            keys.append(rf"\|{re.escape(key)}" if word.startswith("^") or len(key) == 1 else re.escape(key))
    return re.compile("|".join(keys)) if keys else None


def load_concepts(path: Path) -> ConceptLexicon:
    """The lexicon of a file. Raises DataFaults naming every fault."""
    try:
        concepts = TypeAdapter(tuple[Concept, ...]).validate_python(read_yaml(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise DataFaults([Fault(path.name, 0, worded("files.missing"))]) from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise DataFaults([Fault(path.name, mark.line + 1 if mark else 0, worded("files.yaml"))]) from error
    except ValidationError as error:
        raise DataFaults(
            [Fault(path.name, 0, f"{'.'.join(map(str, item['loc']))}: {item['msg']}") for item in error.errors()]
        ) from error
    empty = [concept.term for concept in concepts if not concept.says and not concept.all_of]
    doubled = sorted({c.term for c in concepts if sum(other.term == c.term for other in concepts) > 1})
    faults = [Fault(path.name, 0, worded("concepts.no_expression", term=term)) for term in empty]
    faults += [Fault(path.name, 0, worded("concepts.twice", term=term)) for term in doubled]
    if faults:
        raise DataFaults(faults)
    return ConceptLexicon(concepts)

"""The closed word lists of data/language (kinship.yaml, lexicon.yaml), loaded and checked once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import ChannelName, CoverageType, Gender
from app.insurance.reference import ContractAction
from app.language.phrases import PhraseTable
from app.messages import worded
from app.yaml_text import read_yaml

T = TypeVar("T")


class KinshipEntry(BaseModel):
    """One line of kinship.yaml. `speaker`: the gender of whoever uses these words (시어머니 is a woman's word).
    `of_oneself`: people say these words of themselves, too (38 애아빠예요)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: str
    gender: Gender | None = None
    speaker: Gender | None = None
    of_oneself: bool = False
    terms: tuple[str, ...]


class LexiconFile(BaseModel):
    """lexicon.yaml: each list maps a value to the words that mean it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    channels: dict[ChannelName, tuple[str, ...]]
    actions: dict[ContractAction, tuple[str, ...]]
    topics: dict[str, tuple[str, ...]]
    coverage_types: dict[CoverageType, tuple[str, ...]]
    goals: dict[str, tuple[str, ...]]
    plans: dict[str, tuple[str, ...]]
    cycles: dict[str, tuple[str, ...]]
    states: dict[str, tuple[str, ...]]
    scripts: dict[str, tuple[str, ...]]
    documents: dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lexicon:
    """Both files as phrase tables, ready for matching. Build with `load_lexicon`."""

    kinship: PhraseTable[KinshipEntry]
    channels: PhraseTable[ChannelName]
    actions: PhraseTable[ContractAction]
    topics: PhraseTable[str]
    coverages: PhraseTable[CoverageType]
    goals: PhraseTable[str]
    plans: PhraseTable[str]
    cycles: PhraseTable[str]
    states: PhraseTable[str]
    scripts: PhraseTable[str]
    documents: PhraseTable[str]


def load_lexicon(folder: Path, plans: Iterable[str] = ()) -> Lexicon:
    """The lexicon of `folder` (data/language) with the names of the `plans` that are sold. Raises DataFaults with every
    fault of both files."""
    faults: list[Fault] = []
    kinship = _read(folder / "kinship.yaml", TypeAdapter(tuple[KinshipEntry, ...]), faults)
    words = _read(folder / "lexicon.yaml", TypeAdapter(LexiconFile), faults)
    if words is not None and (missing := set(get_args(ContractAction)) - set(words.actions)):
        faults.append(Fault("lexicon.yaml", 0, worded("lexicon.missing_words", missing=", ".join(sorted(missing)))))
    if faults or kinship is None or words is None:
        raise DataFaults(faults)
    return Lexicon(
        kinship=PhraseTable((term, entry) for entry in kinship for term in entry.terms),
        channels=_table(words.channels),
        actions=_table(words.actions),
        topics=_table(words.topics),
        coverages=_table(words.coverage_types),
        goals=_table(words.goals),
        plans=_table({**{name: (name,) for name in plans if " " not in name}, **words.plans}),
        cycles=_table(words.cycles),
        states=_table(words.states),
        scripts=_table(words.scripts),
        documents=_table(words.documents),
    )


def _table(groups: dict[T, tuple[str, ...]]) -> PhraseTable[T]:
    return PhraseTable((phrase, value) for value, phrases in groups.items() for phrase in phrases)


def _read(path: Path, shape: TypeAdapter[T], faults: list[Fault]) -> T | None:
    try:
        return shape.validate_python(read_yaml(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        faults.append(Fault(path.name, 0, worded("files.missing")))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        faults.append(Fault(path.name, mark.line + 1 if mark else 0, worded("files.yaml")))
    except ValidationError as error:
        faults.extend(
            Fault(path.name, 0, f"{'.'.join(map(str, item['loc']))}: {item['msg']}") for item in error.errors()
        )
    return None

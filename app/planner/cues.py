"""Plain cues: words that name a tool's business outright, from data/language/cues.yaml."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model

# '해지 절차 말고 계약 건수만': the plain words are the ones that are not meant.
_TAKEN_BACK = re.compile(r"말고|아니라|아니고|됐고|빼고")


class Cue(Model):
    """One cue; see the head of the data file."""

    tool: str
    says: str
    unless: str | None = None
    names: tuple[str, ...] = Field((), description="하나는 있어야 하는 언급 종류 (Entities의 필드 이름). 비면 상관없음")


@dataclass(frozen=True)
class _Compiled:
    tool: str
    says: re.Pattern[str]
    unless: re.Pattern[str] | None
    names: frozenset[str]


class CueReader:
    """Tries the cues on a question. Raises DataFaults when the file is broken."""

    def __init__(self, path: Path) -> None:
        try:
            cues = TypeAdapter(list[Cue]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
            self._cues = tuple(
                _Compiled(
                    cue.tool,
                    re.compile(cue.says),
                    re.compile(cue.unless) if cue.unless else None,
                    frozenset(cue.names),
                )
                for cue in cues
            )
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, str(error))]) from error

    def tools(self, question: str, kinds: Collection[str]) -> tuple[str, ...]:
        """The tools whose cues fit a question with these kinds of mention, in the order of the file."""
        if _TAKEN_BACK.search(question):
            return ()
        present = set(kinds)
        return tuple(
            dict.fromkeys(
                cue.tool
                for cue in self._cues
                if (not cue.names or cue.names & present)
                and cue.says.search(question)
                and not (cue.unless and cue.unless.search(question))
            )
        )

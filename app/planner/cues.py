"""Plain cues: words that name a tool's business outright, from data/language/cues.yaml.

A cue with `after` speaks only after one of those tools: '서류는요' means a claim's papers after how to claim.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.messages import worded
from app.yaml_text import read_yaml

# '해지 절차 말고 계약 건수만': what stands before 말고 is not meant, what follows is.
_TAKEN_BACK = re.compile(r"^.*?(?:말고(?!도|는\s?없)|아니라|아니고|됐고|빼고)\s?")


class Cue(Model):
    """One cue; see the head of the data file."""

    tool: str
    says: str
    unless: str | None = None
    names: tuple[str, ...] = Field((), description=worded("cues.any_of"))
    needs: tuple[str, ...] = Field((), description=worded("cues.all_of"))
    lacks: tuple[str, ...] = Field((), description=worded("cues.none_of"))
    after: tuple[str, ...] = Field((), description=worded("cues.last"))
    instead_of: tuple[str, ...] = Field((), description=worded("cues.stands_in"))
    whole: bool = False


@dataclass(frozen=True)
class _Compiled:
    tool: str
    says: re.Pattern[str]
    unless: re.Pattern[str] | None
    names: frozenset[str]
    needs: frozenset[str]
    lacks: frozenset[str]
    after: frozenset[str]
    instead_of: frozenset[str]
    whole: bool

    def fits(self, question: str, present: frozenset[str]) -> bool:
        if (self.names and not self.names & present) or not self.needs <= present or self.lacks & present:
            return False
        return bool(self.says.search(question)) and not (self.unless and self.unless.search(question))


class CueReader:
    """Tries the cues on a question. Raises DataFaults when the file is broken."""

    def __init__(self, path: Path) -> None:
        try:
            cues = TypeAdapter(list[Cue]).validate_python(read_yaml(path.read_text(encoding="utf-8")))
            self._cues = tuple(
                _Compiled(
                    cue.tool,
                    re.compile(cue.says),
                    re.compile(cue.unless) if cue.unless else None,
                    frozenset(cue.names),
                    frozenset(cue.needs),
                    frozenset(cue.lacks),
                    frozenset(cue.after),
                    frozenset(cue.instead_of),
                    cue.whole,
                )
                for cue in cues
            )
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, str(error))]) from error

    def tools(self, question: str, kinds: Collection[str]) -> tuple[str, ...]:
        """The tools whose cues fit a question with these kinds of mention, in the order of the file."""
        meant, present = meant_words(question), frozenset(kinds)
        speaking = (cue for cue in self._cues if not cue.after and not cue.instead_of)
        return tuple(dict.fromkeys(cue.tool for cue in speaking if cue.fits(meant, present)))

    def instead(
        self, routed: str, question: str, kinds: Collection[str], last_tool: str | None = None, story: str = ""
    ) -> str | None:
        """The tool that these words mean where they were taken for `routed`, right after `last_tool`; None where they
        were taken rightly. `story` is the message that the question is a part of."""
        present = frozenset(kinds)
        fitting = (
            cue.tool
            for cue in self._cues
            if routed in cue.instead_of
            and (not cue.after or last_tool in cue.after)
            and cue.fits(meant_words(story if cue.whole and story else question), present)
        )
        return next(fitting, None)

    def continuing(self, question: str, kinds: Collection[str], last_tool: str | None) -> str | None:
        """The tool that these words mean right after `last_tool`; None when they mean nothing special there."""
        meant, present = meant_words(question), frozenset(kinds)
        speaking = (cue for cue in self._cues if last_tool in cue.after and not cue.instead_of)
        fitting = (cue.tool for cue in speaking if cue.fits(meant, present))
        return next(fitting, None)


def meant_words(question: str) -> str:
    """The question without what it rules out: '깨지 말고 대출 받는 건요' means '대출 받는 건요'."""
    return _TAKEN_BACK.sub("", question)

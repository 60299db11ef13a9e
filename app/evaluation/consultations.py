"""Whole consultations: what an answer must and must not hold, and that no answer comes twice."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.answering.repeating import repeats
from app.evaluation.dialogues import CaseFault
from app.messages import worded


@dataclass(frozen=True)
class Consulted:
    """One message, and the patterns that its answer must (`must`) and may not (`never`) hold."""

    user: str
    must: tuple[re.Pattern[str], ...] = ()
    never: tuple[re.Pattern[str], ...] = ()

    def misses(self, answer: str, before: str | None) -> tuple[str, ...]:
        """Why an answer does not pass; empty where it does. `before` is the answer of the turn before."""
        lacking = [
            worded("consultation_cases.lacks", pattern=pattern.pattern)
            for pattern in self.must
            if not pattern.search(answer)
        ]
        wrong = [
            worded("consultation_cases.holds", pattern=pattern.pattern)
            for pattern in self.never
            if pattern.search(answer)
        ]
        return (
            *lacking,
            *wrong,
            *([worded("consultation_cases.repeats")] if before is not None and repeats(before, answer) else []),
        )


@dataclass(frozen=True)
class Consultation:
    """One talk, in one thread."""

    id: str
    kind: str
    turns: tuple[Consulted, ...]


def load_consultations(path: Path) -> tuple[Consultation, ...]:
    """The talks of a JSON-lines file (`must`, `not`: lists of patterns). Raises CaseFault with the wrong line."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseFault(path, 0, worded("files.unreadable_in", error=error)) from error
    talks = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            raw = json.loads(line)
            turns = tuple(
                Consulted(turn["user"], _patterns(turn.get("must", ())), _patterns(turn.get("not", ())))
                for turn in raw["turns"]
            )
            talks.append(Consultation(str(raw.get("id", number)), str(raw.get("kind", "")), turns))
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError, re.error) as error:
            raise CaseFault(
                path, number, worded("consultation_cases.not_a_case", error=type(error).__name__, reason=error)
            ) from error
    if not talks:
        raise CaseFault(path, 0, worded("consultation_cases.empty"))
    return tuple(talks)


def _patterns(texts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, texts))

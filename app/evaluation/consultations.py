"""Whole consultations: what an answer must and must not hold, and that no answer comes twice."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.answering.repeating import repeats
from app.json_lines import read_lines
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
    """The talks of a JSON-lines file (`must`, `not`: lists of patterns). Raises DataFaults with every line that is
    none."""
    return tuple(read_lines(path, _consultation, some=True))


def _consultation(number: int, raw: dict[str, Any]) -> Consultation:
    turns = tuple(
        Consulted(turn["user"], _patterns(turn.get("must", ())), _patterns(turn.get("not", ())))
        for turn in raw["turns"]
    )
    return Consultation(str(raw.get("id", number)), str(raw.get("kind", "")), turns)


def _patterns(texts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, texts))

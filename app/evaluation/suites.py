"""What can be measured: the routing questions of the data folder, the talks of this project, the saved cases."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.adapters.case_store import CaseStore, SavedCase
from app.errors import NotFound
from app.evaluation.dialogues import Call, Dialogue, Turn, load_dialogues
from app.messages import worded
from app.routing.evaluation import Case, case_of, load_cases

SuiteKind = Literal["routing", "dialogue", "saved"]
SAVED = "saved"
_ROUTING = {
    "routing": ("cases.jsonl",),
    "development": ("development.jsonl",),
    "independent": ("independent_tools.jsonl", "independent_no_tool.jsonl"),
}
_TALKS = {"dialogues": "own.jsonl"}


@dataclass(frozen=True)
class Suite:
    """A set of cases by its id. `total` counts what a run goes through: questions, or turns of talks."""

    id: str
    kind: SuiteKind
    total: int


@dataclass(frozen=True)
class Suited:
    """The cases of a suite: questions to route, and talks to hold.

    `unscored[id]` counts the turns at the start of a talk that only lead up to what is judged.
    """

    questions: tuple[Case, ...] = ()
    talks: tuple[Dialogue, ...] = ()
    unscored: tuple[tuple[str, int], ...] = ()

    @property
    def total(self) -> int:
        """Questions, and turns of talks."""
        return len(self.questions) + sum(len(talk.turns) for talk in self.talks)


class Suites:
    """Reads the suites. A suite whose files are not there is not offered."""

    def __init__(self, content_dir: Path, cases: CaseStore) -> None:
        self._routing, self._talks = content_dir / "evaluation" / "routing", content_dir / "dialogues"
        self._cases = cases

    async def all(self) -> list[Suite]:
        """Every suite that can be run, with its size."""
        found = []
        for name in (*_ROUTING, *_TALKS):
            if all(path.is_file() for path in self._files(name)):
                kind: SuiteKind = "routing" if name in _ROUTING else "dialogue"
                found.append(Suite(name, kind, (await asyncio.to_thread(self._read, name)).total))
        return [*found, Suite(SAVED, "saved", (await self._saved()).total)]

    async def read(self, name: str) -> Suited:
        """The cases of a suite. Raises NotFound, and DataFaults for a broken file."""
        if name == SAVED:
            return await self._saved()
        if name not in (*_ROUTING, *_TALKS) or not all(path.is_file() for path in self._files(name)):
            raise NotFound(worded("suites.not_found", name=name))
        return await asyncio.to_thread(self._read, name)

    def _files(self, name: str) -> list[Path]:
        if name in _ROUTING:
            return [self._routing / file for file in _ROUTING[name]]
        return [self._talks / _TALKS[name]]

    def _read(self, name: str) -> Suited:
        if name in _TALKS:
            return Suited(talks=load_dialogues(self._talks / _TALKS[name]))
        return Suited(tuple(case for path in self._files(name) for case in load_cases(path)))

    async def _saved(self) -> Suited:
        saved, _ = await self._cases.list()
        talks = [case for case in saved if case.kind == "dialogue"]
        return Suited(
            tuple(case_of(case) for case in saved if case.kind == "routing"),
            tuple(map(as_talk, talks)),
            tuple((case.case_id, len(case.history)) for case in talks),
        )


def as_talk(saved: SavedCase) -> Dialogue:
    """A saved turn of a conversation as a talk: the questions before it, then the one that is judged."""
    first, *twins = saved.expected_tools or ("",)
    calls = (Call(first, saved.expected_args.get(first, {})),) if first else ()
    before = tuple(Turn(text, ()) for text in saved.history)
    return Dialogue(saved.case_id, "", (*before, Turn(saved.query, calls, also_ok=tuple(twins))))

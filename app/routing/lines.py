"""The lines of all cards laid out tool by tool, and the ways in which line scores add up to a tool's score."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from app.toolbox.snapshot import ToolEntry

Floats = NDArray[np.float32]

_LINES_FOR_ONE = 16
PURPOSE, GLOSS = "purpose", "gloss"


@dataclass(frozen=True)
class Line:
    """One indexed line of a card: document id, type (purpose, use, tags; gloss for a translation) and text."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True)
class LineTable:
    """All lines, those of one tool side by side. `starts[i]` is tool i's first line; a last entry closes the row."""

    names: tuple[str, ...]
    lines: tuple[Line, ...]
    starts: NDArray[np.intp]
    entries: tuple[ToolEntry, ...] = ()

    @classmethod
    def of(
        cls,
        entries: Sequence[ToolEntry],
        gloss: Callable[[str], str] | None = None,
        previous: LineTable | None = None,
    ) -> LineTable:
        """The table of these tools in their order. `gloss` puts the English of a tool without a card into Korean.

        The lines of a card that `previous` (made with the same gloss) holds as the same object are taken over.
        """
        known = {entry.name: i for i, entry in enumerate(previous.entries)} if previous is not None else {}
        lines: list[Line] = []
        starts = [0]
        for entry in entries:
            place = known.get(entry.name)
            if previous is not None and place is not None and _unchanged(entry, previous.entries[place]):
                lines += previous.lines_of(place)
            else:
                lines += _lines_of(entry, gloss)
            starts.append(len(lines))
        names = tuple(entry.name for entry in entries)
        return cls(names, tuple(lines), np.asarray(starts, dtype=np.intp), tuple(entries))

    def tool_of(self, line: int) -> str:
        """The name of the tool whose line this is."""
        return self.names[int(np.searchsorted(self.starts, line, side="right")) - 1]

    def lines_of(self, tool: int) -> tuple[Line, ...]:
        """The lines of one tool, by its number."""
        return self.lines[self.starts[tool] : self.starts[tool + 1]]

    def best(self, scores: Floats, count: int) -> Floats:
        """For each tool the mean of its best lines: `count` of them, fewer where it has fewer than 16 lines for each.

        Five of six lines are a tool's average and five of a hundred its best, so that without this a tool that was
        just added would always lie behind.
        """
        padded = np.append(scores, np.float32(-np.inf))
        result = np.zeros(len(self.names), dtype=np.float32)
        for tools, grid, kept in self._groups:
            held = padded[grid]
            width = min(count, held.shape[1])
            if held.shape[1] > width:
                held = np.partition(held, held.shape[1] - width, axis=1)[:, -width:]
            held = np.sort(held, axis=1)[:, ::-1]
            used = np.minimum(kept, width)
            result[tools] = np.where(np.arange(width) < used[:, None], held, 0.0).sum(axis=1) / used
        return result

    @cached_property
    def _groups(self) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]], ...]:
        """Tools of like size together, so that thousands of small ones cost little: tools, their lines, lines kept."""
        sizes = np.diff(self.starts)
        groups = []
        edges = (0, 4, 16, 64, int(max(sizes.max(initial=1), 65)))
        for low, high in pairwise(edges):
            tools = np.flatnonzero((sizes > low) & (sizes <= high))
            if len(tools):
                grid = self.starts[tools, None] + np.arange(int(sizes[tools].max()))
                grid[grid >= self.starts[tools + 1][:, None]] = len(self.lines)
                groups.append((tools, grid, np.ceil(sizes[tools] / _LINES_FOR_ONE).astype(np.intp)))
        return tuple(groups)

    def best_line(self, scores: Floats, tool: int) -> int:
        """The place of the best line of one tool."""
        begin, end = self.starts[tool], self.starts[tool + 1]
        return int(begin + np.argmax(scores[begin:end]))


def _unchanged(entry: ToolEntry, older: ToolEntry) -> bool:
    return entry.card is older.card and entry.has_own_card == older.has_own_card


def _lines_of(entry: ToolEntry, gloss: Callable[[str], str] | None) -> list[Line]:
    lines = [Line(*line) for line in entry.card.lines()]
    if gloss is not None and not entry.has_own_card and (told := gloss(f"{entry.name} {entry.card.purpose}")):
        lines.append(Line(f"tool_{entry.name}__gloss", GLOSS, told))
    return lines

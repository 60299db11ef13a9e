"""The lines of all cards laid out tool by tool, and the ways in which line scores add up to a tool's score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.toolbox.snapshot import ToolEntry

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Line:
    """One indexed line of a card: document id, type (purpose, use, tags) and text."""

    id: str
    kind: str
    text: str


@dataclass(frozen=True)
class LineTable:
    """All lines, those of one tool side by side. `starts[i]` is the first line of tool i; a last entry closes the row.

    `grid[i]` holds the places of tool i's lines, filled up with one place beyond the last line.
    """

    names: tuple[str, ...]
    lines: tuple[Line, ...]
    starts: NDArray[np.intp]
    grid: NDArray[np.intp]

    @classmethod
    def of(cls, entries: Sequence[ToolEntry]) -> LineTable:
        """The table of these tools in their order."""
        lines: list[Line] = []
        starts = [0]
        for entry in entries:
            lines += [Line(*line) for line in entry.card.lines()]
            starts.append(len(lines))
        begin = np.asarray(starts, dtype=np.intp)
        widest = int(np.diff(begin).max(initial=1))
        grid = begin[:-1, None] + np.arange(widest)
        grid[grid >= begin[1:, None]] = len(lines)
        return cls(tuple(entry.name for entry in entries), tuple(lines), begin, grid)

    def tool_of(self, line: int) -> str:
        """The name of the tool whose line this is."""
        return self.names[int(np.searchsorted(self.starts, line, side="right")) - 1]

    def best(self, scores: Floats, count: int) -> Floats:
        """For each tool the mean of its `count` best lines; of fewer lines if it has fewer."""
        padded = np.append(scores, np.float32(0.0))[self.grid]
        if padded.shape[1] > count:
            padded = np.partition(padded, padded.shape[1] - count, axis=1)[:, -count:]
        shares: Floats = padded.sum(axis=1) / np.minimum(np.diff(self.starts), count).clip(1).astype(np.float32)
        return shares

    def best_line(self, scores: Floats, tool: int) -> int:
        """The place of the best line of one tool."""
        begin, end = self.starts[tool], self.starts[tool + 1]
        return int(begin + np.argmax(scores[begin:end]))

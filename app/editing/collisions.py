"""Lines of different cards that mean nearly the same: a question like both could be answered by either tool."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.routing.tool_index import ToolIndex

Places = NDArray[np.intp]
# Of the shipped lines, 1 % are as near as 0.82 to another tool's line, and one in a thousand as near as 0.9.
NEAR = 0.85
_ROWS_AT_ONCE = 256
_MOST_TOLD = 12


@dataclass(frozen=True)
class Collision:
    """A line of `tool` and the nearest line of another tool. `likeness` is the cosine of their vectors (0-1)."""

    tool: str
    line: str
    other: str
    other_line: str
    likeness: float


def collisions(index: ToolIndex, tool: str | None = None, least: float = NEAR) -> tuple[Collision, ...]:
    """Every line whose nearest line of another tool is at least so near, the nearest first; of one tool when it is
    named. None while there is no embedding source. All of 5,700 lines take 0.4 s, one tool's a hundredth of it."""
    if index.embedding is None:
        return ()
    table, matrix = index.embedding.table, index.embedding.matrix
    owner: Places = np.repeat(np.arange(len(table.names)), np.diff(table.starts))
    wanted = np.arange(len(matrix)) if tool is None else np.flatnonzero(owner == table.names.index(tool))
    found = []
    for begin in range(0, len(wanted), _ROWS_AT_ONCE):
        rows = wanted[begin : begin + _ROWS_AT_ONCE]
        likeness = matrix[rows] @ matrix.T
        likeness[owner[rows, None] == owner[None, :]] = -1.0
        best = likeness.argmax(axis=1)
        for place, (row, other) in enumerate(zip(rows.tolist(), best.tolist(), strict=True)):
            near = float(likeness[place, other])
            if near >= least:
                one, two = table.lines[row].text, table.lines[other].text
                found.append(Collision(table.tool_of(row), one, table.tool_of(other), two, round(near, 3)))
    return tuple(sorted(found, key=lambda item: -item.likeness))


def told(found: tuple[Collision, ...]) -> list[dict[str, object]]:
    """The nearest few as JSON data."""
    return [dict(item.__dict__) for item in found[:_MOST_TOLD]]

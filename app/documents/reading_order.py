"""The order in which a person reads the lines of a page: columns left to right, each top to bottom (XY-cut)."""

from __future__ import annotations

from collections.abc import Sequence

from app.documents.shapes import Box, Line

_GUTTER = 10.0
_LEAST_LINES = 6
_ROW_GAP = 3.0


def in_reading_order(lines: Sequence[Line], width: float) -> list[Line]:
    """The same lines, reordered. Lines on one baseline become neighbours; a page of one column goes top to bottom."""
    boxed = [line for line in lines if line.box is not None]
    return _cut(boxed, width)


def _box(line: Line) -> Box:
    assert line.box is not None
    return line.box


def _cut(lines: list[Line], width: float) -> list[Line]:
    """Cut at full-width bands first (titles over two columns), then at a gutter, else sort by rows."""
    if len(lines) < 2:
        return lines
    gutter = _gutter(lines, width)
    if gutter is not None:
        left = [line for line in lines if _box(line)[2] <= gutter + _GUTTER / 2]
        right = [line for line in lines if _box(line)[0] >= gutter - _GUTTER / 2]
        if len(left) + len(right) == len(lines):
            return _cut(left, width) + _cut(right, width)
        return _bands(lines, gutter)
    return sorted(lines, key=_by_row)


def _bands(lines: list[Line], gutter: float) -> list[Line]:
    """Lines that cross the gutter split the page into bands, read one after the other."""
    crossing = sorted(
        (line for line in lines if _box(line)[0] < gutter - 1 and _box(line)[2] > gutter + 1),
        key=lambda line: _box(line)[1],
    )
    rest = [line for line in lines if line not in crossing]
    ordered: list[Line] = []
    for bar in crossing:
        above = [line for line in rest if _box(line)[3] <= _box(bar)[3]]
        rest = [line for line in rest if _box(line)[3] > _box(bar)[3]]
        ordered += _columns(above, gutter)
        ordered.append(bar)
    return ordered + _columns(rest, gutter)


def _columns(lines: list[Line], gutter: float) -> list[Line]:
    left = [line for line in lines if _box(line)[0] < gutter]
    right = [line for line in lines if _box(line)[0] >= gutter]
    return sorted(left, key=_by_row) + sorted(right, key=_by_row)


def _by_row(line: Line) -> tuple[int, float]:
    """Top to bottom by the middle of the line, then left to right."""
    box = _box(line)
    return round((box[1] + box[3]) / 2 / _ROW_GAP), box[0]


def _gutter(lines: list[Line], width: float) -> float | None:
    """The middle of an empty upright strip with enough lines on both sides; None for one column."""
    if len(lines) < 2 * _LEAST_LINES:
        return None
    for place in (width * share / 100 for share in range(40, 61, 2)):
        crossing = sum(
            1 for line in lines if _box(line)[0] < place - _GUTTER / 2 and _box(line)[2] > place + _GUTTER / 2
        )
        left = [line for line in lines if _box(line)[2] <= place + _GUTTER / 2]
        right = [line for line in lines if _box(line)[0] >= place - _GUTTER / 2]
        enough = len(left) >= _LEAST_LINES and len(right) >= _LEAST_LINES and crossing <= len(lines) * 0.2
        # a contents list has titles left and numbers right, but its right side is narrow
        wide = right and max(_box(line)[2] - _box(line)[0] for line in right) > width * 0.2
        if enough and wide:
            return place
    return None

"""Ruled tables: the grid by pdfplumber's geometry, the words as PyMuPDF reads them, so that no figure is altered.

Only the page's ruling lines go through pdfplumber's functions; reading its characters too would cost 300 ms a page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

import pymupdf
from pdfplumber.table import cells_to_tables, edges_to_intersections, intersections_to_cells, merge_edges

from app.documents.headings import clean
from app.documents.shapes import Box, Table

_TOLERANCE = 3.0
_LEAST_EDGE = 6.0
_MOST_EDGES = 4_000
_THIN = 2.5
_ROW_TOLERANCE = 4.0
_TOUCHING = 0.8


def ruled_tables(page: pymupdf.Page, number: int) -> list[Table]:
    """The ruled tables of a page, top to bottom; none for a page without ruling lines."""
    edges = list(_edges(page))
    if len(edges) < 4 or len(edges) > _MOST_EDGES:
        return []
    merged = merge_edges(edges, _TOLERANCE, _TOLERANCE, _TOLERANCE, _TOLERANCE)
    cells = intersections_to_cells(edges_to_intersections(merged, _TOLERANCE, _TOLERANCE))
    found: list[Table] = []
    words: list[tuple[Any, ...]] | None = None
    for grid in cells_to_tables(cells):
        lines = _rows(grid)
        if len(lines) < 2 or max(len(line) for line in lines) < 2:
            continue
        if words is None:
            words = page.get_text("words", flags=pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP)
        rows = _fill(lines, words)
        if any(any(row) for row in rows):
            found.append(Table(tuple(rows), number, _around(grid), (number,) * len(rows), tuple(_row_boxes(lines))))
    return sorted(found, key=lambda table: table.box[1] if table.box else 0.0)


def _edges(page: pymupdf.Page) -> Iterator[dict[str, Any]]:
    for drawing in page.get_cdrawings():
        for item in drawing["items"]:
            if item[0] == "l":
                (x0, y0), (x1, y1) = item[1], item[2]
                yield from _edge(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                if drawing.get("color") is None and min(x1 - x0, y1 - y0) > _THIN:
                    continue  # a shaded area, no ruling
                for box in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
                    yield from _edge(*box)


def _edge(x0: float, y0: float, x1: float, y1: float) -> Iterator[dict[str, Any]]:
    flat, upright = y1 - y0 <= _THIN and x1 - x0 >= _LEAST_EDGE, x1 - x0 <= _THIN and y1 - y0 >= _LEAST_EDGE
    if flat or upright:
        yield {
            "x0": x0, "x1": x1, "top": y0, "bottom": y1, "width": x1 - x0, "height": y1 - y0,
            "orientation": "h" if flat else "v", "object_type": "line",
        }  # fmt: skip


def _rows(grid: Sequence[Box]) -> list[list[Box]]:
    """Cells of a table by rows, left to right."""
    by_top: dict[float, list[Box]] = {}
    for cell in grid:
        by_top.setdefault(round(cell[1], 1), []).append(cell)
    return [sorted(by_top[top]) for top in sorted(by_top)]


def _fill(lines: list[list[Box]], words: Sequence[tuple[Any, ...]]) -> list[tuple[str, ...]]:
    """Cell texts; a cell that spans several columns or rows is repeated in each, so every row reads alone."""
    lefts = sorted({round(cell[0], 1) for line in lines for cell in line})
    tops = [line[0][1] for line in lines]
    grid = [["" for _ in lefts] for _ in lines]
    for line in lines:
        for cell in line:
            text = _text(cell, words)
            for r, top in enumerate(tops):
                for c, left in enumerate(lefts):
                    if cell[1] - 1 <= top < cell[3] - 1 and cell[0] - 1 <= left < cell[2] - 1:
                        grid[r][c] = text
    return [tuple(row) for row in grid]


def _text(cell: Box, words: Sequence[tuple[Any, ...]]) -> str:
    x0, y0, x1, y1 = cell
    inside = [w for w in words if x0 <= (w[0] + w[2]) / 2 <= x1 and y0 <= (w[1] + w[3]) / 2 <= y1]
    text, before = "", None
    for row, word in _in_rows(inside):
        # runs of one word come apart where the font changes: put them together when nothing lies between
        touching = before is not None and before[0] == row and word[0] - before[1] < _TOUCHING
        text += word[4] if touching or not text else f" {word[4]}"
        before = (row, word[2])
    return clean(text)


def _in_rows(words: list[tuple[Any, ...]]) -> list[tuple[int, tuple[Any, ...]]]:
    """Words with their row; fonts of one row differ in height, so rows are told by the middle of a word."""
    placed: list[tuple[int, tuple[Any, ...]]] = []
    row, middle = -1, -1e9
    for word in sorted(words, key=lambda w: (w[1] + w[3]) / 2):
        at = (word[1] + word[3]) / 2
        if at - middle > _ROW_TOLERANCE:
            row, middle = row + 1, at
        placed.append((row, word))
    return sorted(placed, key=lambda pair: (pair[0], pair[1][0]))


def _around(grid: Sequence[Box]) -> Box:
    return min(c[0] for c in grid), min(c[1] for c in grid), max(c[2] for c in grid), max(c[3] for c in grid)


def _row_boxes(lines: list[list[Box]]) -> Iterator[Box]:
    """A row ends where the next begins, though one of its cells may go on."""
    for line, below in zip_longest(lines, lines[1:]):
        x0, y0, x1, y1 = _around(line)
        yield x0, y0, x1, below[0][1] if below else y1


def joined(tables: Sequence[Table]) -> Table:
    """Pieces of one table, the repeated header once."""
    first = tables[0]
    rows, pages, boxes = list(first.rows), list(first.row_pages), list(first.row_boxes)
    for piece in tables[1:]:
        body = slice(1 if piece.rows[0] == rows[0] else 0, None)
        rows += piece.rows[body]
        pages += piece.row_pages[body]
        boxes += piece.row_boxes[body]
    return Table(tuple(rows), first.page, first.box, tuple(pages), tuple(boxes))

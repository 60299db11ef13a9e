"""Korean pages: wraps text, draws ruled tables, running headers and footers, a contents list and an outline.

The built-in CJK font is not embedded (a document of 40 pages stays under 200 kB); Latin letters and spaces take
Helvetica, because the CJK font would set them as wide as Hangul.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pymupdf

from scripts.documents.markup import Block

PAGE_WIDTH, PAGE_HEIGHT = 595.0, 842.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 539.0, 74.0, 782.0
BODY = 9.5
SIZES = {"h1": 17.0, "h2": 13.0, "h3": 11.0, "h4": 10.0, "text": BODY, "cell": 8.5, "toc": 9.0, "running": 8.0}
BEFORE = {"h1": 0.0, "h2": 18.0, "h3": 10.0, "h4": 6.0, "text": 1.5}
RUNNING = "모의 문서(simulated)"
_RUNS = re.compile(r"[\x20-\x7e]+|[^\x20-\x7e]+")
_INDENTS = ((re.compile(r"^(?:\d{1,2}|[가-힣])\.\s"), 12.0), (re.compile(r"^•\s"), 8.0))
_LEVELS = {"h1": 1, "h2": 1, "h3": 2}
_TOC_LINES = 44


@dataclass
class _Page:
    """What is to be put on one page."""

    texts: list[tuple[float, float, str, float, bool]] = field(default_factory=list)
    lines: list[tuple[float, float, float, float]] = field(default_factory=list)
    shades: list[tuple[float, float, float, float]] = field(default_factory=list)


def width_of(text: str, size: float) -> float:
    """Width of a line in points."""
    return sum(
        pymupdf.get_text_length(run, fontname="helv", fontsize=size) if run.isascii() else len(run) * size
        for run in _RUNS.findall(text)
    )


def wrap(text: str, size: float, room: float) -> list[str]:
    """Lines no wider than `room` points, broken at spaces; a word that is too long is cut."""
    lines: list[str] = []
    line, used = "", 0.0
    space = width_of(" ", size)
    for word in text.split(" "):
        width = width_of(word, size)
        if line and used + space + width > room:
            lines.append(line)
            line, used = "", 0.0
        while width > room:
            cut = max(1, next((n for n in range(len(word), 0, -1) if width_of(word[:n], size) <= room), 1))
            lines.append(word[:cut])
            word = word[cut:]
            width = width_of(word, size)
        line, used = (f"{line} {word}", used + space + width) if line else (word, width)
    return [*lines, line] if line else lines


class Layout:
    """Puts blocks on pages, top to bottom."""

    def __init__(self) -> None:
        self.pages: list[_Page] = []
        self.headings: list[tuple[int, str, int]] = []
        self._new_page()

    def add(self, blocks: Sequence[Block]) -> None:
        """All blocks in order; a heading stays with what follows."""
        for block in blocks:
            if block.kind == "table":
                self._table(block.rows)
            else:
                self._text(block)

    def _new_page(self) -> None:
        self.pages.append(_Page())
        self._y = TOP

    def _room(self, height: float) -> None:
        if self._y + height > BOTTOM and self._y > TOP:
            self._new_page()

    def _text(self, block: Block) -> None:
        size = SIZES[block.kind]
        leading = size * 1.6
        gaps = _INDENTS if block.kind == "text" else ()
        indent = next((gap for pattern, gap in gaps if pattern.match(block.text)), 0.0)
        lines = wrap(block.text, size, RIGHT - LEFT - indent)
        bold = block.kind != "text"
        if self._y > TOP:
            self._y += BEFORE[block.kind]
        self._room(leading * (len(lines) + 2 if bold else min(len(lines), 2)))
        if block.kind in _LEVELS:
            self.headings.append((_LEVELS[block.kind], block.text, len(self.pages)))
        for line in lines:
            self._room(leading)
            self._y += leading
            self.pages[-1].texts.append((LEFT + indent, self._y - leading * 0.3, line, size, bold))

    def _table(self, rows: Sequence[Sequence[str]]) -> None:
        widths = _column_widths(rows)
        header = rows[0]
        self._y += 4.0
        self._row(header, widths, shaded=True, first=True)
        for row in rows[1:]:
            if self._y + _row_height(row, widths) > BOTTOM:
                self._new_page()
                self._row(header, widths, shaded=True, first=True)
            self._row(row, widths)
        self._y += 6.0

    def _row(self, row: Sequence[str], widths: Sequence[float], *, shaded: bool = False, first: bool = False) -> None:
        height = _row_height(row, widths)
        if first:
            self._room(height * 2)
        top, bottom, page = self._y, self._y + height, self.pages[-1]
        if shaded:
            page.shades.append((LEFT, top, LEFT + sum(widths), bottom))
        left = LEFT
        for cell, width in zip(row, widths, strict=True):
            for number, line in enumerate(wrap(cell, SIZES["cell"], width - 8.0)):
                page.texts.append((left + 4.0, top + 12.5 + number * 12.0, line, SIZES["cell"], shaded))
            page.lines.append((left, top, left, bottom))
            left += width
        page.lines.append((left, top, left, bottom))
        if first:
            page.lines.append((LEFT, top, left, top))
        page.lines.append((LEFT, bottom, left, bottom))
        self._y = bottom


def _row_height(row: Sequence[str], widths: Sequence[float]) -> float:
    return 6.0 + 12.0 * max(
        1, *(len(wrap(cell, SIZES["cell"], width - 8.0)) for cell, width in zip(row, widths, strict=True))
    )


def _column_widths(rows: Sequence[Sequence[str]]) -> list[float]:
    """Shares of the page by the longest cell (damped), never less than the longest word of the header."""
    size = SIZES["cell"]
    wanted = [max(min(width_of(row[i], size), 260.0) for row in rows) + 10.0 for i in range(len(rows[0]))]
    room = RIGHT - LEFT
    if sum(wanted) <= room:
        scale = room / sum(wanted)
        return [width * scale for width in wanted]
    words = [
        max(width_of(word, size) for row in rows for word in [*row[i].split(" "), ""]) + 10.0
        for i in range(len(rows[0]))
    ]
    least = [min(width, max(word, 40.0), 110.0) for width, word in zip(wanted, words, strict=True)]
    spare, more = room - sum(least), [width - floor for width, floor in zip(wanted, least, strict=True)]
    return [floor + spare * extra / sum(more) for floor, extra in zip(least, more, strict=True)]


def write_pdf(path: Path, title: str, blocks: Iterable[Block], *, contents: bool) -> int:
    """Write one document; returns its pages. The bytes depend on the blocks alone."""
    layout = Layout()
    layout.add(list(blocks))
    front = -(-(len(layout.headings) + 3) // _TOC_LINES) if contents else 0
    document = pymupdf.open()
    for number in range(front):
        _contents_page(document, layout, number, front)
    for page in layout.pages:
        _paint(document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT), page)
    for number, page in enumerate(document, 1):
        _running(page, title, number)
    document.set_toc(_outline(layout, front))
    document.set_metadata({"title": title, "subject": RUNNING})
    pages = document.page_count
    document.save(str(path), garbage=3, deflate=True, no_new_id=True)
    document.close()
    return pages


def _outline(layout: Layout, front: int) -> list[list[object]]:
    found: list[list[object]] = []
    for level, text, page in layout.headings:
        found.append([level if found else 1, text, page + front])
    return found


def _contents_page(document: pymupdf.Document, layout: Layout, number: int, front: int) -> None:
    page = _Page()
    y = TOP + 20.0
    if number == 0:
        page.texts.append((LEFT, y, "차례", SIZES["h2"], True))
        y += 26.0
    start = number * _TOC_LINES - (3 if number else 0)
    stop = (number + 1) * _TOC_LINES - 3
    for level, text, at in layout.headings[max(start, 0) : stop]:
        indent = LEFT + (level - 1) * 14.0
        shown = wrap(text, SIZES["toc"], 400.0)[0]
        label = str(at + front)
        page.texts.append((indent, y, shown, SIZES["toc"], False))
        page.texts.append((RIGHT - width_of(label, SIZES["toc"]), y, label, SIZES["toc"], False))
        y += 15.0
    _paint(document.new_page(width=PAGE_WIDTH, height=PAGE_HEIGHT), page)


def _paint(page: pymupdf.Page, content: _Page) -> None:
    shape = page.new_shape()
    for box in content.shades:
        shape.draw_rect(pymupdf.Rect(box))
    if content.shades:
        shape.finish(fill=(0.93, 0.95, 0.97), color=None)
    for x0, y0, x1, y1 in content.lines:
        shape.draw_line((x0, y0), (x1, y1))
    if content.lines:
        shape.finish(width=0.5, color=(0.45, 0.45, 0.45))
    for x, y, text, size, bold in content.texts:
        _put(shape, x, y, text, size, bold)
    shape.commit()


def _running(page: pymupdf.Page, title: str, number: int) -> None:
    shape, size = page.new_shape(), SIZES["running"]
    _put(shape, LEFT, 46.0, title, size, False)
    _put(shape, RIGHT - width_of(RUNNING, size), 46.0, RUNNING, size, False)
    label = f"- {number} -"
    _put(shape, (PAGE_WIDTH - width_of(label, size)) / 2, 812.0, label, size, False)
    shape.draw_line((LEFT, 54.0), (RIGHT, 54.0))
    shape.finish(width=0.5, color=(0.7, 0.7, 0.7))
    shape.commit()


def _put(shape: pymupdf.Shape, x: float, y: float, text: str, size: float, bold: bool) -> None:
    for run in _RUNS.findall(text):
        latin = run.isascii()
        font = ("hebo" if bold else "helv") if latin else "korea"
        # the CJK font has no bold: a thin outline in the same colour stands in
        mode, border = (2, 0.035) if bold and not latin else (0, 0.0)
        shape.insert_text((x, y), run, fontname=font, fontsize=size, render_mode=mode, border_width=border)
        x += pymupdf.get_text_length(run, fontname="helv", fontsize=size) if latin else len(run) * size

"""A page of a document as an image, with the passage that was found marked on it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

from app.documents.shapes import Box, Chunk
from app.errors import NotFound, Unavailable
from app.messages import worded

DPI = 110
MAX_PIXELS = 12_000_000
_YELLOW = (1.0, 0.86, 0.2)
_TEXT_SIZE, _TEXT_WIDTH = 10.0, 44


def page_png(path: Path, number: int, chunk: Chunk | None = None) -> bytes:
    """PNG of page `number` (from 1); texts are set on pages of their own. Raises NotFound for an unknown page."""
    with _opened(path) as document:
        page = _page(document, path, number)
        if chunk is not None:
            _mark(page, number, chunk)
        return bytes(_pixmap(page).tobytes("png"))


def _opened(path: Path) -> pymupdf.Document:
    try:
        return pymupdf.open(path) if path.suffix.lower() == ".pdf" else _set_text(path)
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, OSError) as error:
        raise Unavailable(worded("pages.cannot_open", path=path.name)) from error


def _page(document: pymupdf.Document, path: Path, number: int) -> pymupdf.Page:
    if not 1 <= number <= document.page_count:
        raise NotFound(worded("pages.no_page", path=path.name, number=number, page_count=document.page_count))
    return document[number - 1]


def page_boxes(path: Path, number: int, chunks: Sequence[Chunk]) -> tuple[float, float, list[list[Box]]]:
    """Width and height of a page, and where each chunk stands on it; all in points from the top left.

    Raises NotFound for an unknown page, Unavailable.
    """
    with _opened(path) as document:
        page = _page(document, path, number)
        found = [[_measured(box) for box in _boxes(page, number, chunk)] for chunk in chunks]
        return float(page.rect.width), float(page.rect.height), found


def _measured(box: pymupdf.Rect) -> Box:
    return float(box.x0), float(box.y0), float(box.x1), float(box.y1)


def _boxes(page: pymupdf.Page, number: int, chunk: Chunk) -> list[pymupdf.Rect]:
    boxes = [pymupdf.Rect(mark[1:]) for mark in chunk.marks if mark[0] == number]
    if not boxes and not chunk.marks:
        # text files have no boxes: look for the first words of each line
        boxes = [box for line in chunk.text.split("\n") for box in page.search_for(line[:24])][:40]
    return boxes


def _mark(page: pymupdf.Page, number: int, chunk: Chunk) -> None:
    boxes = _boxes(page, number, chunk)
    shape = page.new_shape()
    for box in boxes:
        shape.draw_rect(pymupdf.Rect(box.x0 - 2, box.y0 - 1, box.x1 + 2, box.y1 + 1))
    if boxes:
        shape.finish(fill=_YELLOW, color=None, fill_opacity=0.35)
        shape.commit(overlay=True)


def _pixmap(page: pymupdf.Page) -> pymupdf.Pixmap:
    """At most MAX_PIXELS, whatever the page's size."""
    zoom = DPI / 72
    area = float(page.rect.width) * float(page.rect.height) * zoom * zoom
    if area > MAX_PIXELS:
        zoom *= (MAX_PIXELS / area) ** 0.5
    return page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)


def _set_text(path: Path) -> pymupdf.Document:
    """The text on A4 pages, a form feed beginning a new one."""
    document = pymupdf.open()
    for part in path.read_text(encoding="utf-8", errors="replace").split("\f"):
        lines = [piece for raw in part.splitlines() for piece in _wrapped(raw)] or [""]
        # the page number of a text is its form feeds', so long texts become one tall page
        height = max(842.0, 90.0 + len(lines) * _TEXT_SIZE * 1.6)
        page = document.new_page(width=595, height=min(height, 14_000.0))
        page.insert_text((50, 60), lines, fontname="korea", fontsize=_TEXT_SIZE, lineheight=1.6)
    return document


def _wrapped(line: str) -> list[str]:
    return [line[at : at + _TEXT_WIDTH] for at in range(0, len(line), _TEXT_WIDTH)] or [""]

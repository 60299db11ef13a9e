"""A PDF to lines in reading order and ruled tables, page by page, so that a long file needs no more memory than its
text."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf

from app.documents.bounds import MAX_CHARS, Patience, check_pages
from app.documents.faults import FileTooLarge, UnreadableFile
from app.documents.headings import HEADING_CHARS, clean
from app.documents.pdf_guard import check_page_size, check_streams
from app.documents.reading_order import in_reading_order
from app.documents.shapes import Box, Line, Table
from app.documents.tables import joined, ruled_tables
from app.messages import worded

MAX_PAGE_CHARS = 200_000
_MARGIN = 0.085
_DIGITS = re.compile(r"\d+")
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
_PAGES_KEPT = 50
"""After so many pages MuPDF's own cache is emptied."""


def read_pdf(path: Path, patience: Patience | None = None) -> tuple[tuple[Line | Table, ...], int]:
    """The items of all pages and the number of pages. Raises UnreadableFile, and what `Patience.check` raises."""
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError) as error:
        raise UnreadableFile(worded("pdf_reader.damaged")) from error
    with document:
        if document.needs_pass:
            raise UnreadableFile(worded("pdf_reader.locked"))
        count = document.page_count
        if count == 0:
            raise UnreadableFile(worded("pdf_reader.no_pages"))
        check_pages(count, "PDF")
        check_streams(document)
        pages = _pages(document, count, patience or Patience())
    if not any(page for page in pages):
        raise UnreadableFile(worded("pdf_reader.scanned"))
    return _joined_tables(_with_levels(_without_running(pages))), count


def _pages(document: pymupdf.Document, count: int, patience: Patience) -> list[list[Line | Table]]:
    pages: list[list[Line | Table]] = []
    room = MAX_CHARS
    for number in range(count):
        patience.check(number / count)
        try:
            page = document[number]
        except (RuntimeError, ValueError, IndexError) as error:
            raise UnreadableFile(worded("pdf_reader.page_unreadable", number=number + 1, error=error)) from error
        check_page_size(page.rect.width, page.rect.height, number + 1)
        items = _page(page, number + 1)
        chars = sum(len(item.text) for item in items if isinstance(item, Line))
        room -= chars
        if chars > MAX_PAGE_CHARS or room < 0:
            raise FileTooLarge(worded("pdf_reader.too_many_letters", number=number + 1))
        pages.append(items)
        if number % _PAGES_KEPT == _PAGES_KEPT - 1:
            pymupdf.TOOLS.store_shrink(100)
    return pages


def _page(page: pymupdf.Page, number: int) -> list[Line | Table]:
    """Lines in reading order with tables in their places."""
    try:
        tables = ruled_tables(page, number)
        content: dict[str, Any] = page.get_text("dict", flags=_FLAGS)
    except (RuntimeError, ValueError) as error:  # a broken page stream: the page counts as empty
        raise UnreadableFile(worded("pdf_reader.page_unreadable_at", number=number, error=error)) from error
    lines = [
        Line(text, number, tuple(line["bbox"]), max(span["size"] for span in line["spans"]))
        for block in content["blocks"] if block["type"] == 0
        for line in block["lines"]
        if line["spans"] and (text := clean("".join(span["text"] for span in line["spans"])))
    ]  # fmt: skip
    outside = [line for line in lines if line.box and not any(_within(line.box, t.box) for t in tables)]
    height = float(content["height"]) or 1.0
    ordered: list[Line | Table] = []
    waiting = list(tables)
    for line in in_reading_order(_marked_margins(outside, height), float(content["width"])):
        while waiting and line.box and waiting[0].box and line.box[1] >= waiting[0].box[1] and line.size > 0:
            ordered.append(waiting.pop(0))
        ordered.append(line)
    return [*ordered, *waiting]


def _marked_margins(lines: list[Line], height: float) -> list[Line]:
    """Running headers and footers carry size 0 until it is known whether they repeat."""
    marked = []
    for line in lines:
        assert line.box is not None
        at_edge = line.box[3] < height * _MARGIN or line.box[1] > height * (1 - _MARGIN)
        marked.append(replace(line, size=0.0) if at_edge else line)
    return marked


def _within(inner: Box, outer: Box | None) -> bool:
    if outer is None:
        return False
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] - 1 <= x <= outer[2] + 1 and outer[1] - 1 <= y <= outer[3] + 1


def _without_running(pages: list[list[Line | Table]]) -> list[Line | Table]:
    """All pages in a row, less what repeats at their edges, bare page numbers and contents pages."""
    edge = Counter(
        _DIGITS.sub("0", line.text)
        for page in pages
        for line in {i.text: i for i in page if isinstance(i, Line)}.values()
        if line.size == 0.0
    )
    often = max(2, len(pages) // 3)
    kept: list[Line | Table] = []
    for page in pages:
        if _is_contents(page):
            continue
        for item in page:
            if isinstance(item, Line) and item.size == 0.0:
                shape = _DIGITS.sub("0", item.text)
                if edge[shape] >= often or not re.search(r"[가-힣A-Za-z]", shape):
                    continue
            kept.append(item)
    return kept


def _is_contents(page: list[Line | Table]) -> bool:
    """A page of headings and page numbers with no running text."""
    lines = [item.text for item in page if isinstance(item, Line) and item.size > 0]
    if len(lines) < 8:
        return False
    numbers = sum(
        1 for text in lines if re.fullmatch(r"[.·…\s]*\d{1,4}", text) or re.search(r"(?:\.{3}|…|·{3})\s*\d{1,4}$", text)
    )
    ends = sum(1 for text in lines if re.search(r"(?:다|요)\.$", text))
    return numbers >= len(lines) * 0.3 and ends <= len(lines) * 0.05


def _with_levels(items: list[Line | Table]) -> list[Line | Table]:
    """Lines larger than the body are headings; the body is the size most characters have."""
    sizes: Counter[float] = Counter()
    for item in items:
        if isinstance(item, Line) and item.size:
            sizes[round(item.size, 1)] += len(item.text)
    if not sizes:
        return items
    body = sizes.most_common(1)[0][0]
    larger = sorted((size for size in sizes if size > body * 1.04), reverse=True)
    return [
        replace(item, level=min(4, 1 + larger.index(round(item.size, 1))))
        if isinstance(item, Line) and round(item.size, 1) in larger and len(item.text) <= HEADING_CHARS
        else item
        for item in items
    ]


def _joined_tables(items: list[Line | Table]) -> tuple[Line | Table, ...]:
    """A table that goes on at the top of the next page becomes one with its beginning."""
    out: list[Line | Table] = []
    run: list[Table] = []
    for item, following in pairwise([*items, None]):
        if not isinstance(item, Table):
            if item is not None:
                out.append(item)
            continue
        run.append(item)
        goes_on = (
            isinstance(following, Table)
            and following.page == item.page + 1
            and len(following.rows[0]) == len(item.rows[0])
        )
        if not goes_on:
            out.append(joined(run))
            run = []
    return tuple(out)

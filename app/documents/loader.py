"""Files to lines and tables: PDF, TXT and MD of a folder. A file that cannot be read is reported; the rest goes on."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pymupdf

from app.documents.headings import annex_head, article_head, clean, is_part
from app.documents.reading_order import in_reading_order
from app.documents.shapes import Box, Kind, Line, SourceDocument, Table
from app.documents.tables import joined, ruled_tables
from app.errors import BadRequest

SUFFIXES = (".pdf", ".txt", ".md")
MAX_BYTES = 200 * 2**20
MAX_TEXT_BYTES = 50 * 2**20
MAX_PAGES = 5_000
_SUMMARY_NAME = re.compile(r"^(B\d{8})_(\d+)_S$")
_CODE = re.compile(r"(?<![A-Z0-9])B\d{8}(?!\d)")
_MARGIN = 0.085
_DIGITS = re.compile(r"\d+")
_HEADING_CHARS = 80
_FLAGS = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_MEDIABOX_CLIP
_MARKDOWN = re.compile(r"^(#{1,6})\s+(.*)$")
_TABLE_RULE = re.compile(r"^\|?[\s:|-]+\|[\s:|-]*$")


class UnreadableFile(BadRequest):
    """This file cannot be taken in; the message says why and what to do."""

    code = "unreadable-file"


@dataclass(frozen=True)
class FoundFile:
    """A file of the folder. `source` is its path under the folder, with '/'."""

    path: Path
    source: str


def find_files(folder: Path, exclude: frozenset[str] = frozenset()) -> Iterator[FoundFile]:
    """Readable-looking files under `folder` in a fixed order; links that lead out of it are passed over."""
    home = folder.resolve()
    for place, folders, names in os.walk(home, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in exclude and not name.startswith("."))
        for name in sorted(names):
            path = Path(place) / name
            if path.suffix.lower() in SUFFIXES and not name.startswith("."):
                real = path.resolve()
                if real.is_relative_to(home) and real.is_file():
                    yield FoundFile(real, unicodedata.normalize("NFC", path.relative_to(home).as_posix()))


def load_file(file: FoundFile) -> SourceDocument:
    """Read one file. Raises UnreadableFile: empty, too large, encrypted, broken, or a scan without text."""
    try:
        size = file.path.stat().st_size
        head = b"" if size == 0 else _head(file.path)
    except OSError as error:
        raise UnreadableFile(f"파일을 열 수 없습니다({error.strerror}). 읽기 권한을 확인해 주세요.") from error
    if size == 0:
        raise UnreadableFile("빈 파일(0바이트)입니다. 내용이 있는 파일로 바꿔 주세요.")
    if size > MAX_BYTES:
        raise UnreadableFile(f"파일이 너무 큽니다({size // 2**20}MB). {MAX_BYTES // 2**20}MB 이하로 나눠 주세요.")
    is_pdf = b"%PDF-" in head
    if file.path.suffix.lower() == ".pdf" and not is_pdf:
        raise UnreadableFile("PDF가 아닙니다. 확장자를 확인하거나 PDF로 다시 저장해 주세요.")
    items, pages = _read_pdf(file.path) if is_pdf else _read_text(file.path, size)
    return _described(file, items, pages)


def _head(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(1024)


def _described(file: FoundFile, items: tuple[Line | Table, ...], pages: int) -> SourceDocument:
    stem = Path(file.source).stem
    named = _SUMMARY_NAME.match(stem)
    kind: Kind = "summary" if named else "terms" if _is_terms(stem, items) else "company"
    title = " ".join(stem.replace("_", " ").split())
    lines = [item for item in items if isinstance(item, Line) and item.text]
    if file.path.suffix.lower() == ".txt" and lines and len(lines[0].text) <= _HEADING_CHARS and kind == "company":
        title = lines[0].text
    elif named:
        title = next((line.text for line in lines if line.level == 1), title)[:_HEADING_CHARS]
    return SourceDocument(
        stem, file.source, title, kind, named[1] if named else "", named[2] if named else "", items, pages
    )


def _is_terms(stem: str, items: tuple[Line | Table, ...]) -> bool:
    if "약관" in stem:
        return True
    return sum(1 for item in items if isinstance(item, Line) and article_head(item.text)) >= 5


def codes_of(items: tuple[Line | Table, ...], first: int = 400) -> tuple[str, ...]:
    """Product codes named near the beginning of a document."""
    texts = (item.text for item in items[:first] if isinstance(item, Line))
    return tuple(dict.fromkeys(code for text in texts for code in _CODE.findall(text)))


def _read_pdf(path: Path) -> tuple[tuple[Line | Table, ...], int]:
    try:
        document = pymupdf.open(path, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError) as error:
        raise UnreadableFile("PDF가 손상되어 열 수 없습니다. 원본에서 다시 저장해 주세요.") from error
    with document:
        if document.needs_pass:
            raise UnreadableFile("암호가 걸린 PDF입니다. 암호를 푼 파일로 바꿔 주세요.")
        count = document.page_count
        if count == 0:
            raise UnreadableFile("쪽이 없는 PDF입니다. 원본에서 다시 저장해 주세요.")
        if count > MAX_PAGES:
            raise UnreadableFile(f"PDF가 너무 깁니다({count}쪽). {MAX_PAGES}쪽 이하로 나눠 주세요.")
        pages = [_page(document[number], number + 1) for number in range(count)]
    if not any(page for page in pages):
        raise UnreadableFile("글자가 없는 스캔 PDF입니다. 문자 인식(OCR)을 거친 파일로 바꿔 주세요.")
    return _joined_tables(_with_levels(_without_running(pages))), count


def _page(page: pymupdf.Page, number: int) -> list[Line | Table]:
    """Lines in reading order with tables in their places."""
    try:
        tables = ruled_tables(page, number)
        content: dict[str, Any] = page.get_text("dict", flags=_FLAGS)
    except (RuntimeError, ValueError) as error:  # a broken page stream: the page counts as empty
        raise UnreadableFile(f"{number}쪽을 읽을 수 없습니다({error}). 원본에서 다시 저장해 주세요.") from error
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
        if isinstance(item, Line) and round(item.size, 1) in larger and len(item.text) <= _HEADING_CHARS
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


def _read_text(path: Path, size: int) -> tuple[tuple[Line | Table, ...], int]:
    if size > MAX_TEXT_BYTES:
        raise UnreadableFile(
            f"텍스트 파일이 너무 큽니다({size // 2**20}MB). {MAX_TEXT_BYTES // 2**20}MB 이하로 나눠 주세요."
        )
    raw = path.read_bytes()
    if b"\x00" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFile("글자 파일이 아닙니다(이진 자료). 확장자를 확인해 주세요.")
    text = _decoded(raw)
    if not text.strip():
        raise UnreadableFile("글자가 없는 파일입니다. 내용이 있는 파일로 바꿔 주세요.")
    return _text_items(text), 1 + text.count("\f")


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "cp949")
    for encoding in encodings:
        try:
            return unicodedata.normalize("NFC", raw.decode(encoding))
        except UnicodeDecodeError:
            continue
    raise UnreadableFile("글자 부호를 알 수 없습니다. UTF-8로 저장해 주세요.")


def _text_items(text: str) -> tuple[Line | Table, ...]:
    items: list[Line | Table] = []
    rows: list[tuple[str, ...]] = []
    page = 1
    for raw in [*text.replace("\f", "\n\f\n").splitlines(), ""]:
        if raw == "\f":
            page += 1
            continue
        line = clean(raw)
        if line.startswith("|") and line.endswith("|") and line.count("|") >= 3:
            if not _TABLE_RULE.match(line):
                rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if rows:
            width = max(map(len, rows))
            items.append(Table(tuple(row + ("",) * (width - len(row)) for row in rows), page))
            rows = []
        if not line:
            items.append(Line("", page))  # a blank line ends a paragraph
            continue
        heading = _MARKDOWN.match(line)
        if heading:
            items.append(Line(heading[2].strip(), page, level=min(4, len(heading[1]))))
        else:
            structural = is_part(line) or annex_head(line) is not None
            items.append(Line(line, page, level=2 if structural else 0))
    return tuple(items)

"""Files to lines and tables: PDF, TXT and MD of a folder. A file that cannot be read is reported; the rest goes on."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from app.documents.bounds import MAX_HEADING_CHARS, Patience, check_line, check_lines, check_pages
from app.documents.faults import FileTooLarge, UnreadableFile
from app.documents.headings import HEADING_CHARS, annex_head, article_head, clean, is_part
from app.documents.shapes import Kind, Line, SourceDocument, Table
from app.messages import worded

SUFFIXES = (".pdf", ".txt", ".md")
MAX_BYTES = 200 * 2**20
MAX_TEXT_BYTES = 50 * 2**20
_SUMMARY_NAME = re.compile(r"^(B\d{8})_(\d+)_S$")
_CODE = re.compile(r"(?<![A-Z0-9])B\d{8}(?!\d)")
_MARKDOWN = re.compile(r"^(#{1,6})\s+(.*)$")
_OTHER_KINDS = (
    (b"PK\x03\x04", worded("document_files.office")),
    (b"PK\x05\x06", worded("document_files.empty_zip")),
    (b"\xd0\xcf\x11\xe0", worded("document_files.old_office")),
    (b"\x89PNG", worded("document_files.png")),
    (b"\xff\xd8\xff", worded("document_files.jpeg")),
    (b"GIF8", worded("document_files.gif")),
    (b"\x1f\x8b", worded("document_files.gzip")),
    (b"7z\xbc\xaf", worded("document_files.seven_zip")),
    (b"Rar!", worded("document_files.rar")),
    (b"{\\rtf", worded("document_files.rtf")),
    (b"\x7fELF", worded("document_files.program")),
    (b"MZ", worded("document_files.program")),
)
_TABLE_RULE = frozenset(" :|-")
_LINE_ENDS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""What `str.splitlines` parts at."""


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


def load_file(file: FoundFile, patience: Patience | None = None) -> SourceDocument:
    """Read one file. Raises UnreadableFile: empty, too large, encrypted, broken, a scan without text, or too slow."""
    try:
        size = file.path.stat().st_size
        head = b"" if size == 0 else _head(file.path)
    except OSError as error:
        raise UnreadableFile(worded("document_files.cannot_open", strerror=error.strerror)) from error
    if size == 0:
        raise UnreadableFile(worded("document_files.empty"))
    if size > MAX_BYTES:
        raise FileTooLarge(worded("document_files.too_large", size=size // 2**20, max_bytes=MAX_BYTES // 2**20))
    is_pdf = b"%PDF-" in head
    if not is_pdf:
        refuse_other_kinds(head, file.path.suffix)
    items, pages = _read_pdf(file.path, patience) if is_pdf else _read_text(file.path, size)
    for item in items:
        texts = [item.text] if isinstance(item, Line) else chain.from_iterable(item.rows)
        check_line(max(map(len, texts), default=0))
    return _described(file, items, pages)


def refuse_other_kinds(head: bytes, suffix: str) -> None:
    """Raises UnreadableFile for what is neither a PDF nor text, by its first bytes; the ending proves nothing."""
    for mark, name in _OTHER_KINDS:
        if head.startswith(mark):
            raise UnreadableFile(worded("document_files.wrong_kind", name=name))
    if suffix.lower() == ".pdf":
        raise UnreadableFile(worded("document_files.not_pdf"))


def _head(path: Path) -> bytes:
    with path.open("rb") as opened:
        return opened.read(1024)


def _described(file: FoundFile, items: tuple[Line | Table, ...], pages: int) -> SourceDocument:
    stem = Path(file.source).stem
    named = _SUMMARY_NAME.match(stem)
    kind: Kind = "summary" if named else "terms" if _is_terms(stem, items) else "company"
    title = " ".join(stem.replace("_", " ").split())
    lines = [item for item in items if isinstance(item, Line) and item.text]
    if file.path.suffix.lower() == ".txt" and lines and len(lines[0].text) <= HEADING_CHARS and kind == "company":
        title = lines[0].text
    elif named:
        title = next((line.text for line in lines if line.level == 1), title)[:HEADING_CHARS]
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


def _read_pdf(path: Path, patience: Patience | None) -> tuple[tuple[Line | Table, ...], int]:
    from app.documents.pdf_reader import read_pdf  # noqa: PLC0415  PDF libraries: 25 MB that a conversation never uses

    return read_pdf(path, patience)


def _read_text(path: Path, size: int) -> tuple[tuple[Line | Table, ...], int]:
    if size > MAX_TEXT_BYTES:
        raise FileTooLarge(
            worded("document_files.too_large_text", size=size // 2**20, max_text_bytes=MAX_TEXT_BYTES // 2**20)
        )
    raw = path.read_bytes()
    if b"\x00" in raw[:4096] and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UnreadableFile(worded("document_files.binary"))
    text = _decoded(raw)
    if not text.strip():
        raise UnreadableFile(worded("document_files.no_text"))
    pages = 1 + text.count("\f")
    check_pages(pages, worded("document_files.text_kind"))
    return _text_items(text), pages


def _decoded(raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "cp949")
    for encoding in encodings:
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        # before anything whose time grows faster than a line
        check_lines(1 + sum(map(text.count, _LINE_ENDS)), max(map(len, text.splitlines()), default=0))
        return unicodedata.normalize("NFC", text)
    raise UnreadableFile(worded("document_files.unknown_encoding"))


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
            if not _TABLE_RULE.issuperset(line):
                rows.append(tuple(cell.strip() for cell in line.strip("|").split("|")))
            continue
        if rows:
            header, width = rows[0], max(map(len, rows))
            items.append(Table((header + ("",) * (width - len(header)), *rows[1:]), page))
            rows = []
        if not line:
            items.append(Line("", page))  # a blank line ends a paragraph
            continue
        heading = _MARKDOWN.match(line)
        if heading and len(line) <= MAX_HEADING_CHARS:
            items.append(Line(heading[2].strip(), page, level=min(4, len(heading[1]))))
        else:
            structural = is_part(line) or annex_head(line) is not None
            items.append(Line(line, page, level=2 if structural else 0))
    return tuple(items)

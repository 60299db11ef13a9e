"""PDFs that would blow up when they are read: streams packed over and over, pictures larger than any page needs."""

from __future__ import annotations

import re
import zlib

import pymupdf

from app.documents.faults import UnreadableFile
from app.messages import worded

MAX_STREAM_BYTES = 64 * 2**20
"""One unpacked stream that draws a page; a dense page of text takes well under 1 MB."""
MAX_IMAGE_PIXELS = 120_000_000
"""One picture; an A3 page at 600 dpi has 70 million."""
MAX_PAGE_POINTS = 14_400
"""The longest side a PDF page may have by the standard."""
_LARGEST_RATIO = 1_032
_STEP = 2**20
_FLATE = re.compile(r"/(?:FlateDecode|Fl)\b")


def check_streams(document: pymupdf.Document) -> None:
    """Raises UnreadableFile when a stream unpacks to more than MAX_STREAM_BYTES or a picture is too large.

    Only streams that could be too large by their packed size are unpacked, and never further than the limit.
    """
    for xref in range(1, document.xref_length()):
        if not document.xref_is_stream(xref):
            continue
        if document.xref_get_key(xref, "Subtype")[1] == "/Image":
            _check_image(document, xref)
        else:
            filters = len(_FLATE.findall(document.xref_get_key(xref, "Filter")[1]))
            if filters:
                _check_packed(document.xref_stream_raw(xref) or b"", filters)


def check_page_size(width: float, height: float, number: int) -> None:
    """Raises UnreadableFile for a page larger than the standard allows."""
    if max(width, height) > MAX_PAGE_POINTS:
        raise UnreadableFile(worded("pdf_guard.page_size", number=number, width=width, height=height))


def _check_image(document: pymupdf.Document, xref: int) -> None:
    sides = [document.xref_get_key(xref, name)[1] for name in ("Width", "Height")]
    if all(side.isdigit() for side in sides):
        width, height = map(int, sides)
        if width * height > MAX_IMAGE_PIXELS:
            raise UnreadableFile(worded("pdf_guard.picture_size", width=width, height=height))


def _check_packed(raw: bytes, filters: int) -> None:
    for layer in range(filters):
        if len(raw) * _LARGEST_RATIO ** (filters - layer) <= MAX_STREAM_BYTES:
            return
        raw = _unpacked(raw)


def _unpacked(raw: bytes) -> bytes:
    """The stream unpacked once; what is broken counts as far as it goes."""
    unpacker, parts, size = zlib.decompressobj(), [], 0
    rest = raw
    while rest and not unpacker.eof:
        try:
            part = unpacker.decompress(rest, _STEP)
        except zlib.error:
            break
        size += len(part)
        if size > MAX_STREAM_BYTES:
            raise UnreadableFile(worded("pdf_guard.inflates", max_stream_bytes=MAX_STREAM_BYTES // 2**20))
        parts.append(part)
        if not part and rest == unpacker.unconsumed_tail:
            break
        rest = unpacker.unconsumed_tail
    return b"".join(parts)

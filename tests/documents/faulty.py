"""Files made to do harm."""

from __future__ import annotations

import zlib
from pathlib import Path

import pymupdf


def stream_bomb(path: Path, size: int = 300 * 2**20) -> bytes:
    """A PDF of a few hundred kB whose page unpacks to `size` bytes."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 90), "bomb")
    document.save(str(path))
    document.close()
    packer = zlib.compressobj(9)
    block = b" " * 2**20
    packed = b"".join(packer.compress(block) for _ in range(size // 2**20)) + packer.flush()
    # a second packing keeps the file small
    twice = zlib.compress(packed, 9)
    document = pymupdf.open(str(path))
    xref = document[0].get_contents()[0]
    document.update_stream(xref, twice, compress=False)
    document.xref_set_key(xref, "Filter", "[/FlateDecode /FlateDecode]")
    raw: bytes = document.tobytes(deflate=False)
    document.close()
    return raw


def huge_image(path: Path, side: int = 40_000) -> None:
    """A PDF with text and a picture that claims to be side × side pixels."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((60, 90), "제1조(목적) 그림이 큽니다.", fontname="korea")
    page.insert_image((60, 120, 200, 260), stream=_small_png())
    xref = page.get_images()[0][0]
    document.xref_set_key(xref, "Width", str(side))
    document.xref_set_key(xref, "Height", str(side))
    document.save(str(path))
    document.close()


def huge_page(path: Path) -> None:
    """A PDF with a page larger than the standard allows."""
    document = pymupdf.open()
    page = document.new_page(width=90_000, height=90_000)
    page.insert_text((60, 90), "wide")
    document.save(str(path))
    document.close()


def _small_png() -> bytes:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 4, 4), False)
    pixmap.clear_with(128)
    made: bytes = pixmap.tobytes("png")
    return made

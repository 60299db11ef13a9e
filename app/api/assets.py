"""The bundled scripts, styles and fonts of the pages (made by `make web` in web/dist, not kept in the repository).

Their names hold a hash of their content, so browsers keep them for good; text comes compressed as the browser likes it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse

from app.errors import NotFound
from app.settings import ROOT

router = APIRouter(include_in_schema=False)

FOLDER = ROOT / "web" / "dist"
_NAME = re.compile(r"(?:fonts/)?[A-Za-z0-9_][A-Za-z0-9._-]*")
_KEPT = "public, max-age=31536000, immutable"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8"}
_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))


@dataclass(frozen=True)
class PageFiles:
    """What one page loads, as paths under /assets: `chunks` are the modules that `script` needs at once."""

    script: str
    style: str
    chunks: tuple[str, ...]
    fonts: str


def page_files(page: str) -> PageFiles | None:
    """The files of a page by its name in the bundle; None while the bundle was not made. Read anew each time: a build
    while the server runs is seen."""
    manifest = FOLDER / "manifest.json"
    if not manifest.is_file():
        return None
    found = json.loads(manifest.read_text(encoding="utf-8"))
    if page not in found:
        return None
    about = found[page]
    return PageFiles(about["script"], about["style"], tuple(about["chunks"]), found["fonts"]["style"])


@router.get("/assets/{path:path}")
async def asset(path: str, request: Request) -> FileResponse:
    file = FOLDER / path
    if not _NAME.fullmatch(path) or file.suffix not in _TYPES or not file.is_file():
        raise NotFound(f"파일 {path[:100]!r}이(가) 없습니다. 화면을 새로 고쳐 주세요.")
    headers = {"Cache-Control": _KEPT if file.suffix != ".txt" else "no-cache", "Vary": "Accept-Encoding"}
    chosen, encoding = _encoded(file, request.headers.get("accept-encoding", ""))
    if encoding:
        headers["Content-Encoding"] = encoding
    return FileResponse(chosen, media_type=_TYPES[file.suffix], headers=headers)


def _encoded(file: Path, accepted: str) -> tuple[Path, str | None]:
    """The smallest form of a file that the browser takes."""
    takes = {part.split(";")[0].strip() for part in accepted.split(",") if "q=0" not in part.replace(" ", "")}
    for encoding, suffix in _ENCODINGS:
        smaller = file.with_name(file.name + suffix)
        if encoding in takes and smaller.is_file():
            return smaller, encoding
    return file, None

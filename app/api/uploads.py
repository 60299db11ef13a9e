"""A file that is sent to us: streamed to disk up to a limit, named safely, its kind told by its content."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import unicodedata
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from app.documents.faults import FileTooLarge, UnreadableFile
from app.documents.loader import refuse_other_kinds
from app.documents.search import DEFAULT_PROJECT
from app.errors import BadRequest

PROJECT = r"^[A-Za-z0-9._-]{1,64}$"
_NAME_CHARS = 80
_FORBIDDEN = frozenset('<>:"|?*')
_HEAD_BYTES = 1024
_OVERHEAD_BYTES = 64 * 1024
_SLOWEST_S = 20.0
"""A connection that sends nothing for so long is given up."""


@dataclass(frozen=True)
class Upload:
    """A received file. `name` is safe and ends as its content demands; `project` is projectId, else the default."""

    path: Path
    name: str
    project: str


@contextlib.asynccontextmanager
async def received(request: Request, folder: Path, limit: int) -> AsyncGenerator[Upload]:
    """The file of a multipart form (`file`, `projectId`), in `folder` until the block ends.

    Raises FileTooLarge above `limit` bytes, UnreadableFile for another kind of file, BadRequest for a form without
    a file or with a projectId that is none.
    """
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise BadRequest("파일은 multipart/form-data의 file 항목으로 보내 주세요.")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit + _OVERHEAD_BYTES:
        raise _too_large(limit)
    try:
        form = await MultiPartParser(request.headers, _limited(request, limit), max_files=1, max_fields=4).parse()
    except (MultiPartException, KeyError) as error:
        raise BadRequest("보낸 양식을 읽을 수 없습니다. 파일은 하나만, file 항목으로 보내 주세요.") from error
    path = folder / uuid.uuid4().hex
    try:
        sent, project = form.get("file"), form.get("projectId", "")
        if not isinstance(sent, UploadFile) or not isinstance(project, str):
            raise BadRequest("file 항목에 파일이 없습니다. PDF, TXT, MD 파일을 하나 보내 주세요.")
        name, path = await asyncio.to_thread(_kept, sent, path, limit)
        yield Upload(path, name, _project_of(project))
    finally:
        await form.close()
        for left in (path, path.with_name(f"{path.name}.before")):
            left.unlink(missing_ok=True)


def _project_of(sent: str) -> str:
    project = sent or DEFAULT_PROJECT
    if not re.match(PROJECT, project):
        raise BadRequest(f"projectId {project[:40]!r}는 쓸 수 없습니다. 영문자, 숫자, '.', '_', '-'로 64자까지입니다.")
    return project


def safe_name(sent: str, suffix: str) -> str:
    """A file name without folders, control characters and leading dots, ending in `suffix`. Raises BadRequest."""
    last = PurePosixPath(unicodedata.normalize("NFC", sent).replace("\\", "/")).name
    kept = "".join(c for c in last if c not in _FORBIDDEN and unicodedata.category(c)[0] != "C")
    stem = PurePosixPath(kept).stem.strip(" .")[:_NAME_CHARS].strip(" .")
    if not stem:
        raise BadRequest(f"파일 이름 {sent[:40]!r}은(는) 쓸 수 없습니다. 글자가 있는 이름으로 바꿔 주세요.")
    return f"{stem}{suffix}"


def kind_of(path: Path, name: str) -> str:
    """'.pdf', '.md' or '.txt' by the first bytes; the sender's ending only tells MD from TXT. Raises UnreadableFile."""
    with path.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    if not head:
        raise UnreadableFile("빈 파일(0바이트)입니다. 내용이 있는 파일로 바꿔 주세요.")
    if b"%PDF-" in head:
        return ".pdf"
    refuse_other_kinds(head, "")
    return ".md" if name.lower().endswith((".md", ".markdown")) else ".txt"


def _kept(sent: UploadFile, path: Path, limit: int) -> tuple[str, Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        sent.file.seek(0)
        shutil.copyfileobj(sent.file, out)
    try:
        if path.stat().st_size > limit:
            raise _too_large(limit)
        suffix = kind_of(path, sent.filename or "")
        name = safe_name(sent.filename or "", suffix)
        return name, path.rename(path.with_suffix(suffix))
    except BadRequest:
        path.unlink()
        raise


async def _limited(request: Request, limit: int) -> AsyncGenerator[bytes]:
    """The body as it comes, ended above the limit or when nothing comes any more."""
    size = 0
    stream = aiter(request.stream())
    while True:
        block = await _next(stream)
        if block is None:
            return
        size += len(block)
        if size > limit + _OVERHEAD_BYTES:
            raise _too_large(limit)
        yield block


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    try:
        async with asyncio.timeout(_SLOWEST_S):
            return await anext(stream)
    except StopAsyncIteration:
        return None
    except TimeoutError as error:
        raise BadRequest("파일이 제때 오지 않았습니다. 연결을 확인하고 다시 보내 주세요.") from error


def _too_large(limit: int) -> FileTooLarge:
    return FileTooLarge(f"파일이 너무 큽니다. {limit // 2**20}MB 이하로 나눠 보내 주세요.")

"""The knowledge and prompt files that may be read and edited: a list made by looking, so that no path leads outside."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.errors import BadRequest, NotFound, Unavailable
from app.messages import worded

FOLDERS = ("knowledge", "prompts")
SUFFIXES = (".md", ".yaml", ".yml")
MOST_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True)
class KnowledgeFiles:
    """Files under content_dir/knowledge and content_dir/prompts, named 'knowledge/faq.yaml'."""

    content_dir: Path

    def paths(self) -> tuple[str, ...]:
        """Every file there is, by name. Links are no files here."""
        return tuple(sorted(name for folder in FOLDERS for name in self._found(self.content_dir / folder, folder)))

    def read(self, path: str) -> str:
        """The text of a file. Raises NotFound for a name that is not in `paths`, BadRequest for what is no text."""
        descriptor = self._opened(path)
        with os.fdopen(descriptor, "rb") as stream:
            raw = stream.read(MOST_BYTES + 1)
        if len(raw) > MOST_BYTES:
            raise BadRequest(worded("knowledge_files.too_large", path=path, most_bytes=MOST_BYTES // 2**20))
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise BadRequest(worded("knowledge_files.not_utf8", path=path)) from error

    def write(self, path: str, text: str) -> None:
        """Exchange the text of a file, whole or not at all. Raises NotFound, and Unavailable on a read-only disk."""
        os.close(self._opened(path))
        target = self.content_dir / path
        try:
            mode = stat.S_IMODE(target.stat().st_mode)
            handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".edit-", suffix=".tmp")
            try:
                with os.fdopen(handle, "wb") as stream:
                    stream.write(text.encode("utf-8"))
                    stream.flush()
                    os.fsync(stream.fileno())
                os.chmod(draft, mode)
                os.replace(draft, target)
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise read_only(path, error) from error

    def check_writable(self, path: str) -> None:
        """Raises Unavailable when the file or its folder cannot be written."""
        target = self.content_dir / path
        if not (os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)):
            raise read_only(path, PermissionError(1, worded("knowledge_files.read_only")))

    def _opened(self, path: str) -> int:
        """A descriptor of the very file that is on the list."""
        if path not in self.paths():
            shown = path if path.isprintable() and len(path) <= 100 else repr(path[:100])
            raise NotFound(worded("knowledge_files.not_listed", shown=shown, paths=", ".join(self.paths())))
        try:
            descriptor = os.open(self.content_dir / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError as error:
            raise NotFound(worded("knowledge_files.cannot_open", path=path, strerror=error.strerror)) from error
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
            os.close(descriptor)
            raise NotFound(worded("knowledge_files.not_plain", path=path))
        return descriptor

    def _found(self, folder: Path, name: str) -> Iterator[str]:
        try:
            entries = list(os.scandir(folder))
        except OSError:
            return
        if folder.is_symlink():
            return
        for entry in entries:
            inner = f"{name}/{entry.name}"
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from self._found(folder / entry.name, inner)
            elif entry.is_file(follow_symlinks=False) and entry.name.endswith(SUFFIXES) and entry.name[0] != ".":
                yield inner


def read_only(path: str, error: OSError) -> Unavailable:
    """The error of a place where nothing can be written."""
    return Unavailable(worded("knowledge_files.cannot_write", path=path, strerror=error.strerror))

"""Several files of the state folder replaced as one: after a cut at any point, all of them are old or all are new.

What is new is made ready in a folder beside, then a note of all moves is written (the one moment that decides), then
each move is made by renaming. Whoever opens the folder next and finds the note makes the moves that are left.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

from app.errors import StartError
from app.messages import worded

NOTE = "swap.json"
KEPT = "before-restore"
_ASIDE = ".swap-"
_JOURNALS = ("-wal", "-shm")  # of SQLite: they belong to the database beside them


@dataclass(frozen=True)
class Move:
    """What takes the place of `target`; None takes it away. What stood there is kept as `*.before-restore`."""

    source: Path | None
    target: Path


@contextmanager
def aside(folder: Path) -> Iterator[Path]:
    """A new folder beside the state, closed to others, that goes with the block."""
    made = Path(mkdtemp(dir=folder, prefix=_ASIDE))
    try:
        yield made
    finally:
        # What a note speaks of is still needed: the moves were cut off.
        if not unfinished(folder):
            shutil.rmtree(made, ignore_errors=True)


def announce(folder: Path) -> None:
    """Note that something outside of the folder is about to change; until `swap` or `withdraw` nothing starts here."""
    _write_note(folder, None)


def withdraw(folder: Path) -> None:
    """Nothing was changed after all."""
    (folder / NOTE).unlink(missing_ok=True)
    _sync(folder)


def swap(folder: Path, moves: Sequence[Move]) -> None:
    """Make all moves or, cut off before the note is written, none. Sources and targets lie on one file system each."""
    for move in moves:
        if move.source is not None:
            _sync_all(move.source)
            _sync(move.source.parent)
    _write_note(folder, moves)
    finish(folder)


def unfinished(folder: Path) -> bool:
    """Whether a swap was cut off."""
    return (folder / NOTE).exists()


def finish(folder: Path) -> None:
    """Make the moves that the note speaks of and that were not made yet.

    Raises StartError where the cut came while a database server was changed, and for a note that cannot be read.
    """
    try:
        noted = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        moves = noted["moves"]
        if moves is not None:
            moves = [Move(folder / source if source else None, folder / target) for source, target in moves]
    except FileNotFoundError:
        return
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StartError(worded("state_swap.unreadable", folder=folder / NOTE, error=error)) from error
    if moves is None:
        raise StartError(worded("state_swap.interrupted"))
    for move in moves:
        _make(move)
    withdraw(folder)


def clear_away(folder: Path) -> None:
    """Remove what cut-off work left beside the state, unless a note still speaks of it."""
    if not unfinished(folder):
        (folder / f".{NOTE}").unlink(missing_ok=True)
        for left in folder.glob(f"{_ASIDE}*"):
            shutil.rmtree(left, ignore_errors=True)


def _make(move: Move) -> None:
    """Each step may have been made before: a source that is gone stands in its place already."""
    if move.source is not None and not move.source.exists():
        return
    kept = _beside(move.target, f".{KEPT}")
    if move.target.exists():
        # What an earlier swap kept goes only now; once the target was put aside, that is what is kept.
        for old in (kept, *(_beside(kept, ending) for ending in _JOURNALS)):
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
        move.target.rename(kept)
    for ending in _JOURNALS:
        if (journal := _beside(move.target, ending)).exists():
            journal.rename(_beside(kept, ending))
    if move.source is not None:
        move.source.rename(move.target)
    _sync(move.target.parent)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(f"{path.name}{ending}")


def _write_note(folder: Path, moves: Sequence[Move] | None) -> None:
    # Relative, so that the folder may be mounted elsewhere when the moves are made.
    pairs = (
        None
        if moves is None
        else [
            (os.path.relpath(move.source, folder) if move.source else None, os.path.relpath(move.target, folder))
            for move in moves
        ]
    )
    draft = folder / f".{NOTE}"
    with draft.open("w", encoding="utf-8") as file:
        json.dump({"moves": pairs}, file, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(folder / NOTE)
    _sync(folder)


def _sync_all(path: Path) -> None:
    if path.is_dir():
        for item in path.rglob("*"):
            _sync(item)
    _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

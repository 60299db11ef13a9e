"""JSON-lines files: an object a line, all faults told at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from app.errors import DataFaults, Fault
from app.messages import worded

T = TypeVar("T")


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """The objects of a file. Raises as `read_lines`."""
    return read_lines(path, lambda _, row: row)


def read_lines(path: Path, make: Callable[[int, dict[str, Any]], T], *, some: bool = False) -> list[T]:
    """What `make` makes of the number of each line and its object; blank lines are left out.

    Raises DataFaults naming every line that is no object, or that `make` cannot read, and a file that cannot be read or
    (`some`) holds nothing.
    """
    faults: list[Fault] = []
    made: list[T] = []
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataFaults([Fault(str(path), 0, worded("files.unreadable", error=error))]) from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            faults.append(Fault(str(path), number, worded("json_lines.not_json", error=error)))
            continue
        if not isinstance(row, dict):
            faults.append(Fault(str(path), number, worded("json_lines.one_object")))
            continue
        try:
            made.append(make(number, row))
        except (ValueError, KeyError, TypeError, AttributeError, re.error) as error:
            faults.append(Fault(str(path), number, worded("json_lines.not_a_case", error=repr(error))))
    if some and not made and not faults:
        faults.append(Fault(str(path), 0, worded("json_lines.empty")))
    if faults:
        raise DataFaults(faults)
    return made

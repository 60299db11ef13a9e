"""Runs the source of a tool module as a fresh module object; the living one and its bytecode are never touched."""

from __future__ import annotations

import sys
import traceback
from types import ModuleType

from app.errors import DataFaults
from app.messages import worded


def execute(source: bytes, file: str, name: str, package: str) -> ModuleType:
    """The module that this source makes. It stands in sys.modules under `name` (pydantic and dataclasses look there).

    Raises whatever the module raises; then it is taken out again. Compiled here and now: Python's bytecode cache goes
    by whole seconds and would run the old code after a quick edit.
    """
    module = ModuleType(name)
    module.__file__ = file
    module.__package__ = package
    sys.modules[name] = module
    try:
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def fault_of(error: BaseException, file: str) -> str:
    """Why a module could not be imported, with the line of the module that did it."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return worded("module_code.syntax", lineno=error.lineno, msg=error.msg)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = worded("module_code.line", line=lines[0]) if lines else ""
    if isinstance(error, DataFaults):
        return "\n".join(map(str, error.faults))
    if isinstance(error, SystemExit):
        return worded("module_code.exits", place=place)
    return worded("module_code.raised", place=place, error=type(error).__name__, reason=str(error)[:300])

"""Runs the source of a tool module as a fresh module object; the living one and its bytecode are never touched."""

from __future__ import annotations

import sys
import traceback
from types import ModuleType

from app.errors import DataFaults


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
        return f"{error.lineno}번째 줄: 문법 오류입니다({error.msg})"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f"{lines[0]}번째 줄: " if lines else ""
    if isinstance(error, DataFaults):
        return "\n".join(map(str, error.faults))
    if isinstance(error, SystemExit):
        return f"{place}불러오는 동안 sys.exit를 불렀습니다"
    return f"{place}불러오는 동안 {type(error).__name__}이(가) 났습니다({str(error)[:300]})"

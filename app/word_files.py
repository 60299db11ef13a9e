"""Words and patterns of Korean that stand in data, read once into typed, frozen values.

A file is read as a `Words`: one key for each field. In a pattern `{name}` stands for a part of that name, `[{name}]`
for letters; both are declared under `parts` and `letters`, in the file itself, in parts.yaml of the folder, or by
whoever reads the folder. A part that is a list is a choice of its entries, in their order; so is a pattern that is one.
The words of a table of the file (작년: -1) are a part by the table's name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.messages import worded
from app.yaml_text import read_yaml

SHARED = "parts.yaml"
_REFERENCE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_SECTIONS = ("letters", "parts")


def _compiled(value: Any) -> re.Pattern[str]:
    text = "|".join(value) if isinstance(value, list) else value
    if not isinstance(text, str):
        raise ValueError(worded("word_files.not_pattern"))
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(worded("word_files.bad_pattern", error=error)) from error


def _split(value: Any) -> Any:
    return tuple(value.split()) if isinstance(value, str) else value


Pattern = Annotated[re.Pattern[str], BeforeValidator(_compiled)]
WordSet = Annotated[frozenset[str], BeforeValidator(_split)]
WordList = Annotated[tuple[str, ...], BeforeValidator(_split)]


class Words(BaseModel):
    """Base of what a file of words is read as: frozen, with every key that it declares and no other."""

    model_config = ConfigDict(frozen=True, extra="forbid")


W = TypeVar("W", bound=Words)
_PARTS = TypeAdapter(dict[str, str | tuple[str, ...]])


class WordFiles:
    """The files of one folder with the parts that they share. Raises DataFaults where parts.yaml is wrong."""

    def __init__(self, folder: Path, shared: Mapping[str, str] | None = None) -> None:
        """`shared`: parts by name that every file may use, as they stand in a pattern."""
        self._folder = folder
        path = folder / SHARED
        self._parts = _File(folder, SHARED).parts(shared or {}) if path.is_file() else dict(shared or {})

    def read(self, name: str, kind: type[W]) -> W:
        """What `name`.yaml (planner/kin.yaml) of the folder holds. Raises DataFaults with the place of each fault."""
        file = _File(self._folder, f"{name}.yaml")
        return file.read(kind, file.parts(self._parts))


class _File:
    """One file of words while it is read."""

    def __init__(self, folder: Path, name: str) -> None:
        path, self._name = folder / name, name
        try:
            self._text = path.read_text(encoding="utf-8")
            self._data = read_yaml(self._text) or {}
        except OSError as error:
            raise DataFaults([Fault(name, 0, worded("files.missing_or_unreadable"))]) from error
        except yaml.YAMLError as error:
            raise DataFaults([Fault(name, 0, worded("files.yaml_because", error=error))]) from error
        if not isinstance(self._data, dict):
            raise DataFaults([Fault(name, 1, worded("word_files.not_mapping"))])

    def parts(self, shared: Mapping[str, str]) -> dict[str, str]:
        """The parts of the file and those shared, each as it stands in a pattern."""
        known = {**shared, **self._tables()}
        for section in _SECTIONS:
            try:
                declared = _PARTS.validate_python(self._data.get(section) or {})
            except ValidationError as error:
                raise DataFaults([self._fault((section, *e["loc"]), e["msg"]) for e in error.errors()]) from error
            for name, value in declared.items():
                text = self._filled("|".join(value) if isinstance(value, tuple) else value, known, (section, name))
                known[name] = text if section == "letters" else f"(?:{text})"
        return known

    def _tables(self) -> dict[str, str]:
        """The words of each table of the file, of which a pattern may name any: {내년: 1, 작년: -1}."""
        tables = {name: value for name, value in self._data.items() if isinstance(value, dict)}
        return {
            name: f"(?:{'|'.join(re.escape(str(word)) for word in words)})"
            for name, words in tables.items()
            if name not in _SECTIONS
        }

    def read(self, kind: type[W], parts: Mapping[str, str]) -> W:
        """The whole file as its shape, its patterns with their parts put in."""
        given = {name: self._walked(v, parts, (name,)) for name, v in self._data.items() if name not in _SECTIONS}
        try:
            return kind.model_validate(given)
        except ValidationError as error:
            raise DataFaults([self._fault(found["loc"], found["msg"]) for found in error.errors()]) from error

    def _walked(self, value: Any, parts: Mapping[str, str], where: tuple[str | int, ...]) -> Any:
        if isinstance(value, str):
            return self._filled(value, parts, where)
        if isinstance(value, list):
            return [self._walked(item, parts, (*where, place)) for place, item in enumerate(value)]
        if isinstance(value, dict):
            return {key: self._walked(item, parts, (*where, str(key))) for key, item in value.items()}
        return value

    def _filled(self, text: str, parts: Mapping[str, str], where: tuple[str | int, ...]) -> str:
        def put(match: re.Match[str]) -> str:
            if match[1] not in parts:
                raise DataFaults([self._fault(where, worded("word_files.no_part", match=match.group()))])
            return parts[match[1]]

        return _REFERENCE.sub(put, text)

    def _fault(self, where: tuple[str | int, ...], reason: str) -> Fault:
        """The fault at a key, with the line at which the innermost name of it stands."""
        line, lines = 0, self._text.splitlines()
        for key in map(str, where):
            named = re.compile(rf"\s*(?:- )?['\"]?{re.escape(key)}['\"]?\s*:")
            line = next((number for number in range(line, len(lines)) if named.match(lines[number])), line)
        return Fault(self._name, line + 1, f"{'.'.join(map(str, where))}: {reason}")

"""What the program says to the people who run and use it: sentences by key, read once from templates/messages.yaml.

A key is `group.name`; `{value}` in a sentence is filled with the value of that name. A sentence that is given no
values is returned as it stands, so that it may hold the marks of logging (%s).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from app.yaml_text import read_yaml

_FILE = Path(__file__).resolve().parent.parent / "templates" / "messages.yaml"


def worded(key: str, /, **values: object) -> str:
    """The sentence of `key` with `values` put in. Raises KeyError where there is no such sentence or value."""
    group, _, name = key.partition(".")
    text = _groups()[group][name]
    return text.format(**values) if values else text


def worded_table(group: str) -> Mapping[str, str]:
    """Every sentence of `group` by its name. Raises KeyError."""
    return MappingProxyType(_groups()[group])


@cache
def _groups() -> dict[str, dict[str, str]]:
    data: dict[str, dict[str, str]] = read_yaml(_FILE.read_text(encoding="utf-8"))
    return data

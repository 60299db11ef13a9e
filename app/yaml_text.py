"""YAML by libyaml, which is several times faster than the pure loader of the same language; else by that one."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from app.errors import DataFaults, Fault

try:
    from yaml import CSafeLoader as YamlLoader
except ImportError:  # pragma: no cover - depends on how PyYAML was built
    from yaml import SafeLoader as YamlLoader  # type: ignore[assignment]

__all__ = ["YamlLoader", "read_model", "read_yaml"]

M = TypeVar("M")


def read_yaml(text: str) -> Any:
    """The plain data of a text. Raises yaml.YAMLError."""
    return yaml.load(text, Loader=YamlLoader)


def read_model(path: Path, kind: type[M]) -> M:
    """What a file holds, as a model or another shape that pydantic checks.

    Raises DataFaults with everything that does not fit it, and where the file is missing or no YAML.
    """
    try:
        return TypeAdapter(kind).validate_python(read_yaml(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise DataFaults([Fault(str(path), 0, f"YAML을 읽을 수 없습니다: {error}")]) from error
    except ValidationError as error:
        places = ((".".join(map(str, e["loc"])), e["msg"]) for e in error.errors())
        raise DataFaults([Fault(str(path), 1, f"{place}: {reason}") for place, reason in places]) from error

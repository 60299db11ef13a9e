"""YAML by libyaml, which is several times faster than the pure loader of the same language; else by that one."""

from __future__ import annotations

from typing import Any

import yaml

try:
    from yaml import CSafeLoader as YamlLoader
except ImportError:  # pragma: no cover - depends on how PyYAML was built
    from yaml import SafeLoader as YamlLoader  # type: ignore[assignment]

__all__ = ["YamlLoader", "read_yaml"]


def read_yaml(text: str) -> Any:
    """The plain data of a text. Raises yaml.YAMLError."""
    return yaml.load(text, Loader=YamlLoader)

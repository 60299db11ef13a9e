"""A JSON Schema beside the value it describes: which part describes which member, through references and choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_MOST_STEPS = 12
_CHOICES = ("allOf", "anyOf", "oneOf")


@dataclass(frozen=True)
class SchemaView:
    """One place of a schema; an empty one tells nothing. References lead within `root`."""

    schema: Mapping[str, Any] = field(default_factory=dict)
    root: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, schema: Mapping[str, Any] | None) -> SchemaView:
        """The whole schema; None is empty."""
        found = schema if isinstance(schema, Mapping) else {}
        return cls(found, found)

    def member(self, key: str) -> SchemaView:
        """What describes this member of a record."""
        for branch in self.branches():
            known = branch.get("properties")
            if isinstance(known, Mapping) and isinstance(known.get(key), Mapping):
                return SchemaView(known[key], self.root)
        return SchemaView({}, self.root)

    def items(self) -> SchemaView:
        """What describes the items of a list."""
        for branch in self.branches():
            if isinstance(branch.get("items"), Mapping):
                return SchemaView(branch["items"], self.root)
        return SchemaView({}, self.root)

    def is_map(self, key: str) -> bool:
        """Whether the schema says that keys like this one are data, no names of fields."""
        opened = any(isinstance(branch.get("additionalProperties"), Mapping) for branch in self.branches())
        return opened and not self.member(key).schema

    def told(self) -> Iterator[tuple[str, str]]:
        """('title' or 'description', its text) of this place, its own before those of what it refers to."""
        for branch in self.branches():
            for key in ("title", "description"):
                if isinstance(text := branch.get(key), str) and text.strip():
                    yield key, text.strip()

    def branches(self) -> Iterator[Mapping[str, Any]]:
        """This schema and those that it stands for."""
        waiting: list[Any] = [self.schema]
        for _ in range(_MOST_STEPS):
            if not waiting:
                return
            schema = waiting.pop(0)
            if not isinstance(schema, Mapping):
                continue
            yield schema
            waiting += [part for key in _CHOICES if isinstance(schema.get(key), list) for part in schema[key]]
            if isinstance(reference := schema.get("$ref"), str):
                waiting.append(self._pointed(reference))

    def _pointed(self, reference: str) -> Any:
        found: Any = self.root if reference.startswith("#") else None
        for part in reference.lstrip("#/").split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
        return found

"""Reads OpenAPI descriptions (Swagger 2.0, OpenAPI 3.0 and 3.1; JSON or YAML) into plain data and JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from app.errors import BadRequest
from app.messages import worded

MOST_BYTES = 12 * 1024 * 1024
_MOST_NODES = 600_000
_MOST_DEPTH = 80
_SCHEMA_NODES = 1_500  # of one operation's arguments; beyond that a schema only says "any"
_SCHEMA_DEPTH = 8
_DROPPED = frozenset({
    "xml", "example", "examples", "discriminator", "externalDocs", "deprecated", "readOnly", "writeOnly", "nullable",
    "collectionFormat", "contentEncoding", "contentMediaType", "$schema", "$id", "$anchor", "$defs", "$comment",
    "if", "then", "else", "definitions",
})  # fmt: skip


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML as OpenAPI means it: dates stay text, and only true and false are truth values (NO is a country)."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in found if tag.rpartition(":")[2] not in ("timestamp", "bool")]
    for letter, found in _Loader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"true|false|True|False|TRUE|FALSE"), list("tfTF"))


def read_spec(source: str | bytes | Mapping[str, Any]) -> dict[str, Any]:
    """The description as plain JSON data, its version checked. Raises BadRequest with the reason."""
    if isinstance(source, Mapping):
        data: Any = source
    else:
        data = _parsed(source.encode() if isinstance(source, str) else source)
    if not isinstance(data, Mapping):
        raise BadRequest(worded("openapi_schema.not_mapping"))
    spec: dict[str, Any] = _plain(data, [_MOST_NODES], 0)
    version = str(spec.get("swagger") or spec.get("openapi") or "")
    if not (version == "2.0" or re.match(r"3\.[01](\.|$)", version)):
        raise BadRequest(worded("openapi_schema.unknown_version", version=version or worded("files.none")))
    if not isinstance(spec.get("paths", {}), dict):
        raise BadRequest(worded("openapi_schema.paths_not_mapping"))
    return spec


def _parsed(text: bytes) -> Any:
    if len(text) > MOST_BYTES:
        raise BadRequest(worded("openapi_schema.too_large", most_bytes=MOST_BYTES // 2**20))
    try:
        if text.lstrip()[:1] == b"{":
            return json.loads(text)
        return yaml.load(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise BadRequest(worded("openapi_schema.unreadable", reason=reason)) from error


def _plain(value: Any, budget: list[int], depth: int) -> Any:
    """The same as JSON data; aliases that unfold to something huge are refused."""
    budget[0] -= 1
    if budget[0] < 0 or depth > _MOST_DEPTH:
        raise BadRequest(worded("openapi_schema.too_deep"))
    if isinstance(value, Mapping):
        return {str(key): _plain(item, budget, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, budget, depth + 1) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def resolved(spec: Mapping[str, Any], node: Any) -> dict[str, Any]:
    """`node`, or what its `$ref` points to within this document. Raises BadRequest for another document or nothing."""
    seen: set[str] = set()
    while isinstance(node, dict) and isinstance(node.get("$ref"), str):
        ref = node["$ref"]
        if ref in seen:
            raise BadRequest(worded("openapi_schema.circle", ref=ref))
        seen.add(ref)
        node = _pointed(spec, ref)
    if not isinstance(node, dict):
        raise BadRequest(worded("openapi_schema.part_not_mapping"))
    return node


def _pointed(spec: Mapping[str, Any], ref: str) -> Any:
    if not ref.startswith("#/"):
        raise BadRequest(worded("openapi_schema.other_document", ref=ref[:120]))
    node: Any = spec
    for part in ref[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, list) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        elif isinstance(node, dict) and key in node:
            node = node[key]
        else:
            raise BadRequest(worded("openapi_schema.no_target", ref=ref[:120]))
    return node


class SchemaReader:
    """Turns OpenAPI schemas into JSON Schema that stands alone. Cycles and excess end in 'any value'."""

    def __init__(self, spec: Mapping[str, Any], *, answers: bool = False) -> None:
        """`answers`: schemas of what a server sends, so that fields are left out that are only sent to it."""
        self._spec, self._left = spec, _SCHEMA_NODES
        self._unseen = "writeOnly" if answers else "readOnly"

    def read(self, schema: Any, path: tuple[str, ...] = ()) -> dict[str, Any]:
        """The schema with its references put in. Raises BadRequest for a reference that leads nowhere."""
        self._left -= 1
        if isinstance(schema, bool) or not isinstance(schema, dict) or self._left < 0:
            return {}
        if isinstance(ref := schema.get("$ref"), str):
            if ref in path or len(path) >= _SCHEMA_DEPTH:
                return {"description": worded("openapi_schema.recursive", ref=ref.rpartition("/")[2])}
            beside = {key: value for key, value in schema.items() if key == "description"}
            return {**self.read(resolved(self._spec, {"$ref": ref}), (*path, ref)), **beside}
        made: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _DROPPED or key.startswith("x-"):
                continue
            made[key] = self._part(key, value, path)
        return _modern(made, nullable=schema.get("nullable") is True)

    def _part(self, key: str, value: Any, path: tuple[str, ...]) -> Any:
        if key in ("properties", "patternProperties") and isinstance(value, dict):
            seen = {name: item for name, item in value.items() if not self._left_out(item)}
            return {name: self.read(item, path) for name, item in seen.items()}
        if key in ("items", "not", "additionalProperties", "contains", "propertyNames") and isinstance(value, dict):
            return self.read(value, path)
        if key in ("allOf", "oneOf", "anyOf", "prefixItems") and isinstance(value, list):
            return [self.read(item, path) for item in value]
        return value

    def _left_out(self, schema: Any) -> bool:
        return isinstance(schema, dict) and schema.get(self._unseen) is True


def _modern(schema: dict[str, Any], *, nullable: bool) -> dict[str, Any]:
    """The older dialects' words in those of JSON Schema 2020-12, `allOf` joined where it only adds properties."""
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        flag = schema.get(exclusive)
        if isinstance(flag, bool):
            del schema[exclusive]
            if flag and bound in schema:
                schema[exclusive] = schema.pop(bound)
    if schema.get("type") == "file":
        schema["type"] = "string"
    if isinstance(schema.get("allOf"), list):
        schema = _joined(schema)
    if isinstance(needed := schema.get("required"), list) and isinstance(known := schema.get("properties"), dict):
        schema["required"] = [name for name in needed if name in known]
        if not schema["required"]:
            del schema["required"]
    if isinstance(schema.get("required"), bool):
        del schema["required"]  # a parameter's flag, not a list
    if nullable:
        if isinstance(kind := schema.get("type"), str):
            schema["type"] = [kind, "null"]
            if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
                schema["enum"] = [*schema["enum"], None]
        else:
            schema = {"anyOf": [schema, {"type": "null"}]}
    return schema


def _joined(schema: dict[str, Any]) -> dict[str, Any]:
    parts = [part for part in schema["allOf"] if part]
    if any(set(part) - {"type", "properties", "required", "description", "title"} for part in parts):
        return {**schema, "allOf": parts}
    made = {key: value for key, value in schema.items() if key != "allOf"}
    properties: dict[str, Any] = {}
    required: list[str] = []
    for part in [*parts, schema]:
        properties |= part.get("properties", {})
        required += [name for name in part.get("required", ()) if name not in required]
        for key in ("type", "description", "title"):
            if key in part:
                made.setdefault(key, part[key])
    if properties:
        made |= {"type": "object", "properties": properties, "required": required}
    return made

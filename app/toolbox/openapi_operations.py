"""Reads one operation of an OpenAPI description: where its arguments go, and the JSON Schema that they follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast
from urllib.parse import urljoin

from app.adapters.source_auth import ApiKeyPlace
from app.errors import BadRequest
from app.messages import worded
from app.toolbox.openapi_calls import Body, Operation, Parameter
from app.toolbox.openapi_schema import SchemaReader, resolved

_HTTP_HEADERS = frozenset({"accept", "content-type", "authorization", "host", "content-length", "cookie"})
_BODY_KINDS = ("application/json", "application/x-www-form-urlencoded", "text/plain")
_FORM = "application/x-www-form-urlencoded"
_COLLECTION = {"csv": ("form", False), "multi": ("form", True), "ssv": ("spaceDelimited", False),
               "pipes": ("pipeDelimited", False), "tsv": ("tabDelimited", False)}  # fmt: skip


class OperationReader:
    """Reads one operation."""

    def __init__(
        self,
        spec: dict[str, Any],
        old: bool,
        url: str | None,
        base_url: str | None,
        keys: Mapping[str, ApiKeyPlace],
    ) -> None:
        self._spec, self._old, self._url, self._base, self._keys = spec, old, url, base_url, keys
        self._schemas = SchemaReader(spec)

    def operation(
        self, path: str, method: str, item: dict[str, Any], operation: dict[str, Any]
    ) -> tuple[Operation, dict[str, Any]]:
        """The operation and the schema of its arguments. Raises BadRequest."""
        raw = [
            resolved(self._spec, one) for one in (*(item.get("parameters") or ()), *(operation.get("parameters") or ()))
        ]
        # A parameter of the operation wins over the path's of the same place and name.
        unique = list({(one.get("in"), one.get("name")): one for one in raw}.values())
        parameters: list[Parameter] = []
        schema: dict[str, Any] = {"type": "object", "properties": {}, "required": []}
        for one in unique:
            if one.get("in") in ("body", "formData"):
                continue
            if one.get("in") == "header" and str(one.get("name", "")).lower() in _HTTP_HEADERS:
                continue
            parameter, argument = self._parameter(one, schema["properties"])
            parameters.append(parameter)
            schema["properties"][parameter.argument] = argument
            if parameter.required:
                schema["required"].append(parameter.argument)
        body = self._old_body(unique, operation, schema) if self._old else self._body(operation, schema)
        if not schema["required"]:
            del schema["required"]
        for part in _slots(path):
            if not any(p.place == "path" and p.name == part for p in parameters):
                raise BadRequest(worded("openapi_operations.no_argument", part=part))
        made = Operation(
            method=method.upper(),
            base_url=self._base_url(item, operation),
            path=path,
            parameters=tuple(parameters),
            body=body,
            key_place=self._key_place(operation),
        )
        return made, schema

    def _parameter(self, one: dict[str, Any], known: Mapping[str, Any]) -> tuple[Parameter, dict[str, Any]]:
        place, name = str(one.get("in")), str(one.get("name") or "")
        if place not in ("path", "query", "header", "cookie") or not name:
            raise BadRequest(worded("openapi_operations.bad_place", name=name or "?", place=place))
        content = one.get("content")
        as_json = isinstance(content, dict)
        if as_json:
            kinds = [kind for kind in (content or {}).values() if isinstance(kind, dict)]
            raw = kinds[0].get("schema", {}) if kinds else {}
        elif self._old:
            raw = {key: value for key, value in one.items() if key not in ("in", "name", "required", "description")}
        else:
            raw = one.get("schema", {})
        style, explode = self._style(one, place)
        argument = self._schemas.read(raw)
        if one.get("description"):
            argument["description"] = str(one["description"])[:500]
        required = place == "path" or one.get("required") is True
        made = Parameter(
            argument=_argument(name, known),
            name=name,
            place=cast(Literal["path", "query", "header", "cookie"], place),
            required=required,
            style="json" if as_json else style,
            explode=explode,
        )
        return made, argument

    def _style(self, one: dict[str, Any], place: str) -> tuple[str, bool]:
        if self._old:
            return _COLLECTION.get(str(one.get("collectionFormat", "csv")), ("form", False))
        style = str(one.get("style") or ("form" if place in ("query", "cookie") else "simple"))
        return style, bool(one.get("explode", style == "form"))

    def _body(self, operation: dict[str, Any], schema: dict[str, Any]) -> Body | None:
        if "requestBody" not in operation:
            return None
        body = resolved(self._spec, operation["requestBody"])
        content = body.get("content") or {}
        kind = next((k for wanted in _BODY_KINDS for k in content if _same_kind(k, wanted)), None)
        if kind is None:
            if not body.get("required"):
                return None
            raise BadRequest(worded("openapi_operations.bad_body", content=", ".join(content) or worded("files.none")))
        inner = self._schemas.read((content[kind] or {}).get("schema", {}))
        return self._taken_in(kind, inner, body.get("required") is True, schema)

    def _old_body(
        self, parameters: list[dict[str, Any]], operation: dict[str, Any], schema: dict[str, Any]
    ) -> Body | None:
        form = [one for one in parameters if one.get("in") == "formData"]
        if form:
            if any(one.get("type") == "file" and one.get("required") for one in form):
                raise BadRequest(worded("openapi_operations.upload"))
            fields = [one for one in form if one.get("type") != "file"]
            inner = {
                "type": "object",
                "properties": {one["name"]: self._parameter({**one, "in": "query"}, {})[1] for one in fields},
                "required": [one["name"] for one in fields if one.get("required") is True],
            }
            return self._taken_in(_FORM, inner, bool(inner["required"]), schema)
        one = next((one for one in parameters if one.get("in") == "body"), None)
        if one is None:
            return None
        kinds = operation.get("consumes") or self._spec.get("consumes") or ["application/json"]
        if not any("json" in str(kind) for kind in kinds):
            raise BadRequest(worded("openapi_operations.bad_bodies", kinds=", ".join(map(str, kinds))))
        inner = self._schemas.read(one.get("schema", {}))
        return self._taken_in("application/json", inner, one.get("required") is True, schema)

    def _taken_in(self, kind: str, inner: dict[str, Any], required: bool, schema: dict[str, Any]) -> Body:
        """The body's fields as arguments of their own where they are plain; else one argument `body`."""
        fields = inner.get("properties") if inner.get("type") == "object" else None
        plain = not set(inner) - {"type", "properties", "required", "title", "description", "additionalProperties"}
        known = schema["properties"]
        if fields and plain and not set(fields) & set(known) and all(_argument(f, {}) == f for f in fields):
            known |= fields
            if required:
                schema["required"] += inner.get("required", [])
            return Body(kind, tuple(fields), None)
        argument = _argument("body", known)
        known[argument] = inner
        if required:
            schema["required"].append(argument)
        return Body(kind, (), argument)

    def _base_url(self, item: dict[str, Any], operation: dict[str, Any]) -> str:
        if self._base:
            return self._base
        if self._old:
            schemes = self._spec.get("schemes") or []
            scheme = "https" if "https" in schemes or not schemes else str(schemes[0])
            host, path = self._spec.get("host"), str(self._spec.get("basePath") or "/")
            if host:
                return f"{scheme}://{host}{path}"
            return self._absolute(path)
        servers = operation.get("servers") or item.get("servers") or self._spec.get("servers") or [{"url": "/"}]
        server: dict[str, Any] = (
            servers[0] if isinstance(servers, list) and isinstance(servers[0], dict) else {"url": "/"}
        )
        url = str(server.get("url") or "/")
        variables: dict[str, Any] = server.get("variables") or {}
        for name, variable in variables.items():
            url = url.replace(f"{{{name}}}", str((variable or {}).get("default", "")))
        return self._absolute(url)

    def _absolute(self, url: str) -> str:
        if not url.startswith(("http://", "https://")):
            if not self._url:
                raise BadRequest(worded("openapi_operations.no_server"))
            url = urljoin(self._url, url)
        return url

    def _key_place(self, operation: dict[str, Any]) -> ApiKeyPlace | None:
        wanted = operation.get("security", self._spec.get("security")) or []
        names = [name for need in wanted if isinstance(need, dict) for name in need]
        return next((self._keys[name] for name in names if name in self._keys), None) or next(
            iter(self._keys.values()), None
        )


def answered(spec: dict[str, Any], operation: Mapping[str, Any]) -> dict[str, Any] | None:
    """The JSON schema of an operation's good answer; None where the description tells none that can be read."""
    told = operation.get("responses")
    good = [code for code in told if str(code)[:1] == "2"] if isinstance(told, dict) else []
    for code in (*sorted(good, key=str), "default"):
        try:
            answer = resolved(spec, (told or {}).get(code))
            content = answer.get("content")
            parts = content.items() if isinstance(content, dict) else [("application/json", answer)]
            kinds = [part for kind, part in parts if _same_kind(str(kind), "application/json")]
            raw = kinds[0].get("schema") if kinds and isinstance(kinds[0], dict) else None
            if isinstance(raw, dict):
                return SchemaReader(spec, answers=True).read(raw)
        except BadRequest:
            continue
    return None


def _slots(path: str) -> list[str]:
    return [part.partition("}")[0] for part in path.split("{")[1:]]


def _same_kind(kind: str, wanted: str) -> bool:
    bare = kind.partition(";")[0].strip().lower()
    return bare == wanted or (wanted == "application/json" and (bare.endswith("+json") or bare == "*/*"))


def _argument(name: str, known: Mapping[str, Any]) -> str:
    """A name that models can write; a number keeps apart what would be the same."""
    bare = "".join(char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in name)
    bare = bare.strip("_")[:60] or "value"
    return next(found for n in range(1, 1000) if (found := bare if n == 1 else f"{bare}_{n}") not in known)

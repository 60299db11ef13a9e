"""Tools from an OpenAPI description: one an operation, its annotations by HTTP method, its arguments by the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast
from urllib.parse import urljoin

from app.access import Role
from app.adapters.outside import OutsideClient
from app.adapters.source_auth import ApiKeyPlace, SourceAuth, credentials
from app.errors import BadRequest
from app.toolbox.imported import (
    Call,
    ImportedResult,
    ImportedTool,
    described,
    distinct,
    entry_of,
    free_name,
    schema_fault,
    tool_name,
)
from app.toolbox.openapi_calls import Body, Operation, Parameter, perform
from app.toolbox.openapi_schema import SchemaReader, read_spec, resolved
from app.toolbox.snapshot import ToolEntry
from app.tools.declare import Annotations

# RFC 9110: GET, HEAD and OPTIONS are safe; PUT and DELETE may be repeated.
ANNOTATION_BY_METHOD: Mapping[str, Annotations] = {
    "get": Annotations(read_only=True, destructive=False, idempotent=True),
    "post": Annotations(read_only=False, destructive=False, idempotent=False),
    "put": Annotations(read_only=False, destructive=False, idempotent=True),
    "patch": Annotations(read_only=False, destructive=False, idempotent=False),
    "delete": Annotations(read_only=False, destructive=True, idempotent=True),
    "head": Annotations(read_only=True, destructive=False, idempotent=True),
    "options": Annotations(read_only=True, destructive=False, idempotent=True),
}
MOST_TOOLS = 300
_HTTP_HEADERS = frozenset({"accept", "content-type", "authorization", "host", "content-length", "cookie"})
_BODY_KINDS = ("application/json", "application/x-www-form-urlencoded", "text/plain")
_FORM = "application/x-www-form-urlencoded"
_COLLECTION = {"csv": ("form", False), "multi": ("form", True), "ssv": ("spaceDelimited", False),
               "pipes": ("pipeDelimited", False), "tsv": ("tabDelimited", False)}  # fmt: skip


@dataclass(frozen=True)
class Skipped:
    """An operation that is no tool, and why."""

    operation: str
    reason: str


@dataclass(frozen=True)
class OpenApiTools:
    """What a description gives: tools with their operations, what was left out, and sentences that were cut."""

    tools: tuple[tuple[ImportedTool, Operation], ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    title: str


def annotations_for(method: str) -> Annotations | None:
    """The annotations of an HTTP method; None for one that says nothing about behaviour (TRACE)."""
    return ANNOTATION_BY_METHOD.get(method.lower())


def parse_openapi(
    source: str | bytes | Path | Mapping[str, Any],
    name: str,
    *,
    url: str | None = None,
    base_url: str | None = None,
    include: Collection[str] = (),
    taken: Collection[str] = (),
    suspicious: Callable[[str], bool] = lambda _: False,
) -> OpenApiTools:
    """Read a description: a file, its text, or its data. `url` is where it came from; `base_url` overrides its servers.

    `include` names operation ids, tags or path beginnings; empty takes all. `taken` are names that others have.
    Raises BadRequest when nothing can be read; an operation that cannot be called is only skipped.
    """
    spec = read_spec(source.read_bytes() if isinstance(source, Path) else source)
    old = "swagger" in spec
    security = _keys(spec, old)
    found: list[tuple[ImportedTool, Operation]] = []
    skipped: list[Skipped] = []
    warnings: list[str] = []
    names = set(taken)
    for path, raw_item in spec.get("paths", {}).items():
        item = resolved(spec, raw_item)
        for method, operation in item.items():
            if method not in ANNOTATION_BY_METHOD or not isinstance(operation, dict):
                continue
            told = str(operation.get("operationId") or f"{method.upper()} {path}")
            if not _wanted(include, told, operation, path):
                continue
            try:
                made = _Reading(spec, old, url, base_url, security).operation(path, method, item, operation)
            except BadRequest as error:
                skipped.append(Skipped(told, str(error)))
                continue
            own = tool_name(str(operation.get("operationId") or "")) or tool_name(method, path)
            text = " ".join(str(operation[key]) for key in ("summary", "description") if operation.get(key))
            words, cut = described(text, f"{method.upper()} {path}", suspicious)
            if cut:
                warnings.append(f"{told}: 설명에서 지시하는 문장을 뺐습니다")
            tool = ImportedTool(
                name=free_name(own, name, names),
                original=told,
                description=words,
                input_schema=made[1],
                annotations=annotations_for(method),
                tags=(name, *(str(tag) for tag in operation.get("tags") or ())),
                metadata={"openapi": name, "method": method.upper(), "path": path},
            )
            if fault := schema_fault(tool.input_schema):
                skipped.append(Skipped(told, f"인자를 설명할 수 없습니다({fault})"))
                continue
            names.add(tool.name)
            found.append((tool, made[0]))
            if len(found) > MOST_TOOLS:
                raise BadRequest(
                    f"도구가 {MOST_TOOLS}개를 넘습니다. include에 가져올 operationId나 태그를 적어 주세요."
                )
    if not found:
        reasons = "; ".join(f"{item.operation}: {item.reason}" for item in skipped[:3])
        raise BadRequest(
            "가져올 도구가 없습니다." + (f" {reasons}" if reasons else " paths와 include를 확인해 주세요.")
        )
    title = str((spec.get("info") or {}).get("title") or name) if isinstance(spec.get("info"), dict) else name
    return OpenApiTools(tuple(found), tuple(skipped), tuple(warnings), title)


def openapi_entries(
    parsed: OpenApiTools,
    name: str,
    client: OutsideClient,
    auth: SourceAuth | None,
    *,
    role: Role = "staff",
    limit: int = 4000,
    others: Collection[ToolEntry] = (),
) -> tuple[ToolEntry, ...]:
    """The tools of a description, ready to be swapped in as the source 'openapi:name'."""

    def call_of(operation: Operation) -> Call:
        held = credentials(auth, operation.key_place)

        async def call(args: dict[str, Any]) -> ImportedResult:
            return await perform(operation, args, client, held, source=name, limit=limit)

        return call

    source = f"openapi:{name}"
    return distinct([entry_of(tool, call_of(made), source, role) for tool, made in parsed.tools], others)


def _wanted(include: Collection[str], told: str, operation: Mapping[str, Any], path: str) -> bool:
    tags = operation.get("tags") or ()
    return not include or told in include or any(t in include for t in tags) or any(
        part.startswith("/") and path.startswith(part) for part in include
    )  # fmt: skip


def _keys(spec: Mapping[str, Any], old: bool) -> dict[str, ApiKeyPlace]:
    declared = spec.get("securityDefinitions") if old else (spec.get("components") or {}).get("securitySchemes")
    found = {}
    for name, scheme in (declared or {}).items():
        if (
            isinstance(scheme, dict)
            and scheme.get("type") == "apiKey"
            and scheme.get("in") in ("header", "query", "cookie")
        ):
            place = cast(Literal["header", "query", "cookie"], scheme["in"])
            found[name] = ApiKeyPlace(str(scheme.get("name")), place)
    return found


class _Reading:
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
                raise BadRequest(f"주소의 {{{part}}}에 맞는 인자가 없습니다")
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
            raise BadRequest(f"인자 {name or '?'}의 자리({place})를 알 수 없습니다")
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
            raise BadRequest(f"보낼 수 없는 본문 형식입니다({', '.join(content) or '없음'})")
        inner = self._schemas.read((content[kind] or {}).get("schema", {}))
        return self._taken_in(kind, inner, body.get("required") is True, schema)

    def _old_body(
        self, parameters: list[dict[str, Any]], operation: dict[str, Any], schema: dict[str, Any]
    ) -> Body | None:
        form = [one for one in parameters if one.get("in") == "formData"]
        if form:
            if any(one.get("type") == "file" and one.get("required") for one in form):
                raise BadRequest("파일을 올리는 작업은 도구로 만들지 않습니다")
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
            raise BadRequest(f"보낼 수 없는 본문 형식입니다({', '.join(map(str, kinds))})")
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
                raise BadRequest("서버 주소가 없습니다. base_url을 함께 보내 주세요")
            url = urljoin(self._url, url)
        return url

    def _key_place(self, operation: dict[str, Any]) -> ApiKeyPlace | None:
        wanted = operation.get("security", self._spec.get("security")) or []
        names = [name for need in wanted if isinstance(need, dict) for name in need]
        return next((self._keys[name] for name in names if name in self._keys), None) or next(
            iter(self._keys.values()), None
        )


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


def spec_as_stored(source: str | bytes | Mapping[str, Any]) -> str:
    """The description as JSON text, to be kept."""
    return json.dumps(read_spec(source), ensure_ascii=False)

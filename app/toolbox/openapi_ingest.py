"""Tools from an OpenAPI description: one an operation, its annotations by HTTP method, its arguments by the schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from app.access import Role
from app.adapters.outside import OutsideClient
from app.adapters.source_auth import ApiKeyPlace, SourceAuth, credentials
from app.answering.names import title_of
from app.errors import BadRequest
from app.messages import worded
from app.toolbox.imported import (
    Call,
    ImportedResult,
    ImportedTool,
    described,
    distinct,
    entry_of,
    free_name,
    schema_fault,
    titled,
    tool_name,
    without_orders,
)
from app.toolbox.openapi_calls import Operation, perform
from app.toolbox.openapi_operations import OperationReader, answered
from app.toolbox.openapi_schema import read_spec, resolved
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
    keys = _keys(spec, old)
    found: list[tuple[ImportedTool, Operation]] = []
    skipped: list[Skipped] = []
    warnings: list[str] = []
    names = set(taken)
    for path, method, item, operation in _operations(spec):
        told = _original(path, method, operation)
        if not _wanted(include, told, operation, path):
            continue
        try:
            made, schema = OperationReader(spec, old, url, base_url, keys).operation(path, method, item, operation)
        except BadRequest as error:
            skipped.append(Skipped(told, str(error)))
            continue
        tool, cut = _tool(spec, name, path, method, operation, schema, names, suspicious)
        if cut:
            warnings.append(worded("openapi_ingest.told_to", told=told))
        if fault := schema_fault(tool.input_schema):
            skipped.append(Skipped(told, worded("openapi_ingest.bad_argument", fault=fault)))
            continue
        names.add(tool.name)
        found.append((tool, made))
        if len(found) > MOST_TOOLS:
            raise BadRequest(worded("openapi_ingest.too_many", most_tools=MOST_TOOLS))
    if not found:
        reasons = "; ".join(f"{item.operation}: {item.reason}" for item in skipped[:3])
        raise BadRequest(
            worded("openapi_ingest.nothing") + (f" {reasons}" if reasons else worded("openapi_ingest.check_paths"))
        )
    title = str((spec.get("info") or {}).get("title") or name) if isinstance(spec.get("info"), dict) else name
    return OpenApiTools(tuple(found), tuple(skipped), tuple(warnings), title)


def _operations(spec: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any], dict[str, Any]]]:
    """Each operation with its path, its method and what its path declares for all of its methods."""
    for path, raw_item in spec.get("paths", {}).items():
        item = resolved(spec, raw_item)
        for method, operation in item.items():
            if method in ANNOTATION_BY_METHOD and isinstance(operation, dict):
                yield path, method, item, operation


def _original(path: str, method: str, operation: Mapping[str, Any]) -> str:
    """How the description itself names an operation."""
    return str(operation.get("operationId") or f"{method.upper()} {path}")


def _tool(
    spec: dict[str, Any],
    name: str,
    path: str,
    method: str,
    operation: dict[str, Any],
    schema: dict[str, Any],
    names: Collection[str],
    suspicious: Callable[[str], bool],
) -> tuple[ImportedTool, bool]:
    """The operation as a tool of its own name; and whether sentences that give orders were cut from its words."""
    own = tool_name(str(operation.get("operationId") or "")) or tool_name(method, path)
    text = " ".join(str(operation[key]) for key in ("summary", "description") if operation.get(key))
    words, cut = described(text, title_of(None, own) if own else f"{method.upper()} {path}", suspicious)
    tool = ImportedTool(
        name=free_name(own, name, names),
        original=_original(path, method, operation),
        description=words,
        input_schema=schema,
        annotations=annotations_for(method),
        tags=(name, *(str(tag) for tag in operation.get("tags") or ())),
        metadata={"openapi": name, "method": method.upper(), "path": path},
        title=titled(operation.get("summary"), suspicious) or own,
        results=without_orders(answered(spec, operation), suspicious),
    )
    return tool, bool(cut)


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


def spec_as_stored(source: str | bytes | Mapping[str, Any]) -> str:
    """The description as JSON text, to be kept."""
    return json.dumps(read_spec(source), ensure_ascii=False)

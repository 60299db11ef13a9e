"""Tools from MCP servers, and from plain lists of tool descriptions whose format is recognised by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from app.access import Role
from app.adapters.mcp_client import McpConnection
from app.answering.faults import fault_of
from app.answering.names import words_of
from app.errors import BadRequest, NotFound, ToolFailed, Unavailable
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
    trimmed,
    without_orders,
)
from app.toolbox.snapshot import ToolEntry
from app.tools.declare import Annotations

_SCHEMAS = ("inputSchema", "input_schema", "parameters", "args_schema")


def parse_tool(raw: Mapping[str, Any], server: str = "", taken: Collection[str] = ()) -> ImportedTool:
    """One tool, of MCP (`inputSchema`), OpenAI (`function`, `parameters`) or Anthropic (`input_schema`) format.

    The server goes into metadata and tags. Raises BadRequest when it has no name or a schema nobody can read.
    """
    body = raw.get("function") if isinstance(raw.get("function"), Mapping) else raw
    assert isinstance(body, Mapping)
    original = body.get("name")
    if not isinstance(original, str) or not original.strip():
        raise BadRequest(worded("mcp_ingest.no_name"))
    schema: dict[str, Any] = dict(next((body[key] for key in _SCHEMAS if isinstance(body.get(key), Mapping)), {}))
    fault = schema_fault(schema) if schema.get("type", "object") == "object" else worded("mcp_ingest.not_object")
    if fault:
        raise BadRequest(worded("mcp_ingest.bad_argument", original=original, fault=fault))
    hints = body.get("annotations") or raw.get("annotations")
    title = body.get("title") or (hints.get("title") if isinstance(hints, Mapping) else None)
    told = str(body.get("description") or title or words_of(original))
    try:
        annotations = Annotations.model_validate(dict(hints)) if isinstance(hints, Mapping) and hints else None
    except ValidationError as error:
        raise BadRequest(worded("mcp_ingest.bad_annotations", original=original)) from error
    tags = [str(tag) for tag in body.get("tags") or ()]
    return ImportedTool(
        name=free_name(tool_name(original), server or "mcp", taken),
        original=original,
        description=told,
        input_schema=schema,
        annotations=annotations,
        tags=tuple(dict.fromkeys((*([server] if server else []), *tags))),
        metadata={"mcp_server": server, "mcp_tool": original} if server else {},
        title=title if isinstance(title, str) else "",
        results=_result_schema(body.get("outputSchema") or body.get("output_schema")),
    )


def parse_tools(
    raw_tools: Sequence[Mapping[str, Any]],
    server: str,
    taken: Collection[str] = (),
    suspicious: Callable[[str], bool] = lambda _: False,
) -> tuple[tuple[ImportedTool, ...], tuple[str, ...]]:
    """The tools of a server and what was wrong with the others; a faulty tool never spoils the rest."""
    names = set(taken)
    found: list[ImportedTool] = []
    warnings: list[str] = []
    for raw in raw_tools:
        try:
            tool = parse_tool(raw, server, names)
        except BadRequest as error:
            warnings.append(str(error))
            continue
        words, cut = described(tool.description, f"{server} {words_of(tool.original)}", suspicious)
        if cut:
            warnings.append(worded("mcp_ingest.told_to", original=tool.original))
        names.add(tool.name)
        results = without_orders(tool.results, suspicious)
        found.append(replace(tool, description=words, title=titled(tool.title, suspicious), results=results))
    return tuple(found), tuple(warnings)


def ingest_mcp_tools(
    tools: Sequence[Mapping[str, Any]],
    server_name: str,
    *,
    connection: McpConnection | None = None,
    role: Role = "staff",
    limit: int = 4000,
    others: Collection[ToolEntry] = (),
    suspicious: Callable[[str], bool] = lambda _: False,
) -> tuple[ToolEntry, ...]:
    """The tools of a list, ready to be swapped in as the source 'mcp:server_name'.

    Names that `others` have are prefixed with the server's. Without a connection they are found and described, but a
    call says that the server is not connected.
    """
    parsed, _ = parse_tools(tools, server_name, [entry.name for entry in others], suspicious)
    return mcp_entries(parsed, server_name, connection, role=role, limit=limit, others=others)


def mcp_entries(
    parsed: Sequence[ImportedTool],
    server: str,
    connection: McpConnection | None,
    *,
    role: Role = "staff",
    limit: int = 4000,
    others: Collection[ToolEntry] = (),
    ready: Callable[[str], Any] | None = None,
) -> tuple[ToolEntry, ...]:
    """The entries of parsed tools. `ready(original)` is awaited before each call: it lists the server's tools anew
    where they may have changed, and raises NotFound when this one is gone."""

    def call_of(tool: ImportedTool) -> Call:
        hints = tool.annotations
        repeatable = hints is not None and (hints.read_only is True or hints.idempotent is True)

        async def call(args: dict[str, Any]) -> ImportedResult:
            if connection is None:
                raise Unavailable(worded("mcp_ingest.not_connected", server=server))
            if ready is not None:
                await ready(tool.original)
            reply = await connection.call(tool.original, args, repeatable=repeatable)
            if reply.is_error:
                raise ToolFailed(
                    worded(
                        "mcp_ingest.failed",
                        server=server,
                        fault=fault_of(reply.text) or worded("mcp_ingest.told_error"),
                    )
                )
            kept, note = trimmed(_data(reply.data, reply.text), limit)
            if reply.left_out:
                note = ", ".join(
                    filter(None, (note, worded("mcp_ingest.left_out", left_out=", ".join(reply.left_out))))
                )
            return ImportedResult(source=server, data=kept, truncated=bool(note), note=note)

        return call

    made = [entry_of(tool, call_of(tool), f"mcp:{server}", role) for tool in parsed]
    return distinct(made, others)


def gone(server: str, tool: str) -> NotFound:
    """The error of a tool that its server took away."""
    return NotFound(worded("mcp_ingest.gone", server=server, tool=tool))


def _result_schema(schema: Any) -> dict[str, Any] | None:
    """What tells of a tool's data as `_data` takes it: of the one member `result`, where that is all there is."""
    if not isinstance(schema, Mapping):
        return None
    members = schema.get("properties")
    if isinstance(members, Mapping) and set(members) == {"result"} and isinstance(members["result"], Mapping):
        shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
        return {**shared, **members["result"]}
    return dict(schema)


def _data(data: Any, text: str) -> Any:
    if data is not None:
        return data.get("result") if isinstance(data, dict) and set(data) == {"result"} else data
    try:
        return json.loads(text) if text.lstrip()[:1] in ("{", "[") else text
    except ValueError:
        return text

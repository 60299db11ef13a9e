"""Calls of imported HTTP operations: arguments become path, query, headers and body, answers become results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, urlencode

from app.adapters.outside import OutsideClient, OutsideReply, OutsideRequest
from app.adapters.source_auth import ApiKeyPlace, Credentials
from app.answering.faults import fault_of
from app.errors import BadRequest, ToolFailed, Unavailable
from app.messages import worded
from app.toolbox.imported import ImportedResult, trimmed

IDEMPOTENT = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE"})
_DELIMITERS = {"spaceDelimited": " ", "pipeDelimited": "|", "tabDelimited": "\t"}


@dataclass(frozen=True)
class Parameter:
    """An argument and where its value goes. `style` and `explode` are OpenAPI's; style 'json' is written as JSON."""

    argument: str
    name: str
    place: Literal["path", "query", "header", "cookie"]
    required: bool
    style: str
    explode: bool


@dataclass(frozen=True)
class Body:
    """The request body: of the arguments `fields`, or of the one argument `argument`."""

    kind: str
    fields: tuple[str, ...]
    argument: str | None


@dataclass(frozen=True)
class Operation:
    """One HTTP operation."""

    method: str
    base_url: str
    path: str
    parameters: tuple[Parameter, ...]
    body: Body | None
    key_place: ApiKeyPlace | None = None


async def perform(
    operation: Operation,
    args: Mapping[str, Any],
    client: OutsideClient,
    held: Credentials,
    *,
    source: str,
    limit: int,
) -> ImportedResult:
    """Call the operation. `limit`: the size of the result (글자).

    Raises BadRequest for values that cannot be sent, ToolFailed when the server refuses, Unavailable when it is down.
    """
    request = request_of(operation, args, held)
    reply = await client.send(request, idempotent=operation.method in IDEMPOTENT)
    data = _data(reply, held)
    if reply.status >= 500 or reply.status == 429:
        raise Unavailable(worded("openapi_calls.unavailable", source=source, status=reply.status))
    if reply.status >= 300:
        raise ToolFailed(
            worded("openapi_calls.refused", source=source, status=reply.status, fault=fault_of(data)).strip()
        )
    kept, note = trimmed(data, limit)
    if not reply.complete:
        note = note or worded("openapi_calls.cut")
    return ImportedResult(source=source, data=kept, truncated=bool(note), note=note)


def request_of(operation: Operation, args: Mapping[str, Any], held: Credentials) -> OutsideRequest:
    """The request of a call. Raises BadRequest for a value that cannot stand where it goes."""
    path = operation.path
    query: list[tuple[str, str]] = []
    headers: list[tuple[str, str]] = [("Accept", "application/json, */*;q=0.5")]
    cookies: list[str] = []
    for parameter in operation.parameters:
        value = args.get(parameter.argument)
        if value is None:
            if parameter.required:
                raise BadRequest(worded("openapi_calls.missing", argument=parameter.argument))
            continue
        match parameter.place:
            case "path":
                path = path.replace(f"{{{parameter.name}}}", _in_path(parameter, value))
            case "query":
                query += _in_query(parameter, value)
            case "header":
                headers.append((parameter.name, _header(parameter, value)))
            case "cookie":
                cookies.append(f"{parameter.name}={quote(_simple(parameter, value), safe=',')}")
    if cookies:
        headers.append(("Cookie", "; ".join(cookies)))
    body, kind = _body(operation.body, args)
    if body is not None:
        headers.append(("Content-Type", kind))
    return OutsideRequest(
        method=operation.method,
        url=operation.base_url.rstrip("/") + path,
        query=tuple(query),
        headers=tuple(headers),
        body=body,
        secret_headers=held.headers,
        secret_query=held.query,
    )


def _in_path(parameter: Parameter, value: Any) -> str:
    """Percent-encoded, so that a value never becomes another segment."""
    if parameter.style in ("label", "matrix"):
        joined = ",".join(quote(_word(item), safe="") for item in (value if isinstance(value, list) else [value]))
        text = f".{joined}" if parameter.style == "label" else f";{parameter.name}={joined}"
    else:
        text = ",".join(quote(part, safe="") for part in _parts(parameter, value))
    if text in ("", ".", ".."):
        raise BadRequest(worded("openapi_calls.bad_path", argument=parameter.argument, text=text))
    return text


def _in_query(parameter: Parameter, value: Any) -> list[tuple[str, str]]:
    name = parameter.name
    if parameter.style == "json":
        return [(name, json.dumps(value, ensure_ascii=False))]
    if isinstance(value, dict):
        if parameter.style == "deepObject":
            return [(f"{name}[{key}]", _word(item)) for key, item in value.items()]
        if parameter.explode:
            return [(key, _word(item)) for key, item in value.items()]
        return [(name, _simple(parameter, value))]
    if isinstance(value, list):
        if parameter.explode:
            return [(name, _word(item)) for item in value]
        return [(name, _DELIMITERS.get(parameter.style, ",").join(map(_word, value)))]
    return [(name, _word(value))]


def _header(parameter: Parameter, value: Any) -> str:
    text = _simple(parameter, value)
    if any(ord(char) < 32 or ord(char) == 127 for char in text) or not text.isascii():
        raise BadRequest(worded("openapi_calls.bad_header", argument=parameter.argument))
    return text


def _simple(parameter: Parameter, value: Any) -> str:
    return ",".join(_parts(parameter, value))


def _parts(parameter: Parameter, value: Any) -> list[str]:
    if isinstance(value, dict):
        if parameter.explode:
            return [f"{key}={_word(item)}" for key, item in value.items()]
        return [part for key, item in value.items() for part in (key, _word(item))]
    return [_word(item) for item in value] if isinstance(value, list) else [_word(value)]


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)


def _body(body: Body | None, args: Mapping[str, Any]) -> tuple[bytes | None, str]:
    if body is None:
        return None, ""
    if body.argument is None:
        data: Any = {name: args[name] for name in body.fields if name in args}
        if not data:
            return None, ""
    elif body.argument in args:
        data = args[body.argument]
    else:
        return None, ""
    if body.kind == "text/plain":
        return _word(data).encode(), body.kind
    if body.kind == "application/x-www-form-urlencoded":
        fields = data if isinstance(data, dict) else {"value": data}
        pairs = [
            (key, _word(one)) for key, item in fields.items() for one in (item if isinstance(item, list) else [item])
        ]
        return urlencode(pairs).encode(), body.kind
    kind = "application/json" if body.kind.startswith("*/") else body.kind
    return json.dumps(data, ensure_ascii=False).encode(), kind


def _data(reply: OutsideReply, held: Credentials) -> Any:
    """What the server sent, without the secrets that it may repeat."""
    if reply.content_type.startswith(("image/", "audio/", "video/")) or "octet-stream" in reply.content_type:
        return {"content_type": reply.content_type, "bytes": len(reply.body)}
    text = held.hidden(reply.body.decode("utf-8", errors="replace"))
    if "json" in reply.content_type or text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except ValueError:
            return text
    return text

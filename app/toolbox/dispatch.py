"""Runs tool calls against a snapshot: role check first, then each tool by its own caller, side by side."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from pydantic import BaseModel

from app.adapters.chat_tool_calls import UNREADABLE
from app.messages import worded
from app.toolbox.calling import broken, refused
from app.toolbox.own_faults import Broke
from app.toolbox.snapshot import Channel, ToolSnapshot
from app.tools.blocks import blocks_of
from app.tools.context import ToolContext

Started = Callable[[ToolCall], None]

NO_JSON = worded("dispatch.unreadable")
SCHEMA = "result_schema"
"""Where a tool's message keeps the JSON schema of its result."""
_MOST_SCHEMA = 20_000
SWITCHED_OFF = worded("dispatch.switched_off")


@dataclass(frozen=True)
class ToolRun:
    """One executed call: the message for the model, and what it took.

    `effect` says what a call that only prepared would do once it is approved; `call` is the call as it ran, where a
    person had changed its arguments; `broken` tells that the tool's own code failed, whatever the arguments.
    """

    message: ToolMessage
    duration_ms: float
    effect: str | None = None
    call: ToolCall | None = None
    broken: bool = False

    @property
    def ok(self) -> bool:
        return self.message.status != "error"


async def dispatch(
    snapshot: ToolSnapshot,
    calls: Sequence[ToolCall],
    context: ToolContext,
    *,
    offered: frozenset[str] | None = None,
    facts: dict[str, Any] | None = None,
    started: Started | None = None,
    channel: Channel = "chat",
    broke: Callable[[str], None] | None = None,
) -> list[ToolRun]:
    """Run `calls` in parallel, in order of the calls. Never raises for a tool's own fault: that is an error message.

    `offered` names the tools that the model was shown; any other is refused, and so is one above the principal's role
    or of another channel. `started` hears of each call before it runs.
    """
    reasons = [
        refusal(call["name"], snapshot, context, offered, channel) or (NO_JSON if UNREADABLE in call["args"] else None)
        for call in calls
    ]
    if started is not None:
        for call in calls:
            started(call)
    runs = (_called(snapshot, call, context, facts or {}, reason) for call, reason in zip(calls, reasons, strict=True))
    ended = await asyncio.gather(*runs)
    if broke is not None:
        for call in (call for call, run in zip(calls, ended, strict=True) if run.broken):
            broke(call["name"])
    return ended


async def _called(
    snapshot: ToolSnapshot, call: ToolCall, context: ToolContext, facts: dict[str, Any], reason: str | None
) -> ToolRun:
    if reason is not None:
        return ToolRun(refused(call, reason, misused=True), 0.0)
    message, took_ms = await snapshot.entry(call["name"]).caller(call, context, facts)
    try:
        plain = _plain(message)
    except Exception as error:  # a result that cannot be shown is the tool's own fault, not the turn's
        message = broken(call, error)
        plain = _plain(message)
    effect = getattr(message.artifact, "approval_effect", None)
    return ToolRun(plain, took_ms, effect, broken=isinstance(message.artifact, Broke))


def refusal(
    name: str, snapshot: ToolSnapshot, context: ToolContext, offered: frozenset[str] | None, channel: Channel
) -> str | None:
    """Why a tool may not be called here; None when it may."""
    if name not in snapshot:
        return worded("dispatch.unknown", name=name)
    if snapshot.entry(name).off:
        return SWITCHED_OFF
    if name not in snapshot.allowed_for(context.principal, channel):
        return worded("dispatch.forbidden")
    if offered is not None and name not in offered:
        return worded("dispatch.not_offered", name=name)
    return None


def _plain(message: ToolMessage) -> ToolMessage:
    """The same message with its artifact as JSON data, so that a checkpoint never holds our classes."""
    artifact = message.artifact
    if isinstance(artifact, BaseModel):
        schema = _schema_of(type(artifact))
        if schema is not None:
            message = message.model_copy(update={"additional_kwargs": {**message.additional_kwargs, SCHEMA: schema}})
        blocks = [block.model_dump(mode="json") for block in blocks_of(artifact)]
        plain = {"kind": type(artifact).__name__, "data": artifact.model_dump(mode="json"), "blocks": blocks}
    elif message.status == "error":
        plain = {"kind": "Error", "data": {"message": str(message.content)}, "blocks": []}
    else:
        plain = {"kind": "Text", "data": _as_data(str(message.content)), "blocks": []}
    return message.model_copy(update={"artifact": plain})


@lru_cache(maxsize=256)
def _schema_of(kind: type[BaseModel]) -> dict[str, Any] | None:
    """What the fields of a result are called; None for the product's own results, which have templates, and for a
    schema that is too large to keep with the talk."""
    if kind.__module__.startswith("app.") and not kind.__module__.startswith("app.tools"):
        return None
    try:
        schema = kind.model_json_schema(mode="serialization")
    except Exception:  # a class of a tool's module may be anything
        return None
    return schema if len(json.dumps(schema, default=str)) <= _MOST_SCHEMA else None


def _as_data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return {"text": text}
    return data if isinstance(data, dict) else {"text": text}

"""One request of an MCP client: who asks, over which connection, and what may be told to it meanwhile."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, get_args

import mcp_types as types
from mcp import MCPError
from mcp.server.connection import Connection, allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from app.access import Principal

Context = ServerRequestContext[Any, Any]
LEVELS: tuple[types.LoggingLevel, ...] = get_args(types.LoggingLevel)
CALLER_KEY = "mcp_caller"
DEFAULT_LEVEL: types.LoggingLevel = "info"
_LEVEL, _LOGGER = "log_level", "insurance"


async def _free() -> None:
    """A question that no limit counts."""


@dataclass(frozen=True)
class Caller:
    """A verified caller. `spend_turn` takes one question from its rate limit or raises TooManyRequests.

    `memory` lasts as long as this object: over HTTP one request, over stdio the whole program.
    """

    principal: Principal
    spend_turn: Callable[[], Awaitable[None]] = field(default=_free, repr=False)
    memory: dict[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True)
class Call:
    """One tools/call with everything that its handler may use."""

    ctx: Context
    caller: Caller
    name: str
    args: dict[str, Any]
    params: types.CallToolRequestParams

    @property
    def principal(self) -> Principal:
        return self.caller.principal

    @property
    def modern(self) -> bool:
        """True from 2026-07-28 on: no session, and questions to the person travel in results."""
        return self.ctx.protocol_version in MODERN_PROTOCOL_VERSIONS

    async def progress(self, done: float, message: str) -> None:
        """Tell how far the call has come; nothing is sent where the client did not ask for it."""
        await self.ctx.session.report_progress(done, None, message)

    async def log(self, level: types.LoggingLevel, data: dict[str, Any]) -> None:
        """A log message for this request, if its level is wanted. Never holds what a person wrote."""
        if level not in wanted_levels(self.ctx):
            return
        params = types.LoggingMessageNotificationParams(level=level, logger=_LOGGER, data=data)
        await self.ctx.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=self.ctx.request_id
        )


def connection_of(ctx: Context) -> Connection:
    """The connection of a request. The SDK (2.3) has no public name for it."""
    return ctx.session._connection


def set_level(ctx: Context, level: types.LoggingLevel) -> None:
    """Send this connection messages of `level` and above from now on."""
    connection_of(ctx).state[_LEVEL] = level


def wanted_levels(ctx: Context) -> frozenset[types.LoggingLevel]:
    """What the client wants to hear: by `logging/setLevel` up to 2025-11-25, by each request's own wish after."""
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return allowed_log_levels(ctx.protocol_version, ctx.meta)
    chosen = connection_of(ctx).state.get(_LEVEL, DEFAULT_LEVEL)
    return frozenset(LEVELS[LEVELS.index(chosen) :])


def caller_of(ctx: Context, local: Caller | None) -> Caller:
    """Who asks: whom the HTTP gate verified, or the one local caller of a stdio server.

    Raises MCPError when nobody was verified; an HTTP server has no local caller to fall back on.
    """
    found = None if ctx.request is None else ctx.request.scope.get("state", {}).get(CALLER_KEY)
    if isinstance(found, Caller):
        return found
    if ctx.request is None and local is not None:
        return local
    raise MCPError(types.INVALID_REQUEST, "확인된 사용자가 아닙니다. 키를 보내 다시 연결해 주세요.")

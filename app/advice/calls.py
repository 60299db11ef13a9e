"""Tool calls of one proposal: each made once, kept as a source with its id."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from app.advice.models import SourceCall
from app.errors import AppError


@dataclass(frozen=True)
class Told:
    """What a tool answered: the kind of its result, the result as JSON data, and the tool's title for people."""

    kind: str
    data: Mapping[str, Any]
    title: str


class Invoke(Protocol):
    """Calls a tool through the same dispatch, approvals and roles as everybody's calls. Raises AppError."""

    async def __call__(self, tool: str, args: dict[str, Any]) -> Told: ...


@dataclass(frozen=True)
class Result:
    """A tool's answer under the id of its call."""

    id: str
    kind: str
    data: Mapping[str, Any]


class Calls:
    """Makes calls and remembers them: equal ones are one call. A fault of a tool is its answer None where asked so."""

    def __init__(self, invoke: Invoke) -> None:
        self._invoke = invoke
        self._made: dict[tuple[str, tuple[tuple[str, Any], ...]], asyncio.Task[Result]] = {}
        self._calls: dict[str, SourceCall] = {}

    async def __call__(self, tool: str, **args: Any) -> Result:
        """The answer of a call; arguments that are None are left out. Raises AppError as the tool does."""
        given = {name: value for name, value in args.items() if value is not None}
        key = (tool, tuple(sorted((name, _hashable(value)) for name, value in given.items())))
        if key not in self._made:
            self._made[key] = asyncio.ensure_future(self._call(f"s{len(self._made) + 1}", tool, given))
        return await asyncio.shield(self._made[key])

    async def tried(self, tool: str, **args: Any) -> Result | None:
        """As a call; None where the tool refuses it."""
        try:
            return await self(tool, **args)
        except AppError:
            return None

    def sources(self, used: set[str]) -> dict[str, SourceCall]:
        """The calls of these ids, in the order in which they were made."""
        return {name: self._calls[name] for name in sorted(used & self._calls.keys(), key=lambda name: int(name[1:]))}

    async def _call(self, name: str, tool: str, args: dict[str, Any]) -> Result:
        told = await self._invoke(tool, args)
        basis = told.data.get("source")
        self._calls[name] = SourceCall(
            tool=tool, title=told.title, args=args, basis=basis if isinstance(basis, str) else None
        )
        return Result(name, told.kind, told.data)


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

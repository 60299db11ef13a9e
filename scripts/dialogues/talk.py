"""Two ways to hold a dialogue: with the services opened in this process, or with a running server."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
from langchain_core.messages import AnyMessage
from sqlalchemy import func, select

from app.access import Principal
from app.adapters.tables import followup_tasks, service_requests
from app.composition import open_services
from app.errors import AppError
from app.evaluation.hearing import Known, calls_of, heard, invented
from app.evaluation.scoring import Heard
from app.graph.turn import tool_results
from app.safety.evidence import Evidence
from app.services import Services
from app.settings import Settings


class Partner(Protocol):
    """Somebody who answers.

    `recorded` counts the service requests and tasks written so far; None where it cannot be seen.
    """

    async def ask(self, thread: str, text: str) -> Heard: ...

    async def recorded(self) -> int | None: ...


@dataclass
class InProcess:
    """Asks the runner itself; the evidence of an answer is read from the thread."""

    services: Services
    principal: Principal

    async def ask(self, thread: str, text: str) -> Heard:
        started = time.perf_counter()
        try:
            reply = await self.services.talk.runner.ask(text, self.principal, thread)
        except AppError as error:
            return Heard({}, (), (time.perf_counter() - started) * 1000, error=str(error))
        took = (time.perf_counter() - started) * 1000
        return heard(reply, took, await self._messages(thread), text, known_of(self.services))

    async def artifacts(self, thread: str) -> list[dict[str, Any]]:
        """The typed results of the turn's tools: each its kind and its data."""
        return [result.artifact or {} for result in tool_results(await self._messages(thread))]

    async def _messages(self, thread: str) -> Sequence[AnyMessage]:
        saved = await self.services.storage.checkpoints.aget_tuple(
            {"configurable": {"thread_id": f"{self.principal.id}:{thread}"}}
        )
        return saved.checkpoint["channel_values"].get("messages", ()) if saved else ()

    async def recorded(self) -> int | None:
        counts = [
            await self.services.storage.database.value(select(func.count()).select_from(table))
            for table in (service_requests, followup_tasks)
        ]
        return sum(counts)


@dataclass
class OverHttp:
    """Asks a running server; the evidence is had by calling the read tools again with the same arguments."""

    client: httpx2.AsyncClient
    _given: dict[str, list[str]] = field(default_factory=dict)

    async def ask(self, thread: str, text: str) -> Heard:
        started = time.perf_counter()
        try:
            response = await self.client.post("/api/chat", json={"query": text, "thread_id": thread})
        except httpx2.HTTPError as error:
            return Heard({}, (), (time.perf_counter() - started) * 1000, error=f"{type(error).__name__}: {error}")
        took = (time.perf_counter() - started) * 1000
        if response.status_code != 200:
            return Heard({}, (), took, error=f"{response.status_code} {response.text[:200]}")
        reply: dict[str, Any] = response.json()
        return Heard(reply, calls_of(reply), took, await self._loose(thread, text, reply))

    async def _loose(self, thread: str, text: str, reply: dict[str, Any]) -> tuple[str, ...] | None:
        """None for an answer without tools: what it rests on stays in the server."""
        given = self._given.setdefault(thread, [])
        given.append(text)
        calls = [row for row in reply["trace"] if row["node"] == "tools"]
        for row in calls:
            if row["input"].get("submit") or row["input"].get("save"):
                return None
            again = await self.client.post(f"/api/tools/{row['tool']}/invoke", json={"args": row["input"]})
            if again.status_code in (401, 403):
                return None
            given.append(again.text)
        given.append(str(reply.get("facts") or {}))
        answer = reply["answer"].split("\n\n※")[0]
        return invented(answer, Evidence((), earlier=given)) if calls else None

    async def recorded(self) -> int | None:
        return None


@asynccontextmanager
async def opened(url: str | None, role: str, customer_id: str | None) -> AsyncIterator[Partner]:
    """The partner for the options given. A customer over HTTP is a visitor behind a proxy."""
    if url is None:
        principal = Principal(id=f"eval-{role}", role=role, customer_id=customer_id)  # type: ignore[arg-type]
        async with open_services(Settings()) as services:
            yield InProcess(services, principal)
        return
    headers = {"X-Forwarded-For": "198.51.100.1"} if role == "customer" else {}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
        yield OverHttp(client)


def known_of(services: Services) -> Known:
    """What an answer may always say."""
    names = [product.name for product in services.knowledge.catalogue.products]
    return Known(tuple(names), tuple(services.talk.parts.disclaimers.values()))


def new_thread(dialogue: str) -> str:
    """A thread id that no earlier run has used."""
    return f"eval-{uuid.uuid4().hex[:12]}-{dialogue}"[:120]

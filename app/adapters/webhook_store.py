"""Webhooks and their deliveries in the service database: written down first, sent later, kept when given up."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Row, delete, func, insert, select, update

from app.adapters.database import Database
from app.adapters.field_cipher import FieldCipher
from app.adapters.tables import webhook_deliveries as deliveries
from app.adapters.tables import webhooks
from app.errors import NotFound
from app.messages import worded

Event = Literal["handoff.created", "feedback.created", "turn.blocked", "approval.requested", "approval.decided"]
EVENTS: tuple[Event, ...] = (
    "handoff.created",
    "feedback.created",
    "turn.blocked",
    "approval.requested",
    "approval.decided",
)
DeliveryStatus = Literal["pending", "delivered", "dead"]
_PROBLEM_CHARS = 500


@dataclass(frozen=True)
class Webhook:
    """One address that is told of some events. `secret` signs what is sent (`whsec_…`)."""

    webhook_id: str
    url: str
    events: tuple[str, ...]
    label: str
    created_by: str
    created_at: datetime
    secret: str = field(repr=False)


@dataclass(frozen=True)
class Delivery:
    """One event for one webhook. `answer` is the last HTTP status, `problem` why it did not arrive. Times are UTC."""

    delivery_id: str
    webhook_id: str
    event: str
    body: str
    status: DeliveryStatus
    attempts: int
    next_at: datetime
    answer: int | None
    problem: str
    created_at: datetime
    ended_at: datetime | None


class WebhookStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database, cipher: FieldCipher) -> None:
        self._database, self._cipher = database, cipher

    async def add(self, url: str, events: Sequence[Event], label: str, created_by: str, secret: str) -> Webhook:
        """Keep a webhook; its secret is encrypted."""
        name = f"wh_{secrets.token_hex(8)}"
        now = datetime.now(UTC)
        sealed = self._cipher.encrypt(secret, _place(name))
        values = {"webhook_id": name, "url": url, "events": list(events), "label": label, "secret": sealed}
        await self._database.change(insert(webhooks).values(**values, created_by=created_by, created_at=now))
        return Webhook(name, url, tuple(events), label, created_by, now, secret)

    async def all(self) -> tuple[Webhook, ...]:
        """Every webhook, the oldest first."""
        rows = await self._database.rows(select(webhooks).order_by(webhooks.c.created_at, webhooks.c.webhook_id))
        return tuple(self._webhook(row) for row in rows)

    async def get(self, webhook_id: str) -> Webhook:
        """One webhook. Raises NotFound."""
        row = await self._database.row(select(webhooks).where(webhooks.c.webhook_id == webhook_id))
        if row is None:
            raise _unknown(webhook_id)
        return self._webhook(row)

    async def remove(self, webhook_id: str) -> None:
        """Forget a webhook with its deliveries. Raises NotFound."""
        async with self._database.writing() as connection:
            await connection.execute(delete(deliveries).where(deliveries.c.webhook_id == webhook_id))
            gone = await connection.execute(delete(webhooks).where(webhooks.c.webhook_id == webhook_id))
        if not gone.rowcount:
            raise _unknown(webhook_id)

    async def enqueue(self, event: Event, data: Mapping[str, Any]) -> int:
        """Write the event down for every webhook that wants it; answers for how many."""
        wanted = [webhook for webhook in await self.all() if event in webhook.events]
        if not wanted:
            return 0
        now = datetime.now(UTC)
        rows = []
        for webhook in wanted:
            name = f"evt_{secrets.token_hex(12)}"
            body = {"id": name, "type": event, "timestamp": now.isoformat(), "data": dict(data)}
            rows.append(
                {
                    "delivery_id": name,
                    "webhook_id": webhook.webhook_id,
                    "event": event,
                    "body": json.dumps(body, ensure_ascii=False, separators=(",", ":")),
                    "status": "pending",
                    "attempts": 0,
                    "next_at": now,
                    "problem": "",
                    "created_at": now,
                }
            )
        await self._database.change(insert(deliveries), rows)
        return len(rows)

    async def claim(self, limit: int, lease_s: float) -> tuple[tuple[Delivery, Webhook], ...]:
        """Due deliveries, nobody else's for `lease_s` seconds: a worker that dies leaves them to the others."""
        now = datetime.now(UTC)
        due = (deliveries.c.status == "pending", deliveries.c.next_at <= now)
        held: list[Delivery] = []
        query = select(deliveries).where(*due).order_by(deliveries.c.next_at).limit(limit)
        rows = await self._database.rows(query)
        for row in rows:
            mine = (deliveries.c.delivery_id == row.delivery_id, deliveries.c.next_at == row.next_at, *due)
            change = update(deliveries).where(*mine).values(next_at=now + timedelta(seconds=lease_s))
            if await self._database.change(change):
                held.append(Delivery(**row._mapping))
        known = {webhook.webhook_id: webhook for webhook in (await self.all() if held else ())}
        return tuple((item, known[item.webhook_id]) for item in held if item.webhook_id in known)

    async def soonest(self) -> datetime | None:
        """When the next delivery is due; None while nothing waits."""
        query = select(func.min(deliveries.c.next_at)).where(deliveries.c.status == "pending")
        at: datetime | None = await self._database.value(query)
        return at

    async def delivered(self, delivery: Delivery, answer: int) -> None:
        """It arrived."""
        await self._end(delivery, "delivered", answer, "")

    async def failed(self, delivery: Delivery, answer: int | None, problem: str, wait_s: float | None) -> None:
        """It did not arrive: tried again after `wait_s` seconds, or given up (None) and kept."""
        if wait_s is None:
            await self._end(delivery, "dead", answer, problem)
            return
        values = {
            "attempts": delivery.attempts + 1,
            "answer": answer,
            "problem": problem[:_PROBLEM_CHARS],
            "next_at": datetime.now(UTC) + timedelta(seconds=wait_s),
        }
        await self._database.change(_this(delivery.delivery_id).values(values))

    async def of_webhook(self, webhook_id: str, status: DeliveryStatus | None, limit: int) -> tuple[Delivery, ...]:
        """The newest deliveries of a webhook. Raises NotFound."""
        await self.get(webhook_id)
        query = select(deliveries).where(deliveries.c.webhook_id == webhook_id)
        if status is not None:
            query = query.where(deliveries.c.status == status)
        rows = await self._database.rows(query.order_by(deliveries.c.created_at.desc()).limit(limit))
        return tuple(Delivery(**row._mapping) for row in rows)

    async def counts(self) -> dict[str, dict[str, int]]:
        """How many deliveries of each webhook stand how."""
        query = select(deliveries.c.webhook_id, deliveries.c.status, func.count().label("many"))
        rows = await self._database.rows(query.group_by(deliveries.c.webhook_id, deliveries.c.status))
        found: dict[str, dict[str, int]] = {}
        for row in rows:
            found.setdefault(row.webhook_id, {})[row.status] = row.many
        return found

    async def retry(self, webhook_id: str, delivery_id: str) -> None:
        """Send a delivery that was given up once more, from the start. Raises NotFound."""
        here = (deliveries.c.webhook_id == webhook_id, deliveries.c.status == "dead")
        values = {"status": "pending", "attempts": 0, "next_at": datetime.now(UTC), "ended_at": None}
        if not await self._database.change(_this(delivery_id).where(*here).values(values)):
            raise NotFound(worded("webhook_store.no_delivery", delivery_id=delivery_id))

    async def purge(self, days: int) -> int:
        """Forget what was delivered or given up more than `days` days ago."""
        old = (deliveries.c.status != "pending", deliveries.c.ended_at < datetime.now(UTC) - timedelta(days=days))
        return await self._database.change(delete(deliveries).where(*old))

    async def _end(self, delivery: Delivery, status: DeliveryStatus, answer: int | None, problem: str) -> None:
        values = {
            "status": status,
            "attempts": delivery.attempts + 1,
            "answer": answer,
            "problem": problem[:_PROBLEM_CHARS],
            "ended_at": datetime.now(UTC),
        }
        await self._database.change(_this(delivery.delivery_id).values(values))

    def _webhook(self, row: Row[Any]) -> Webhook:
        secret = self._cipher.decrypt(row.secret, _place(row.webhook_id))
        return Webhook(row.webhook_id, row.url, tuple(row.events), row.label, row.created_by, row.created_at, secret)


def _this(delivery_id: str) -> Any:
    return update(deliveries).where(deliveries.c.delivery_id == delivery_id)


def _place(webhook_id: str) -> str:
    return f"webhooks.secret:{webhook_id}"


def _unknown(webhook_id: str) -> NotFound:
    return NotFound(worded("webhook_store.no_webhook", webhook_id=webhook_id))

"""Telling other programs what happened: signed, tried again with growing pauses, kept when given up.

Signatures follow the Standard Webhooks convention: `webhook-signature` is `v1,` and, in base64, the HMAC-SHA256 of
`id.timestamp.body` by the secret's bytes.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import hmac
import logging
import random
import secrets
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from app.adapters.outside import NetworkRules, OutsideClient, OutsideRequest, port_of
from app.adapters.webhook_store import Delivery, Event, Webhook, WebhookStore
from app.errors import AppError, BadRequest, Unavailable

log = logging.getLogger(__name__)

SECRET_PREFIX = "whsec_"
POLL_S = 5.0
_LEAST_WAIT_S = 0.05
_AT_ONCE = 8
_GROWTH, _MOST_PAUSE_S = 4.0, 6 * 3600.0
_ANSWER_BYTES = 4096


def new_secret() -> str:
    """A secret to sign with."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(24)).decode()


def signature(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`."""
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX))
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


class Webhooks:
    """Takes events in at once and sends them while `run` goes on."""

    def __init__(
        self, store: WebhookStore, rules: NetworkRules, *, timeout_s: float, attempts: int, first_pause_s: float
    ) -> None:
        """`attempts` in all, the first pause `first_pause_s` (s), each later one four times as long."""
        self.store, self._rules = store, rules
        self._timeout_s, self._attempts, self._first_pause_s = timeout_s, attempts, first_pause_s
        self._news = asyncio.Event()

    async def add(self, url: str, events: Sequence[Event], label: str, created_by: str) -> Webhook:
        """A new webhook, its address checked by name and by what the name stands for now. Raises BadRequest,
        Unavailable."""
        parsed = self._rules.check_name(url)
        await self._rules.pinned(parsed.host, port_of(parsed))
        return await self.store.add(str(parsed), tuple(dict.fromkeys(events)), label, created_by, new_secret())

    async def tell(self, event: Event, data: Mapping[str, Any]) -> None:
        """Something happened. Never the caller's fault: a database that is down is told in the log."""
        try:
            if await self.store.enqueue(event, data):
                self._news.set()
        except Unavailable:
            log.exception("%s could not be told to webhooks", event)

    async def retry(self, webhook_id: str, delivery_id: str) -> None:
        """Send once more what was given up. Raises NotFound."""
        await self.store.retry(webhook_id, delivery_id)
        self._news.set()

    async def run(self) -> None:
        """Send what is due until cancelled."""
        client = OutsideClient(self._rules, self._timeout_s)
        try:
            while True:
                self._news.clear()
                wait_s = POLL_S
                try:
                    due = await self.store.claim(_AT_ONCE, self._timeout_s * 2 + 10)
                    if due:
                        await asyncio.gather(*(self._deliver(client, *item) for item in due))
                        continue
                    if (soonest := await self.store.soonest()) is not None:
                        left = (soonest - datetime.now(UTC)).total_seconds()
                        wait_s = min(max(left, _LEAST_WAIT_S), POLL_S)
                except Unavailable as error:
                    log.warning("webhooks wait: %s", error)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._news.wait(), wait_s)
        finally:
            await client.close()

    async def _deliver(self, client: OutsideClient, delivery: Delivery, webhook: Webhook) -> None:
        answer: int | None = None
        lasting = False
        try:
            reply = await client.send(_request(delivery, webhook), idempotent=False, most_bytes=_ANSWER_BYTES)
            answer = reply.status
            problem = "" if 200 <= answer < 300 else f"HTTP {answer}"
        except BadRequest as error:  # the address is no longer allowed: trying again changes nothing
            problem, lasting = str(error), True
        except AppError as error:
            problem = str(error)
        try:
            if not problem and answer is not None:
                await self.store.delivered(delivery, answer)
                return
            wait = None if lasting or delivery.attempts + 1 >= self._attempts else self._pause(delivery.attempts)
            await self.store.failed(delivery, answer, problem, wait)
        except Unavailable:  # its claim runs out, and it is sent again: receivers see the same id twice
            log.exception("the end of delivery %s could not be kept", delivery.delivery_id)
            return
        if wait is None:
            log.warning("webhook %s: %s given up (%s)", webhook.webhook_id, delivery.delivery_id, problem)

    def _pause(self, attempts: int) -> float:
        return min(self._first_pause_s * _GROWTH**attempts, _MOST_PAUSE_S) * random.uniform(0.8, 1.2)


def _request(delivery: Delivery, webhook: Webhook) -> OutsideRequest:
    body, now = delivery.body.encode(), int(time.time())
    headers = (
        ("Content-Type", "application/json"),
        ("User-Agent", "insurance-assistant-webhooks/1"),
        ("webhook-id", delivery.delivery_id),
        ("webhook-timestamp", str(now)),
        ("webhook-signature", signature(webhook.secret, delivery.delivery_id, now, body)),
    )
    return OutsideRequest("POST", webhook.url, headers=headers, body=body)

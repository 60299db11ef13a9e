"""What webhooks are told: ids and outcomes, personal data masked, never what a person wrote in a refused question."""

from __future__ import annotations

from typing import Any

from app.access import Principal
from app.adapters.approval_store import Approval
from app.adapters.database import Database
from app.adapters.field_cipher import FieldCipher
from app.adapters.outside import NetworkRules
from app.adapters.webhook_store import WebhookStore
from app.adapters.webhooks import Webhooks
from app.graph.runner import Recorder
from app.graph.threads import Threads
from app.settings import Settings, listed


def open_webhooks(settings: Settings, database: Database, cipher: FieldCipher) -> Webhooks:
    """The webhooks of this installation; nothing is sent before `run`."""
    rules = NetworkRules(listed(settings.webhook_hosts.lower()), listed(settings.webhook_networks), "WEBHOOK")
    return Webhooks(
        WebhookStore(database, cipher),
        rules,
        timeout_s=settings.webhook_timeout_s,
        attempts=settings.webhook_attempts,
        first_pause_s=settings.webhook_first_pause_s,
    )


def recorder(threads: Threads, webhooks: Webhooks) -> Recorder:
    """Keeps a finished turn, and tells of one whose question was refused."""

    async def record(
        principal: Principal,
        thread_id: str,
        query: str,
        reply: dict[str, Any],
        message_id: str | None,
        told: dict[str, Any],
    ) -> None:
        await threads.record(principal, thread_id, query, reply, message_id, told)
        guard = reply["guard"]
        if guard.get("input") == "block":
            told = {"run_id": reply["run_id"], "thread_id": thread_id, "role": principal.role}
            await webhooks.tell("turn.blocked", {**told, "layer": guard.get("layer"), "reason": guard.get("reason")})

    return record


async def tell_approval(webhooks: Webhooks, approval: Approval) -> None:
    """A call waits for a person, or a person decided."""
    told = {
        "id": approval.approval_id,
        "tool": approval.tool,
        "effect": approval.effect,
        "status": approval.status,
        "thread_id": approval.thread_id,
        "expires_at": approval.expires_at.isoformat(),
    }
    if approval.status == "pending":
        await webhooks.tell("approval.requested", told)
    else:
        await webhooks.tell("approval.decided", {**told, "decided_by": approval.decided_by})

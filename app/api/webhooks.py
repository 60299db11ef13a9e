"""/api/admin/webhooks (admin): who is told of what, what was sent, and what could not be delivered."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.adapters.webhook_store import Delivery, DeliveryStatus, Event, Webhook
from app.api.principals import ActsDep, AdminCaller
from app.api.schemas import Body
from app.api.state import TalkDep

router = APIRouter(prefix="/api/admin/webhooks", tags=["webhooks"])

WebhookId = Annotated[str, Path(pattern=r"^wh_[0-9a-f]{16}$", description="웹훅 id")]
DeliveryId = Annotated[str, Path(pattern=r"^evt_[0-9a-f]{24}$", description="알림 id")]


class NewWebhookRequest(Body):
    """An address that wants to be told."""

    url: Annotated[
        str, Field(min_length=8, max_length=2000, description="http나 https 주소. WEBHOOK_HOSTS에 있어야 합니다.")
    ]
    events: Annotated[list[Event], Field(min_length=1, max_length=10, description="알릴 일")]
    label: Annotated[str, Field(max_length=100, description="어디에 쓰는지")] = ""


@router.get("", operation_id="list_webhooks", summary="웹훅 목록과 배달 상태별 건수입니다.")
async def listed(principal: AdminCaller, talk: TalkDep) -> dict[str, Any]:
    counts = await talk.webhooks.store.counts()
    found = await talk.webhooks.store.all()
    return {
        "count": len(found),
        "webhooks": [{**_shown(webhook), "deliveries": counts.get(webhook.webhook_id, {})} for webhook in found],
    }


@router.post(
    "", operation_id="create_webhook", status_code=201, summary="웹훅을 만듭니다. 서명 비밀값은 이때 한 번만 보입니다."
)
async def create(body: NewWebhookRequest, acts: ActsDep, principal: AdminCaller, talk: TalkDep) -> dict[str, Any]:
    made = await talk.webhooks.add(body.url, body.events, body.label, principal.id)
    await acts.note("webhook.create", made.webhook_id, url=made.url, events=list(made.events))
    return {**_shown(made), "secret": made.secret}


@router.delete("/{webhook_id}", operation_id="delete_webhook", summary="웹훅과 그 배달 기록을 지웁니다.")
async def remove(webhook_id: WebhookId, acts: ActsDep, principal: AdminCaller, talk: TalkDep) -> dict[str, str]:
    await talk.webhooks.store.remove(webhook_id)
    await acts.note("webhook.delete", webhook_id)
    return {"status": "ok", "id": webhook_id}


@router.get(
    "/{webhook_id}/deliveries",
    operation_id="list_deliveries",
    summary="보낸 알림과 보내지 못한 알림, 최근 것부터.",
)
async def deliveries(
    webhook_id: WebhookId,
    principal: AdminCaller,
    talk: TalkDep,
    status: Annotated[DeliveryStatus | None, Query(description="이 상태의 것만. dead는 끝내 보내지 못한 것")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="가져올 건수")] = 100,
) -> dict[str, Any]:
    found = await talk.webhooks.store.of_webhook(webhook_id, status, limit)
    return {"count": len(found), "deliveries": [_sent(delivery) for delivery in found]}


@router.post(
    "/{webhook_id}/deliveries/{delivery_id}/retry",
    operation_id="retry_delivery",
    status_code=202,
    summary="끝내 보내지 못한 알림을 다시 보냅니다.",
)
async def retry(
    webhook_id: WebhookId, delivery_id: DeliveryId, principal: AdminCaller, talk: TalkDep
) -> dict[str, str]:
    await talk.webhooks.retry(webhook_id, delivery_id)
    return {"status": "pending", "id": delivery_id}


def _shown(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": webhook.webhook_id,
        "url": webhook.url,
        "events": list(webhook.events),
        "label": webhook.label,
        "created_by": webhook.created_by,
        "created_at": webhook.created_at.isoformat(),
    }


def _sent(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": delivery.delivery_id,
        "event": delivery.event,
        "status": delivery.status,
        "attempts": delivery.attempts,
        "next_at": delivery.next_at.isoformat() if delivery.status == "pending" else None,
        "answer": delivery.answer,
        "problem": delivery.problem,
        "created_at": delivery.created_at.isoformat(),
        "ended_at": delivery.ended_at.isoformat() if delivery.ended_at else None,
    }

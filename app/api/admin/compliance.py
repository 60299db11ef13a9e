"""/api/admin/compliance: what may not be said, what must be said, what was stopped; and a box to try a text in."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from app.adapters.turn_store import TurnFilter, TurnStore
from app.api.admin.shown_turns import line
from app.api.principals import StaffCaller
from app.api.schemas import Body
from app.api.state import DesksDep, KnowledgeDep, StorageDep, TalkDep, ToolsDep
from app.insurance.compliance import written_out
from app.safety.sentences import sentences

router = APIRouter(prefix="/api/admin/compliance", tags=["admin"])


class TextRequest(Body):
    """A text as it would be said or printed."""

    text: Annotated[str, Field(min_length=1, max_length=5000, description="검사할 글, 1~5,000자")]


@router.get("", operation_id="compliance_rules", summary="금지 표현, 꼭 알릴 사항, 채널별 대본, 덧붙이는 문구입니다.")
async def rules(principal: StaffCaller, knowledge: KnowledgeDep, toolset: ToolsDep, talk: TalkDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    reference = talk.make_context(principal, "compliance", "compliance").catalogue.reference
    return {
        "phrases": [
            {**rule.model_dump(mode="json", exclude={"pattern"}), "examples": list(rule.examples)}
            for rule in reference.forbidden_phrases
        ],
        "duties": [duty.model_dump(mode="json") for duty in reference.sales_duties],
        "product_duties": [
            {"code": product.code, "name": product.name, **duty.model_dump(mode="json")}
            for product in knowledge.catalogue.products
            for duty in product.disclosures
        ],
        "scripts": [
            {**script.model_dump(mode="json"), "text": written_out(script, None)} for script in reference.scripts
        ],
        "disclaimers": [item.model_dump(mode="json") for item in reference.disclaimers],
    }


@router.post(
    "/check", operation_id="check_wording", summary="글을 검사해 문장마다 막히는 말과 까닭, 고친 문장을 보입니다."
)
async def check(body: TextRequest, principal: StaffCaller, talk: TalkDep) -> dict[str, Any]:
    context = talk.make_context(principal, "compliance", "compliance")
    hits = await asyncio.to_thread(context.phrases.check, body.text, pitch=True)
    personal = context.masker.mask(body.text)
    verdict = talk.parts.output_guard.judge(body.text, None)
    told = [
        {
            "start": start,
            "end": end,
            "text": body.text[start:end],
            "hits": [hit.__dict__ for hit in hits if start <= hit.start < end],
            "personal": [
                {"start": span.start, "end": span.end, "kind": span.kind}
                for span in personal.spans
                if start <= span.start < end
            ],
        }
        for start, end in sentences(body.text)
    ]
    return {
        "passes": not hits and not personal.spans,
        "count": len(hits),
        "sentences": told,
        "shown_instead": verdict.safe_text,
    }


@router.get(
    "/stopped", operation_id="stopped_turns", summary="막혔거나 말이 바뀐 최근 답변입니다. 개인정보는 가려져 있습니다."
)
async def stopped(
    principal: StaffCaller,
    storage: StorageDep,
    desks: DesksDep,
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> dict[str, Any]:
    found, total = await TurnStore(storage.database).page(TurnFilter(stopped=True), offset=offset, limit=limit)
    kept = ("run_id", "created_at", "role", "query", "answer", "blocked", "replaced_text", "guard", "engine")
    turns = [{name: line(turn, desks.veil)[name] for name in kept} for turn in found]
    return {"total": total, "offset": offset, "turns": turns}

"""Cards edited in place: /api/tools/{name}/card with preview, draft, versions and rollback; GET /api/admin/cards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.api.principals import ActsDep, OperatorCaller
from app.api.schemas import Body
from app.api.state import DesksDep, ToolsDep
from app.editing.cards import Published
from app.errors import CardRefused
from app.language.initials import all_initials, initials, searchable

router = APIRouter(prefix="/api/tools", tags=["cards"])

overview_router = APIRouter(prefix="/api/admin", tags=["cards"])

ToolName = Annotated[str, Path(max_length=64, description="도구 이름, 예: premium_estimate")]
Note = Annotated[str, Field(max_length=500, description="바꾼 이유")]


class CardRequest(Body):
    """A card to keep as a draft, or to publish. Without `card`, `publish` takes the draft."""

    card: dict[str, Any] | None = None
    publish: bool = False
    preview: Annotated[bool, Field(description="초안을 저장할 때 순위 변화도 함께 잴지")] = True
    note: Note = ""
    override_reason: Annotated[
        str | None, Field(min_length=5, max_length=500, description="라우팅 평가가 떨어져도 게시하는 이유")
    ] = None
    base_version: Annotated[int | None, Field(ge=0, description="이 판을 보고 고쳤습니다. 다르면 409입니다.")] = None


class PreviewRequest(Body):
    """A card to try out."""

    card: dict[str, Any]


class RollbackRequest(Body):
    """The version to put in force again; 0 is the card of the file."""

    version: Annotated[int, Field(ge=0)]
    note: Note = ""


@router.get("/{name}/card", operation_id="get_card", summary="지금 카드, 파일의 카드, 판 번호와 초안.")
async def get_card(name: ToolName, principal: OperatorCaller, toolset: ToolsDep, desks: DesksDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    return await desks.cards.shown(name)


@router.put(
    "/{name}/card",
    operation_id="put_card",
    summary="카드 초안을 저장하고 순위 변화를 미리 보거나, publish로 게시합니다(라우팅 평가를 통과해야 합니다).",
)
async def put_card(
    name: ToolName, body: CardRequest, principal: OperatorCaller, toolset: ToolsDep, desks: DesksDep, acts: ActsDep
) -> dict[str, Any]:
    if not body.publish:
        if body.card is None:
            raise CardRefused(name, ["card: 저장할 카드를 보내 주세요"])
        return await desks.cards.save_draft(name, body.card, principal.id, preview=body.preview)
    async with toolset.changes.changing("card", name, principal.id) as change:
        done = await desks.cards.publish(
            name,
            body.card,
            principal.id,
            note=body.note,
            override_reason=body.override_reason,
            base_version=body.base_version,
        )
        change.details["card"] = done.version.card
    await acts.note("card.publish", name, version=done.version.version, override_reason=body.override_reason)
    return _shown("published", done)


@router.post(
    "/{name}/card/preview",
    operation_id="preview_card",
    summary="카드를 저장하지 않고 잘못과 순위 변화를 미리 봅니다.",
)
async def preview_card(
    name: ToolName, body: PreviewRequest, principal: OperatorCaller, toolset: ToolsDep, desks: DesksDep
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    return {"tool": name, **await desks.cards.preview(name, body.card)}


@router.delete("/{name}/card/draft", operation_id="drop_card_draft", summary="카드 초안을 버립니다.")
async def drop_draft(name: ToolName, principal: OperatorCaller, desks: DesksDep) -> dict[str, Any]:
    await desks.cards.drop_draft(name)
    return {"tool": name, "status": "dropped"}


@router.get("/{name}/card/versions", operation_id="card_versions", summary="카드의 모든 판: 누가, 언제, 무엇을.")
async def versions(name: ToolName, principal: OperatorCaller, desks: DesksDep) -> dict[str, Any]:
    found = await desks.cards.versions(name)
    return {"tool": name, "count": len(found), "versions": found}


@router.post("/{name}/card/rollback", operation_id="rollback_card", summary="지난 판으로 되돌립니다. 0은 파일의 카드.")
async def rollback(
    name: ToolName, body: RollbackRequest, principal: OperatorCaller, toolset: ToolsDep, desks: DesksDep, acts: ActsDep
) -> dict[str, Any]:
    async with toolset.changes.changing("card", name, principal.id) as change:
        done = await desks.cards.rollback(name, body.version, principal.id, note=body.note)
        change.details["card"] = done.version.card if body.version else None
    await acts.note("card.rollback", name, version=done.version.version, to=body.version)
    return _shown("rolled_back", done)


@overview_router.get(
    "/cards", operation_id="list_cards", summary="모든 카드의 상태: 게시된 판, 초안, 다른 카드와 비슷한 문장의 수."
)
async def list_cards(
    principal: OperatorCaller,
    toolset: ToolsDep,
    desks: DesksDep,
    q: Annotated[str, Query(max_length=100, description="도구나 카드 이름. 초성만으로도 찾습니다.")] = "",
    only: Annotated[Literal["draft", "edited", "colliding"] | None, Query()] = None,
    sort: Literal["title", "module", "lines", "collisions", "published_at", "draft_at"] = "module",
    order: Literal["asc", "desc"] = "asc",
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    rows = await desks.cards.overview()
    counts = {name: sum(map(test, rows)) for name, test in _ONLY.items()}
    wanted = searchable(q)
    found = [row for row in rows if (only is None or _ONLY[only](row)) and _named(row, wanted)]
    if sort != "module" or order == "desc":
        found.sort(key=lambda row: row[sort] if row[sort] is not None else "", reverse=order == "desc")
    return {
        "total": len(found),
        "counts": counts,
        "registry_version": toolset.registry.snapshot().version,
        "cards": found[offset : offset + limit],
    }


_ONLY: Mapping[str, Callable[[dict[str, Any]], bool]] = {
    "draft": lambda row: row["draft_at"] is not None,
    "edited": lambda row: row["version"] > 0,
    "colliding": lambda row: row["collisions"] > 0,
}


def _named(row: dict[str, Any], wanted: str) -> bool:
    names = searchable(f"{row['tool']} {row['title']}")
    return wanted in (initials(names) if all_initials(wanted) else names)


def _shown(status: str, done: Published) -> dict[str, Any]:
    return {
        "status": status,
        "tool": done.version.tool,
        "version": done.version.version,
        "card": done.version.card,
        "suite": done.suite,
        "registry_version": done.snapshot.version,
        "tools_count": done.snapshot.tools_count,
    }

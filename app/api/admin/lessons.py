"""/api/admin/lessons: turns that a model got wrong, and what the router shall learn from them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from app.adapters.turn_store import FoundTurn, TurnFilter, TurnStore
from app.api.principals import ActsDep, OperatorCaller
from app.api.schemas import Body
from app.api.state import DesksDep, StorageDep, TalkDep, ToolsDep
from app.editing.lessons import NO_TOOL, learned_tool, line_of, tagged, wrong_of_model
from app.errors import BadRequest
from app.planner.model import ENGINE_NAME
from app.services import Desks, Talk

router = APIRouter(prefix="/api/admin/lessons", tags=["evaluation"])

_MOST = 200
RunId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="답변의 run_id")]


class NewLesson(Body):
    """Which tool the question asks for."""

    tool: Annotated[str, Field(max_length=64, description="맞는 도구. 도구가 필요 없으면 no_tool")]


@router.get("", operation_id="list_lessons", summary="모델이 답해 틀린 것으로 판정된 질문과, 배우기로 한 도구입니다.")
async def list_lessons(
    principal: OperatorCaller, storage: StorageDep, talk: TalkDep, desks: DesksDep
) -> dict[str, Any]:
    found, _ = await TurnStore(storage.database).page(TurnFilter(verdict="wrong"), limit=_MOST)
    turns = [turn for turn in found if wrong_of_model(turn, ENGINE_NAME)]
    return {"total": len(turns), "lessons": [_shown(turn, talk, desks) for turn in turns]}


@router.put("/{run_id}", operation_id="make_lesson", summary="이 질문에 맞는 도구를 정해 다음 학습에 넣습니다.")
async def make_lesson(
    run_id: RunId,
    body: NewLesson,
    principal: OperatorCaller,
    storage: StorageDep,
    toolset: ToolsDep,
    talk: TalkDep,
    desks: DesksDep,
    acts: ActsDep,
) -> dict[str, Any]:
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    if turn.review is None or not wrong_of_model(turn, ENGINE_NAME):
        raise BadRequest("모델이 답했고 틀림으로 판정된 질문만 학습에 넣을 수 있습니다. 먼저 판정해 주세요.")
    if body.tool != NO_TOOL:
        toolset.registry.snapshot().entry(body.tool)
    review = turn.review
    await store.review(run_id, review.verdict, tagged(review.tags, body.tool), review.answer, principal.id)
    await acts.note("lesson.add", run_id, tool=body.tool)
    return _shown(await store.one(run_id), talk, desks)


def _shown(turn: FoundTurn, talk: Talk, desks: Desks) -> dict[str, Any]:
    return {
        "run_id": turn.run_id,
        "line": line_of(turn, desks.veil, lambda text: talk.threads.masker.mask(text).text),
        "called": list(turn.tools),
        "engine": turn.engine,
        "tool": learned_tool(turn),
        "author": turn.review.author if turn.review else None,
        "created_at": turn.created_at.isoformat(),
    }

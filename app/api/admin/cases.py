"""/api/admin/cases: questions saved for the evaluation."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field, model_validator

from app.adapters.case_store import CaseKind, Label, SavedCase
from app.api.principals import ActsDep, OperatorCaller
from app.api.schemas import Body, Question
from app.api.state import DesksDep, TalkDep, ToolsDep
from app.errors import BadRequest
from app.graph.stops import GuardName
from app.routing.evaluation import Case, leaked_cases
from app.services import Tools

router = APIRouter(prefix="/api/admin/cases", tags=["evaluation"])

CaseId = Annotated[str, Path(pattern=r"^case_[0-9a-f]{16}$", description="사례 id")]
ToolName = Annotated[str, Field(max_length=64)]


class NewCase(Body):
    """A question and what is right for it. Without `expected_tools`, no tool may be called.

    A case of a guard names the guard and whether it should stop the text.
    """

    kind: CaseKind = "routing"
    query: Question
    history: Annotated[tuple[Question, ...], Field(max_length=20, description="앞서 물은 질문, 오래된 것부터")] = ()
    expected_tools: Annotated[
        tuple[ToolName, ...], Field(max_length=5, description="맞는 도구. 첫째가 기준이고 나머지도 맞은 것으로 봅니다")
    ] = ()
    expected_args: Annotated[dict[ToolName, dict[str, Any]], Field(max_length=5)] = Field(default_factory=dict)
    note: Annotated[str, Field(max_length=1000, description="답에 있어야 할 것, 남길 말")] = ""
    source_run_id: Annotated[str | None, Field(pattern=r"^[0-9a-f]{32}$", description="가져온 답변의 run_id")] = None
    guard: Annotated[GuardName | None, Field(description="막는 장치")] = None
    label: Annotated[Label | None, Field(description="stop 막아야 함, pass 막지 말아야 함")] = None
    place: Annotated[int | None, Field(ge=0, le=200, description="그 답변에서 몇 번째로 막힌 것인지")] = None

    @model_validator(mode="after")
    def _whole(self) -> NewCase:
        if (self.kind == "guard") is not (self.guard is not None and self.label is not None):
            raise ValueError("guard와 label은 막는 장치의 사례에만, 둘 다 있어야 합니다.")
        return self


@router.get("", operation_id="list_cases", summary="평가에 추가한 사례입니다.")
async def list_cases(
    principal: OperatorCaller,
    desks: DesksDep,
    kind: CaseKind | None = None,
    search: Annotated[str, Query(max_length=200, description="질문에 든 말")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> dict[str, Any]:
    found, total = await desks.evaluation.cases.list(kind, search=search.strip(), offset=offset, limit=limit)
    return {"total": total, "cases": [shown_case(case) for case in found]}


@router.post(
    "", operation_id="add_case", status_code=201, summary="질문을 평가 사례로 저장합니다(개인정보는 가립니다)."
)
async def add_case(
    body: NewCase, principal: OperatorCaller, toolset: ToolsDep, talk: TalkDep, desks: DesksDep, acts: ActsDep
) -> dict[str, Any]:
    snapshot = toolset.registry.snapshot()
    for tool in (*body.expected_tools, *body.expected_args):
        snapshot.entry(tool)
    masked = talk.threads.masker.mask
    query = masked(body.query).text
    if body.kind == "routing":
        _refuse_known(query, toolset)
    case = await desks.evaluation.cases.add(
        body.kind,
        query,
        principal.id,
        history=[masked(text).text for text in body.history],
        expected_tools=list(dict.fromkeys(body.expected_tools)),
        expected_args=body.expected_args,
        note=masked(body.note).text,
        source_run_id=body.source_run_id,
        guard=body.guard,
        label=body.label,
        place=body.place,
    )
    await acts.note(
        "case.add", case.case_id, kind=case.kind, expected=list(case.expected_tools), guard=case.guard, label=case.label
    )
    return shown_case(case)


@router.delete("/{case_id}", operation_id="remove_case", summary="저장한 사례를 지웁니다.")
async def remove_case(case_id: CaseId, principal: OperatorCaller, desks: DesksDep, acts: ActsDep) -> dict[str, Any]:
    case = await desks.evaluation.cases.remove(case_id)
    await acts.note("case.remove", case_id)
    return shown_case(case)


def _refuse_known(query: str, toolset: Tools) -> None:
    """A question that a card holds would measure memory, not routing. Raises BadRequest."""
    if leaks := leaked_cases([Case("", query, ())], toolset.registry.snapshot()):
        raise BadRequest(
            f"{leaks[0].owner} 카드에 이미 있는 문장이라 평가 사례로 쓸 수 없습니다. 다른 말로 바꿔 주세요."
        )


def shown_case(case: SavedCase) -> dict[str, Any]:
    """A case as JSON data."""
    told = {name: value for name, value in case.__dict__.items() if name != "case_id"}
    return {"id": case.case_id, **told, "created_at": case.created_at.isoformat()}

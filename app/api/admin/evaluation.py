"""/api/admin/evaluation: suites, runs, their outcomes, and what two runs have different."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.adapters.evaluation_store import EvaluationRun
from app.api.principals import ActsDep, AdminCaller, OperatorCaller
from app.api.schemas import Body
from app.api.state import DesksDep, SettingsDep, TalkDep, ToolsDep
from app.understanding.confidence import REPORT, read_report

router = APIRouter(prefix="/api/admin/evaluation", tags=["evaluation"])

_RUN = r"^eval_[0-9a-f]{16}$"
RunId = Annotated[str, Path(pattern=_RUN, description="평가 id")]
RunIdQuery = Annotated[str, Query(pattern=_RUN, description="평가 id")]
SuiteName = Annotated[str, Field(pattern=r"^[a-z_]{1,64}$", description="평가 묶음, 예: routing")]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
Limit = Annotated[int, Query(ge=1, le=2000)]


class NewRun(Body):
    """A run to begin."""

    suite: SuiteName
    note: Annotated[str, Field(max_length=300, description="왜 돌리는지")] = ""


@router.get("/suites", operation_id="list_suites", summary="돌릴 수 있는 평가 묶음과 크기입니다.")
async def suites(principal: OperatorCaller, talk: TalkDep, desks: DesksDep) -> dict[str, Any]:
    found = await desks.evaluation.suites.all()
    return {"engine": talk.engine_name, "suites": [dict(suite.__dict__) for suite in found]}


@router.get("/runs", operation_id="list_evaluation_runs", summary="지난 평가입니다, 새것부터.")
async def runs(
    principal: OperatorCaller,
    desks: DesksDep,
    suite: Annotated[str | None, Query(pattern=r"^[a-z_]{1,64}$")] = None,
    offset: Offset = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    found, total = await desks.evaluation.store.list(suite, offset=offset, limit=limit)
    return {"total": total, "runs": [shown_run(run) for run in found]}


@router.post("/runs", operation_id="start_evaluation", status_code=202, summary="평가를 시작합니다. 뒤에서 돌아갑니다.")
async def start(
    body: NewRun, principal: OperatorCaller, toolset: ToolsDep, desks: DesksDep, acts: ActsDep
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    run = await desks.evaluation.start(body.suite, principal.id, body.note)
    await acts.note("evaluation.start", run.run_id, suite=body.suite, total=run.total)
    return shown_run(run)


@router.get("/runs/{run_id}", operation_id="get_evaluation_run", summary="평가 하나: 진행과 비율.")
async def run_of(run_id: RunId, principal: OperatorCaller, desks: DesksDep) -> dict[str, Any]:
    return shown_run(await desks.evaluation.store.get(run_id))


@router.get(
    "/runs/{run_id}/outcomes", operation_id="evaluation_outcomes", summary="평가의 사례별 결과입니다, 틀린 것부터."
)
async def outcomes(
    run_id: RunId,
    principal: OperatorCaller,
    desks: DesksDep,
    only: Literal["all", "failing", "passing"] = "all",
    tool: Annotated[str, Query(max_length=64, description="맞는 도구")] = "",
    search: Annotated[str, Query(max_length=200, description="질문에 든 말")] = "",
    offset: Offset = 0,
    limit: Limit = 50,
) -> dict[str, Any]:
    every = await desks.evaluation.store.outcomes(run_id)
    found = [
        one
        for one in every
        if (only == "all" or one["ok"] is (only == "passing"))
        and (not tool or tool in one["expected"])
        and (not search or search in one["query"] or search in one["id"])
    ]
    failing = sum(not one["ok"] for one in every)
    return {
        "total": len(found),
        "failing": failing,
        "passing": len(every) - failing,
        "outcomes": found[offset : offset + limit],
    }


@router.post("/runs/{run_id}/stop", operation_id="stop_evaluation", summary="돌아가는 평가를 멈춥니다.")
async def stop(run_id: RunId, principal: OperatorCaller, desks: DesksDep, acts: ActsDep) -> dict[str, Any]:
    run = await desks.evaluation.store.ask_to_stop(run_id)
    await acts.note("evaluation.stop", run_id)
    return shown_run(run)


@router.delete("/runs/{run_id}", operation_id="remove_evaluation", summary="지난 평가를 지웁니다.")
async def remove(run_id: RunId, principal: AdminCaller, desks: DesksDep, acts: ActsDep) -> dict[str, Any]:
    run = await desks.evaluation.store.remove(run_id)
    await acts.note("evaluation.remove", run_id, suite=run.suite)
    return shown_run(run)


@router.get("/compare", operation_id="compare_evaluations", summary="두 평가에서 달라진 사례와 비율입니다.")
async def compare(before: RunIdQuery, after: RunIdQuery, principal: OperatorCaller, desks: DesksDep) -> dict[str, Any]:
    found = await desks.evaluation.compare(before, after)
    return {**found, "before": shown_run(found["before"]), "after": shown_run(found["after"])}


@router.get(
    "/confidence", operation_id="planner_confidence", summary="플래너의 확신이 얼마나 맞는지: 마지막 보정과 지금 기준."
)
async def confidence(principal: OperatorCaller, talk: TalkDep, settings: SettingsDep) -> dict[str, Any]:
    auto, settings = talk.parts.auto, settings
    report = await asyncio.to_thread(read_report, settings.content_dir / REPORT)
    return {
        "engine": settings.engine if talk.model_name is not None else "planner",
        "model": talk.model_name,
        "error_rate": settings.auto_error_rate,
        "threshold": None if auto is None else min(auto.threshold, 1.0),
        "threshold_first": None if auto is None else min(auto.first, 1.0),
        "report": report,
    }


def shown_run(run: EvaluationRun) -> dict[str, Any]:
    """A run as JSON data."""
    times = {
        name: at.isoformat() if at else None
        for name, at in (("started_at", run.started_at), ("seen_at", run.seen_at), ("ended_at", run.ended_at))
    }
    return {"id": run.run_id, **{name: value for name, value in run.__dict__.items() if name != "run_id"}, **times}

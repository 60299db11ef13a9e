"""A tool of an operator's own folder has no template: its results are told in words all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.own_app import PARCEL_CARD, own_app

MODULE = '''
from datetime import date
from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.tools.context import ToolContext
from app.tools.declare import insurance_tool


class Parcel(BaseModel):
    contract_date: date
    postal_fee: int
    grams: Annotated[int, Field(description="봉투 무게 (g)")]
    is_open: bool
    xq_zone: str
    memo: str | None = None


@insurance_tool(role="customer")
async def policy_parcel(runtime: ToolRuntime[ToolContext]) -> tuple[str, Parcel]:
    """보험증권 등기우편의 무게와 요금을 알려 준다."""
    found = Parcel(contract_date=date(2024, 1, 31), postal_fee=85000, grams=120, is_open=True, xq_zone="서울 강남")
    return found.model_dump_json(), found


TOOLS = [policy_parcel]
'''
CARD = PARCEL_CARD + "  labels: {postal_fee: 등기 요금, xq_zone: 보낼 곳}\n"


@pytest.mark.requirement("answers:unknown-tools:by-shape")
async def test_a_result_without_a_template_is_told_in_words(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "parcels.py").write_text(MODULE, encoding="utf-8")
    (folder / "parcels.yaml").write_text(CARD, encoding="utf-8")
    async with own_app(tmp_path / "var", tool_paths=str(folder)) as (_, client):
        reply = (await client.post("/api/chat", json={"query": "보험증권 등기우편 무게가 얼마예요"})).json()
    assert reply["tools_used"] == ["policy_parcel"], reply
    assert reply["answer"].splitlines()[:5] == [
        "• 계약일: 2024년 1월 31일",
        "• 등기 요금: 85,000원",
        "• 봉투 무게: 120g",
        "• 열림: 예",
        "• 보낼 곳: 서울 강남",
    ]

"""생활안심보험(예시): 보험료를 표에서 찾는다. 이 파일과 카드를 고쳐 회사의 도구로 만든다."""

from __future__ import annotations

from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.errors import RuleMissing
from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told
from app.tools.tables import read_table

Plan = Literal["기본", "든든"]


class LivingRow(Model):
    """tables/living.csv 한 줄: 이 플랜, 이 나이의 월 보험료(원)."""

    plan: Plan
    age_from: int
    age_to: int
    premium: int


_ROWS = read_table(__file__, "living.csv", LivingRow)


class LivingQuote(Model):
    """월 보험료."""

    product: str = Field(description="상품")
    plan: Plan = Field(description="플랜")
    age: int = Field(description="나이, 세")
    premium: int = Field(description="월 보험료, 원")


@insurance_tool()
async def living_quote(
    runtime: ToolRuntime[ToolContext],
    age: Annotated[int, Field(ge=0, le=120, description="가입하는 사람의 나이(세)")],
    plan: Annotated[Plan, Field(description="플랜")] = "기본",
) -> tuple[str, BaseModel]:
    """나이와 플랜을 받아 생활안심보험의 월 보험료를 알려 준다."""
    fitting = [row for row in _ROWS if row.plan == plan and row.age_from <= age <= row.age_to]
    if not fitting:
        raise RuleMissing(f"생활안심보험은 20세부터 80세까지 가입할 수 있습니다({age}세는 없음).")
    return told(LivingQuote(product="생활안심보험", plan=plan, age=age, premium=fitting[0].premium))


TOOLS = [living_quote]

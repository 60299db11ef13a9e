"""상품 안내, 보험금 서류, 계약 확인과 해지."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.errors import RuleMissing
from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told
from app.tools.tables import read_table

Product = Literal[
    "한별 해외여행보험", "한별 국내여행보험", "한별 댕댕이보험", "한별 야옹이보험", "한별 자동차보험",
    "한별 우리집보험", "한별 월세집보험",
]  # fmt: skip
Line = Literal["여행", "펫", "자동차", "집"]
_NUMBER = r"^HB\d{4}$"


class ProductRow(Model):
    """판매하는 상품 하나."""

    product: Product
    line: Line
    who: str
    period: str
    covers: str
    not_covered: str


class PaperRow(Model):
    """보험금을 청구할 때 낼 것."""

    line: Line
    papers: tuple[str, ...]
    within: str
    paid_in_days: int


class ContractRow(Model):
    """가상의 계약 하나."""

    contract_no: str = Field(pattern=_NUMBER)
    holder: str
    product: Product
    status: Literal["유지", "만기", "실효"]
    premium: int
    started: date
    ends: date


_PRODUCTS = read_table(__file__, "products.csv", ProductRow)
_PAPERS = read_table(__file__, "papers.csv", PaperRow, ("papers",))
_CONTRACTS = read_table(__file__, "contracts.csv", ContractRow)


class ProductGuide(Model):
    """상품 안내."""

    product: Product = Field(description="상품")
    who: str = Field(description="가입 대상")
    period: str = Field(description="보험 기간")
    covers: str = Field(description="보장하는 것")
    not_covered: str = Field(description="보장하지 않는 것")


class ClaimPapers(Model):
    """청구 서류."""

    line: Line = Field(description="보험")
    papers: tuple[str, ...] = Field(description="필요한 서류")
    within: str = Field(description="청구 기한")
    paid_in_days: int = Field(description="지급까지 걸리는 날, 영업일")


class Contract(Model):
    """계약 상태. 계약자 이름은 가운데를 가린다."""

    contract_no: str = Field(description="계약 번호")
    holder: str = Field(description="계약자")
    product: Product = Field(description="상품")
    status: str = Field(description="상태")
    premium: int = Field(description="보험료, 원")
    started: date = Field(description="시작일")
    ends: date = Field(description="만기일")


class Refund(Model):
    """해지 환급."""

    contract_no: str = Field(description="계약 번호")
    product: Product = Field(description="상품")
    cancel_date: date = Field(description="해지하는 날")
    days_left: int = Field(description="남은 날, 일")
    refund: int = Field(description="돌려받는 보험료, 원")


def _contract(number: str) -> ContractRow:
    found = next((row for row in _CONTRACTS if row.contract_no == number), None)
    if found is None:
        raise RuleMissing(f"계약 번호 {number}인 계약이 없습니다. HB와 숫자 네 자리로 다시 확인해 주세요.")
    return found


@insurance_tool()
async def product_guide(
    runtime: ToolRuntime[ToolContext],
    product: Annotated[Product, Field(description="알고 싶은 상품")],
) -> tuple[str, BaseModel]:
    """상품 하나의 가입 대상, 기간, 보장하는 것과 보장하지 않는 것을 알려 준다."""
    row = next(row for row in _PRODUCTS if row.product == product)
    return told(ProductGuide(**row.model_dump(exclude={"line"})))


@insurance_tool()
async def claim_documents(
    runtime: ToolRuntime[ToolContext],
    line: Annotated[Line, Field(description="어느 보험의 보험금인지")],
) -> tuple[str, BaseModel]:
    """보험금을 청구할 때 필요한 서류와 기한, 지급까지 걸리는 날을 알려 준다."""
    row = next(row for row in _PAPERS if row.line == line)
    return told(ClaimPapers(**row.model_dump()))


@insurance_tool(role="staff")
async def contract_check(
    runtime: ToolRuntime[ToolContext],
    contract_no: Annotated[str, Field(pattern=_NUMBER, description="계약 번호, 예: HB1001")],
) -> tuple[str, BaseModel]:
    """계약 번호로 계약의 상품, 상태, 보험료와 만기를 확인한다."""
    row = _contract(contract_no)
    holder = f"{row.holder[0]}*{row.holder[-1]}"
    return told(Contract(**{**row.model_dump(), "holder": holder}))


@insurance_tool(role="staff")
async def contract_refund(
    runtime: ToolRuntime[ToolContext],
    contract_no: Annotated[str, Field(pattern=_NUMBER, description="계약 번호, 예: HB1001")],
    cancel_date: Annotated[date, Field(description="해지하는 날짜")],
) -> tuple[str, BaseModel]:
    """계약을 그 날짜에 해지하면 보험료를 얼마 돌려받는지 계산한다(남은 날만큼)."""
    row = _contract(contract_no)
    whole = (row.ends - row.started).days + 1
    left = max((row.ends - max(cancel_date, row.started)).days, 0) if row.status == "유지" else 0
    refund = row.premium * left // whole // 10 * 10
    return told(
        Refund(contract_no=contract_no, product=row.product, cancel_date=cancel_date, days_left=left, refund=refund)
    )


TOOLS = [product_guide, claim_documents, contract_check, contract_refund]

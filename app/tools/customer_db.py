"""Customer tools: contracts, duplicate enrolment and search. Phone and registration numbers never leave the store."""

from __future__ import annotations

from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_customer  # noqa: F401  registers the blocks of these results
from app.insurance.contracts import (
    ContractOverview,
    CustomerList,
    DuplicateCheck,
    SameName,
    check_duplicate,
    customer_list,
    overview,
)
from app.insurance.customers import Customer
from app.insurance.wording import gender_word
from app.tools.arguments import CodeArg, GenderArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.needs import text_field
from app.tools.ownership import plain_name, resolve_customer
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
_ROWS = 20
NameArg = Annotated[str, Field(min_length=1, max_length=40, description="고객 이름")]
IdArg = Annotated[str, Field(pattern=r"^C\d{4,}$", description="고객 번호. C와 숫자 (예: C0001)")]


@insurance_tool()
async def customer_contract_lookup(
    runtime: Runtime, customer_name: NameArg | None = None, customer_id: IdArg | None = None
) -> tuple[str, ContractOverview | SameName | NeedsInput]:
    """고객의 계약 현황(상품, 상태, 가입일, 보험료)을 조회한다. 고객 본인은 자신의 계약만 볼 수 있다."""
    context = runtime.context
    customer = await resolve_customer(context, customer_name, customer_id)
    if not isinstance(customer, Customer):
        return told(customer)
    contracts = await context.customers.contracts_of(customer.customer_id)
    return told(overview(context.catalogue, customer, contracts, context.today()))


@insurance_tool(role="staff")
async def duplicate_enrollment_check(
    product_code: CodeArg, runtime: Runtime, customer_name: NameArg | None = None, customer_id: IdArg | None = None
) -> tuple[str, DuplicateCheck | SameName | NeedsInput]:
    """고객이 이미 같은 상품에 가입했는지, 더 가입할 수 있는지 확인한다."""
    context = runtime.context
    product = context.catalogue.product(product_code)
    customer = await resolve_customer(context, customer_name, customer_id)
    if not isinstance(customer, Customer):
        return told(customer)
    contracts = await context.customers.contracts_of(customer.customer_id)
    return told(check_duplicate(context.catalogue, product, customer, contracts, context.today()))


@insurance_tool(role="staff")
async def customer_search(
    runtime: Runtime,
    name: Annotated[str | None, Field(max_length=40, description="이름의 일부")] = None,
    age_min: Annotated[int | None, Field(ge=0, le=120, description="최소 만 나이, 세")] = None,
    age_max: Annotated[int | None, Field(ge=0, le=120, description="최대 만 나이, 세")] = None,
    gender: GenderArg | None = None,
    product_code: CodeArg | None = None,
    limit: Annotated[int | None, Field(ge=1, le=100, description="보여 줄 최대 인원")] = None,
) -> tuple[str, CustomerList | NeedsInput]:
    """이름·나이·성별·보유 상품으로 고객을 찾는다. 이름 일부를 가린 목록과 전체 인원을 알려 준다."""
    context = runtime.context
    name = plain_name(name)
    words = (
        f"이름에 '{name}' 포함" if name else None,
        _age_words(age_min, age_max),
        gender_word(gender) if gender else None,
        f"{context.catalogue.product(product_code).name} 보유" if product_code else None,
    )
    criteria = ", ".join(word for word in words if word)
    if not criteria:
        fields = (text_field("name", "이름, 나이대, 성별 또는 보유 상품"),)
        return told(NeedsInput(fields=fields, reason="전체 고객 목록은 보여 드릴 수 없습니다. 찾을 조건이 필요합니다."))
    page = await context.customers.find_customers(
        today=context.today(),
        name=name,
        age_min=age_min,
        age_max=age_max,
        gender=gender,
        product_code=product_code,
        limit=limit or _ROWS,
    )
    return told(customer_list(page, criteria, context.today()))


def _age_words(least: int | None, most: int | None) -> str | None:
    if least is None and most is None:
        return None
    if most is None:
        return f"만 {least}세 이상"
    return f"만 {most}세 이하" if least is None else f"만 {least}~{most}세"


TOOLS = [customer_contract_lookup, duplicate_enrollment_check, customer_search]

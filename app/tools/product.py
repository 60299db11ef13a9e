"""Product tools: finding products and riders, their facts, entry rules, channels and questions."""

from __future__ import annotations

from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_product  # noqa: F401  registers the blocks of these results
from app.errors import NotFound
from app.insurance.comparison import ProductComparison, compare_products, read_codes
from app.insurance.entry_age import entry_age
from app.insurance.faqs import TOPICS, FaqAnswers, look_up_faqs
from app.insurance.products import (
    ChannelAvailability,
    EligibilityRule,
    ProductFacts,
    VersionCheck,
    channel_availability,
    check_eligibility,
    check_version,
    product_facts,
)
from app.insurance.riders import (
    RiderDetail,
    RiderList,
    RiderSearchResult,
    find_riders,
    list_riders,
    near_riders,
    rider_detail,
    search_riders,
)
from app.insurance.search import ProductSearchResult, search_products
from app.tools.arguments import AgeArg, BirthDateArg, ChannelArg, CodeArg, CodesArg, ConditionsArg, GenderArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.needs import choice_field, product_field, text_field
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]


@insurance_tool()
async def product_search(
    runtime: Runtime,
    keyword: Annotated[
        str | None, Field(description="찾는 말: 상품 이름, 별명, 보장 이름 (예: 암, 임플란트, 간병)")
    ] = None,
    category: Annotated[
        str | None, Field(description="상품 종류: 암, 치아, 치매, 종신, 건강, 정기 가운데 하나")
    ] = None,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    simplified: Annotated[bool | None, Field(description="간편심사(유병자) 상품만 찾으면 true")] = None,
    conditions: ConditionsArg | None = None,
    channel: ChannelArg | None = None,
) -> tuple[str, ProductSearchResult]:
    """조건에 맞는 보험 상품을 찾는다. 나이나 알린 병을 주면 가입할 수 있는 상품과 빠진 상품의 이유를 함께 알려 준다."""
    context, today = runtime.context, runtime.context.today()
    found = search_products(
        context.catalogue, keyword=keyword, category=category, age=entry_age(age, birth_date, today), gender=gender,
        simplified=simplified, conditions=conditions or (), channel=channel, today=today,
    )  # fmt: skip
    return told(found)


@insurance_tool()
async def product_get(product_code: CodeArg, runtime: Runtime) -> tuple[str, ProductFacts]:
    """한 상품의 기본 정보(가입 나이, 갱신, 심사, 주요 보장, 가입금액, 개정 차수와 시행일)를 알려 준다."""
    return told(product_facts(runtime.context.catalogue.product(product_code)))


@insurance_tool()
async def product_compare(product_codes: CodesArg, runtime: Runtime) -> tuple[str, ProductComparison]:
    """상품 2~4개를 나란히 비교하고 서로 다른 항목을 표시한다."""
    return told(compare_products(read_codes(runtime.context.catalogue, product_codes)))


@insurance_tool()
async def product_latest_version_check(
    product_code: CodeArg,
    runtime: Runtime,
    revision: Annotated[int | None, Field(ge=0, description="확인할 개정 차수 (예: 6)")] = None,
) -> tuple[str, VersionCheck]:
    """상품의 현재 개정 차수와 시행일을 알려 주고, 주어진 개정본이 최신인지 확인한다."""
    return told(check_version(runtime.context.catalogue.product(product_code), revision))


@insurance_tool()
async def rider_list(
    product_code: CodeArg,
    runtime: Runtime,
    mandatory_only: Annotated[bool | None, Field(description="의무특약만 보려면 true")] = None,
) -> tuple[str, RiderList]:
    """한 상품의 특약 목록(의무·선택, 한 줄 설명)을 알려 준다."""
    return told(list_riders(runtime.context.catalogue.product(product_code), bool(mandatory_only)))


@insurance_tool()
async def rider_search(
    keyword: Annotated[str, Field(min_length=1, description="찾는 특약이나 보장의 말 (예: 수술비, 항암, 간병)")],
    runtime: Runtime,
    product_code: CodeArg | None = None,
) -> tuple[str, RiderSearchResult]:
    """전체 상품 또는 한 상품에서 낱말에 맞는 특약을 찾는다."""
    catalogue = runtime.context.catalogue
    products = (catalogue.product(product_code),) if product_code else catalogue.products
    return told(search_riders(products, keyword))


@insurance_tool()
async def rider_get(
    rider: Annotated[str, Field(min_length=1, description="특약 코드(예: R001) 또는 특약 이름")],
    runtime: Runtime,
    product_code: CodeArg | None = None,
) -> tuple[str, RiderDetail | NeedsInput]:
    """특약 하나의 보장 금액, 지급 조건, 보험 기간, 보험료 기준을 자세히 알려 준다."""
    catalogue = runtime.context.catalogue
    products = (catalogue.product(product_code),) if product_code else catalogue.products
    found = find_riders(products, rider)
    if not found:
        place = f"{products[0].name}에서 " if product_code else ""
        raise NotFound(
            f"{place}{rider!r} 특약을 찾을 수 없습니다. 이름이 비슷한 특약: {', '.join(near_riders(products, rider))}"
        )
    holders = tuple(dict.fromkeys(product.code for product, _ in found))
    if len(holders) > 1:
        asked = product_field(catalogue, codes=holders)
        return told(NeedsInput(fields=(asked,), reason=f"{rider!r}에 맞는 특약이 여러 상품에 있습니다."))
    if len(found) > 1:
        names = choice_field("rider", "특약", [item.name for _, item in found])
        return told(NeedsInput(fields=(names,), reason=f"{rider!r}에 맞는 특약이 {len(found)}개 있습니다."))
    return told(rider_detail(*found[0]))


@insurance_tool()
async def eligibility_by_product_rule(
    product_code: CodeArg,
    runtime: Runtime,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    channel: ChannelArg | None = None,
    conditions: ConditionsArg | None = None,
) -> tuple[str, EligibilityRule]:
    """상품 규정상 가입 나이, 판매 채널, 심사 종류를 알려 주고 나이·채널·알린 병을 주면 가입 가능 여부를 판단한다."""
    context, today = runtime.context, runtime.context.today()
    product, of_age = context.catalogue.product(product_code), entry_age(age, birth_date, today)
    return told(check_eligibility(context.catalogue, product, of_age, channel, conditions or (), today))


@insurance_tool()
async def product_faq_lookup(
    runtime: Runtime,
    product_code: CodeArg | None = None,
    topic: Annotated[
        str | None, Field(description=f"알고 싶은 주제: {', '.join(TOPICS)} 가운데 하나, 또는 찾을 말")
    ] = None,
) -> tuple[str, FaqAnswers | NeedsInput]:
    """상품에 대해 자주 묻는 질문과 답변, 근거 조항을 찾는다."""
    catalogue = runtime.context.catalogue
    if product_code is None and not topic:
        asked = (product_field(catalogue), text_field("topic", "궁금한 주제", TOPICS))
        return told(NeedsInput(fields=asked, reason="어느 상품의 무엇이 궁금하신가요?"))
    products = (catalogue.product(product_code),) if product_code else catalogue.products
    return told(look_up_faqs(products, topic))


@insurance_tool()
async def sales_channel_availability(
    product_code: CodeArg, runtime: Runtime, channel: ChannelArg | None = None
) -> tuple[str, ChannelAvailability]:
    """상품을 어느 채널(TM, CM, 대면, 온라인, 방카)에서 언제부터 판매하는지 알려 준다."""
    return told(channel_availability(runtime.context.catalogue.product(product_code), channel))


TOOLS = [
    product_search, product_get, product_compare, product_latest_version_check, rider_list, rider_search, rider_get,
    eligibility_by_product_rule, product_faq_lookup, sales_channel_availability,
]  # fmt: skip

"""The eight premium tools, called as the graph calls them and spoken as the planner speaks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from app.insurance.catalogue import Catalogue
from app.insurance.premium import EntryRefused, PremiumQuote
from app.tools import premium, product
from app.tools.blocks import blocks_of
from app.tools.context import ToolContext
from app.tools.results import NeedsInput

from .conftest import say, say_many

NEW_START, FIRST_DAY, CHOOSE, WHOLE_LIFE = "B00115023", "B00355005", "B00155017", "B00329010"
MAN = {"age": 45, "gender": "M"}
BY_NAME: dict[str, BaseTool] = {tool.name: tool for tool in premium.TOOLS}
ARGUMENTS = {
    "premium_estimate": {"product_code", "age", "birth_date", "gender", "sum_insured", "plan", "riders"},
    "premium_compare": {"product_codes", "age", "birth_date", "gender"},
    "plan_options": {"product_code"},
    "amount_suggest": {"product_code", "monthly_income", "goal", "debt"},
    "renewal_premium_projection": {"product_code", "age", "birth_date", "gender", "horizon_years"},
    "affordability_check": {"product_code", "monthly_budget", "age", "birth_date", "gender"},
    "payment_cycle_options": {"product_code", "cycle", "age", "birth_date", "gender", "sum_insured"},
    "surrender_value_explain": {"product_code", "plan", "years_paid", "age", "birth_date", "gender", "premium"},
}


def test_the_tools_have_their_fixed_names_and_arguments() -> None:
    schemas = {tool.name: set(tool.tool_call_schema.model_json_schema()["properties"]) for tool in premium.TOOLS}  # type: ignore[union-attr]
    assert schemas == ARGUMENTS


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        (
            "premium_estimate",
            {"product_code": NEW_START, **MAN},
            [
                f"만 45세 남성 기준 뉴스타트암보험({NEW_START})의 예상 월 보험료는 20,625원입니다.",
                "3,000만원",
                "90일 면책",
                "보험료표",
                "보험나이",
            ],
        ),
        ("premium_estimate", {"product_code": FIRST_DAY, **MAN}, ["15,600원", "면책 없음"]),
        ("premium_estimate", {"product_code": CHOOSE, **MAN}, ["50~75세", "20,625원", "15,600원"]),
        (
            "premium_compare",
            {"product_codes": [NEW_START, FIRST_DAY, CHOOSE], **MAN},
            ["15,600원", "20,625원", "5,025원", "50~75세"],
        ),
        ("plan_options", {"product_code": WHOLE_LIFE}, ["6개", "20년납", "미지급형", "나이와 성별"]),
        (
            "amount_suggest",
            {"product_code": NEW_START, "monthly_income": 3_000_000},
            ["5,000만원", "7,200만원", "9,200만원"],
        ),
        ("amount_suggest", {"goal": "간병"}, ["3,600만원", "24개월"]),
        ("renewal_premium_projection", {"product_code": NEW_START, **MAN}, ["20,625원", "55세", "인상"]),
        ("renewal_premium_projection", {"product_code": WHOLE_LIFE}, ["비갱신형"]),
        (
            "affordability_check",
            {"product_code": NEW_START, "monthly_budget": 16_000, **MAN},
            ["4,625원", "13,750원", "15,600원"],
        ),
        (
            "affordability_check",
            {"product_code": NEW_START, "monthly_budget": 30_000, **MAN},
            ["3만원 예산 안에서", "9,375원"],
        ),
        ("affordability_check", {"product_code": CHOOSE, "monthly_budget": 30_000, **MAN}, ["50~75세"]),
        ("payment_cycle_options", {"product_code": NEW_START}, ["연납", "2% 할인"]),
        (
            "payment_cycle_options",
            {"product_code": NEW_START, "cycle": "연납", "age": 45, "gender": "M"},
            ["연납으로 내면 한 번에 242,550원입니다", "월 20,625원 × 12개월에서 2% 할인"],
        ),
        (
            "payment_cycle_options",
            {"product_code": NEW_START, "cycle": "일시납"},
            ["아니요", "일시납이 없습니다", "월납"],
        ),
        ("surrender_value_explain", {"product_code": WHOLE_LIFE}, ["미지급형", "해약환급금이 없습니다", "근거"]),
        (
            "surrender_value_explain",
            {"product_code": NEW_START, "years_paid": 5, **MAN},
            ["1,237,500원", "3%", "37,125원"],
        ),
    ],
)
async def test_the_answer_holds_the_figures(
    call: Callable[..., Any], name: str, args: dict[str, Any], told: list[str]
) -> None:
    answer = say(name, await call(BY_NAME[name], **args))
    assert [part for part in told if part not in answer] == []
    assert "None" not in answer and name not in answer


@pytest.mark.parametrize(
    ("name", "args", "missing"),
    [
        ("premium_estimate", {"product_code": NEW_START}, ["age", "gender"]),
        ("premium_estimate", {"product_code": NEW_START, "age": 45}, ["gender"]),
        ("premium_compare", {"product_codes": [NEW_START, FIRST_DAY]}, ["age", "gender"]),
        ("renewal_premium_projection", {"product_code": NEW_START}, ["age", "gender"]),
        ("affordability_check", {"product_code": NEW_START, "monthly_budget": 10_000, "gender": "F"}, ["age"]),
        ("amount_suggest", {}, ["goal", "monthly_income"]),
        ("amount_suggest", {"product_code": NEW_START}, ["monthly_income"]),
    ],
)
async def test_missing_facts_are_asked_for_at_once(
    call: Callable[..., Any], name: str, args: dict[str, Any], missing: list[str]
) -> None:
    asked = await call(BY_NAME[name], **args)
    assert isinstance(asked, NeedsInput) and [f.name for f in asked.fields] == missing
    assert "알려 주세요" in say(name, asked) and blocks_of(asked)[0].type == "form"


async def test_an_age_that_may_not_enter_is_refused_without_the_gender(call: Callable[..., Any]) -> None:
    refused = await call(BY_NAME["premium_estimate"], product_code=NEW_START, age=17)
    assert isinstance(refused, EntryRefused) and refused.gender is None
    assert "17" in refused.reason


async def test_what_the_conversation_knows_prices_the_plans(call: Callable[..., Any]) -> None:
    found = await call(premium.plan_options, state={"facts": {"age": 45, "gender": "M"}}, product_code=NEW_START)
    assert next(p.premium for p in found.plans if p.default) == 20_625
    assert "20,625원" in say("plan_options", found)


async def test_a_table_has_no_column_without_a_value(call: Callable[..., Any]) -> None:
    async def shown(**facts: Any) -> list[str]:
        found = await call(premium.payment_cycle_options, state={"facts": facts}, product_code=NEW_START)
        return [column["key"] for column in blocks_of(found)[0].data["columns"]]

    assert await shown() == ["name", "discount"]
    assert await shown(**MAN) == ["name", "discount", "payment", "saved"]


async def test_a_tool_node_runs_the_tools_side_by_side(context: ToolContext) -> None:
    calls = [{"name": "premium_estimate", "args": {"product_code": code, **MAN}, "id": code, "type": "tool_call"}
             for code in (NEW_START, FIRST_DAY)]  # fmt: skip
    builder = StateGraph(MessagesState, context_schema=ToolContext)
    builder.add_node("tools", ToolNode(premium.TOOLS))
    builder.add_edge(START, "tools")
    builder.add_edge("tools", END)
    done = await builder.compile().ainvoke({"messages": [AIMessage("", tool_calls=calls)]}, context=context)
    quotes = [m.artifact for m in done["messages"][1:]]
    assert all(isinstance(q, PremiumQuote) for q in quotes) and [q.premium for q in quotes] == [20_625, 15_600]


async def test_codes_are_spoken_to_staff_alone(call: Callable[..., Any]) -> None:
    for name, args in [
        ("premium_estimate", {"product_code": CHOOSE, **MAN}),
        ("premium_compare", {"product_codes": [NEW_START, CHOOSE], **MAN}),
    ]:
        found = await call(BY_NAME[name], **args)
        assert CHOOSE in say(name, found, show_codes=True) and "B00" not in say(name, found, show_codes=False)


async def test_the_renewal_chart_holds_the_same_points_as_its_table(call: Callable[..., Any]) -> None:
    chart, table = blocks_of(await call(premium.renewal_premium_projection, product_code=NEW_START, **MAN))
    points = chart.data["series"][0]["points"]
    assert chart.type == "chart" and points[0] == [45, 20_625] and len(points) == len(table.data["rows"])


async def test_a_no_refund_plan_shows_its_warning_first(call: Callable[..., Any]) -> None:
    blocks = blocks_of(await call(premium.surrender_value_explain, product_code=WHOLE_LIFE))
    assert [b.type for b in blocks] == ["notice", "chart"] and blocks[0].data["level"] == "warning"


async def test_every_tool_speaks_of_every_product(call: Callable[..., Any], catalogue: Catalogue) -> None:
    for one in catalogue.products:
        age = one.entry_age.min
        wanted: dict[str, dict[str, Any]] = {
            "premium_estimate": {"age": age, "gender": "F"},
            "plan_options": {}, "payment_cycle_options": {}, "surrender_value_explain": {"years_paid": 3},
            "amount_suggest": {"monthly_income": 2_500_000},
            "renewal_premium_projection": {"age": age, "gender": "F"},
            "affordability_check": {"age": age, "gender": "M", "monthly_budget": 5_000},
        }  # fmt: skip
        for name, args in wanted.items():
            result = await call(BY_NAME[name], product_code=one.code, **args)
            answer = say(name, result, show_codes=False)
            assert one.name in answer and one.code not in answer and "None" not in answer
            assert all(block.data for block in blocks_of(result))


async def test_several_quotes_are_told_in_one_list(call: Callable[..., Any]) -> None:
    asked = [(NEW_START, 45, "M"), (FIRST_DAY, 45, "M"), (CHOOSE, 45, "M")]
    quotes = [await call(premium.premium_estimate, product_code=c, age=a, gender=g) for c, a, g in asked]
    search = await call(product.product_search, keyword="암", **MAN)
    told = say_many("premium_estimate", quotes, search=search.model_dump(mode="json"))
    assert told.startswith("현재 가입 가능한 암보험은 2개입니다.")
    assert f"• 뉴스타트암보험({NEW_START}): 월 20,625원 (90일 면책" in told
    assert f"• 첫날부터암보험({FIRST_DAY}): 월 15,600원 (면책 없음" in told and "50~75세" in told
    assert say_many("premium_estimate", quotes[:2]).startswith("만 45세 남성 기준")


async def test_one_product_for_two_people_names_the_people(call: Callable[..., Any]) -> None:
    quotes = [await call(premium.premium_estimate, product_code=NEW_START, age=45, gender=g) for g in ("M", "F")]
    total = sum(q.premium for q in quotes)
    told = say_many("premium_estimate", quotes, total=total)
    assert "• 만 45세 남성: 월 20,625원" in told and "• 만 45세 여성: 월" in told and f"{total:,}원" in told

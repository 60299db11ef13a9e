"""The customer tools: whose contracts who may see, and that no phone or registration number ever comes along."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator

import pytest

from app.access import Principal
from app.errors import BadRequest, CustomerNotFound, Forbidden, ProductNotFound
from app.insurance.catalogue import Catalogue
from app.insurance.contracts import ContractOverview, CustomerList, DuplicateCheck, SameName
from app.insurance.customers import Customer
from app.tools.blocks import blocks_of
from app.tools.context import ToolContext
from app.tools.customer_db import TOOLS, customer_contract_lookup, customer_search, duplicate_enrollment_check
from app.tools.results import NeedsInput

from .conftest import call_tool, say
from .customers import ANONYMOUS, DATA, MINSU, as_caller, customer_context

NEW_START = "B00115023"


@pytest.fixture(scope="module")
async def staff(tmp_path_factory: pytest.TempPathFactory, catalogue: Catalogue) -> AsyncIterator[ToolContext]:
    async with customer_context(tmp_path_factory.mktemp("customers"), catalogue) as context:
        yield context


def people() -> list[dict[str, str]]:
    with (DATA / "customers" / "customers.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_tools_have_their_fixed_names_and_arguments() -> None:
    assert {tool.name: set(tool.tool_call_schema.model_json_schema()["properties"]) for tool in TOOLS} == {  # type: ignore[union-attr]
        "customer_contract_lookup": {"customer_name", "customer_id"},
        "duplicate_enrollment_check": {"product_code", "customer_name", "customer_id"},
        "customer_search": {"name", "age_min", "age_max", "gender", "product_code", "limit"},
    }
    assert {tool.name: (tool.metadata or {})["role"] for tool in TOOLS} == {
        "customer_contract_lookup": "customer",
        "duplicate_enrollment_check": "staff",
        "customer_search": "staff",
    }


# --- contracts ----------------------------------------------------------------------------------------------------


async def test_staff_see_a_customers_contracts_by_name(staff: ToolContext) -> None:
    found = await call_tool(customer_contract_lookup, {"customer_name": "김민수"}, staff)
    assert isinstance(found, ContractOverview)
    known = {"id": "C0001", "name": "김민수", "age": 47, "gender": "M", "job": "사무직 회사원"}
    assert found.customer.model_dump() == known
    assert (found.count, found.in_force_count, found.monthly_total) == (2, 2, 20_625 + 14_900)
    answer = say("customer_contract_lookup", found)
    for part in ("김민수 고객님의 계약 현황입니다.", "뉴스타트암보험(B00115023)", "2024-03-15", "20,625원", "35,525원"):
        assert part in answer
    assert NEW_START not in say("customer_contract_lookup", found, show_codes=False)
    (table,) = blocks_of(found)
    assert table.data["rows"][0]["contract_id"] == "P000001"


@pytest.mark.parametrize("name", ["김민수님", "김민수 고객님", " 김민수 씨 ", "김민수"])
async def test_a_name_may_be_said_politely_and_in_any_unicode_form(staff: ToolContext, name: str) -> None:
    found = await call_tool(customer_contract_lookup, {"customer_name": name}, staff)
    assert found.customer.id == "C0001"


async def test_customers_of_one_name_are_told_apart_by_asking(staff: ToolContext) -> None:
    found = await call_tool(customer_contract_lookup, {"customer_name": "이영희"}, staff)
    assert isinstance(found, SameName)
    assert [(c.id, c.age, c.gender) for c in found.customers] == [("C0002", 57, "F"), ("C0003", 40, "F")]
    answer = say("customer_contract_lookup", found)
    assert "2명" in answer and "C0002: 만 57세 여성" in answer and "고객 번호로 알려 주세요" in answer
    chosen = await call_tool(customer_contract_lookup, {"customer_name": "이영희", "customer_id": "C0003"}, staff)
    assert chosen.customer.id == "C0003"


async def test_a_name_and_an_id_of_two_people_are_refused(staff: ToolContext) -> None:
    with pytest.raises(BadRequest, match="C0001는 이영희 고객님의 번호가 아닙니다"):
        await call_tool(customer_contract_lookup, {"customer_name": "이영희", "customer_id": "C0001"}, staff)


async def test_nobody_of_the_name_is_said_and_no_name_is_asked_for(staff: ToolContext) -> None:
    with pytest.raises(CustomerNotFound, match="없는사람"):
        await call_tool(customer_contract_lookup, {"customer_name": "없는사람"}, staff)
    with pytest.raises(CustomerNotFound, match="C9999"):
        await call_tool(customer_contract_lookup, {"customer_id": "C9999"}, staff)
    asked = await call_tool(customer_contract_lookup, {}, staff)
    assert isinstance(asked, NeedsInput) and asked.fields[0].name == "customer_name"


async def test_a_customer_sees_their_own_contracts_only(staff: ToolContext) -> None:
    mine = as_caller(staff, MINSU)
    for own in ({}, {"customer_name": "김민수"}, {"customer_id": "C0001"}, {"customer_name": "김민수 님"}):
        assert (await call_tool(customer_contract_lookup, own, mine)).customer.id == "C0001"
    for other in (
        {"customer_name": "이영희"},
        {"customer_id": "C0002"},
        {"customer_name": "김민수", "customer_id": "C0002"},
        {"customer_id": "C9999"},
    ):
        with pytest.raises(Forbidden, match="본인 확인"):
            await call_tool(customer_contract_lookup, other, mine)
        with pytest.raises(Forbidden):
            await call_tool(duplicate_enrollment_check, {"product_code": NEW_START, **other}, mine)


async def test_one_of_two_customers_of_a_name_gets_the_own_contracts(staff: ToolContext) -> None:
    younger = as_caller(staff, Principal(id="k", role="customer", customer_id="C0003"))
    found = await call_tool(customer_contract_lookup, {"customer_name": "이영희"}, younger)
    assert isinstance(found, ContractOverview) and found.customer.id == "C0003"


@pytest.mark.parametrize(
    "args", [{}, {"customer_name": "김민수"}, {"customer_id": "C0001"}, {"customer_name": "없는사람"}]
)
async def test_an_anonymous_visitor_sees_nobody_and_learns_not_who_exists(
    staff: ToolContext, args: dict[str, str]
) -> None:
    with pytest.raises(Forbidden, match="로그인"):
        await call_tool(customer_contract_lookup, args, as_caller(staff, ANONYMOUS))


async def test_every_state_is_told_with_its_dates(staff: ToolContext) -> None:
    told: dict[str, str] = {}
    for person in people()[:60]:
        found = await call_tool(customer_contract_lookup, {"customer_id": person["customer_id"]}, staff)
        answer = say("customer_contract_lookup", found)
        assert "None" not in answer
        for line in found.contracts:
            told.setdefault(line.status, answer)
            assert line.in_force == (line.status in ("유지", "부활"))
            assert line.riders == tuple(name for name in line.riders if not name.startswith("R0"))
        states = [line.in_force for line in found.contracts]
        assert states == sorted(states, reverse=True)
    assert set(told) == {"유지", "해지", "실효", "만기", "부활"}
    assert "부활 신청" in told["실효"] and "부활일" in told["부활"]
    assert "해지일" in told["해지"] and "만기일" in told["만기"]


# --- duplicate enrolment ------------------------------------------------------------------------------------------


async def test_a_held_product_counts_against_the_limit(staff: ToolContext) -> None:
    found = await call_tool(duplicate_enrollment_check, {"product_code": NEW_START, "customer_name": "김민수"}, staff)
    assert isinstance(found, DuplicateCheck)
    most = staff.catalogue.product(NEW_START).max_contracts
    assert (found.held_count, found.max_contracts, found.remaining) == (1, most, most - 1)
    answer = say("duplicate_enrollment_check", found)
    assert "뉴스타트암보험" in answer and found.verdict in answer and "1건을 보유" in answer
    assert bool(blocks_of(found)) == (found.remaining == 0)


async def test_a_product_not_held_may_be_bought_and_contracts_of_the_kind_are_shown(staff: ToolContext) -> None:
    found = await call_tool(duplicate_enrollment_check, {"product_code": "B00355005", "customer_id": "C0001"}, staff)
    assert (found.verdict, found.held_count) == ("가입 가능", 0)
    assert [line.name for line in found.same_category] == ["뉴스타트암보험"]
    assert "지금 보유한 계약이 없습니다" in found.reason


async def test_duplicates_of_one_name_are_asked_about_and_products_must_exist(staff: ToolContext) -> None:
    args = {"product_code": NEW_START, "customer_name": "이영희"}
    same = await call_tool(duplicate_enrollment_check, args, staff)
    assert isinstance(same, SameName) and "고객 번호" in say("duplicate_enrollment_check", same)
    with pytest.raises(ProductNotFound):
        await call_tool(duplicate_enrollment_check, {**args, "product_code": "B99999999"}, staff)


# --- search -------------------------------------------------------------------------------------------------------


async def test_a_search_tells_the_total_and_hides_the_middle_of_names(staff: ToolContext) -> None:
    args = {"product_code": NEW_START, "age_min": 40, "age_max": 49, "gender": "M", "limit": 3}
    found = await call_tool(customer_search, args, staff)
    assert isinstance(found, CustomerList)
    assert found.shown == min(3, found.total) and found.total >= 1
    assert all("*" in row.masked_name and 40 <= row.age <= 49 and row.gender == "M" for row in found.customers)
    answer = say("customer_search", found)
    assert f"모두 {found.total}명" in answer and "만 40~49세, 남성, 뉴스타트암보험 보유" in answer
    (table,) = blocks_of(found)
    assert len(table.data["rows"]) == found.shown


@pytest.mark.parametrize("wild", ["%", "_", "%%", "김%", "*", "' OR 1=1 --"])
async def test_wildcards_are_letters_like_any_other(staff: ToolContext, wild: str) -> None:
    found = await call_tool(customer_search, {"name": wild}, staff)
    assert found.total == 0 and "찾지 못했습니다" in say("customer_search", found)


@pytest.mark.parametrize("args", [{}, {"name": ""}, {"name": "   "}, {"limit": 100}])
async def test_a_search_without_a_criterion_lists_nobody(staff: ToolContext, args: dict[str, object]) -> None:
    asked = await call_tool(customer_search, args, staff)
    assert isinstance(asked, NeedsInput) and "전체 고객 목록은" in asked.reason


async def test_ages_the_wrong_way_round_are_refused_and_bounds_are_worded(staff: ToolContext) -> None:
    with pytest.raises(BadRequest, match="거꾸로"):
        await call_tool(customer_search, {"age_min": 50, "age_max": 40}, staff)
    assert (await call_tool(customer_search, {"age_min": 80}, staff)).criteria == "만 80세 이상"
    assert (await call_tool(customer_search, {"age_max": 0}, staff)).criteria == "만 0세 이하"


# --- what never leaves --------------------------------------------------------------------------------------------


def test_the_shape_that_tools_get_has_no_phone_and_no_registration_number() -> None:
    assert set(Customer.model_fields) == {"customer_id", "name", "birth_date", "gender", "job"}


async def test_no_result_holds_a_phone_a_registration_number_or_a_birth_date(staff: ToolContext) -> None:
    texts: list[str] = []
    for person in people():
        who = {"customer_id": person["customer_id"]}
        for tool, args in (
            (customer_contract_lookup, who),
            (duplicate_enrollment_check, {"product_code": NEW_START, **who}),
        ):
            result = await call_tool(tool, args, staff)
            texts += [result.model_dump_json(), say(tool.name, result), *map(repr, blocks_of(result))]
    for gender in ("M", "F"):
        found = await call_tool(customer_search, {"gender": gender, "limit": 100}, staff)
        texts += [found.model_dump_json(), say("customer_search", found)]
        assert not any(person["name"] in found.model_dump_json() for person in people())
    told = "\n".join(texts)
    for person in people():
        secrets = (person["phone"], person["phone"].replace("-", ""), person["rrn"], person["rrn"].replace("-", ""))
        assert not any(secret in told for secret in secrets)
        assert f'"birth_date":"{person["birth_date"]}"' not in told

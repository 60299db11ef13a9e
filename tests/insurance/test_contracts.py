"""Contracts as people are told them, and what may be done with one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.contract_actions import contract_guide, objection
from app.insurance.contracts import check_duplicate, contract_line, customer_list, masked_name, overview
from app.insurance.customers import Contract, Customer, CustomerPage

TODAY = date(2026, 3, 2)
NEW_START, WHOLE_LIFE = "B00115023", "B00329010"
MINSU = Customer(customer_id="C0001", name="김민수", birth_date=date(1978, 11, 2), gender="M", job="회사원")


def contract(catalogue: Catalogue, **changes: Any) -> Contract:
    product = catalogue.product(changes.get("product_code", NEW_START))
    values = {
        "contract_id": "P000001",
        "customer_id": "C0001",
        "product_code": product.code,
        "status": "유지",
        "contract_date": date(2024, 3, 15),
        "premium": 20_625,
        "sum_insured": product.sum_insured.default,
        "plan": product.default_plan.name,
        "rider_codes": (product.riders[0].code,),
        **changes,
    }
    return Contract.model_validate(values)


def lapsed(catalogue: Catalogue, on: date, **changes: Any) -> Contract:
    return contract(catalogue, status="실효", lapse_date=on, **changes)


@pytest.mark.parametrize(
    ("name", "masked"),
    [("김민수", "김*수"), ("남궁민수", "남**수"), ("이영", "이*"), ("황", "황"), ("", ""), ("John Doe", "J******e")],
)
def test_the_middle_of_a_name_is_hidden(name: str, masked: str) -> None:
    assert masked_name(name) == masked


def test_a_line_names_product_and_riders_and_the_last_day_of_reinstatement(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    line = contract_line(catalogue, lapsed(catalogue, date(2024, 2, 29), contract_date=date(2020, 1, 1)))
    assert (line.name, line.riders) == (product.name, (product.riders[0].name,))
    assert line.reinstate_until == date(2027, 2, 28)
    assert contract_line(catalogue, contract(catalogue)).reinstate_until is None
    revived = contract(catalogue, status="부활", lapse_date=date(2025, 1, 1), reinstated_date=date(2025, 3, 1))
    assert contract_line(catalogue, revived).reinstate_until is None


def test_only_contracts_in_force_are_paid_for(catalogue: Catalogue) -> None:
    held = (
        contract(catalogue, contract_id="P000001", premium=10_000),
        contract(catalogue, contract_id="P000002", premium=20_000, contract_date=date(2025, 1, 1)),
        lapsed(catalogue, date(2025, 6, 1), contract_id="P000003", premium=40_000),
    )
    told = overview(catalogue, MINSU, held, TODAY)
    assert (told.count, told.in_force_count, told.monthly_total) == (3, 2, 30_000)
    assert [line.contract_id for line in told.contracts] == ["P000002", "P000001", "P000003"]
    assert overview(catalogue, MINSU, (), TODAY).monthly_total == 0


def test_a_lapsed_contract_counts_as_held_while_it_may_be_revived(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)

    def held(*contracts: Contract) -> int:
        return check_duplicate(catalogue, product, MINSU, contracts, TODAY).held_count

    assert held(lapsed(catalogue, TODAY - timedelta(days=100))) == 1
    assert held(lapsed(catalogue, date(2020, 1, 1), contract_date=date(2015, 1, 1))) == 0
    assert held(contract(catalogue, status="해지", end_date=date(2025, 1, 1))) == 0
    assert held(contract(catalogue, status="만기", end_date=date(2025, 1, 1))) == 0


def test_the_verdict_follows_the_products_limit(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    full = tuple(contract(catalogue, contract_id=f"P00000{n}") for n in range(1, product.max_contracts + 1))
    told = check_duplicate(catalogue, product, MINSU, full, TODAY)
    assert (told.verdict, told.remaining) == ("중복 가입 불가", 0) and "이미" in told.reason
    free = check_duplicate(catalogue, product, MINSU, full[1:], TODAY)
    assert (free.verdict, free.remaining) == ("가입 가능", 1) and "1건 더" in free.reason


def test_a_list_hides_names_and_keeps_the_total(catalogue: Catalogue) -> None:
    told = customer_list(CustomerPage(total=31, customers=(MINSU,)), "남성", TODAY)
    assert (told.total, told.shown, told.customers[0].masked_name, told.customers[0].age) == (31, 1, "김*수", 47)
    assert "김민수" not in told.model_dump_json()


# --- what may be done with a contract -----------------------------------------------------------------------------


def refused(catalogue: Catalogue, action: Any, held: Contract, age: int = 47, today: date = TODAY) -> str:
    return objection(catalogue, action, held, age, today) or ""


def test_only_a_lapsed_contract_within_three_years_is_reinstated(catalogue: Catalogue) -> None:
    on = date(2023, 3, 2)
    assert refused(catalogue, "부활", lapsed(catalogue, on, contract_date=date(2020, 1, 1))) == ""
    late = refused(catalogue, "부활", lapsed(catalogue, on - timedelta(days=1), contract_date=date(2020, 1, 1)))
    assert "2026년 3월 1일까지" in late
    assert "필요가 없습니다" in refused(catalogue, "부활", contract(catalogue))
    ended = contract(catalogue, status="해지", end_date=date(2025, 5, 1))
    assert "2025년 5월 1일 해지된" in refused(catalogue, "부활", ended)


def test_what_has_ended_is_not_ended_again_and_changes_nobody(catalogue: Catalogue) -> None:
    for status, word in (("해지", "해지된"), ("만기", "만기로 끝난")):
        ended = contract(catalogue, status=status, end_date=date(2025, 5, 1))
        for action in ("해지", "대출", "수익자변경", "청약철회"):
            assert word in refused(catalogue, action, ended)
        assert refused(catalogue, "조회", ended) == refused(catalogue, "주소변경", ended) == ""
    assert refused(catalogue, "해지", lapsed(catalogue, date(2025, 6, 1))) == ""
    assert "실효된" in refused(catalogue, "수익자변경", lapsed(catalogue, date(2025, 6, 1)))


def test_a_contract_is_withdrawn_from_within_30_days_or_45_at_65(catalogue: Catalogue) -> None:
    held = contract(catalogue, contract_date=TODAY - timedelta(days=30))
    older = contract(catalogue, contract_date=TODAY - timedelta(days=31))
    oldest = contract(catalogue, contract_date=TODAY - timedelta(days=46))
    assert refused(catalogue, "청약철회", held) == ""
    assert "30일(2026년 3월 1일)" in refused(catalogue, "청약철회", older)
    assert refused(catalogue, "청약철회", older, age=65) == ""
    assert "45일" in refused(catalogue, "청약철회", oldest, age=65)


def test_a_loan_needs_a_refund(catalogue: Catalogue) -> None:
    product = catalogue.product(WHOLE_LIFE)
    plans = {plan.surrender: plan for plan in product.plans}
    standard, none = plans["표준형"], plans["해약환급금 미지급형"]
    old = {"product_code": WHOLE_LIFE, "contract_date": date(2016, 1, 1), "rider_codes": ()}
    assert refused(catalogue, "대출", contract(catalogue, **old, plan=standard.name)) == ""
    assert "해약환급금이 없어" in refused(catalogue, "대출", contract(catalogue, **old, plan=none.name))
    new = {**old, "contract_date": TODAY - timedelta(days=40)}
    assert "해약환급금이 없어" in refused(catalogue, "대출", contract(catalogue, **new, plan=standard.name))


def test_the_guide_tells_what_the_action_means_for_the_contract(catalogue: Catalogue) -> None:
    procedures = {item.action: item for item in catalogue.reference.contract_actions}
    gone = lapsed(catalogue, date(2025, 6, 1))
    told = contract_guide(catalogue, procedures["부활"], gone, 47, TODAY)
    assert told.notes == ("실효일은 2025년 6월 1일이고, 부활은 2028년 6월 1일까지 신청할 수 있습니다.",)
    bare = contract_guide(catalogue, procedures["부활"], None, None, TODAY)
    assert bare.notes == () and bare.contract_name is None and bare.steps == procedures["부활"].steps

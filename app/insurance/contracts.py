"""Contracts of customers: what may be shown of them, and whether one more of a product may be held."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from app.insurance.catalogue import Catalogue
from app.insurance.customers import Contract, ContractStatus, Customer, CustomerPage
from app.insurance.models import Category, Gender, Model, Product
from app.insurance.periods import add_months

_YEARS_PAID = re.compile(r"(\d+)년납")
STATUS_TEXTS: dict[ContractStatus, str] = {
    "유지": "정상 유지 중",
    "해지": "해지됨",
    "실효": "실효 상태",
    "만기": "만기 종료",
    "부활": "부활하여 유지 중",
}


class CustomerLine(Model):
    """A customer without phone or registration number. `age` is 만 나이, 세; the `job` is told with their contracts."""

    id: str
    name: str
    age: int
    gender: Gender
    job: str | None = None


class ContractLine(Model):
    """One contract as people are told it; money in 원. `reinstate_until`: the last day a lapsed one may be revived;
    `paid_until`: the day from which nothing more is paid, where the premium does not go on to the end."""

    contract_id: str
    product_code: str
    name: str
    category: Category
    status: ContractStatus
    status_text: str
    in_force: bool
    contract_date: date
    lapse_date: date | None
    reinstated_date: date | None
    reinstate_until: date | None
    end_date: date | None
    paid_until: date | None
    premium: int
    sum_insured: int
    plan: str
    riders: tuple[str, ...]


class ContractOverview(Model):
    """A customer's contracts, living ones first. `monthly_total` adds the premiums of those in force, 원."""

    customer: CustomerLine
    contracts: tuple[ContractLine, ...]
    count: int
    in_force_count: int
    monthly_total: int


class SameName(Model):
    """Several customers of one name: which one is meant? Told apart by age, gender and id only."""

    name: str
    customers: tuple[CustomerLine, ...]
    count: int


class CustomerRow(Model):
    """A customer in a list: the name partly hidden; the id stays, so that staff can look the one up."""

    id: str
    masked_name: str
    age: int
    gender: Gender


class CustomerList(Model):
    """A page of a search. `total` counts everybody who fits."""

    criteria: str
    customers: tuple[CustomerRow, ...]
    shown: int
    total: int


class DuplicateCheck(Model):
    """Whether one more contract of a product may be held. `remaining` counts contracts."""

    customer: CustomerLine
    product_code: str
    name: str
    held: tuple[ContractLine, ...]
    held_count: int
    max_contracts: int
    remaining: int
    same_category: tuple[ContractLine, ...]
    verdict: Literal["가입 가능", "중복 가입 불가"]
    reason: str


def customer_line(customer: Customer, today: date) -> CustomerLine:
    """A customer as they are told apart from others."""
    return CustomerLine(id=customer.customer_id, name=customer.name, age=customer.age(today), gender=customer.gender)


def overview(catalogue: Catalogue, customer: Customer, contracts: Sequence[Contract], today: date) -> ContractOverview:
    """All contracts of a customer, those in force first, each group newest first."""
    lines = sorted(
        (contract_line(catalogue, contract) for contract in contracts),
        key=lambda line: (not line.in_force, -line.contract_date.toordinal()),
    )
    living = [line for line in lines if line.in_force]
    return ContractOverview(
        customer=customer_line(customer, today).model_copy(update={"job": customer.job}),
        contracts=tuple(lines),
        count=len(lines),
        in_force_count=len(living),
        monthly_total=sum(line.premium for line in living),
    )


def check_duplicate(
    catalogue: Catalogue, product: Product, customer: Customer, contracts: Sequence[Contract], today: date
) -> DuplicateCheck:
    """Contracts of the product that give cover, or that may still be reinstated, count against `max_contracts`."""
    counting = [line for line in (contract_line(catalogue, c) for c in contracts) if _counts(line, today)]
    held = tuple(line for line in counting if line.product_code == product.code)
    alike = tuple(
        line
        for line in counting
        if line.product_code != product.code and catalogue.product(line.product_code).category == product.category
    )
    remaining = max(product.max_contracts - len(held), 0)
    return DuplicateCheck(
        customer=customer_line(customer, today),
        product_code=product.code,
        name=product.name,
        held=held,
        held_count=len(held),
        max_contracts=product.max_contracts,
        remaining=remaining,
        same_category=alike,
        verdict="가입 가능" if remaining else "중복 가입 불가",
        reason=_why(product.max_contracts, held, remaining),
    )


def customer_list(page: CustomerPage, criteria: str, today: date) -> CustomerList:
    """A page with names partly hidden: 김민수 → 김*수."""
    rows = tuple(
        CustomerRow(id=c.customer_id, masked_name=masked_name(c.name), age=c.age(today), gender=c.gender)
        for c in page.customers
    )
    return CustomerList(criteria=criteria, customers=rows, shown=len(rows), total=page.total)


def masked_name(name: str) -> str:
    """The name without its middle: 김민수 → 김*수, 남궁민수 → 남**수, 이영 → 이*."""
    if len(name) <= 2:
        return name[:1] + "*" * (len(name) - 1)
    return name[0] + "*" * (len(name) - 2) + name[-1]


def contract_line(catalogue: Catalogue, contract: Contract) -> ContractLine:
    """A contract with the names of its product and riders."""
    product = catalogue.product(contract.product_code)
    names = {rider.code: rider.name for rider in product.riders}
    within = 12 * catalogue.reference.reinstatement.within_years
    lapsed = contract.lapse_date if contract.status == "실효" else None
    return ContractLine(
        contract_id=contract.contract_id,
        product_code=product.code,
        name=product.name,
        category=product.category,
        status=contract.status,
        status_text=STATUS_TEXTS[contract.status],
        in_force=contract.in_force,
        contract_date=contract.contract_date,
        lapse_date=contract.lapse_date,
        reinstated_date=contract.reinstated_date,
        reinstate_until=add_months(lapsed, within) if lapsed else None,
        end_date=contract.end_date,
        paid_until=_paid_until(product, contract),
        premium=contract.premium,
        sum_insured=contract.sum_insured,
        plan=contract.plan,
        riders=tuple(names.get(code, code) for code in contract.rider_codes),
    )


def _paid_until(product: Product, contract: Contract) -> date | None:
    """When the years of its plan's payment are over; a premium that is renewed with the cover goes on."""
    plan = next((plan for plan in product.plans if plan.name == contract.plan), None)
    years = _YEARS_PAID.match(plan.payment_term) if plan and product.renewal.kind == "비갱신형" else None
    return add_months(contract.contract_date, 12 * int(years[1])) if years else None


def _counts(line: ContractLine, today: date) -> bool:
    return line.in_force or (line.reinstate_until is not None and today <= line.reinstate_until)


def _why(most: int, held: Sequence[ContractLine], remaining: int) -> str:
    if not remaining:
        return f"한 사람이 {most}건까지 가입할 수 있는데 이미 {len(held)}건을 보유하고 있습니다."
    now = f"지금 {len(held)}건을 보유하고 있습니다" if held else "지금 보유한 계약이 없습니다"
    return f"한 사람이 {most}건까지 가입할 수 있고 {now}. {remaining}건 더 가입할 수 있습니다."

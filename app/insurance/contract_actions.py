"""Contract actions: their procedure, what they mean for one contract, and why one cannot be asked for."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal

from app.insurance.ages import full_age
from app.insurance.catalogue import Catalogue
from app.insurance.contracts import ContractLine, contract_line
from app.insurance.customers import Contract
from app.insurance.models import Model, Plan, Product, SurrenderRule
from app.insurance.reference import ContractAction, ContractProcedure
from app.insurance.surrender import NO_REFUND, rate_after
from app.insurance.wording import day

# 금융소비자보호법 제46조: from the day of application. The 15 days from the policy's arrival are not recorded here.
WITHDRAWAL_DAYS, SENIOR_WITHDRAWAL_DAYS, SENIOR_AGE = 30, 45, 65
# These need a contract in force; the words stand in the refusal.
_LIVING_ONLY: dict[ContractAction, str] = {
    "대출": "보험계약대출을 받을",
    "수익자변경": "수익자를 바꿀",
    "청약철회": "청약을 철회할",
}


class ContractGuide(Model):
    """The procedure of a contract action and what it does. Nothing was requested yet.

    With a contract: its state, `notes` on what the action means for it, and `objection` when it cannot be done.
    """

    action: ContractAction
    contract_id: str | None
    contract_name: str | None
    contract_status: str | None
    objection: str | None
    notes: tuple[str, ...]
    summary: str
    effect: str
    steps: tuple[str, ...]
    documents: tuple[str, ...]
    channels: tuple[str, ...]
    cautions: tuple[str, ...]
    needs: tuple[str, ...]
    clause: str


class SubmissionPending(Model):
    """A request that waits for the person's approval; nothing is recorded before it is given."""

    action: ContractAction
    contract_id: str
    contract_name: str
    effect: str
    needs: tuple[str, ...]
    recorded: Literal[False] = False
    reason: str

    @property
    def approval_effect(self) -> str:
        """What the person agrees to."""
        return f"{self.contract_name}({self.contract_id}) 계약의 {self.action} 요청을 접수합니다. {self.effect}"


class SubmissionRecorded(Model):
    """A recorded request. `needs` are the particulars that are settled when the customer is contacted."""

    action: ContractAction
    request_id: str
    contract_id: str
    contract_name: str
    status: str
    recorded: Literal[True] = True
    needs: tuple[str, ...]
    next_steps: tuple[str, ...]


def contract_guide(
    catalogue: Catalogue, procedure: ContractProcedure, contract: Contract | None, age: int | None, today: date
) -> ContractGuide:
    """What a contract action takes and does; `age` is the policyholder's 만 나이, where it is known."""
    line = contract_line(catalogue, contract) if contract else None
    return ContractGuide(
        contract_id=line.contract_id if line else None,
        contract_name=line.name if line else None,
        contract_status=line.status_text if line else None,
        objection=objection(catalogue, procedure.action, contract, age, today) if contract else None,
        notes=_notes(procedure.action, line, catalogue.product(line.product_code)) if line else (),
        **procedure.model_dump(),
    )


def objection(
    catalogue: Catalogue, action: ContractAction, contract: Contract, age: int | None, today: date
) -> str | None:
    """Why this action cannot be asked for on this contract; None when it can."""
    line = contract_line(catalogue, contract)
    if action == "부활":
        return _no_reinstatement(line, today)
    if action == "해지" and line.status in ("해지", "만기"):
        return f"이미 {_ended(line)} 계약이라 해지할 수 없습니다."
    if action in _LIVING_ONLY and not line.in_force:
        state = "실효된" if line.status == "실효" else f"이미 {_ended(line)}"
        return f"{state} 계약에서는 {_LIVING_ONLY[action]} 수 없습니다."
    if action == "대출":
        return _no_loan(line, catalogue.product(line.product_code), today)
    if action == "청약철회":
        return _no_withdrawal(line, age, today)
    return None


def _ended(line: ContractLine) -> str:
    when = f"{day(line.end_date)} " if line.end_date else ""
    return when + ("해지된" if line.status == "해지" else "만기로 끝난")


def _no_reinstatement(line: ContractLine, today: date) -> str | None:
    if line.in_force:
        return f"{line.status_text}인 계약이라 부활할 필요가 없습니다."
    if line.reinstate_until is None:
        return f"부활은 실효된 계약만 할 수 있습니다. 이 계약은 이미 {_ended(line)} 계약입니다."
    if today > line.reinstate_until:
        return f"부활은 {day(line.reinstate_until)}까지 할 수 있었습니다. 기한이 지나 부활할 수 없습니다."
    return None


def _no_loan(line: ContractLine, product: Product, today: date) -> str | None:
    """A loan is lent against the refund: none, no loan. A renewing contract's years begin anew at each renewal."""
    plan, rule = _plan_and_rule(line, product)
    years = full_age(line.contract_date, today)
    if product.renewal.period_years:
        years %= product.renewal.period_years
    unpaid = rule.kind == NO_REFUND and years < plan.payment_years
    if unpaid or rate_after(rule.by_year, years) <= 0:
        return "보험계약대출은 해약환급금 범위에서 받을 수 있는데, 이 계약은 지금 해약환급금이 없어 받을 수 없습니다."
    return None


def _no_withdrawal(line: ContractLine, age: int | None, today: date) -> str | None:
    days = SENIOR_WITHDRAWAL_DAYS if age is None or age >= SENIOR_AGE else WITHDRAWAL_DAYS
    last = line.contract_date + timedelta(days=days)
    if today <= last:
        return None
    return f"청약철회는 늦어도 청약일부터 {days}일({day(last)})까지 할 수 있었습니다. 기한이 지나 철회할 수 없습니다."


def _notes(action: ContractAction, line: ContractLine, product: Product) -> tuple[str, ...]:
    """What the action means for this very contract."""
    if action in ("해지", "대출"):
        return (_plan_and_rule(line, product)[1].explanation,)
    if action == "부활" and line.lapse_date and line.reinstate_until:
        return (f"실효일은 {day(line.lapse_date)}이고, 부활은 {day(line.reinstate_until)}까지 신청할 수 있습니다.",)
    if action == "청약철회":
        last = line.contract_date + timedelta(days=WITHDRAWAL_DAYS)
        return (f"계약일은 {day(line.contract_date)}이고, 청약일부터 30일이 되는 날은 {day(last)}입니다.",)
    return ()


def _plan_and_rule(line: ContractLine, product: Product) -> tuple[Plan, SurrenderRule]:
    plan = next((plan for plan in product.plans if plan.name == line.plan), product.default_plan)
    return plan, next(rule for rule in product.surrender_rules if rule.kind == plan.surrender)

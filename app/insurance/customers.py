"""Customers, their contracts and what is recorded for them: the shapes, and the store that the business asks for.

Phone numbers and resident registration numbers are no part of these shapes: a tool cannot return what it never gets.

States of a contract (`ContractStatus`):
  유지  in force, premiums paid
  실효  premiums were not paid within the 납입최고 period: no cover since `lapse_date`, reinstatement within three years
  부활  lapsed on `lapse_date`, reinstated on `reinstated_date`, in force again (waiting periods began anew then)
  해지  ended early by the policyholder on `end_date`
  만기  the term ran out on `end_date`
In force ("living", 유효) are 유지 and 부활.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Annotated, Literal, Protocol

from pydantic import Field, model_validator

from app.insurance.ages import full_age, insurance_age
from app.insurance.models import Gender, Model, ProductCode
from app.insurance.reference import ContractAction

ContractStatus = Literal["유지", "해지", "실효", "만기", "부활"]
IN_FORCE: tuple[ContractStatus, ...] = ("유지", "부활")


class Customer(Model):
    """A customer as tools may see one. `customer_id` looks like C0001."""

    customer_id: str = Field(pattern=r"^C\d{4,}$")
    name: str
    birth_date: date
    gender: Gender
    job: str

    def age(self, on: date) -> int:
        """만 나이 (세) on a day."""
        return full_age(self.birth_date, on)

    def insurance_age(self, on: date) -> int:
        """보험나이 (세) of a contract made on a day."""
        return insurance_age(self.birth_date, on)


class Contract(Model):
    """One contract. `premium` is the monthly premium (원) at `contract_date`, chosen riders included.

    `end_date` is the last day of cover: 만기일 of the current term, the day of 해지 for 해지, None for life-long cover.
    """

    contract_id: str = Field(pattern=r"^P\d{6,}$")
    customer_id: str = Field(pattern=r"^C\d{4,}$")
    product_code: ProductCode
    status: ContractStatus
    contract_date: date
    lapse_date: date | None = None
    reinstated_date: date | None = None
    end_date: date | None = None
    premium: Annotated[int, Field(gt=0)]
    sum_insured: Annotated[int, Field(gt=0)]
    plan: str
    rider_codes: tuple[str, ...] = ()

    @property
    def in_force(self) -> bool:
        """유지 or 부활: the contract gives cover."""
        return self.status in IN_FORCE

    @model_validator(mode="after")
    def _dates_fit_status(self) -> Contract:
        if (self.lapse_date is not None) != (self.status in ("실효", "부활")):
            raise ValueError("lapse_date는 실효·부활 계약에만, 그리고 반드시 있어야 합니다")
        if (self.reinstated_date is not None) != (self.status == "부활"):
            raise ValueError("reinstated_date는 부활 계약에만, 그리고 반드시 있어야 합니다")
        if self.status in ("해지", "만기") and self.end_date is None:
            raise ValueError("해지·만기 계약은 end_date가 필요합니다")
        known = [day for day in (self.contract_date, self.lapse_date, self.reinstated_date, self.end_date) if day]
        if known != sorted(known):
            raise ValueError("날짜는 계약일, 실효일, 부활일, 종료일 순서여야 합니다")
        return self


class CustomerPage(Model):
    """What a search found: the first customers by name and how many there are in all."""

    total: int
    customers: tuple[Customer, ...]


class ServiceRequest(Model):
    """A recorded request for a contract action. `requested_by` is the principal's id, `created_at` is UTC."""

    request_id: str
    customer_id: str
    contract_id: str | None
    action: ContractAction
    details: Mapping[str, str]
    status: Literal["접수", "처리중", "완료", "취소"]
    requested_by: str
    created_at: datetime


class NewFollowupTask(Model):
    """A to-do to be saved."""

    title: str
    due_date: date
    note: str = ""


class FollowupTask(NewFollowupTask):
    """A saved to-do of a customer. `created_at` is UTC."""

    task_id: str
    customer_id: str
    done: bool
    created_by: str
    created_at: datetime


class CustomerStore(Protocol):
    """What the business needs of a database. Every method raises Unavailable while the database is down."""

    async def get_customer(self, customer_id: str) -> Customer:
        """The customer of this id. Raises CustomerNotFound."""
        ...

    async def customers_named(self, name: str) -> tuple[Customer, ...]:
        """Everybody of exactly this name, in order of id; empty when there is nobody."""
        ...

    async def find_customers(
        self,
        *,
        today: date,
        name: str | None = None,
        age_min: int | None = None,
        age_max: int | None = None,
        gender: Gender | None = None,
        product_code: str | None = None,
        limit: int = 20,
    ) -> CustomerPage:
        """Customers that meet every criterion given, by name and id, at most `limit` (1-100) of them.

        `name` is a part of the name; ages are 만 나이 on `today`; `product_code` means a contract of it in force.
        Raises BadRequest when no criterion is given, when the ages are the wrong way round or `limit` is out of range.
        """
        ...

    async def contracts_of(self, customer_id: str) -> tuple[Contract, ...]:
        """All contracts of a customer, the newest first. Raises CustomerNotFound."""
        ...

    async def get_contract(self, contract_id: str) -> Contract:
        """The contract of this id. Raises NotFound."""
        ...

    async def add_service_request(
        self,
        *,
        customer_id: str,
        action: ContractAction,
        requested_by: str,
        contract_id: str | None = None,
        details: Mapping[str, str] | None = None,
        request_key: str | None = None,
    ) -> ServiceRequest:
        """Record a request; a `request_key` seen before answers the request recorded then, so a repeat records nothing.

        Raises CustomerNotFound, NotFound for the contract, BadRequest when the contract is another customer's.
        """
        ...

    async def service_requests_of(self, customer_id: str) -> tuple[ServiceRequest, ...]:
        """The requests of a customer, the newest first. Raises CustomerNotFound."""
        ...

    async def add_followup_tasks(
        self, customer_id: str, tasks: Sequence[NewFollowupTask], *, created_by: str
    ) -> tuple[FollowupTask, ...]:
        """Save to-dos for a customer, all or none. Raises CustomerNotFound."""
        ...

    async def followup_tasks_of(self, customer_id: str) -> tuple[FollowupTask, ...]:
        """The to-dos of a customer by due date. Raises CustomerNotFound."""
        ...

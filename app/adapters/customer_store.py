"""The customer store on the service database: fulfils app.insurance.customers.CustomerStore."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from unicodedata import normalize

from sqlalchemy import ColumnElement, Row, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.database import Database
from app.adapters.tables import contracts, customers, followup_tasks, service_requests
from app.errors import BadRequest, CustomerNotFound, NotFound
from app.insurance.ages import years_before
from app.insurance.customers import (
    IN_FORCE,
    Contract,
    Customer,
    CustomerPage,
    FollowupTask,
    NewFollowupTask,
    ServiceRequest,
)
from app.insurance.models import Gender
from app.insurance.reference import ContractAction
from app.messages import worded

MAX_ROWS = 100


class SqlCustomerStore:
    """CustomerStore over SQLAlchemy. Every method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_customer(self, customer_id: str) -> Customer:
        """The customer of this id. Raises CustomerNotFound."""
        async with self._database.reading() as connection:
            return await _customer(connection, customer_id)

    async def customers_named(self, name: str) -> tuple[Customer, ...]:
        """Everybody of exactly this name, in order of id; empty when there is nobody."""
        query = select(customers).where(customers.c.name == _plain(name)).order_by(customers.c.customer_id)
        return tuple(_as_customer(row) for row in await self._database.rows(query))

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
        """Customers that meet every criterion given; see the protocol. Raises BadRequest."""
        if not 1 <= limit <= MAX_ROWS:
            raise BadRequest(worded("customer_store.row_count", max_rows=MAX_ROWS, limit=limit))
        conditions = _conditions(today, name, age_min, age_max, gender, product_code)
        if not conditions:
            raise BadRequest(worded("customer_store.no_condition"))
        count = select(func.count()).select_from(customers).where(*conditions)
        rows = select(customers).where(*conditions).order_by(customers.c.name, customers.c.customer_id).limit(limit)
        async with self._database.reading() as connection:
            total = (await connection.execute(count)).scalar_one()
            found = await connection.execute(rows)
            return CustomerPage(total=total, customers=tuple(_as_customer(row) for row in found))

    async def contracts_of(self, customer_id: str) -> tuple[Contract, ...]:
        """All contracts of a customer, the newest first. Raises CustomerNotFound."""
        query = select(contracts).where(contracts.c.customer_id == customer_id)
        query = query.order_by(contracts.c.contract_date.desc(), contracts.c.contract_id)
        async with self._database.reading() as connection:
            await _customer(connection, customer_id)
            return tuple(Contract(**row._mapping) for row in await connection.execute(query))

    async def get_contract(self, contract_id: str) -> Contract:
        """The contract of this id. Raises NotFound."""
        async with self._database.reading() as connection:
            return await _contract(connection, contract_id)

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
        """Record a request once for each `request_key`; see the protocol. Raises NotFound and BadRequest."""
        async with self._database.writing(alone=request_key is not None) as connection:
            await _customer(connection, customer_id)
            if contract_id is not None and (await _contract(connection, contract_id)).customer_id != customer_id:
                raise BadRequest(worded("customer_store.not_theirs", contract_id=contract_id, customer_id=customer_id))
            if request_key is not None:
                query = select(service_requests).where(service_requests.c.request_key == request_key)
                if earlier := (await connection.execute(query)).first():
                    return _as_request(earlier)
            values = {
                "request_id": _new_id("SR"),
                "request_key": request_key,
                "customer_id": customer_id,
                "contract_id": contract_id,
                "action": action,
                "details": dict(details or {}),
                "status": "접수",
                "requested_by": requested_by,
                "created_at": datetime.now(UTC),
            }
            await connection.execute(insert(service_requests).values(values))
        return ServiceRequest.model_validate({key: value for key, value in values.items() if key != "request_key"})

    async def service_requests_of(self, customer_id: str) -> tuple[ServiceRequest, ...]:
        """The requests of a customer, the newest first. Raises CustomerNotFound."""
        query = select(service_requests).where(service_requests.c.customer_id == customer_id)
        query = query.order_by(service_requests.c.created_at.desc(), service_requests.c.request_id)
        async with self._database.reading() as connection:
            await _customer(connection, customer_id)
            return tuple(_as_request(row) for row in await connection.execute(query))

    async def add_followup_tasks(
        self, customer_id: str, tasks: Sequence[NewFollowupTask], *, created_by: str
    ) -> tuple[FollowupTask, ...]:
        """Save to-dos for a customer, all or none. Raises CustomerNotFound."""
        now = datetime.now(UTC)
        saved = tuple(
            FollowupTask(
                task_id=_new_id("T"),
                customer_id=customer_id,
                done=False,
                created_by=created_by,
                created_at=now,
                title=task.title,
                due_date=task.due_date,
                note=task.note,
            )
            for task in tasks
        )
        async with self._database.writing() as connection:
            await _customer(connection, customer_id)
            if saved:
                await connection.execute(insert(followup_tasks), [task.model_dump() for task in saved])
        return saved

    async def followup_tasks_of(self, customer_id: str) -> tuple[FollowupTask, ...]:
        """The to-dos of a customer by due date. Raises CustomerNotFound."""
        query = select(followup_tasks).where(followup_tasks.c.customer_id == customer_id)
        query = query.order_by(followup_tasks.c.due_date, followup_tasks.c.task_id)
        async with self._database.reading() as connection:
            await _customer(connection, customer_id)
            rows = await connection.execute(query)
            return tuple(FollowupTask(**row._mapping) for row in rows)


def _conditions(
    today: date,
    name: str | None,
    age_min: int | None,
    age_max: int | None,
    gender: Gender | None,
    product_code: str | None,
) -> list[ColumnElement[bool]]:
    if age_min is not None and age_max is not None and age_min > age_max:
        raise BadRequest(worded("customer_store.ages_reversed", age_min=age_min, age_max=age_max))
    conditions: list[ColumnElement[bool]] = []
    if name is not None and _plain(name):
        conditions.append(customers.c.name.contains(_plain(name), autoescape=True))
    if age_min is not None:
        conditions.append(customers.c.birth_date <= _born_by(today, age_min))
    if age_max is not None:
        conditions.append(customers.c.birth_date > _born_by(today, age_max + 1))
    if gender is not None:
        conditions.append(customers.c.gender == gender)
    if product_code is not None:
        held = contracts.c.product_code == product_code
        living = contracts.c.status.in_(IN_FORCE)
        conditions.append(customers.c.customer_id.in_(select(contracts.c.customer_id).where(held, living)))
    return conditions


def _born_by(today: date, age: int) -> date:
    """The latest birth date of somebody who is at least `age` (만 나이) today; agrees with ages.full_age."""
    return years_before(today, age) if today.year > age else date.min


async def _customer(connection: AsyncConnection, customer_id: str) -> Customer:
    row = (await connection.execute(select(customers).where(customers.c.customer_id == customer_id))).first()
    if row is None:
        raise CustomerNotFound(worded("customer_store.no_customer", customer_id=customer_id))
    return _as_customer(row)


async def _contract(connection: AsyncConnection, contract_id: str) -> Contract:
    row = (await connection.execute(select(contracts).where(contracts.c.contract_id == contract_id))).first()
    if row is None:
        raise NotFound(worded("customer_store.no_contract", contract_id=contract_id))
    return Contract(**row._mapping)


def _as_customer(row: Row[Any]) -> Customer:
    return Customer(**row._mapping)


def _as_request(row: Row[Any]) -> ServiceRequest:
    values = dict(row._mapping)
    del values["request_key"]
    return ServiceRequest.model_validate(values)


def _plain(name: str) -> str:
    return normalize("NFC", name).strip()


def _new_id(prefix: str) -> str:
    return f"{prefix}{secrets.token_hex(5).upper()}"

"""The made-up customers of data/customers: read, checked against the catalogue, and put into an empty database once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, field_validator
from sqlalchemy import func, insert, select

from app.adapters.database import Database
from app.adapters.field_cipher import private_place
from app.adapters.tables import contracts, customer_private, customers
from app.errors import ProductNotFound, StartError
from app.insurance.catalogue import Catalogue
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.company import read_company
from app.insurance.customers import Contract, Customer
from app.messages import worded

_PRIVATE = {"phone", "rrn"}
_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)


class SeedCustomer(Customer):
    """A row of customers.csv. Phone and RRN must be such as nobody can have: an unassigned range, a wrong checksum."""

    phone: str = Field(pattern=r"^010-0\d{3}-\d{4}$")
    rrn: str = Field(pattern=r"^\d{6}-[1-4]\d{6}$")

    @field_validator("rrn")
    @classmethod
    def _nobodys(cls, rrn: str) -> str:
        if rrn_check_digit(rrn) == int(rrn[-1]):
            raise ValueError(worded("customer_seed.real_number"))
        return rrn


@dataclass(frozen=True)
class CustomerFiles:
    """Everything data/customers holds."""

    customers: tuple[SeedCustomer, ...]
    contracts: tuple[Contract, ...]


def rrn_check_digit(rrn: str) -> int:
    """The check digit that a resident registration number's first twelve digits ask for."""
    digits = [int(letter) for letter in rrn if letter.isdigit()][:12]
    return (11 - sum(digit * weight for digit, weight in zip(digits, _WEIGHTS, strict=True)) % 11) % 10


def load_customers(content_dir: Path, catalogue: Catalogue) -> CustomerFiles:
    """Read customers.csv and contracts.csv. Raises DataFaults with every fault, each with file and line."""
    log = FaultLog()
    reader = DataReader(content_dir, "", log, sparse=read_company(content_dir) is not None)
    people = reader.csv_list("customers/customers.csv", SeedCustomer)
    held = reader.csv_list("customers/contracts.csv", Contract, ("rider_codes",))
    ids = Counter(item.value.customer_id for item in people)
    numbers = Counter(item.value.contract_id for item in held)
    for person in people:
        if ids[person.value.customer_id] > 1:
            log.add(
                person.place.file,
                person.place.line(),
                worded("customer_seed.customer_twice", customer_id=person.value.customer_id),
            )
    for item in held:
        problems = list(_problems(item.value, catalogue))
        if numbers[item.value.contract_id] > 1:
            problems.append(worded("customer_seed.contract_twice", contract_id=item.value.contract_id))
        if item.value.customer_id not in ids:
            problems.append(worded("customer_seed.no_customer", customer_id=item.value.customer_id))
        for problem in problems:
            log.add(item.place.file, item.place.line(), problem)
    log.check()
    return CustomerFiles(tuple(item.value for item in people), tuple(item.value for item in held))


async def seed_customers(database: Database, content_dir: Path, catalogue: Catalogue) -> int:
    """Fill the customer tables from data/customers when they are empty; answers how many customers were added.

    Phone and registration numbers are encrypted with the database's cipher. Idempotent, and safe when several processes
    start at once. Raises DataFaults, StartError without a cipher, and Unavailable.
    """
    cipher = database.cipher
    if cipher is None:
        raise StartError(worded("customer_seed.no_key"))
    count = select(func.count()).select_from(customers)
    async with database.reading() as connection:
        if (await connection.execute(count)).scalar_one():
            return 0
    files = load_customers(content_dir, catalogue)
    if not files.customers:
        return 0
    people = [customer.model_dump() for customer in files.customers]
    async with database.writing(alone=True) as connection:
        if (await connection.execute(count)).scalar_one():  # another process was faster
            return 0
        public = [{key: value for key, value in row.items() if key not in _PRIVATE} for row in people]
        private = [
            {column: cipher.encrypt(row[column], private_place(column, row["customer_id"])) for column in _PRIVATE}
            | {"customer_id": row["customer_id"]}
            for row in people
        ]
        await connection.execute(insert(customers), public)
        await connection.execute(insert(customer_private), private)
        await connection.execute(insert(contracts), [contract.model_dump() for contract in files.contracts])
    return len(people)


def _problems(contract: Contract, catalogue: Catalogue) -> Iterator[str]:
    try:
        product = catalogue.product(contract.product_code)
    except ProductNotFound:
        yield worded("customer_seed.no_product", product_code=contract.product_code)
        return
    if contract.plan not in {plan.name for plan in product.plans}:
        yield worded("customer_seed.no_plan", product=product.name, plan=contract.plan)
    if unknown := set(contract.rider_codes) - {rider.code for rider in product.riders}:
        yield worded("customer_seed.no_riders", product=product.name, unknown=", ".join(sorted(unknown)))
    if not product.sum_insured.min <= contract.sum_insured <= product.sum_insured.max:
        yield worded("customer_seed.sum_outside", product=product.name, sum_insured=contract.sum_insured)

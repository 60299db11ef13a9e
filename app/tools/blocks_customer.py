"""Blocks of the customer tools' results."""

from __future__ import annotations

from app.insurance.contracts import ContractOverview, CustomerList, DuplicateCheck
from app.insurance.wording import gender_word
from app.tools.blocks import Block, blocks_of, column, notice, table


@blocks_of.register
def _(result: ContractOverview) -> tuple[Block, ...]:
    if not result.contracts:
        return ()
    columns = [
        column("contract_id", "계약 번호"),
        column("name", "상품"),
        column("status", "상태"),
        column("contract_date", "가입일"),
        column("premium", "월 보험료(원)", "right"),
        column("sum_insured", "가입금액(원)", "right"),
    ]
    keys = {column["key"] for column in columns}
    rows = [line.model_dump(mode="json", include=keys) for line in result.contracts]
    return (table(f"{result.customer.name} 고객님 계약 {result.count}건", columns, rows),)


@blocks_of.register
def _(result: CustomerList) -> tuple[Block, ...]:
    columns = [
        column("id", "고객 번호"),
        column("name", "이름"),
        column("age", "나이(만)", "right"),
        column("gender", "성별"),
    ]
    rows = [
        {"id": row.id, "name": row.masked_name, "age": row.age, "gender": gender_word(row.gender)}
        for row in result.customers
    ]
    note = f"조건에 맞는 {result.total}명 가운데 {result.shown}명"
    return (table("고객 목록", columns, rows, note=note),) if rows else ()


@blocks_of.register
def _(result: DuplicateCheck) -> tuple[Block, ...]:
    return () if result.remaining else (notice("중복 가입", result.reason, "warning"),)

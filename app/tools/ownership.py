"""Whose data a caller may see: staff anybody's, a customer their own. The server decides; arguments never widen it."""

from __future__ import annotations

import re

from app.errors import BadRequest, CustomerNotFound, Forbidden, NotFound
from app.insurance.contracts import SameName, customer_line
from app.insurance.customers import Contract, Customer
from app.language.normalise import nfc
from app.tools.context import ToolContext
from app.tools.needs import text_field
from app.tools.results import NeedsInput

OWN_ONLY = (
    "계약 정보는 본인 확인을 마친 고객님의 것만 보여 드릴 수 있습니다. "
    "로그인한 뒤 다시 시도하시거나 고객센터 상담원 연결을 이용해 주세요."
)
_ADDRESSED = re.compile(r"\s*(?:고객님?|회원님?|님|씨)\s*$")


async def resolve_customer(
    context: ToolContext, customer_name: str | None, customer_id: str | None
) -> Customer | SameName | NeedsInput:
    """The customer meant.

    A customer is always their own, whatever the arguments say; naming somebody else is refused (Forbidden).
    Staff name one; several of one name come back as SameName, nobody as CustomerNotFound. Raises BadRequest when the
    name and the id are two people's.
    """
    principal = context.principal
    name = plain_name(customer_name)
    if not principal.at_least("staff"):
        if principal.customer_id is None:
            raise Forbidden(OWN_ONLY)
        own = await context.customers.get_customer(principal.customer_id)
        if (customer_id and customer_id != own.customer_id) or (name and name != own.name):
            raise Forbidden(OWN_ONLY)
        return own
    if customer_id:
        found = await context.customers.get_customer(customer_id)
        if name and name != found.name:
            raise BadRequest(
                f"고객 번호 {customer_id}는 {name} 고객님의 번호가 아닙니다. 이름이나 번호를 확인해 주세요."
            )
        return found
    if not name:
        field = text_field("customer_name", "고객 이름 또는 고객 번호")
        return NeedsInput(fields=(field,), reason="어느 고객님의 계약인지 확인이 필요합니다.")
    people = await context.customers.customers_named(name)
    if not people:
        raise CustomerNotFound(f"이름이 {name!r}인 고객을 찾을 수 없습니다. 이름이나 고객 번호를 다시 확인해 주세요.")
    if len(people) > 1:
        lines = tuple(customer_line(customer, context.today()) for customer in people)
        return SameName(name=name, customers=lines, count=len(lines))
    return people[0]


async def allowed_contract(context: ToolContext, contract_id: str) -> Contract:
    """The contract, if this caller may see it.

    Raises NotFound to staff. To a customer another's contract and none at all are the same: Forbidden.
    """
    principal = context.principal
    if principal.at_least("staff"):
        return await context.customers.get_contract(contract_id)
    try:
        contract = await context.customers.get_contract(contract_id)
    except NotFound:
        raise Forbidden(OWN_ONLY) from None
    if principal.customer_id is None or contract.customer_id != principal.customer_id:
        raise Forbidden(OWN_ONLY)
    return contract


def plain_name(name: str | None) -> str | None:
    """A name as it is stored: NFC, without 님, 씨, 고객님; None for an empty one."""
    return _ADDRESSED.sub("", nfc(name)).strip() or None if name else None

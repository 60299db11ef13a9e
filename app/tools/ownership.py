"""Whose data a caller may see: staff anybody's, a customer their own. The server decides; arguments never widen it."""

from __future__ import annotations

from app.errors import CustomerNotFound, Forbidden
from app.insurance.contracts import SameName, customer_line
from app.insurance.customers import Customer
from app.tools.context import ToolContext
from app.tools.needs import text_field
from app.tools.results import NeedsInput

OWN_ONLY = "본인 확인이 된 고객은 본인의 계약만 볼 수 있습니다. 로그인한 뒤 다시 시도하시거나 고객센터 상담원 연결을 이용해 주세요."


async def resolve_customer(
    context: ToolContext, customer_name: str | None, customer_id: str | None
) -> Customer | SameName | NeedsInput:
    """The customer meant.

    A customer is always their own, whatever the arguments say; naming somebody else is refused (Forbidden).
    Staff name one; several of one name come back as SameName, nobody as CustomerNotFound.
    """
    principal = context.principal
    if principal.customer_id is not None and not principal.at_least("staff"):
        own = await context.customers.get_customer(principal.customer_id)
        if (customer_id and customer_id != own.customer_id) or (customer_name and customer_name != own.name):
            raise Forbidden(OWN_ONLY)
        return own
    if not principal.at_least("staff"):
        raise Forbidden(OWN_ONLY)
    if customer_id:
        return await context.customers.get_customer(customer_id)
    if not customer_name:
        field = text_field("customer_name", "고객 이름 또는 고객 번호")
        return NeedsInput(fields=(field,), reason="어느 고객님의 계약인지 확인이 필요합니다.")
    found = await context.customers.customers_named(customer_name)
    if not found:
        raise CustomerNotFound(f"이름이 {customer_name!r}인 고객을 찾을 수 없습니다. 이름이나 고객 번호를 다시 확인해 주세요.")
    if len(found) > 1:
        lines = tuple(customer_line(customer, context.today()) for customer in found)
        return SameName(name=customer_name, customers=lines, count=len(lines))
    return found[0]

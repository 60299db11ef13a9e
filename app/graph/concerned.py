"""Whom a call that waits for approval concerns, in a form that does not give the person away."""

from __future__ import annotations

from app.adapters.approval_store import Approval
from app.errors import NotFound
from app.insurance.contracts import masked_name
from app.insurance.customers import CustomerStore


async def person_of(approval: Approval, customers: CustomerStore) -> str | None:
    """The person as 김*수 (C***01): the contract's customer, the one named, else who asked; None where nobody is
    known. Raises Unavailable."""
    args = approval.run_args
    try:
        if contract_id := args.get("contract_id"):
            customer_id = (await customers.get_contract(str(contract_id))).customer_id
        else:
            customer_id = str(args.get("customer_id") or approval.owner_customer_id or "")
        if not customer_id:
            return None
        found = await customers.get_customer(customer_id)
    except NotFound:
        return None
    return f"{masked_name(found.name)} (C***{found.customer_id[-2:]})"

"""What the contracts of the customer spoken of give to a call: the product, its day, its sum, the day of its lapse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.language.mentions import Entities
from app.planner.brief import Brief
from app.planner.facts import Facts
from app.planner.moves import Call, Done
from app.planner.signatures import Signature
from app.planner.view import View


def customer_first(
    signature: Signature, signatures: Mapping[str, Signature], brief: Brief, said: Entities, done: Sequence[Done]
) -> Call | None:
    """The look-up of the customer named, where a contract of theirs tells what the tool would have to ask for: the day
    of its lapse, or which product is meant. None where it was made, or nothing is lacking."""
    facts, lookup = brief.facts, brief.declared.first("looks_up_customer", among=signatures)
    if lookup is None or lookup == signature.name or facts.customer_id or not facts.customer_name:
        return None
    lapsed = "lapse_date" in signature.arguments and facts.lapse_date is None
    unnamed = "product_code" in signature.required and not (said.product_codes or facts.product_codes)
    if not (lapsed or unnamed) or any(item.tool == lookup for item in done):
        return None
    return Call(lookup, {"customer_name": facts.customer_name})


def riders_not_held(item: Done, facts: Facts) -> tuple[str, ...]:
    """The riders that alone pay what was asked for and that the customer's contract lacks; none where the main contract
    or one of its riders pays."""
    held = facts.contracts.get(str(item.args.get("product_code")))
    if held is None:
        return ()  # covers may be anything in another tool's result
    covers = item.data.get("covers") or ()
    riders = dict.fromkeys(str(cover["rider_name"]) for cover in covers if cover.get("optional"))
    alone = covers and all(cover.get("optional") for cover in covers)
    return tuple(riders) if alone and not set(riders) & set(held.riders) else ()


def as_held(args: dict[str, Any], signature: Signature, view: View) -> dict[str, Any]:
    """With the day and the sum of the contract that the customer holds, where nothing else is told now. What is
    reckoned for an age is reckoned anew."""
    held = view.facts.contracts.get(str(args.get("product_code")))
    if held is None or "age" in signature.arguments:
        return args
    known: dict[str, Any] = {}
    if not (view.said.dates or view.said.durations):
        known["contract_date"] = held.contract_date.isoformat()
    if not view.said.money:
        known["sum_insured"] = held.sum_insured
    return args | {name: value for name, value in known.items() if name in signature.arguments}

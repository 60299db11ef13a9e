"""What the contracts of the customer spoken of give to a call: the product, its day, its sum, the day of its lapse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.answering.contract_rows import months_paid
from app.dialogue.items import Item
from app.dialogue.state import Shown, contracts_shown
from app.language.mentions import Entities
from app.planner.brief import Brief
from app.planner.facts import PERSONS_ARGUMENTS, Facts
from app.planner.moves import Call, Done
from app.planner.signatures import Signature
from app.planner.view import View

_PAID = frozenset({"premium", "years_paid"})
_YEAR_MONTHS = 12


def customer_first(
    signature: Signature, signatures: Mapping[str, Signature], brief: Brief, said: Entities, done: Sequence[Done]
) -> list[Call]:
    """The look-up of each customer named, where a contract of theirs tells what the tool would have to ask for: the day
    of its lapse, or which product is meant. None where it was made, or nothing is lacking."""
    facts, lookup = brief.facts, brief.declared.first("looks_up_customer", among=signatures)
    if lookup is None or lookup == signature.name or facts.customer_id or not facts.customer_name:
        return []
    lapsed = "lapse_date" in signature.arguments and facts.lapse_date is None
    unnamed = "product_code" in signature.required and not (said.product_codes or facts.product_codes)
    if not (lapsed or unnamed) or any(item.tool == lookup for item in done):
        return []
    named = [mention.name for mention in said.names if mention.name and not mention.negated]
    names = dict.fromkeys(named if len(named) > 1 else [facts.customer_name])
    return [Call(lookup, {"customer_name": name}) for name in names]


def contracts_first(
    signatures: Mapping[str, Signature], brief: Brief, said: Entities, done: Sequence[Done]
) -> Call | None:
    """The look-up of the customer whom this message names, where it asks what their contract tells of itself."""
    facts, lookup = brief.facts, brief.declared.first("looks_up_customer", among=signatures)
    named = bool(said.names) and bool(facts.customer_name) and not facts.customer_id
    if lookup is None or not named or any(item.tool == lookup for item in done):
        return None
    return Call(lookup, {"customer_name": facts.customer_name})


def namesake_told(
    signatures: Mapping[str, Signature], brief: Brief, said: Entities, done: Sequence[Done]
) -> Call | None:
    """The look-up of the one of several customers of one name whose birth this very message tells (이영희 68년생)."""
    last = done[-1] if done else None
    if last is None or last.kind != "SameName" or last.tool not in signatures:
        return None
    years = {brief.today.year - birth.year - passed for birth in said.births for passed in (0, 1)}
    years |= {age.age for age in said.ages if age.kind == "age" and not age.negated}
    fitting = [str(row["id"]) for row in last.data.get("customers") or () if row.get("age") in years]
    return Call(last.tool, {**last.args, "customer_id": fitting[0]}) if len(fitting) == 1 else None


def without_namesakes(done: Sequence[Done]) -> list[Done]:
    """The results without the list of customers of one name that the next look-up chose one of."""
    chosen = [item.tool for item in done if item.kind != "SameName" and item.args.get("customer_id")]
    return [item for item in done if item.kind != "SameName" or item.tool not in chosen]


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


def as_held(args: dict[str, Any], signature: Signature, view: View, shown: Sequence[Shown]) -> dict[str, Any]:
    """With what the contract says that the customer holds, where nothing else is told now: its day and sum, the day of
    its lapse, and what was paid for it. What is reckoned for an age is reckoned anew, a refund is not."""
    table = contracts_shown(shown)[1] if view.facts.customer_id else None
    rows = table.items if table else ()
    if "lapse_date" in signature.arguments:
        return _lapsed(args, signature, view, rows)
    code = str(args.get("product_code"))
    held = view.facts.contracts.get(code)
    row = next((row for row in rows if row.code == code), None)
    if set(signature.arguments) >= _PAID and row is not None and not view.said.ages:
        kept = {name: value for name, value in args.items() if name not in PERSONS_ARGUMENTS}
        years = months_paid(row, view.today) // _YEAR_MONTHS
        known = {"plan": row.facts.get("plan"), "premium": row.figures["premium"], "years_paid": years}
        return {name: value for name, value in known.items() if name in signature.arguments} | kept
    if held is None or "age" in signature.arguments:
        return args
    known = {}
    # 가입 6개월째면 is another day; 90일 지났나 asks of the waiting period
    if not (any(date.role == "contract" for date in view.said.dates) or _since_made(view)):
        known["contract_date"] = held.covers_since.isoformat()
    if not view.said.money:
        known["sum_insured"] = held.sum_insured
    return args | {name: value for name, value in known.items() if name in signature.arguments}


def _since_made(view: View) -> bool:
    return any(length.role != "ago" for length in view.said.durations)


def _lapsed(args: dict[str, Any], signature: Signature, view: View, rows: Sequence[Item]) -> dict[str, Any]:
    """With the day of the lapsed contract meant: of the product named, else the only one that lapsed."""
    lapsed = [row for row in rows if row.facts.get("reinstate_until")]
    own = [row for row in lapsed if row.code == args.get("product_code")]
    if not own and len(lapsed) == 1 and not view.said.product_codes and "product_code" in signature.arguments:
        own = lapsed
    if len(own) != 1 or any(date.value for date in view.said.dates):
        return args
    return {**args, "product_code": own[0].code, "lapse_date": str(own[0].facts["lapse_date"])}

"""What a turn's results add to the facts of a thread: the product in focus, the lists just shown, the customer looked up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.planner.facts import Facts
from app.planner.moves import Done

_LISTS_OF_PRODUCTS = ("products", "quotes", "alternatives")


def remember(facts: Facts, done: Sequence[Done]) -> Facts:
    """The facts after these calls. A call that lacked facts is remembered too, so that the answer to its question continues it."""
    told = [item for item in done if item.kind != "Error"]
    if not told:
        return facts
    news: dict[str, Any] = {"last_tool": told[-1].tool, "last_args": told[-1].args}
    about = list(dict.fromkeys(code for item in told for code in _codes_asked(item)))
    if len(about) == 1:
        news["product_codes"] = tuple(about)
    elif about:
        news |= {"product_codes": (), "shown_products": tuple(about)}
    for item in told:
        if shown := _codes_shown(item):
            news["shown_products"] = shown
        if riders := _names(item.data, "riders"):
            news["shown_riders"] = riders
        if item.tool == "customer_contract_lookup":
            news |= _customer(item.data)
    return facts.model_copy(update={key: value for key, value in news.items() if key in Facts.model_fields})


def _codes_asked(item: Done) -> tuple[str, ...]:
    one = item.args.get("product_code")
    return (str(one),) if one else tuple(map(str, item.args.get("product_codes") or ()))


def _codes_shown(item: Done) -> tuple[str, ...]:
    for key in _LISTS_OF_PRODUCTS:
        rows = item.data.get(key)
        if isinstance(rows, list) and rows and isinstance(rows[0], dict) and rows[0].get("code"):
            return tuple(str(row["code"]) for row in rows)
    return ()


def _names(data: dict[str, Any], key: str) -> tuple[str, ...]:
    rows = data.get(key)
    return tuple(str(row["name"]) for row in rows if isinstance(row, dict) and row.get("name")) if isinstance(rows, list) else ()


def _customer(data: dict[str, Any]) -> dict[str, Any]:
    """Name, id, age and gender of the one customer found, and the products of the contracts shown."""
    found = data.get("customer") or {}
    news = {f"customer_{key}": found[key] for key in ("name", "id") if found.get(key)}
    news |= {key: found[key] for key in ("age", "gender") if found.get(key)}
    if contracts := data.get("contracts"):
        news["shown_products"] = tuple(dict.fromkeys(str(c["product_code"]) for c in contracts if c.get("product_code")))
    return news

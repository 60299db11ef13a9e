"""What a turn's results add to the facts of a thread: the product in focus, the lists just shown, the customer
looked up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from app.planner.birthdays import birth_facts, is_age_of
from app.planner.facts import Facts, Held
from app.planner.judged import verdicts
from app.planner.moves import Done
from app.toolbox.declared import Declarations

_LISTS_OF_PRODUCTS = ("products", "quotes", "contracts")
_INSTEAD = "alternatives"
_BESIDE = ("fallen_out", "hits")


def remember(facts: Facts, done: Sequence[Done], kinds: Sequence[str], declared: Declarations, today: date) -> Facts:
    """The facts after these calls. `kinds`: the kinds of insurance that the question named (김민수 고객님 치아보험).

    A call that lacked facts is remembered too, so that the answer to its question continues it.
    """
    told = _found([item for item in done if item.kind != "Error"])
    if not told:
        # 윤지은님은요, after a name that was not found, asks the same of somebody else.
        return _without_what_was_refused(facts, done)
    about = tuple(dict.fromkeys(code for item in told for code in _codes_asked(item)))
    # Of two products of which one cannot be had, 두 상품 다 means those two, not what was offered instead.
    lists = _LISTS_OF_PRODUCTS if len(about) > 1 else (*_LISTS_OF_PRODUCTS, _INSTEAD)
    found = (codes for item in reversed(told) if (codes := _codes_shown(item, lists)))
    shown = next(found, about if len(about) > 1 else ())
    beside = tuple(dict.fromkeys(code for item in told for code in _codes_beside(item) if code not in shown))
    before = (*facts.shown_products, *facts.told_products)
    if shown and set(shown) < set(before):
        beside = beside or tuple(code for code in before if code not in shown)  # some of a list were chosen
    riders = next((names for item in reversed(told) if (names := _riders_shown(item.data))), ())
    if about:
        facts = facts.focused_on(about if len(about) == 1 else ())
    elif shown and facts.product_codes and not set(facts.product_codes) & set(shown):
        # A list without the product of the talk: 그거 is the one of its kind that the list holds.
        facts = facts.focused_on(_of_kinds(told, facts.kinds))
    for item in told:
        if item.kind == "SameName":
            ids = tuple(str(row["id"]) for row in item.data.get("customers") or ())
            ages = tuple(int(row["age"]) for row in item.data.get("customers") or ())
            facts = facts.model_copy(update={"shown_customers": ids, "shown_ages": ages})
        elif declared.has(item.tool, "finds_customers"):
            ids = tuple(str(row["id"]) for row in item.data.get("customers") or () if "id" in row)
            facts = facts.model_copy(update={"shown_customers": ids, "shown_ages": ()})
        elif declared.has(item.tool, "looks_up_customer"):
            facts = facts.model_copy(update=_customer(item.data, facts, kinds, today))
            of_kind = [row["product_code"] for row in item.data.get("contracts") or () if row.get("category") in kinds]
            facts = facts.focused_on(tuple(of_kind)) if len(of_kind) == 1 else facts
    asked = tuple(field["name"] for field in told[-1].data.get("fields", ())) if told[-1].kind == "NeedsInput" else ()
    update: dict[str, Any] = {"asked": asked}
    for item in told:
        update["judged"] = {
            **update.get("judged", facts.judged),
            **verdicts(declared.of(item.tool).joining, _codes_asked(item), item.data),
        }
    if shown or beside:
        update["told_products"] = beside
    if beside and not shown and not set(beside) <= set(facts.shown_products):
        update["shown_products"] = ()  # the list before is no longer the last one
    return facts.after_answer(told[-1].tool, told[-1].args, shown, riders).model_copy(update=update)


def _without_what_was_refused(facts: Facts, done: Sequence[Done]) -> Facts:
    """The facts after calls of which none was answered: a sum insured that cannot be had is no fact of the next one."""
    if not done:
        return facts
    args = {name: value for name, value in done[-1].args.items() if name != "sum_insured"}
    return facts.after_answer(done[-1].tool, args).model_copy(update={"sum_insured": None})


def _found(done: list[Done]) -> list[Done]:
    """The results without those that lack what others found, or refuse where others do not: the talk goes on with the
    products that pay, and with those that can be had."""
    found = {item.tool for item in done if item.data.get("found")}
    kept = [item for item in done if item.tool not in found or item.data.get("found") is not False]
    taken = {item.tool for item in kept if not item.data.get("refused")}
    return [item for item in kept if item.tool not in taken or not item.data.get("refused")]


def _of_kinds(told: Sequence[Done], kinds: Sequence[str]) -> tuple[str, ...]:
    """The one product of these kinds in the lists found; none where there are more, or none."""
    rows = [row for item in told for row in item.data.get("products") or () if isinstance(row, dict)]
    codes = tuple(dict.fromkeys(str(row["code"]) for row in rows if row.get("category") in kinds and row.get("code")))
    return codes if len(codes) == 1 else ()


def _codes_asked(item: Done) -> tuple[str, ...]:
    one = item.args.get("product_code")
    return (str(one),) if one else tuple(map(str, item.args.get("product_codes") or ()))


def _codes_shown(item: Done, lists: Sequence[str]) -> tuple[str, ...]:
    for key in lists:
        rows = item.data.get(key)
        if isinstance(rows, list) and rows and isinstance(rows[0], dict):
            codes = (row.get("product_code") or row.get("code") for row in rows)
            return tuple(dict.fromkeys(str(code) for code in codes if code))
    return ()


def _codes_beside(item: Done) -> tuple[str, ...]:
    """Products told of beside the list: those that a search left out, and those that hold the riders found."""
    lists = [rows for key in _BESIDE if isinstance(rows := item.data.get(key), list)]
    codes = (row.get("product_code") or row.get("code") for rows in lists for row in rows if isinstance(row, dict))
    return tuple(str(code) for code in codes if code)


def _riders_shown(data: dict[str, Any]) -> tuple[str, ...]:
    """Names of the riders told, in the order of the answer: a list, search hits, or the picks of bundles."""
    rows = (
        data.get("riders") or data.get("hits") or [p for bundle in data.get("bundles") or () for p in bundle["picks"]]
    )
    names = (row.get("rider_name") for row in rows if isinstance(row, dict))
    return tuple(dict.fromkeys(str(name) for name in names if name))


def _customer(data: dict[str, Any], facts: Facts, kinds: Sequence[str], today: date) -> dict[str, Any]:
    """Name, id, age and gender of the one customer found, and the products of the contracts shown. A birth told
    before stays where it is of that age."""
    found = data.get("customer") or {}
    news = {f"customer_{key}": found[key] for key in ("name", "id") if found.get(key)}
    news |= {key: found[key] for key in ("age", "gender") if found.get(key)}
    if "age" in news and not is_age_of(news["age"], facts, today):
        news |= birth_facts(None)
    rows = [row for row in data.get("contracts") or () if row.get("in_force", True)]
    if found:
        held = [{name: row[name] for name in Held.model_fields if name in row} for row in rows]
        news["contracts"] = {str(row["product_code"]): Held(**told) for row, told in zip(rows, held, strict=True)}
        # What is asked next of a lapsed contract needs no date that was just read out.
        lapsed = [row for row in data.get("contracts") or () if row.get("lapse_date")]
        focus = facts.product_codes
        meant = [row for row in lapsed if row["product_code"] in focus or row.get("category") in kinds] or lapsed
        news["lapse_date"] = date.fromisoformat(meant[0]["lapse_date"]) if len(meant) == 1 else None
    return news

"""Which products a call is made for: those just found, those in focus, or those shown last where several are needed."""

from __future__ import annotations

from collections.abc import Sequence

from app.insurance.catalogue import Catalogue
from app.insurance.told import is_had
from app.planner.moves import Done
from app.planner.view import View

MAX_FAN_OUT = 4
MAX_OF_KINDS = 6


def products_meant(view: View, done: Sequence[Done], catalogue: Catalogue, at_least: int) -> tuple[str, ...]:
    """The codes of the products asked about, in order, `MAX_FAN_OUT` at most; fewer than `at_least` where the talk
    does not tell more."""
    found = [d for d in done if d.ok and view.declared.has(d.tool, "finds_products")]
    if found and not view.entities.product_codes:
        each = MAX_FAN_OUT if len(found) == 1 else MAX_OF_KINDS // len(found)
        return tuple(str(line["code"]) for d in found for line in d.data.get("products", ())[:each])
    facts = view.facts
    focus = facts.product_codes
    named = view.entities.product_codes
    if at_least == 1 and named:
        whole = set(named) == set(view.said.product_codes) and set(named) <= set(focus)
        # '더건강한치아까지 얹으면' means both; of two products asked about in two parts each part means its own.
        focus = focus if whole else tuple(code for code in focus if code in named) or named
    if len(focus) < at_least:
        focus = tuple(dict.fromkeys((*focus, *facts.shown_products)))
    if len(focus) < at_least and not named:
        focus = tuple(dict.fromkeys((*focus, *facts.told_products)))
    kinds = set(kinds_named(view))
    if kinds and not named and not view.entities.references:
        # The kind was named, not the product in focus: that one counts only when it is of the kind.
        focus = tuple(code for code in focus if catalogue.product(code).category in kinds)
        if not focus and view.declared.has(view.tool, "pays"):
            # 암 걸리면: of another kind that is held and pays
            focus = tuple(code for code in view.facts.contracts if code in view.entities.covering_codes)
    if len(focus) == 1 and at_least > 1 and (before := _before(focus[0], view, catalogue)) is not None:
        focus = (before, *focus)
    return _that_pay(focus, view)[:MAX_FAN_OUT]


def _that_pay(codes: tuple[str, ...], view: View) -> tuple[str, ...]:
    """Of several products of the talk those that have the cover asked about, of the customer's contracts where the one
    in focus lacks it; as they are where products are named or pointed at, or none has it."""
    paying = view.entities.covering_codes
    chosen = any(reference.kind not in ("that", "same") for reference in view.said.references)
    if view.said.product_codes or chosen or not codes:
        return codes
    held = tuple(view.facts.contracts)
    if len(codes) > 1 and view.declared.has(view.tool, "pays"):
        codes = tuple(code for code in codes if code in held) or codes  # a lapsed contract pays nothing
    if not paying:
        return codes
    return tuple(c for c in codes if c in paying) or tuple(c for c in held if c in paying) or codes


def kinds_named(view: View) -> list[str]:
    """The kinds of insurance named and not ruled out; in a talk of one product, what somebody had (암으로 가신 거고) is
    none."""
    had = bool(view.facts.product_codes)
    text, kinds = view.entities.text, view.entities.categories
    named = [m.category for m in kinds if m.category and not m.negated and not (had and is_had(text, m.end))]
    return list(dict.fromkeys(named))


def with_the_one_before(of_kind: Sequence[str], view: View, catalogue: Catalogue) -> list[str]:
    """The products of a kind, behind the one of another kind that the talk was of where they are compared with it."""
    kinds = [m for m in view.said.categories if m.category and not m.negated]
    if len(kinds) != 1 or not view.words.products_meant.held_against.match(view.said.text, kinds[0].end):
        return list(of_kind)
    last = view.facts.mentioned_products[-1:]
    return [*(code for code in last if catalogue.product(code).category != kinds[0].category), *of_kind]


def _before(code: str, view: View, catalogue: Catalogue) -> str | None:
    """간편건강이랑 나란히, 정기보험이랑 비교: the product that the talk was of, beside the one named now; where none is
    named (비교 좀), beside the one that it is of."""
    kinds = {m.category for m in view.said.categories if m.category and not m.negated}
    told = code in view.said.product_codes or catalogue.product(code).category in kinds
    silent = not view.said.product_codes and not view.said.categories
    if not (told or silent) or view.words.products_meant.another.search(view.said.text):
        return None
    return next((other for other in reversed(view.facts.mentioned_products) if other != code), None)

"""Two things named side by side for one argument (뇌졸중이랑 뇌출혈): each is asked for with a call of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from app.language.mentions import Mention
from app.planner.signatures import Signature
from app.planner.view import View

MAX_NAMED = 3
_JOINED = re.compile(
    r"\s?(?:비|일당|금|치료|수술|고객(?:님)?|님|씨|바꾸는\s?(?:거|것))?\s?(?:이?랑|하고|와|과|허고|및|,|·|/)\s?(?:그리고\s?)?"
)
# The argument that takes one of them, by the tool, and the kinds of mention with their attribute.
_ONE_OF: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "diagnosis_definition_lookup": ("term", (("medical", "term"), ("benefits", "benefit"))),
    "underwriting_high_risk_job_check": ("job", (("jobs", "job"),)),
    "benefit_amount_lookup": ("benefit", (("benefits", "benefit"), ("claims", "claim_type"))),
    "contract_manage": ("action", (("actions", "action"),)),
    "customer_contract_lookup": ("customer_name", (("names", "name"),)),
}


def for_each_named(wanted: list[dict[str, Any]], signature: Signature, view: View) -> list[dict[str, Any]]:
    """The arguments once for each of the things named, where they stand side by side; as they are otherwise."""
    argument, kinds = _ONE_OF.get(signature.name, ("", ()))
    values = _side_by_side(view, kinds)
    if not argument or len(values) < 2 or any(args.get("submit") for args in wanted):
        return wanted
    return [{**args, argument: value} for args in wanted for value in values]


def _side_by_side(view: View, kinds: tuple[tuple[str, str], ...]) -> list[str]:
    found: list[tuple[Mention, str]] = []
    for kind, attribute in kinds:
        for mention in getattr(view.entities, kind):
            value = getattr(mention, attribute)
            apart = all(mention.end <= other.start or other.end <= mention.start for other, _ in found)
            if value and not mention.negated and apart:
                found.append((mention, str(value)))
    found.sort(key=lambda item: item[0].start)
    joined = [
        (one, other)
        for one, other in pairwise(found)
        if _JOINED.fullmatch(view.entities.text[one[0].end : other[0].start])
    ]
    values = dict.fromkeys(value for pair in joined for _, value in pair)
    return list(values)[:MAX_NAMED]

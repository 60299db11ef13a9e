"""The other product of a kind, told by whether it is renewed: 갱신되는 걸로 바꾸면."""

from __future__ import annotations

from app.insurance.catalogue import Catalogue
from app.insurance.models import Product
from app.language.mentions import Entities
from app.planner.facts import Facts
from app.planner.words import FocusWords


def is_fixed(product: Product) -> bool:
    """Whether it is never renewed."""
    return product.renewal.kind == "비갱신형"


def of_other_renewal(catalogue: Catalogue, words: FocusWords, entities: Entities, facts: Facts) -> str | None:
    """The one product of the kind spoken of that is renewed (or is not) where that one is not, and that everybody told
    of may have by their age; None where no other is asked for, or several fit."""
    fixed = entities.non_renewing
    if len(facts.product_codes) != 1 or not (fixed or words.renewing.search(entities.text)):
        return None
    now = next((product for product in catalogue.products if product.code in facts.product_codes), None)
    if now is None or is_fixed(now) == fixed or not words.instead.search(entities.text):
        return None
    ages = [person.age for person in facts.everyone() if person.age is not None]
    fitting = [
        product.code
        for product in catalogue.products
        if product.category == now.category
        and is_fixed(product) == fixed
        and all(product.entry_age.min <= age <= product.entry_age.max for age in ages)
    ]
    return fitting[0] if len(fitting) == 1 else None

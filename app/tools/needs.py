"""Asking back: the fields of a NeedsInput, worded once for every tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from app.insurance.entry_age import EntryAge, entry_age
from app.insurance.models import Category, Gender
from app.tools.results import NeededField, NeedsInput, Option

if TYPE_CHECKING:
    from app.insurance.catalogue import Catalogue

AGE = NeededField(name="age", label="나이(만, 세)", type="number")
GENDER = NeededField(
    name="gender",
    label="성별",
    type="choice",
    options=(Option(label="여성", value="F"), Option(label="남성", value="M")),
)


def product_field(
    catalogue: Catalogue,
    *,
    name: str = "product_code",
    label: str = "상품",
    category: Category | None = None,
    codes: Iterable[str] | None = None,
) -> NeededField:
    """A choice among the catalogue's products, one category of it, or the products named by `codes`."""
    wanted = None if codes is None else set(codes)
    options = tuple(
        Option(label=product.name, value=product.code)
        for product in catalogue.products
        if (category is None or product.category == category) and (wanted is None or product.code in wanted)
    )
    return NeededField(name=name, label=label, type="product", options=options)


def choice_field(name: str, label: str, options: Iterable[str | tuple[str, str]]) -> NeededField:
    """A choice; each option is its label, or `(label, value)`."""
    pairs = ((option, option) if isinstance(option, str) else option for option in options)
    return NeededField(
        name=name, label=label, type="choice", options=tuple(Option(label=shown, value=value) for shown, value in pairs)
    )


def number_field(name: str, label: str) -> NeededField:
    """A number; the label says its unit, as in '월 예산(원)'."""
    return NeededField(name=name, label=label, type="number")


def text_field(name: str, label: str, options: Iterable[str] = ()) -> NeededField:
    """Free words, with examples as quick replies."""
    return NeededField(name=name, label=label, type="text", options=tuple(Option(label=o, value=o) for o in options))


def need(fields: Iterable[NeededField], reason: str) -> NeedsInput | None:
    """A NeedsInput for `fields`, or None when nothing is missing."""
    asked = tuple(fields)
    return NeedsInput(fields=asked, reason=reason) if asked else None


def need_person(age: EntryAge | None, gender: Gender | None, reason: str) -> NeedsInput | None:
    """Asks for age and gender together, as far as they are missing; None when both are known."""
    missing = (AGE if age is None else None, GENDER if gender is None else None)
    return need((field for field in missing if field is not None), reason)


def known_person(state: Any, today: date) -> tuple[EntryAge | None, Gender | None]:
    """Age and gender that the conversation already knows (`facts` of the graph state); None for what it does not.

    For tools whose schema has no age and gender but whose answer is better with them.
    """
    facts = state.get("facts") if isinstance(state, Mapping) else None
    if not isinstance(facts, Mapping):
        return None, None
    age, gender, month = facts.get("age"), facts.get("gender"), facts.get("birth_month")
    said = age if isinstance(age, int) and 0 <= age <= 120 else None
    birth = facts.get("birth_date") or (f"{facts.get('birth_year')}-{month:02}" if isinstance(month, int) else None)
    return entry_age(said, birth, today), gender if gender in ("M", "F") else None

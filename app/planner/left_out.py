"""Why a product is not among those just told: the rule that leaves it out, for the person of the talk."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from app.dialogue.state import Shown
from app.insurance.catalogue import Catalogue
from app.insurance.search import age_refusal
from app.language.formatting import josa
from app.language.mentions import Entities
from app.planner.birthdays import entry_age_of
from app.planner.facts import Facts
from app.planner.moves import Say


def why_left_out(said: Entities, facts: Facts, shown: Sequence[Shown], catalogue: Catalogue, today: date) -> Say | None:
    """The reason of the one product that a message asks after, where it was not told and the known age leaves it out;
    None else."""
    codes = said.product_codes
    told = {item.code for answer in shown[:1] for item in answer.items}
    if len(codes) != 1 or not shown or codes[0] in told or said.ages:
        return None
    product, age = catalogue.product(codes[0]), entry_age_of(facts, today)
    if age is None or age.fits(product.entry_age) is not False:
        return None
    text = f"{josa(product.name, '은/는')} {age_refusal(product, age)}"
    text += f"\n{age.born_note}" if age.born_note else ""
    return Say(text, grounds=(text,))

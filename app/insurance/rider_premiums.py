"""What riders add to a monthly premium: a share of the main contract's table line each (`premium_share`)."""

from __future__ import annotations

from collections.abc import Sequence

from app.insurance.entry_age import EntryAge
from app.insurance.models import Gender, Model, Product, Rider
from app.insurance.pricing import rider_premium
from app.insurance.riders import find_riders, for_gender, search_riders
from app.insurance.wording import age_span

_ALTERNATIVES = 4


class RiderPremium(Model):
    """A rider with what it costs a month (원); `reason`: why this person cannot have it, the cost is None then. `of`:
    the words that it answers to."""

    of: str
    rider_code: str
    rider_name: str
    costs: int | None
    reason: str | None = None


def rider_premiums(
    product: Product, table_premium: int, age: EntryAge, gender: Gender, wanted: Sequence[str]
) -> tuple[RiderPremium, ...]:
    """The riders that each of the words means, by name or by what they pay for; none where no rider does."""
    found = [(words, rider) for words in wanted for rider in riders_meant(product, words) if for_gender(rider, gender)]
    once = {rider.code: (words, rider) for words, rider in reversed(found)}
    return tuple(_priced(product, words, rider, table_premium, age) for words, rider in reversed(once.values()))


def riders_meant(product: Product, words: str) -> tuple[Rider, ...]:
    """The few riders of a product that words mean; a name goes before what is paid for."""
    named = [rider for _, rider in find_riders((product,), words)]
    if not named:
        hits = [hit.rider_code for hit in search_riders((product,), words).hits]
        named = [rider for rider in product.riders if rider.code in hits]
    return tuple(named[:_ALTERNATIVES])


def _priced(product: Product, words: str, rider: Rider, table_premium: int, age: EntryAge) -> RiderPremium:
    span = rider.entry_age or product.entry_age
    reason = None if age.years in span else f"가입 나이가 {age_span(span)}라서 {age.told}는 넣을 수 없습니다."
    costs = None if reason else rider_premium(rider, table_premium)
    return RiderPremium(of=words, rider_code=rider.code, rider_name=rider.name, costs=costs, reason=reason)

"""Which products a message points back to: 그거, 앞에 거, 두 번째, 둘 다, 싼 거, 나머지."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.errors import RuleMissing
from app.insurance.catalogue import Catalogue
from app.insurance.models import Gender
from app.language.mentions import Entities, ReferenceMention
from app.language.references import is_negated
from app.planner.facts import Facts
from app.planner.words import PlannerWords


class ProductReferences:
    """Resolves what points back against the facts of the talk. Pure."""

    def __init__(self, catalogue: Catalogue, words: PlannerWords) -> None:
        self._catalogue, self._words = catalogue, words

    def talked(self, facts: Facts) -> tuple[str, ...]:
        """The set that 둘 다, 빼고, 나머지 choose from."""
        return facts.product_codes if len(facts.product_codes) > 1 else facts.shown_products or facts.product_codes

    def meant(self, entities: Entities, facts: Facts) -> tuple[str, ...] | None:
        """The products that the message points back to; None where it points to none."""
        talked = self.talked(facts)
        if len(several := self._counted_off(entities, facts, talked)) > 1:
            return several
        degrees = any(m.kind in ("cheapest", "dearest") for m in entities.references)
        for reference in entities.references:
            if is_negated(entities.text, reference.end):
                continue  # 앞에 거 말고 뒤에 거
            if degrees and self._words.focus.out_of.search(reference.text):
                continue  # 그중 제일 싼 거: the cheapest of them
            codes = self._of_reference(reference, entities, facts, talked)
            if codes is not None:
                return codes
        return None

    def _counted_off(self, entities: Entities, facts: Facts, talked: tuple[str, ...]) -> tuple[str, ...]:
        """첫 번째랑 세 번째: the products at these places of the list, in the order said; none where one is missing."""
        places = [m for m in entities.references if m.kind == "ordinal" and not is_negated(entities.text, m.end)]
        found = [self._of_reference(m, entities, facts, talked) for m in places]
        codes = tuple(dict.fromkeys(each[0] for each in found if each is not None and len(each) == 1))
        return codes if len(codes) == len(places) else ()

    def _of_reference(
        self, reference: ReferenceMention, entities: Entities, facts: Facts, talked: tuple[str, ...]
    ) -> tuple[str, ...] | None:
        kind = reference.kind
        if kind == "ordinal":
            rows = facts.shown_products or talked
            if len(rows) == 1 and rows == facts.product_codes:
                rows = facts.mentioned_products or rows  # 첫번째 꺼, of two that were asked about one after the other
            asked_for = facts.product_codes or facts.mentioned_products[-len(rows) :]
            if len(rows) > 1 and set(rows) == set(asked_for) and "싼" not in entities.text:
                rows = asked_for  # the order in which they were asked for, not that of the prices
            if facts.shown_riders and not re.search(r"상품|보험", entities.text):
                return facts.product_codes
            if self._words.focus.cheap_rank.match(entities.text, reference.end):
                return self._by_price(rows, facts, dearest=False, rank=reference.index)
            inside = -len(rows) <= reference.index < len(rows)
            return (rows[reference.index],) if inside else None
        if kind == "both":
            return self._several(reference.count, entities, facts)
        if kind in ("cheapest", "dearest"):
            among = talked if len(talked) > 1 else facts.mentioned_products[-2:]
            return self._by_price(among, facts, dearest=kind == "dearest")
        recent = facts.mentioned_products
        if kind == "former" and len(recent) > 1 and not entities.categories:
            # 앞에 거는요, while one of the two is spoken of, means the other.
            other = [code for code in talked if code not in facts.product_codes]
            if len(talked) == 2 and len(facts.product_codes) == 1 and len(other) == 1:
                return (other[0],)
            return (talked[0],) if len(talked) > 1 else (recent[-2],)
        if kind == "latter" and recent:
            return (talked[-1],) if len(talked) > 1 else (recent[-1],)
        if kind == "other":
            two = talked if len(talked) == 2 else recent[-2:]
            left = [code for code in two if code not in facts.product_codes]
            return (left[0],) if len(two) == 2 and len(left) == 1 else None
        if kind == "rest" and len(talked) > 1:
            return talked
        if kind in ("that", "same") and not entities.categories and not entities.non_renewing:
            if facts.product_codes:
                return facts.product_codes
            return facts.shown_products[:1] or None
        return None

    def _several(self, count: int, entities: Entities, facts: Facts) -> tuple[str, ...] | None:
        kinds = [m.category for m in entities.categories if m.category and not m.negated]
        if len(set(kinds)) > 1:
            return None  # 암이랑 치아 둘 다: two kinds, not two products of one
        if kinds:
            of_kind = tuple(p.code for p in self._catalogue.products if p.category == kinds[-1])
            talked_of = tuple(code for code in facts.mentioned_products if code in of_kind)
            if len(talked_of) == count:
                return talked_of
            return of_kind if len(of_kind) >= count else None
        if len(facts.product_codes) == count:
            return facts.product_codes
        shown, told = facts.shown_products, (*facts.shown_products, *facts.told_products)
        if count not in (len(shown), len(told)) and len(facts.mentioned_products) >= count:
            return facts.mentioned_products[-count:]
        among = shown if len(shown) >= count else told
        return among[:count] if len(among) >= count else None

    def _by_price(self, codes: Sequence[str], facts: Facts, *, dearest: bool, rank: int = 0) -> tuple[str, ...] | None:
        """The cheapest or dearest of `codes`, or with `rank` the next but so many, at the known age and gender (45세
        남성 when they are not known, or fewer than two are sold at that age: only the order counts)."""
        prices = self._prices(codes, facts.age or 45, facts.gender or "M")
        prices = prices if len(prices) > 1 else self._prices(codes, 45, "M")
        if len(prices) < 2 or not 0 <= rank < len(prices):
            return None
        return (sorted(prices, key=lambda code: prices[code], reverse=dearest)[rank],)

    def _prices(self, codes: Sequence[str], age: int, gender: Gender) -> dict[str, int]:
        prices: dict[str, int] = {}
        for code in codes:
            try:
                prices[code] = self._catalogue.premium(code, age, gender)
            except RuleMissing:
                continue
        return prices

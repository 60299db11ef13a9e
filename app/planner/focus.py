"""Which products a message means: those it names, those it points to, or those the talk is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.insurance.catalogue import Catalogue
from app.insurance.models import Product
from app.insurance.told import is_had
from app.language.mentions import CategoryMention, Entities
from app.planner.facts import Facts
from app.planner.judged import to_be_had
from app.planner.product_references import ProductReferences
from app.planner.renewals import is_fixed, of_other_renewal
from app.planner.words import PlannerWords

_ADDED_MAX = 4


@dataclass(frozen=True)
class Focus:
    """The products meant now, in order; `named` when the message names them, `pointed` when it points back to them.

    `cleared` when the message leaves the product of the talk for something wider (치매보험 뭐 있어요, 전 상품).
    """

    codes: tuple[str, ...] = ()
    named: bool = False
    pointed: bool = False
    cleared: bool = False


class FocusResolver:
    """Resolves names, ordinals, 그거, 둘 다, 싼 거, X 빼고 and kinds of product against the facts. Pure."""

    def __init__(self, catalogue: Catalogue, words: PlannerWords) -> None:
        self._words = words
        self._catalogue = catalogue
        self._references = ProductReferences(catalogue, words)
        self._by_code = {product.code: product for product in catalogue.products}

    def resolve(self, entities: Entities, facts: Facts) -> Focus:
        """The focus of this message."""
        words = self._words.focus
        named = entities.product_codes
        people = entities.people or len(facts.meant) > 1 or words.people.search(entities.text)
        away = {m.code for m in entities.products if m.negated}
        if named:
            alone = self._only_ones(entities)
            if alone and not set(alone) <= set(named):
                return Focus((*named, *(code for code in alone if code not in named)), named=True)
            return Focus(self._with_named(named, away, entities, facts), named=True)
        if away:
            return Focus(tuple(code for code in self._references.talked(facts) if code not in away), pointed=True)
        if words.all.search(entities.text):
            return Focus(cleared=True)
        ranked = any(m.kind in ("cheapest", "dearest") for m in entities.references)
        summed = words.total.search(entities.text) and not entities.categories and not ranked
        if summed and len(facts.product_codes) < 2 and not people:
            shown = (
                facts.shown_products if 1 < len(facts.shown_products) <= _ADDED_MAX else facts.mentioned_products[-2:]
            )
            if len(shown) > 1:
                return Focus(shown, pointed=True)
        if not entities.products and len(alone := self._only_ones(entities)) > 1:
            return Focus(alone, named=True)  # 종신이랑 정기 둘 다
        treated = any(not m.negated for m in (*entities.benefits, *entities.coverages))
        if treated and words.with_another.search(entities.text):
            # 크라운이랑 같이 하면 둘 다 쳐주나요: two treatments
            entities = replace(entities, references=tuple(m for m in entities.references if m.kind != "both"))
        # 아버지는 일흔인데 둘 다 되나요: one person, two products
        one_person = sum(m.role == "insured" for m in entities.people) == 1
        persons = {m.who for m in facts.everyone()} | {m.who for m in entities.people if not m.negated}
        if people and not one_person and len(persons) > 1 and not words.things.search(entities.text):
            entities = replace(entities, references=tuple(m for m in entities.references if m.kind != "both"))
        for resolved in (self._to_be_had, self._described, self._pointed):
            if (told := resolved(entities, facts)) is not None:
                return told
        if (kind := self._by_kind(entities, facts)) is not None:
            return kind
        if not facts.product_codes and facts.mentioned_products and words.own_contract.search(entities.text):
            return Focus(facts.mentioned_products[-1:], pointed=True)
        return Focus(facts.product_codes)

    def _only_ones(self, entities: Entities) -> tuple[str, ...]:
        """종신 정기 335 이 셋 중에: the kinds beside a product that stand for their only product each."""
        if not any(m.kind == "both" for m in entities.references) and not self._words.focus.together.search(
            entities.text
        ):
            return ()
        kinds = dict.fromkeys(m.category for m in entities.categories if m.category and not m.negated)
        return _one_each([[p.code for p in self._catalogue.products if p.category == kind] for kind in kinds])

    def _pointed(self, entities: Entities, facts: Facts) -> Focus | None:
        codes = self._references.meant(entities, facts)
        return None if codes is None else Focus(codes, pointed=True)

    def _to_be_had(self, entities: Entities, facts: Facts) -> Focus | None:
        codes = to_be_had(self._words, entities, facts, {code: p.category for code, p in self._by_code.items()})
        return None if codes is None else Focus(codes[:_ADDED_MAX], pointed=True, cleared=not codes)

    def _described(self, entities: Entities, facts: Facts) -> Focus | None:
        """'그중에 쉰부터인 거': one of the shown products, told by its least entry age."""
        words = self._words.focus
        if words.no_waiting.search(entities.text) and (entities.references or words.chosen.search(entities.text)):
            # 면책 없는 걸로 갈게요: the one of those shown that pays from the first day.
            free = [p.code for p in self._known(facts) if not any(b.waiting_days for b in p.benefits)]
            return Focus((free[0],), pointed=True) if len(free) == 1 and len(self._known(facts)) > 1 else None
        if (other := of_other_renewal(self._catalogue, words, entities, facts)) is not None:
            return Focus((other,), pointed=True)
        if (holding := self._that_holds(entities, facts)) is not None:
            return Focus((holding,), pointed=True)
        if "부터" not in entities.text or not (entities.references or entities.categories):
            return None
        kinds = {m.category for m in entities.categories if not m.negated}
        among = [p for p in self._catalogue.products if p.category in kinds] if kinds else self._known(facts)
        ages = {m.age for m in entities.ages if m.kind == "bound"}
        fitting = [product.code for product in among if product.entry_age.min in ages]
        return Focus((fitting[0],), pointed=True) if len(fitting) == 1 else None

    def _that_holds(self, entities: Entities, facts: Facts) -> str | None:
        """카티 들어 있는 거로: the one product of the talk, or of all, that has the rider or cover named."""
        words = self._words.focus
        if not words.holds.search(entities.text) or words.looked_for.search(entities.text) or entities.categories:
            return None
        held = {code for m in entities.riders if not m.negated for code, _ in m.riders}
        held |= {*entities.covering_codes}
        talked = (*facts.product_codes, *facts.shown_products, *facts.mentioned_products)
        among = held & set(talked) or (held if not talked else set())
        return among.pop() if len(among) == 1 else None

    def _with_named(self, named: tuple[str, ...], away: set[str], entities: Entities, facts: Facts) -> tuple[str, ...]:
        words = self._words.focus
        old = tuple(code for code in facts.product_codes if code not in away)
        if not old and 1 < len(facts.shown_products) <= _ADDED_MAX:
            old = tuple(code for code in facts.shown_products if code not in away)
        if len(named) == 1 and old and named[0] not in old:
            swapped = self._swapped(named[0], entities, old)
            if swapped is not None:
                return swapped
            if words.together.search(entities.text) and not entities.is_correction and not entities.categories:
                return (*old, *named)
        if len(named) == 1 and named[0] in old and len(old) > 1 and words.together.search(entities.text):
            return old
        return named

    def _swapped(self, code: str, entities: Entities, old: Sequence[str]) -> tuple[str, ...] | None:
        """'치아를 V로 바꾸면' puts the new product in the place of the one of its kind."""
        if len(old) < 2 or not self._words.focus.swap.search(entities.text):
            return None
        kind = self._by_code[code].category
        kept = tuple(code if self._by_code[c].category == kind else c for c in old if c in self._by_code)
        return tuple(dict.fromkeys(kept)) if code in kept else None

    def _by_kind(self, entities: Entities, facts: Facts) -> Focus | None:
        """A product told by its kind: 종신 그거, 간편 쪽은, 치아보험 중에 비갱신인 거."""
        words = self._words.focus
        kinds = [m for m in entities.categories if not m.negated and not self._of_riders(m, entities.text)]
        if facts.product_codes:  # 암으로 가신 거고: what somebody had
            said = entities.text
            kinds = [m for m in kinds if not (is_had(said, m.end) or words.falls_ill.match(said[m.end :]))]
        if not kinds:
            return self._non_renewing(facts, entities)
        if (row := self._only_ones_in_a_row(kinds, entities.text)) is not None:
            return row
        mention = self._simple_one(kinds) or kinds[-1]
        if mention.text in ("간편심사", "간편고지") and facts.product_codes:
            return None  # '간편심사 맞나' asks about the product of the talk
        text = entities.text
        fitting = [product for product in self._catalogue.products if _fits(product, mention)]
        if entities.non_renewing:
            fixed = [p.code for p in fitting if is_fixed(p)]
            if len(fixed) == 1:
                return Focus((fixed[0],), pointed=True)
        pointed = bool(entities.references) or bool(words.pointed.match(text[mention.end :]))
        codes = [product.code for product in fitting]
        listed = words.listing.search(text)
        if len(codes) == 1 and mention.category is not None:
            # '종신 58세 최고 가입금액', '종신은 납입기간 뭐뭐 있어요': the kind has one product only, and no list of
            # products is asked for.
            pointed, listed = True, words.listed.match(text[mention.end :])
        held = [code for code in facts.contracts if code in codes]
        if len(held) == 1 and mention.category is not None and not listed and not words.new.search(text):
            return Focus((held[0],), pointed=True)  # 암은 감액 지났나, of a customer who holds one
        pointed = pointed or (mention.category is None and mention.text not in ("간편", "유병자"))
        if not pointed and not mention.text.endswith("보험"):
            return None
        recent = [code for code in facts.mentioned_products if code in codes]
        if mention.category is None:
            return self._simplified(codes, recent, facts)
        if len(codes) == 1 and not listed:
            return Focus((codes[0],), named=True)
        if pointed and recent and (entities.references or len(set(recent)) == 1) and not words.listing.search(text):
            return Focus((recent[-1],), pointed=True)
        return Focus(cleared=True)

    def _only_ones_in_a_row(self, kinds: Sequence[CategoryMention], text: str) -> Focus | None:
        """종신이랑 정기 각각: kinds in a row that stand for their only product each; any other row is looked for."""
        row = [m for m in kinds if m.category is not None]
        joined = self._words.kin.joined
        if len({m.category for m in row}) < 2 or not all(
            joined.fullmatch(text, a.end, b.start) for a, b in pairwise(row)
        ):
            return None
        codes = _one_each([[p.code for p in self._catalogue.products if _fits(p, mention)] for mention in row])
        return Focus(codes, named=True) if codes else Focus(cleared=True)

    def _of_riders(self, mention: CategoryMention, text: str) -> bool:
        """암 특약만 넣어도 되나: a kind of rider, where the kind has more products than one (종신 특약 has not)."""
        several = sum(_fits(product, mention) for product in self._catalogue.products) > 1
        return several and bool(self._words.focus.rider.match(text, mention.end))

    def _simple_one(self, kinds: Sequence[CategoryMention]) -> CategoryMention | None:
        """'정기로.. 간편 들어가는 거': the simplified product of the kind named right before."""
        if len(kinds) < 2 or kinds[-1].category is not None or kinds[-2].category is None:
            return None
        simple = replace(kinds[-2], simplified=True)
        return simple if sum(_fits(product, simple) for product in self._catalogue.products) == 1 else None

    def _simplified(self, codes: Sequence[str], recent: Sequence[str], facts: Facts) -> Focus:
        """간편 alone: the simplified product talked of before, else the simplified health product."""
        if recent and recent[-1] not in facts.product_codes:
            return Focus((recent[-1],), pointed=True)
        health = [c for c in codes if self._by_code[c].category == "건강" and self._by_code[c].name.startswith("간편")]
        return Focus(tuple(health[:1]), named=bool(health), cleared=not health)

    def _known(self, facts: Facts) -> list[Product]:
        codes = facts.shown_products or facts.product_codes
        return [self._by_code[code] for code in codes if code in self._by_code]

    def _non_renewing(self, facts: Facts, entities: Entities) -> Focus | None:
        """갱신 안 되는 그거, or without 그거 where one of those shown was to be chosen."""
        if not entities.non_renewing or not (entities.references or "product_code" in facts.asked):
            return None
        fixed = [product.code for product in self._known(facts) if is_fixed(product)]
        return Focus((fixed[0],), pointed=True) if len(fixed) == 1 else None


def _one_each(of_kinds: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The only product of each kind, each once; none where a kind has more or none."""
    return tuple(dict.fromkeys(codes[0] for codes in of_kinds)) if all(len(codes) == 1 for codes in of_kinds) else ()


def _fits(product: Product, mention: CategoryMention) -> bool:
    if mention.category is not None and product.category != mention.category:
        return False
    return product.simplified if mention.simplified else True

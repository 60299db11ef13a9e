"""From goals to calls: which products and persons a tool is called for, and what must be asked before it can be."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.insurance.catalogue import Catalogue
from app.insurance.riders import find_riders
from app.insurance.told import asks_to_join
from app.language.entities import EntityReader
from app.language.mentions import CUSTOMER, SPEAKER, Entities
from app.language.plain_words import PlainWords
from app.planner.arguments import SHARED, fill
from app.planner.asking import in_words, of_the_person, which_of_kind
from app.planner.aspects import names_a_side
from app.planner.birthdays import entry_age_of
from app.planner.brief import Brief
from app.planner.fan_out import PAID_FOR, for_each
from app.planner.follow_up import asks
from app.planner.goals import Goal
from app.planner.holdings import as_held, customer_first
from app.planner.moves import Call, Done
from app.planner.products_meant import MAX_FAN_OUT, MAX_OF_KINDS, kinds_named, products_meant, with_the_one_before
from app.planner.queries import of_another_product
from app.planner.signatures import Signature
from app.planner.told import ToldJudge
from app.planner.view import View
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations
from app.tools.needs import AGE, GENDER, product_field, text_field
from app.tools.results import NeededField

_FAR = 5
_LEAST_OF_A_NAME = 2
_BRIEF = 24  # letters
# Arguments that hold a person's own words: two of them differ though they mean one thing.
_FREE = frozenset({"query", "question", "details", "case", "case_summary", "text", "goal", "notes"})


@dataclass
class Plan:
    """The calls that can be made now, and the fields that keep others from being made."""

    calls: list[Call] = field(default_factory=list)
    missing: dict[str, NeededField] = field(default_factory=dict)

    def take(self, other: Plan) -> None:
        """Everything of another plan."""
        for call in other.calls:
            self.add(call)
        self.missing |= other.missing

    def add(self, call: Call) -> None:
        """Once each."""
        if call not in self.calls:
            self.calls.append(call)


class CallPlanner:
    """Works out calls. A search comes first where a kind of insurance was named instead of a product."""

    def __init__(
        self, catalogue: Catalogue, entities: EntityReader, told: ToldJudge, plain: PlainWords, words: PlannerWords
    ) -> None:
        self._catalogue, self._entities, self._told, self._plain = catalogue, entities, told, plain
        self._words = words

    def plan(
        self, goals: Sequence[Goal], signatures: Mapping[str, Signature], brief: Brief, done: Sequence[Done]
    ) -> Plan:
        """What to call next for `goals`; calls in `done` are not made again."""
        plan = Plan()
        for goal in goals:
            if not brief.declared.has(goal.tool, "finds_products") and any(d.tool == goal.tool for d in done):
                continue
            said = self._entities.read(brief.asked, brief.today)
            if looked_up := customer_first(signatures[goal.tool], signatures, brief, said, done):
                plan.take(Plan(looked_up))
                continue
            tried = Plan()
            self._add(tried, goal, signatures, brief, done)
            lacks_product = not tried.calls and {"product_code", "product_codes"} & tried.missing.keys()
            kept_on = self._kept_on(goal, signatures, brief, done) if lacks_product else None
            if any(call.tool == goal.tool for call in plan.calls):
                # 뇌혈관 특약 있어요? 심장 특약은요? asks twice; two sentences about one thing ask once.
                if not tried.missing:
                    plan.take(Plan([call for call in tried.calls if _of_another(call, plan.calls)]))
                continue
            plan.take(kept_on or tried)
        return plan

    def field(self, name: str) -> NeededField:
        """The field that asks for an argument."""
        if name in ("product_code", "product_codes"):
            return product_field(self._catalogue, name=name)
        return {"age": AGE, "gender": GENDER}.get(name) or in_words(name)

    def _kept_on(
        self, goal: Goal, signatures: Mapping[str, Signature], brief: Brief, done: Sequence[Done]
    ) -> Plan | None:
        """The last tool again, instead of a question for the product, where the talk is of no product at all."""
        last = brief.facts.last_tool
        named = self._entities.read(brief.asked, brief.today)
        if last not in signatures or not brief.declared.has(last, "without_product") or done:
            return None
        if named.categories or named.product_codes or not names_a_side(self._words, brief.asked):
            return None
        tried = Plan()
        self._add(tried, Goal(str(last), goal.question, True), signatures, brief, done)
        return tried if tried.calls and not tried.missing else None

    def _add(
        self, plan: Plan, goal: Goal, signatures: Mapping[str, Signature], brief: Brief, done: Sequence[Done]
    ) -> None:
        signature = signatures[goal.tool]
        entities = self._entities.read(goal.question, brief.today)
        said = self._entities.read(brief.asked, brief.today)
        view = View(
            goal.question,
            entities,
            brief.facts,
            goal.tool,
            goal.same_tool,
            brief.today,
            said,
            brief.declared,
            self._words,
            brief.cause,
        )
        facts = self._told.facts_for(brief.asked, said, brief.facts)
        if facts is not brief.facts:  # the question was made to stand alone with the product that is not meant
            view = replace(view, question=brief.asked, entities=said, facts=facts)
        given = self._given(view, signature, brief)
        filled = brief.filled.get(goal.tool)
        if filled is not None:
            given = {name: value for name, value in given.items() if name in SHARED} | filled.args
        fields = {field.name: field for field in filled.missing} if filled is not None else {}
        wanted = self._for_products(plan, given, signature, signatures, view, done)
        wanted = for_each(wanted, signature, brief, view)
        for args in wanted:
            args = self._as_the_rider_is_called(self._fitting_sum(args, view))
            args = of_another_product(args, view, self._entities, self._catalogue)
            args = as_held(args, signature, view, brief.dialogue.shown)
            lacking = [name for name in signature.required if name not in args]
            for name in lacking:
                plan.missing[name] = fields.get(name) or in_words(name)
            if lacking and filled is None:
                plan.missing |= _person_lacking(view)
            if not lacking and not any(d.tool == goal.tool and _same(d.args, args) for d in done):
                plan.add(Call(goal.tool, args))

    def _given(self, view: View, signature: Signature, brief: Brief) -> dict[str, Any]:
        """The arguments that are told. One that the message does not tell after all is that of the call it goes on
        from (대면용 말고 TM용으로: the topic stays)."""
        found = fill(view, signature.arguments)
        if {"conditions", "product_code"} <= set(signature.arguments):
            found |= self._with_unread(found.get("conditions"), view.said)
        named = {"rider"} if any(not mention.negated for mention in view.said.riders) else set[str]()
        as_told = any(self._words.calls.case_told.match(view.said.text[m.end :]) for m in view.case)
        if view.case and (len(brief.asked) <= _BRIEF or as_told):
            named |= {"event", "benefit"}  # 그 상품 사망하면 얼마 나와요: too short to tell of anything else
        if any(not m.of_work for m in view.said.conditions):
            named |= {"history"}  # what is told of the person is read word by word
        told = self._told.only_told(found, signature.required - named, brief.asked)
        before = {name: view.kept(name) or _paid_before(view, name) for name in found.keys() - told.keys()}
        untold = self._words.calls.points_back.search(brief.asked) and self._told.untold("query", brief.asked)
        if "query" in found and (untold or brief.points_back):
            # 약관에 그렇게 써 있는지; what it is called now (그 살리는 거) may tell more than what was asked before
            written = " ".join(brief.dialogue.headings()) if brief.points_back else ""
            before["query"] = written or (brief.previous if untold else f"{brief.previous} {brief.asked}")
            told.pop("query", None)
        return told | {name: value for name, value in before.items() if value is not None}

    def _with_unread(self, conditions: list[str] | None, said: Entities) -> dict[str, list[str]]:
        """The conditions, and what else was told of the person in words that nothing knows: no plain yes to those."""
        # 아 착각했네요 쉰한 살이에요: another fact of the person, and nothing beside it
        of_more = not asks(said.text) and not (said.ages or said.births or said.genders or said.is_correction)
        tells = said.product_codes or asks_to_join(said.text) or of_more
        told = list(dict.fromkeys([*(conditions or ()), *(self._plain.beyond(said) if tells else ())]))
        return {"conditions": told} if told else {}

    def _for_products(
        self,
        plan: Plan,
        base: dict[str, Any],
        signature: Signature,
        signatures: Mapping[str, Signature],
        view: View,
        done: Sequence[Done],
    ) -> list[dict[str, Any]]:
        """The arguments once a product, or with all of them; empty when the products must be found or asked first."""
        several = "product_codes" in signature.arguments
        if view.is_for("finds_products") and len(kinds := _kinds(view)) > 1:
            return [{**base, "category": kind} for kind in kinds]
        if not several and "product_code" not in signature.arguments:
            return [base]
        codes = products_meant(view, done, self._catalogue, at_least=2 if several else 1)
        if several and len(codes) > 1:
            return [{**base, "product_codes": list(codes)}]
        both = any(m.kind == "both" for m in view.said.references)
        optional = "product_code" not in signature.required and not both
        unnamed = not codes or not (view.facts.product_codes or view.entities.product_codes)
        by_kind = view.is_for("by_kind") and bool(_kinds(view)) and unnamed
        needs_one = by_kind or ("product_code" in signature.required and not codes)
        if needs_one and len(which := which_of_kind(view, self._catalogue)) > 1:
            self._ask_product(plan, base, signature, view, which)
            return []
        if needs_one and not view.is_for("search_first") and not done and (of_kind := self._of_kinds(view)):
            return [{**base, "product_code": code} for code in of_kind]
        optional = optional and not (by_kind or _searched(done, view.declared))
        if optional and len(codes) > 1 and not view.entities.product_codes:
            return [base]  # the products last shown are not meant by a question that needs none
        if not several and codes:
            return [{**base, "product_code": code} for code in codes]
        if not several and "product_code" not in signature.required:
            return [base]
        counted = several and not done and bool(self._words.calls.among_them.search(view.said.text))
        of_kind = with_the_one_before(self._of_kinds(view), view, self._catalogue) if counted else []
        if 1 < len(of_kind) <= MAX_FAN_OUT:
            return [{**base, "product_codes": of_kind}]  # 치아보험 세 개 비교: the kind names them all
        if searches := _searches(view, signatures, done):
            told = {"conditions": base["conditions"]} if "conditions" in base else {}
            for search in searches:
                plan.add(replace(search, args={**search.args, **told}))
        elif not done and view.is_for("quotes") and (covering := self._covering(base, view)):
            return [{**base, "product_code": code} for code in covering]
        elif not done:
            self._ask_product(plan, base, signature, view)
        return []

    def _covering(self, base: dict[str, Any], view: View) -> list[str]:
        """사망보험 5천만원짜리 얼마: the products that have the cover named, for who may enter and that sum."""
        age, amount = view.facts.age, base.get("sum_insured")
        covering = [self._catalogue.product(code) for code in view.said.covering_codes]
        entered = (p for p in covering if age is None or age in p.entry_age)
        sold = (p.code for p in entered if amount is None or p.sum_insured.min <= amount <= p.sum_insured.max)
        return list(sold)[:MAX_FAN_OUT]

    def _ask_product(
        self, plan: Plan, base: dict[str, Any], signature: Signature, view: View, among: Collection[str] = ()
    ) -> None:
        """Asks for the product, or the products to compare, and for whatever else is missing."""
        several = "product_codes" in signature.arguments
        name, label = ("product_codes", "비교할 상품") if several else ("product_code", "상품")
        codes = among or view.entities.covering_codes or None
        plan.missing[name] = product_field(self._catalogue, name=name, label=label, codes=codes)
        lacking = signature.required - base.keys() - {"product_code", "product_codes"}
        plan.missing |= {field: in_words(field) for field in sorted(lacking)}
        plan.missing |= _person_lacking(view)

    def _of_kinds(self, view: View) -> list[str]:
        """The products of the kinds named that a person of the known age may enter; none where no kind was named."""
        kinds = _kinds(view)
        simplified = any(m.simplified and not m.negated for m in view.entities.categories)
        if not kinds and not simplified:
            return []
        age = entry_age_of(view.facts, view.today)
        fitting = [
            product.code
            for product in self._catalogue.products
            if (not kinds or product.category in kinds)
            and (product.simplified or not simplified)
            and (age is None or age.fits(product.entry_age) is not False)
        ]
        return fitting[:MAX_OF_KINDS]

    def _fitting_sum(self, args: dict[str, Any], view: View) -> dict[str, Any]:
        """Without a sum insured that was said of another product and that this one does not sell."""
        code, amount = args.get("product_code"), args.get("sum_insured")
        if code is None or amount is None:
            return args
        sold = self._catalogue.product(code).sum_insured
        same = (view.facts.last_args or {}).get("product_code") in (None, code)
        now = bool(view.said.money) and view.facts.money_role == "sum_insured"
        # 3천만원 said of cancer cover means nothing for a dental one that ends at two million; a little too much is
        # told.
        meant = same or (now and amount <= sold.max * _FAR)
        return (
            args if meant or sold.min <= amount <= sold.max else {k: v for k, v in args.items() if k != "sum_insured"}
        )

    def _as_the_rider_is_called(self, args: dict[str, Any]) -> dict[str, Any]:
        """재가급여 특약 by the full name of the one rider of the product that is meant, so that it is found."""
        code, rider = args.get("product_code"), args.get("rider")
        if code is None or rider is None:
            return args
        product = (self._catalogue.product(str(code)),)
        words = str(rider).removesuffix("특약").strip()
        found = {r.name for _, r in find_riders(product, words)} if len(words) >= _LEAST_OF_A_NAME else set()
        return {**args, "rider": found.pop()} if len(found) == 1 else args


def _paid_before(view: View, name: str) -> Any:
    """What the call before was for, by whichever argument: 첫날부터암보험은 한 달이면 얼마, of the same."""
    before = view.facts.last_args or {}
    return next((before[other] for other in PAID_FOR if before.get(other)), None) if name in PAID_FOR else None


def _person_lacking(view: View) -> dict[str, NeededField]:
    """Age and gender where the tool reckons for a person, the customer where it looks one up; what is not known."""
    if view.is_for("checks_held") and not (view.facts.customer_name or view.facts.customer_id):
        return {"customer_name": text_field("customer_name", "고객 이름")}
    by_health = view.is_for("judges_joining") and view.declared.requires(view.tool, "history")
    if by_health and view.facts.who not in (None, SPEAKER, CUSTOMER):
        # Of a relative neither the illness nor the age is known: both decide.
        return {} if view.facts.tells_age else {"age": AGE}
    if not view.is_for("for_a_person"):
        return {}
    return {field.name: field for field in of_the_person(view.facts)}


def _kinds(view: View) -> list[str]:
    """The kinds of insurance named and not ruled out, with those that the talk adds them to (치아도 같이)."""
    named = kinds_named(view)
    if named and set(named) < set(view.facts.kinds):
        return list(view.facts.kinds)
    if not named and view.is_for("by_kind") and view.same_tool and not view.facts.product_codes:
        return list(view.facts.kinds)
    return named


def _searches(view: View, signatures: Mapping[str, Signature], done: Sequence[Done]) -> list[Call]:
    """The searches for the products of the kinds named (암이랑 치아), unless they were made or no kind was named."""
    search = view.declared.first("finds_products", among=signatures)
    named = any((m.category or m.simplified) and not m.negated for m in view.entities.categories) or bool(_kinds(view))
    if search is None or _searched(done, view.declared) or not named:
        return []
    searching = replace(view, tool=search, same_tool=False)
    args = fill(searching, signatures[search].arguments)
    return [Call(search, {**args, "category": kind}) for kind in _kinds(view)] or [Call(search, args)]


def _searched(done: Sequence[Done], declared: Declarations) -> bool:
    return any(declared.has(item.tool, "finds_products") for item in done)


def _of_another(call: Call, planned: Sequence[Call]) -> bool:
    """The call asks the same as planned ones do, of another thing: each of them has another value for what both name,
    free words aside."""
    return all(
        any(name in other.args and other.args[name] != value for name, value in call.args.items() if name not in _FREE)
        for other in planned
        if other.tool == call.tool
    )


def _same(before: dict[str, Any], now: dict[str, Any]) -> bool:
    return {key: value for key, value in before.items() if value is not None} == now

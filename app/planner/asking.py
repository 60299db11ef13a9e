"""What a question lacks beside what its tool asks for: the product that was never named, the claim's kind, the age of
whoever is to be insured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.insurance.catalogue import Catalogue
from app.language.mentions import Entities
from app.messages import worded, worded_table
from app.planner.facts import Facts
from app.planner.moves import Done
from app.planner.view import View
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations
from app.tools.needs import AGE, GENDER, choice_field, product_field, text_field
from app.tools.results import NeededField, NeedsInput

FOR_THE_CLAIM = worded("asking.claim")
FOR_THE_PRODUCT = worded("asking.product")
FOR_THE_AGE = worded("asking.age")
FOR_THE_CONTRACT = worded("asking.contract")
FOR_THE_DETAILS = worded("asking.target")
_SEVERAL = 2
_REASON = worded("asking.fitting")
_REASONS: Mapping[str, str] = {
    "age gender": worded("asking.by_age"),
    "product_code product_codes": worded("asking.by_product"),
    "history": worded("asking.by_health"),
    "job": worded("asking.by_job"),
    "customer_name customer_id name contract_id": worded("asking.by_contract"),
    "event benefit claim_type code_or_name": worded("asking.by_event"),
    "monthly_budget monthly_income debt": worded("asking.by_sum"),
}
_LABELS = worded_table("asked_names")
_WITHIN = 24


def why_asked(words: PlannerWords, asked: str, facts: Facts) -> str | None:
    """Why the last question back was put, where the person wants to know that instead of answering; else None."""
    if not facts.asked or not words.asking.why_asked.search(asked) or set(facts.asked) & set(facts.filled()):
        return None
    return next((reason for names, reason in _REASONS.items() if set(names.split()) & set(facts.asked)), _REASON)


def of_no_product(words: PlannerWords, asked: str, said: Entities, facts: Facts, declared: Declarations) -> str | None:
    """The tool that waits for the product, where the words point at one that the talk never named; else None."""
    if said.product_codes or said.categories or said.medical or said.benefits or said.riders or said.quotes:
        return None
    if words.asking.like_another.search(asked):
        return declared.first("describes_product")
    if facts.product_codes or facts.shown_products or facts.kinds or facts.last_tool:
        return None
    if (waiting := declared.barely(asked)) or len(asked) > _WITHIN:
        return waiting
    if words.asking.earlier.search(asked) and words.asking.points.search(asked):
        return declared.first("quotes" if words.asking.price.search(asked) else "describes_product")
    return None


def of_the_person(facts: Facts) -> tuple[NeededField, ...]:
    """Age and gender, as far as they are not known."""
    return tuple(field for field, known in ((AGE, facts.tells_age), (GENDER, bool(facts.gender))) if not known)


def beside_product(asked: str, facts: Facts, declared: Declarations) -> tuple[NeededField, ...]:
    """What of the person is asked together with the product, where nothing but a reckoning for one was asked for."""
    return of_the_person(facts) if declared.has(declared.barely(asked), "for_a_person") else ()


def product_beside(done: Sequence[Done], catalogue: Catalogue, declared: Declarations) -> NeededField | None:
    """The premium of a kind of insurance for a person who is not known: the product is asked for together with them."""
    priced = [item for item in done if "product_code" in item.args]
    codes = list(dict.fromkeys(str(item.args["product_code"]) for item in priced))
    lacking = all(item.kind == "NeedsInput" and declared.has(item.tool, "for_a_person") for item in priced)
    return product_field(catalogue, codes=codes) if lacking and len(codes) >= _SEVERAL else None


def in_words(name: str) -> NeededField:
    """The field that asks for an argument in free words."""
    return text_field(name, _LABELS.get(name, name))


def which_of_kind(view: View, catalogue: Catalogue) -> list[str]:
    """The products of the kind named in answer to the question for one (치매 그거요): which is meant is still to tell.

    Empty where the list itself was asked for, or is as good an answer (prices)."""
    said = view.said
    if view.is_for("list_answers") or "product_code" not in view.facts.asked or said.product_codes:
        return []
    if view.words.asking.list_wanted.search(said.text):
        return []
    kinds = {m.category for m in said.categories if m.category and not m.negated}
    return [product.code for product in catalogue.products if product.category in kinds]


def claim_type(
    words: PlannerWords, done: Sequence[Done], asked: str, catalogue: Catalogue, declared: Declarations
) -> NeededField | None:
    """Of who only wants to claim, or asks for the papers of a claim, what happened is asked."""
    if len(done) != 1 or not done[0].ok or done[0].args:
        return None
    papers = declared.has(done[0].tool, "claim_papers") and words.asking.to_claim.search(asked)
    if not papers and not (declared.has(done[0].tool, "claim_steps") and words.asking.wants_to_claim.search(asked)):
        return None
    return choice_field("claim_type", "청구 종류", (item.name for item in catalogue.reference.claims))


def product_of_kind(
    words: PlannerWords,
    done: Sequence[Done],
    asked: str,
    said: Entities,
    facts: Facts,
    catalogue: Catalogue,
    declared: Declarations,
) -> NeededField | None:
    """Asked of a kind of insurance, one product after the other was looked at: which of them is meant, is asked too.

    Not where the list itself was asked for (어떤 암보험이 …), nor of products that were named."""
    one_by_one = [item for item in done if "product_code" in item.args and item.ok]
    told = [item for item in one_by_one if not declared.has(item.tool, "list_answers")]
    codes = list(dict.fromkeys(str(item.args["product_code"]) for item in told))
    named = set(said.product_codes) | set(facts.product_codes)
    if len(codes) < _SEVERAL or named or words.asking.list_wanted.search(asked):
        return None
    if len({item.tool for item in told}) > 1 or any(m.kind in ("both", "rest") for m in said.references):
        return None
    return product_field(catalogue, codes=codes)


def behind(
    words: PlannerWords,
    done: Sequence[Done],
    asked: str,
    said: Entities,
    facts: Facts,
    catalogue: Catalogue,
    declared: Declarations,
) -> NeedsInput | None:
    """What is asked behind an answer to make the next one fit: the kind of a claim, the product, the age of who wants
    to join, or the contract to change; None where nothing is to be asked."""
    if field := claim_type(words, done, asked, catalogue, declared):
        return NeedsInput(fields=(field,), reason=FOR_THE_CLAIM)
    if field := product_of_kind(words, done, asked, said, facts, catalogue, declared):
        return NeedsInput(fields=(field,), reason=FOR_THE_PRODUCT)
    if _age_decides(words, done, asked, facts, declared):
        return NeedsInput(fields=(AGE,), reason=FOR_THE_AGE)
    return _of_the_contract(words, done[-1], asked, facts) if declared.has(done[-1].tool, "changes_contract") else None


def _age_decides(words: PlannerWords, done: Sequence[Done], asked: str, facts: Facts, declared: Declarations) -> bool:
    """Whether a person may join cannot be told from products and their rules alone."""
    nobody = facts.who is None and not words.asking.a_child.search(asked)
    if facts.tells_age or nobody or not words.asking.may_join.search(asked):
        return False
    return all(item.ok and _leaves_joining_open(item, declared) for item in done)


def _leaves_joining_open(item: Done, declared: Declarations) -> bool:
    says = declared.of(item.tool).verdict
    if says and declared.has(item.tool, "judges_joining"):
        return says.of(item.data) is None
    return declared.has(item.tool, "finds_products")


def _of_the_contract(words: PlannerWords, last: Done, asked: str, facts: Facts) -> NeedsInput | None:
    """Who has decided (해지할게요) is asked which contract and what it is changed to, where that is not known."""
    known = last.args.get("contract_id") or facts.contracts
    # A product tells the contract well enough to explain, not to register anything.
    known = known or (facts.product_codes and not words.asking.registers.search(asked))
    fields = [] if known else [text_field("contract_id", "계약 번호")]
    if last.args.get("action") in words.changes.with_details and not last.args.get("details"):
        fields.append(text_field("details", "바꿀 내용"))
    if not fields or not last.ok or last.args.get("submit") or not words.asking.decided.search(asked):
        return None
    return NeedsInput(fields=tuple(fields), reason=FOR_THE_DETAILS if known else FOR_THE_CONTRACT)

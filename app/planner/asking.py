"""What a question lacks beside what its tool asks for: the product that was never named, the claim's kind, the age of
whoever is to be insured."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from app.insurance.catalogue import Catalogue
from app.language.mentions import Entities
from app.messages import worded, worded_table
from app.planner.changes import WITH_DETAILS
from app.planner.facts import Facts
from app.planner.moves import Done
from app.planner.view import View
from app.toolbox.declared import Declarations
from app.tools.needs import AGE, GENDER, choice_field, product_field, text_field
from app.tools.results import NeededField, NeedsInput

FOR_THE_CLAIM = worded("asking.claim")
FOR_THE_PRODUCT = worded("asking.product")
FOR_THE_AGE = worded("asking.age")
FOR_THE_CONTRACT = worded("asking.contract")
FOR_THE_DETAILS = worded("asking.target")
_SEVERAL = 2
_WHY_ASKED = re.compile(
    r"왜\s?(?:필요|묻|물어|물으|여쭤|여쭈|알아야|말해야|말씀|알려\s?[줘드]|궁금)|(?:꼭|굳이|반드시)\s?(?:필요|말해야|알려\s?[줘드]야|말씀)"
    r"|(?:그게|그건|그걸|그거)\s?왜"
    # 왜요? 애들 이도 남녀가 달라요?, 성별까지 알아야 돼요?, 직업에 따라 뭐가 달라지길래요?
    r"|^(?:네\??|아니|엥|음|어)?[\s,]*왜(?:요|여|죠|용)?\s?[?？]"
    r"|(?:나이|연세|성별|생일|직업|병력|병|소득|월급|예산|이름|상품(?:명|\s?이름)?)(?:까지|도|은|는|을|를|에\s?따라)?\s?(?:꼭\s?|뭐가\s?)?"
    r"(?:알아야|말해야|적어야|알려야|필요|달라지)[가-힣\s]{0,8}[?？]"
    r"|꼭\s?해야\s?(?:돼|되|하)"
)
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
_LIST_WANTED = re.compile(
    r"어떤|어느|무슨|뭐가|뭔|뭐임|뭐야|뭐예|뭐있|뭐 ?있|종류|각각|각기|둘 ?다|셋 ?다|모두|전부"
    r"|다 (?:알|보|얼)|다 ?똑|별로|마다|중에|중 |비교|차이|다른|제일|가장|(?<![가-힣])더 |있나|있어"
)
_LABELS = worded_table("asked_names")
_WITHIN = 24
_TO_CLAIM = re.compile(r"청구\s?(?:를|을|좀|도)?\s?(?:하려|하고\s?싶|할|해야|할라)")
_POINTS = re.compile(
    r"(?:그거|그게|그건|이거|이게|이건|저거|그\s?보험|그\s?상품|이\s?보험|이\s?상품|아까|지난\s?번|저번|전에\s?(?:알려|말))"
)
_EARLIER = re.compile(r"(?:아까|지난\s?번|저번|전에|요전).{0,12}(?:보험|상품|얼마|이름|그거|거)")
# 형이 든 거랑 똑같은 걸로 들고 싶어요: which product that is, only the speaker knows.
_LIKE_ANOTHER = re.compile(
    r"(?:든|들고\s?있는|가입한|들었던)\s?(?:거|것|걸|보험|상품).{0,6}(?:똑같|같은).{0,8}(?:들|가입|하고)"
)
_PRICE = re.compile(r"얼마|보험료|가격|비싸")
# 보험금 청구하고 싶은데요: that something is to be claimed, and nothing else.
_WANTS_TO_CLAIM = re.compile(
    r"^[^?？]{0,10}(?:보험금|보험)?\s?청구\s?(?:를|을|좀|도)?\s?(?:좀\s)?"
    r"(?:하고\s?싶|하려|할게|할래|할라|해야|해\s?주세요|하고자|부탁|신청)[가-힣요~.! ]{0,10}$"
)
_MAY_JOIN = re.compile(r"들 ?수|들어 ?[줄주]|들어 ?드|들게|가입|되나|되는[가지]|되려|돼요|될까|들어도|들려")
# 저희 애 치아보험 되나요: a child, though the words beside it hide who it is.
_A_CHILD = re.compile(r"(?<![가-힣])(?:애|애기|아기|아이|꼬마|손주|조카)(?:가|는|도|를|한테|들|꺼|거)?\s")
_DO_IT = r"\s?(?:를|을|까지|부터)?\s?(?:좀\s)?(?:해|넣|올려|부탁|바로)"
_REGISTER = re.compile(rf"(?:접수|신청|등록){_DO_IT}")
_DECIDED = re.compile(rf"(할게|할래|하겠|해야겠)[가-힣]*|(?:접수|신청|처리|진행|등록){_DO_IT}")


def why_asked(asked: str, facts: Facts) -> str | None:
    """Why the last question back was put, where the person wants to know that instead of answering; else None."""
    if not facts.asked or not _WHY_ASKED.search(asked) or set(facts.asked) & set(facts.filled()):
        return None
    return next((reason for names, reason in _REASONS.items() if set(names.split()) & set(facts.asked)), _REASON)


def of_no_product(asked: str, said: Entities, facts: Facts, declared: Declarations) -> str | None:
    """The tool that waits for the product, where the words point at one that the talk never named; else None."""
    if said.product_codes or said.categories or said.medical or said.benefits or said.riders or said.quotes:
        return None
    if _LIKE_ANOTHER.search(asked):
        return declared.first("describes_product")
    if facts.product_codes or facts.shown_products or facts.kinds or facts.last_tool:
        return None
    if (waiting := declared.barely(asked)) or len(asked) > _WITHIN:
        return waiting
    if _EARLIER.search(asked) and _POINTS.search(asked):
        return declared.first("quotes" if _PRICE.search(asked) else "describes_product")
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
    if _LIST_WANTED.search(said.text):
        return []
    kinds = {m.category for m in said.categories if m.category and not m.negated}
    return [product.code for product in catalogue.products if product.category in kinds]


def claim_type(done: Sequence[Done], asked: str, catalogue: Catalogue, declared: Declarations) -> NeededField | None:
    """Of who only wants to claim, or asks for the papers of a claim, what happened is asked."""
    if len(done) != 1 or not done[0].ok or done[0].args:
        return None
    papers = declared.has(done[0].tool, "claim_papers") and _TO_CLAIM.search(asked)
    if not papers and not (declared.has(done[0].tool, "claim_steps") and _WANTS_TO_CLAIM.search(asked)):
        return None
    return choice_field("claim_type", "청구 종류", (item.name for item in catalogue.reference.claims))


def product_of_kind(
    done: Sequence[Done], asked: str, said: Entities, facts: Facts, catalogue: Catalogue, declared: Declarations
) -> NeededField | None:
    """Asked of a kind of insurance, one product after the other was looked at: which of them is meant, is asked too.

    Not where the list itself was asked for (어떤 암보험이 …), nor of products that were named."""
    one_by_one = [item for item in done if "product_code" in item.args and item.ok]
    told = [item for item in one_by_one if not declared.has(item.tool, "list_answers")]
    codes = list(dict.fromkeys(str(item.args["product_code"]) for item in told))
    named = set(said.product_codes) | set(facts.product_codes)
    if len(codes) < _SEVERAL or named or _LIST_WANTED.search(asked):
        return None
    if len({item.tool for item in told}) > 1 or any(m.kind in ("both", "rest") for m in said.references):
        return None
    return product_field(catalogue, codes=codes)


def behind(
    done: Sequence[Done], asked: str, said: Entities, facts: Facts, catalogue: Catalogue, declared: Declarations
) -> NeedsInput | None:
    """What is asked behind an answer to make the next one fit: the kind of a claim, the product, the age of who wants
    to join, or the contract to change; None where nothing is to be asked."""
    if field := claim_type(done, asked, catalogue, declared):
        return NeedsInput(fields=(field,), reason=FOR_THE_CLAIM)
    if field := product_of_kind(done, asked, said, facts, catalogue, declared):
        return NeedsInput(fields=(field,), reason=FOR_THE_PRODUCT)
    if _age_decides(done, asked, facts, declared):
        return NeedsInput(fields=(AGE,), reason=FOR_THE_AGE)
    return _of_the_contract(done[-1], asked, facts) if declared.has(done[-1].tool, "changes_contract") else None


def _age_decides(done: Sequence[Done], asked: str, facts: Facts, declared: Declarations) -> bool:
    """Whether a person may join cannot be told from products and their rules alone."""
    nobody = facts.who is None and not _A_CHILD.search(asked)
    if facts.tells_age or nobody or not _MAY_JOIN.search(asked):
        return False
    return all(item.ok and _leaves_joining_open(item, declared) for item in done)


def _leaves_joining_open(item: Done, declared: Declarations) -> bool:
    says = declared.of(item.tool).verdict
    if says and declared.has(item.tool, "judges_joining"):
        return says.of(item.data) is None
    return declared.has(item.tool, "finds_products")


def _of_the_contract(last: Done, asked: str, facts: Facts) -> NeedsInput | None:
    """Who has decided (해지할게요) is asked which contract and what it is changed to, where that is not known."""
    known = last.args.get("contract_id") or facts.contracts
    # A product tells the contract well enough to explain, not to register anything.
    known = known or (facts.product_codes and not _REGISTER.search(asked))
    fields = [] if known else [text_field("contract_id", "계약 번호")]
    if last.args.get("action") in WITH_DETAILS and not last.args.get("details"):
        fields.append(text_field("details", "바꿀 내용"))
    if not fields or not last.ok or last.args.get("submit") or not _DECIDED.search(asked):
        return None
    return NeedsInput(fields=tuple(fields), reason=FOR_THE_DETAILS if known else FOR_THE_CONTRACT)

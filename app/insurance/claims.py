"""Claims: which kind the words mean, its steps, papers and dates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz

from app.insurance.models import Category, Model, Product
from app.insurance.names import name_key
from app.insurance.reference import ClaimForm, ClaimType
from app.insurance.wording import jamo

LIMITATION_YEARS = 3
LIMITATION = f"보험금 청구권의 소멸시효는 지급 사유가 생긴 날부터 {LIMITATION_YEARS}년입니다(상법 제662조)."
GENERAL = "일반 청구"
CANCER = "암 진단"
# What a product of a category is mostly claimed for; 건강 pays for too many things to guess.
MAIN_KINDS: dict[Category, str] = {
    "암": CANCER,
    "치아": "치과 치료",
    "치매": "치매 진단",
    "종신": "사망",
    "정기": "사망",
}
_FITS = 83.0  # 골졀 → 골절 is 83 by jamo, 사랑 → 사망 80
_FITS_INSIDE, _LONG = 88.0, 3
_OUTRIGHT = 90.0
_OTHERS = 3
_ONLY_ASKING = re.compile(
    r"(?:보험금|보험|청구|신청|접수|서류|양식|절차|방법|순서|준비물?|구비|필요한?|어떻게|어떤|무슨|무엇|뭐|하고싶|하려면|하려고|하는|하면|해야"
    r"|해요|돼요|되나요|하나요|인가요|알려|받|타|돈|나요|줘|주세요|은|는|이|가|을|를|요|려면|고싶어|거|걸|법)+"
)
_ANY_CANCER = re.compile(r"암(?!보험|막|호|튼|산|벽|모니아)|백혈병|림프종|골수종|육종")


class ClaimGuide(Model):
    """How a claim goes. `other_types` are kinds that may be meant as well."""

    claim_type: str
    product_code: str | None
    name: str | None
    steps: tuple[str, ...]
    channels: tuple[str, ...]
    days: str
    limitation: str = LIMITATION
    note: str
    product_note: str | None
    forms_needed: tuple[str, ...]
    other_types: tuple[str, ...]


class ClaimForms(Model):
    """The papers of a claim, required ones first."""

    claim_type: str
    product_code: str | None
    name: str | None
    forms: tuple[ClaimForm, ...]
    required_count: int
    note: str
    other_types: tuple[str, ...]


def find_claims(claims: Sequence[ClaimType], words: str | None, product: Product | None) -> tuple[ClaimType, ...]:
    """The kinds of claim that the words mean, best first.

    Words that only ask to claim ('보험금 청구', '서류') name no kind: then it is the main kind of the product's
    category, with the other kinds of that category behind it, and without a product the general procedure.
    Empty when the words name something that no kind fits.
    """
    asked = name_key(words or "")
    if not asked or _ONLY_ASKING.fullmatch(asked):
        return _by_product(claims, product)
    scored = [(_likeness(asked, claim), claim) for claim in claims if claim.name != GENERAL]
    fitting = {claim.name for claim in claims if product is None or product.category in claim.categories}
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].name not in fitting))
    return tuple(claim for score, claim in best if score > 0)


def named_claims(claims: Sequence[ClaimType], words: str) -> tuple[ClaimType, ...]:
    """All the kinds of claim that the words name outright (유방암, 수술, 입원), in the order of the data."""
    asked = name_key(words)
    return tuple(claim for claim in claims if claim.name != GENERAL and _likeness(asked, claim) >= _OUTRIGHT)


def _by_product(claims: Sequence[ClaimType], product: Product | None) -> tuple[ClaimType, ...]:
    main = MAIN_KINDS.get(product.category, GENERAL) if product else GENERAL
    first = [claim for claim in claims if claim.name == main]
    others = [claim for claim in claims if product and product.category in claim.categories and claim.name != main]
    # Kinds that belong to few categories are the ones this product is bought for.
    return (*first, *sorted(others, key=lambda claim: len(claim.categories)))


def _likeness(asked: str, claim: ClaimType) -> float:
    """100 for the name itself, less for a keyword inside the words, least for letters that are alike; 0 for neither."""
    name = name_key(claim.name)
    if asked == name:
        return 100.0
    keys = [name, *(name_key(word) for word in claim.keywords)]
    inside = [len(key) for key in keys if key in asked]
    if inside:
        return 90.0 + min(max(inside), 9)
    # 암 alone is too short for a keyword, and a cancer is named by its organ: 유방암, 폐암.
    if claim.name == CANCER and _ANY_CANCER.search(asked):
        return 90.0
    if len(asked) > 1 and any(asked in key for key in keys):
        return 85.0 + min(len(asked), 4)
    return _FITS if any(_misspelt(asked, key) for key in keys) else 0.0


def _misspelt(asked: str, key: str) -> bool:
    """Letters are compared by jamo: one wrong vowel is one wrong letter. Long keys are looked for inside the words."""
    given, wanted = jamo(asked), jamo(key)
    if len(key) >= _LONG and len(asked) > len(key):
        return fuzz.partial_ratio(wanted, given) > _FITS_INSIDE
    return fuzz.ratio(given, wanted) > _FITS


def guide(claim: ClaimType, others: Iterable[ClaimType], product: Product | None) -> ClaimGuide:
    """The steps of one kind of claim, with what the product's own FAQ says of claims where a product is named."""
    faq = next((f for f in product.faqs if f.topic == "청구"), None) if product else None
    return ClaimGuide(
        claim_type=claim.name,
        product_code=product.code if product else None,
        name=product.name if product else None,
        steps=claim.steps,
        channels=claim.channels,
        days=claim.days,
        note=claim.note,
        product_note=f"{faq.answer} ({faq.source})" if faq else None,
        forms_needed=tuple(form.name for form in claim.forms if form.required),
        other_types=tuple(other.name for other in others)[:_OTHERS],
    )


def forms(
    claim: ClaimType, others: Iterable[ClaimType], product: Product | None, beside: Iterable[ClaimType] = ()
) -> ClaimForms:
    """The papers of one kind of claim, or of it and those claimed `beside` it, each paper once."""
    kinds = [claim, *(kind for kind in beside if kind.name != claim.name)]
    papers: dict[str, ClaimForm] = {}
    for form in (form for kind in kinds for form in kind.forms):
        if form.name not in papers or (form.required and not papers[form.name].required):
            papers[form.name] = form
    ordered = sorted(papers.values(), key=lambda form: not form.required)
    return ClaimForms(
        claim_type="·".join(kind.name for kind in kinds),
        product_code=product.code if product else None,
        name=product.name if product else None,
        forms=tuple(ordered),
        required_count=sum(form.required for form in ordered),
        note=" ".join(kind.note for kind in kinds if kind.note),
        other_types=tuple(other.name for other in others)[:_OTHERS],
    )

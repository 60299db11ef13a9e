"""What is never paid: the product's own exclusions and those all products share.

Sources: data/products/*.yaml (exclusions), data/reference/exclusions.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from app.insurance.catalogue import Reference
from app.insurance.models import Model, Product
from app.insurance.names import name_key

_DENTAL = re.compile(r"치과|치아|치료받은 이")
_ACCIDENT_CLAUSE = "(상해)"
# Words that say that something was treated, not what.
_TREATED = re.compile(
    r"(?:수술|입원|통원|치료|시술|진단|확진|검사|치아|이빨|질병|병원|보험금|보장|비용|때문|경우|정도|"
    r"받.*|했.*|하면.*|되면.*|걸.*|나오.*|나왔.*|되나.*|돼.*|생.*)"
)
_JOSA = re.compile(r"(?:으로|에서|까지|부터|이랑|하고|로|을|를|이|가|은|는|에|도|와|과)$")
_DONE = re.compile(r"(?<=..)(?:했|받았|받은|받고|하면|하고|하다|되면|됐).*$")
# Questions name these otherwise than the clauses do.
_CLAUSE_WORDS = {"자살": "자신을해친", "자해": "자신을해친", "낙태": "임신"}
_BEFORE_COVER = re.compile(r"계약\s?전|가입\s?전|청약\s?전|개시일|면책기간")
OWN_CLAUSE = "이 상품 약관의 보장하지 않는 사항"


class Exclusion(Model):
    """Something that is not paid, the clause it stands in and the exception it makes."""

    item: str
    clause: str
    exception: str = ""


class Exclusions(Model):
    """What a product never pays: its own exclusions and the common ones that touch its covers."""

    code: str
    name: str
    own: tuple[Exclusion, ...]
    common: tuple[Exclusion, ...]
    own_count: int
    common_count: int


def list_exclusions(reference: Reference, product: Product) -> Exclusions:
    """The product's own exclusions and the common ones; those on teeth or accidents only where such covers exist."""
    own = tuple(Exclusion(item=item, clause=OWN_CLAUSE) for item in product.exclusions)
    common = _common(reference, product)
    return Exclusions(
        code=product.code, name=product.name, own=own, common=common, own_count=len(own), common_count=len(common)
    )


def excluded_by(reference: Reference, product: Product, event: str, covered: Iterable[str]) -> tuple[Exclusion, ...]:
    """The exclusions that name the whole of an event, more of it than the benefit words in `covered` do.

    사랑니 발치 is excluded although 발치 is covered; 임플란트 is not, although an exclusion mentions one.
    """
    words = core_words(event)
    if not words:
        return ()
    known = tuple(covered)
    told = sum(any(word in text or text in word for text in known if len(text) > 1) for word in words)
    if told >= len(words):
        return ()
    # Exclusions that turn on the time of joining tell nothing about the event itself.
    every = (*(Exclusion(item=item, clause=OWN_CLAUSE) for item in product.exclusions), *_common(reference, product))
    return tuple(
        exclusion for exclusion in every if not _BEFORE_COVER.search(exclusion.item) and _names_all(exclusion, words)
    )[:2]


def _names_all(exclusion: Exclusion, words: Iterable[str]) -> bool:
    text = name_key(exclusion.item + exclusion.exception)
    return all((said := _CLAUSE_WORDS.get(word, word)) in text and f"{said}없이" not in text for word in words)


def core_words(event: str) -> tuple[str, ...]:
    """The words of an event that say what happened, without particles and words for treatment in general."""
    words = []
    for part in re.split(r"[\s,.·/]+", event):
        key = name_key(part)
        bare = _JOSA.sub("", _DONE.sub("", key)) if len(key) > 2 else key
        if len(bare) > 1 and not _TREATED.fullmatch(bare):
            words.append(bare)
    return tuple(words)


def _common(reference: Reference, product: Product) -> tuple[Exclusion, ...]:
    dental = any(benefit.coverage_type == "치과치료" for benefit, _ in product.all_benefits)
    accident = any("상해" in benefit.disease_classes for benefit, _ in product.all_benefits)
    return tuple(
        Exclusion(item=item.item, clause=item.clause, exception=item.exception)
        for item in reference.exclusions
        if (dental or not _DENTAL.search(item.item)) and (accident or _ACCIDENT_CLAUSE not in item.clause)
    )

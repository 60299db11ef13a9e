"""Products side by side: one row a fact, one column a product, differing rows marked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.errors import BadRequest
from app.insurance.catalogue import Catalogue
from app.insurance.models import Model, Product
from app.insurance.products import selling_channels
from app.insurance.search import waiting_days
from app.insurance.wording import age_span, money, percent, waiting, yes


class ProductRef(Model):
    """A product by code and name."""

    code: str
    name: str


class CompareRow(Model):
    """One fact; `values` stand in the order of the products."""

    group: str
    fact: str
    values: tuple[str, ...]
    differs: bool


class ProductComparison(Model):
    """One row a fact, one column a product; `total` counts the rows, `differing` those that differ."""

    products: tuple[ProductRef, ...]
    rows: tuple[CompareRow, ...]
    total: int
    differing: int


def read_codes(catalogue: Catalogue, codes: Sequence[str]) -> tuple[Product, ...]:
    """2 to 4 different products in the order given. Raises BadRequest for another number, ProductNotFound."""
    unique = tuple(dict.fromkeys(codes))
    if not 2 <= len(unique) <= 4:
        raise BadRequest(
            f"비교할 상품은 서로 다른 2~4개여야 합니다. 지금은 {len(unique)}개입니다. 상품 코드를 다시 골라 주세요."
        )
    return tuple(catalogue.product(code) for code in unique)


def compare_products(products: Sequence[Product]) -> ProductComparison:
    """The facts side by side; a row differs when its values are not all the same."""
    rows = tuple(
        CompareRow(group=group, fact=fact, values=values, differs=len(set(values)) > 1)
        for group, fact, read in _FACTS
        for values in [tuple(read(product) for product in products)]
    )
    return ProductComparison(
        products=tuple(ProductRef(code=p.code, name=p.name) for p in products),
        rows=rows,
        total=len(rows),
        differing=sum(row.differs for row in rows),
    )


def _renewal_text(product: Product) -> str:
    rule = product.renewal
    if rule.kind == "비갱신형":
        return "비갱신형"
    return f"갱신형 ({rule.period_years}년마다, 최대 {rule.max_age}세까지)"


def _reduction_text(product: Product) -> str:
    cuts = sorted({(b.reduction.months, b.reduction.rate) for b in product.benefits if b.reduction})
    return ", ".join(f"{months}개월 이내 {percent(rate)} 지급" for months, rate in cuts) or "없음"


def _benefits_text(product: Product) -> str:
    return ", ".join(f"{b.name} {money(b.amount)}({b.unit})" if b.amount else b.name for b in product.benefits[:3])


# The rows of a comparison: group, fact, how it is read.
_FACTS: tuple[tuple[str, str, Callable[[Product], str]], ...] = (
    ("기본", "상품 종류", lambda p: p.category),
    ("기본", "한 줄 소개", lambda p: p.summary),
    ("기본", "시행일", lambda p: p.effective_date.isoformat()),
    ("가입", "가입 나이", lambda p: age_span(p.entry_age)),
    ("가입", "심사", lambda p: yes(p.simplified, "간편심사", "일반심사")),
    ("가입", "고지 유형", lambda p: p.disclosure_form),
    ("가입", "판매 채널", lambda p: ", ".join(selling_channels(p))),
    ("보장", "주요 보장", _benefits_text),
    ("보장", "면책기간", lambda p: waiting(waiting_days(p))),
    ("보장", "감액기간", _reduction_text),
    ("보장", "특약 수", lambda p: f"{len(p.riders)}개"),
    ("납입", "갱신 여부", _renewal_text),
    ("납입", "납입 기간", lambda p: p.default_plan.payment_term),
    ("납입", "보장 기간", lambda p: p.default_plan.coverage_term),
    ("납입", "해약환급금", lambda p: ", ".join(dict.fromkeys(plan.surrender for plan in p.plans))),
    ("납입", "가입금액", lambda p: f"{money(p.sum_insured.min)}~{money(p.sum_insured.max)}"),
)

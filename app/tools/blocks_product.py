"""Blocks of the product results: cards, comparison, rider and channel tables."""

from __future__ import annotations

from typing import Any

from app.insurance.comparison import ProductComparison
from app.insurance.models import AgeRange
from app.insurance.products import ChannelAvailability, ProductFacts
from app.insurance.riders import RiderDetail, RiderList, RiderSearchResult
from app.insurance.search import ProductLine, ProductSearchResult
from app.insurance.wording import age_span, day, money, percent, waiting, yes
from app.tools.blocks import Block, blocks_of, column, table


def _card(item: ProductLine | ProductFacts, renewal: str, entry: AgeRange, premium: int | None = None) -> Block:
    data: dict[str, Any] = {
        "code": item.code,
        "name": item.name,
        "category": item.category,
        "entry_age": age_span(entry),
        "renewal": renewal,
        "simplified": item.simplified,
        "waiting": waiting(item.waiting_days),
        "summary": item.summary,
        "points": list(item.points),
        "premium": premium,
    }
    return Block(type="product_card", data=data)


def _renewal(kind: str, years: int | None) -> str:
    return f"{years}년 {kind}" if years else kind


@blocks_of.register
def _(result: ProductSearchResult) -> tuple[Block, ...]:
    return tuple(
        _card(line, _renewal(line.renewal, line.renewal_period_years), line.entry_age, line.premium)
        for line in result.products
    )


@blocks_of.register
def _(result: ProductFacts) -> tuple[Block, ...]:
    rule = result.renewal
    rows = [
        {
            "name": b.name,
            "amount": money(b.amount) if b.amount else "-",
            "unit": b.unit,
            "waiting": waiting(b.waiting_days),
            "reduction": f"{b.reduction_months}개월 이내 {percent(b.reduction_rate)}"
            if b.reduction_months and b.reduction_rate
            else "없음",
        }
        for b in result.benefits
    ]
    columns = [
        column("name", "보장"),
        column("amount", "금액", "right"),
        column("unit", "단위"),
        column("waiting", "면책"),
        column("reduction", "감액"),
    ]
    card = _card(result, _renewal(rule.kind, rule.period_years), result.entry_age)
    return (
        card,
        table(f"{result.name} 주요 보장", columns, rows, note=f"가입금액 {money(result.sum_insured_default)} 기준"),
    )


@blocks_of.register
def _(result: ProductComparison) -> tuple[Block, ...]:
    columns = [column("fact", "항목"), *(column(product.code, product.name) for product in result.products)]
    rows = [
        {
            "group": row.group,
            "fact": row.fact,
            **{product.code: value for product, value in zip(result.products, row.values, strict=True)},
        }
        for row in result.rows
    ]
    differs = [number for number, row in enumerate(result.rows) if row.differs]
    return (table("상품 비교", columns, rows, differs=differs),)


@blocks_of.register
def _(result: RiderList) -> tuple[Block, ...]:
    columns = [column("name", "특약"), column("kind", "구분"), column("summary", "내용")]
    rows = [
        {
            "name": rider.rider_name,
            "code": rider.rider_code,
            "kind": yes(rider.mandatory, "의무", "선택"),
            "summary": rider.summary,
        }
        for rider in result.riders
    ]
    return (table(f"{result.name} 특약", columns, rows),)


@blocks_of.register
def _(result: RiderSearchResult) -> tuple[Block, ...]:
    if not result.hits:
        return ()
    columns = [
        column("product", "상품"),
        column("name", "특약"),
        column("kind", "구분"),
        column("benefit", "보장"),
        column("amount", "금액", "right"),
    ]
    rows = [
        {
            "product": hit.name,
            "name": hit.rider_name,
            "code": hit.rider_code,
            "kind": yes(hit.mandatory, "의무", "선택"),
            "benefit": hit.benefit,
            "amount": f"{money(hit.amount)} ({hit.unit})" if hit.amount else "-",
        }
        for hit in result.hits
    ]
    return (table(f"'{result.keyword}' 특약 찾기", columns, rows),)


@blocks_of.register
def _(result: RiderDetail) -> tuple[Block, ...]:
    if not result.benefits:
        return ()
    columns = [
        column("name", "보장"),
        column("amount", "금액", "right"),
        column("condition", "지급 사유"),
        column("limit", "한도"),
    ]
    rows = [
        {"name": b.name, "amount": f"{money(b.amount)} ({b.unit})", "condition": b.condition, "limit": b.limit or "-"}
        for b in result.benefits
    ]
    return (table(result.rider_name, columns, rows),)


@blocks_of.register
def _(result: ChannelAvailability) -> tuple[Block, ...]:
    columns = [
        column("channel", "채널"),
        column("available", "판매"),
        column("since", "시작일"),
        column("note", "비고"),
    ]
    rows = [
        {
            "channel": line.label,
            "available": yes(line.available, "판매", "판매 안 함"),
            "since": day(line.since) if line.since else "-",
            "note": line.note,
        }
        for line in result.channels
    ]
    return (table(f"{result.name} 판매 채널", columns, rows),)

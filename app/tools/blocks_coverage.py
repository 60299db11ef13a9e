"""Blocks of the coverage results: cover tables, event notices, codes and rider bundles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.insurance.benefits import CoverLine
from app.insurance.bundles import RiderBundles
from app.insurance.coverage import BenefitAmounts, BenefitLimits, ConflictRules, CoverageDetail, CoverageSummary
from app.insurance.diagnosis import CodeMapping
from app.insurance.events import EventJudgement
from app.insurance.wording import money, percent, waiting, won
from app.tools.blocks import Block, blocks_of, column, notice, table

_COVER_COLUMNS = [
    column("name", "보장"),
    column("amount", "금액", "right"),
    column("unit", "단위"),
    column("waiting", "면책"),
    column("reduction", "감액"),
    column("rider", "특약"),
]


def _cover_rows(lines: Sequence[CoverLine]) -> list[dict[str, Any]]:
    return [
        {
            "name": line.benefit,
            "amount": money(line.amount) if line.amount else "-",
            "unit": line.unit,
            "waiting": waiting(line.waiting_days),
            "reduction": f"{line.reduction_months}개월 이내 {percent(line.reduction_rate)}"
            if line.reduction_months and line.reduction_rate
            else "없음",
            "rider": line.rider_name or "주계약",
        }
        for line in lines
    ]


def _cover_table(title: str, lines: Sequence[CoverLine], sum_insured: int) -> Block:
    return table(title, _COVER_COLUMNS, _cover_rows(lines), note=f"가입금액 {money(sum_insured)} 기준")


@blocks_of.register
def _(result: CoverageSummary) -> tuple[Block, ...]:
    main = _cover_table(f"{result.name} 주계약 보장", result.main, result.sum_insured_default)
    if not result.riders:
        return (main,)
    return (main, _cover_table(f"{result.name} 특약 보장", result.riders, result.sum_insured_default))


@blocks_of.register
def _(result: CoverageDetail) -> tuple[Block, ...]:
    if not result.covers:
        return ()
    return (_cover_table(f"{result.name} {result.label} 보장", result.covers, result.sum_insured_default),)


@blocks_of.register
def _(result: BenefitAmounts) -> tuple[Block, ...]:
    if len(result.covers) < 2:
        return ()
    return (_cover_table(f"{result.name} '{result.asked}' 보장", result.covers, result.sum_insured_default),)


@blocks_of.register
def _(result: BenefitLimits) -> tuple[Block, ...]:
    if not result.limits:
        return ()
    rows = [
        {"name": limit.benefit, "limit": limit.text, "rider": limit.rider_name or "주계약"} for limit in result.limits
    ]
    columns = [column("name", "보장"), column("limit", "한도"), column("rider", "특약")]
    return (table(f"{result.name} 지급 한도", columns, rows),)


@blocks_of.register
def _(result: EventJudgement) -> tuple[Block, ...]:
    likely = result.verdict == "지급 가능성 높음"
    told = notice(result.verdict, result.reason, "info" if likely else "warning")
    if not result.covers:
        return (told,)
    columns = [
        column("name", "보장"),
        column("amount", "약정 금액", "right"),
        column("payable", "예상 지급액", "right"),
        column("state", "판단"),
        column("rider", "특약"),
    ]
    rows = [
        {
            "name": cover.benefit,
            "amount": f"{money(cover.amount)} ({cover.unit})" if cover.amount else "-",
            "payable": money(cover.payable) if cover.payable is not None else "-",
            "state": cover.state if cover.payable is not None else "날짜 확인 필요",
            "rider": cover.rider_name or "주계약",
        }
        for cover in result.covers
    ]
    note = f"가입금액 {money(result.sum_insured_default)} 기준"
    return (told, table(f"{result.name} '{result.event}'", columns, rows, note=note))


@blocks_of.register
def _(result: CodeMapping) -> tuple[Block, ...]:
    if not result.products:
        return ()
    columns = [column("product", "상품"), column("class", "분류"), column("covers", "진단 보장")]
    rows = [
        {
            "product": product.name,
            "code": product.code,
            "class": product.disease_class,
            "covers": ", ".join(f"{c.benefit} {money(c.amount)}" for c in product.covers),
        }
        for product in result.products
    ]
    return (table(f"상품별 {result.asked} 분류", columns, rows),)


@blocks_of.register
def _(result: ConflictRules) -> tuple[Block, ...]:
    columns = [column("treatments", "함께 받은 치료"), column("rule", "규칙"), column("pays", "지급")]
    rows = [
        {"treatments": " + ".join(line.treatments), "rule": line.rule, "pays": line.pays}
        for line in result.rules or result.others
    ]
    return (table(f"{result.name} 중복 지급 규칙", columns, rows),)


@blocks_of.register
def _(result: RiderBundles) -> tuple[Block, ...]:
    columns = [column("name", "특약"), column("why", "보장"), column("premium", "예상 월 보험료", "right")]
    return tuple(
        table(
            f"{bundle.name} '{result.goal}' 특약",
            columns,
            [
                {
                    "name": pick.rider_name,
                    "code": pick.rider_code,
                    "why": pick.why,
                    "premium": won(pick.premium) if pick.premium is not None else "-",
                }
                for pick in bundle.picks
            ],
        )
        for bundle in result.bundles
        if bundle.picks
    )

"""Blocks of the underwriting results: verdict tables, questions, papers, waiting groups and renewal premiums."""

from __future__ import annotations

from app.insurance.acceptance import EntryLimits, JoinDocuments, KnockoutRules
from app.insurance.disclosure import DisclosureQuestions, DisclosureScore
from app.insurance.entry_age import age_words
from app.insurance.exclusions import Exclusions
from app.insurance.renewal_terms import RenewalNotice
from app.insurance.underwriting import Precheck
from app.insurance.waiting import WaitingPeriods
from app.insurance.wording import gender_word, money, percent, waiting
from app.tools.blocks import Block, blocks_of, column, notice, table


@blocks_of.register
def _(result: Precheck) -> tuple[Block, ...]:
    blocks = []
    if result.age_reason:
        blocks.append(notice("가입 나이를 벗어나요", result.age_reason, "warning"))
    if result.conditions and result.code:
        columns = [column("condition", "병력"), column("verdict", "판단"), column("reason", "이유")]
        rows = [{"condition": c.condition, "verdict": c.verdict, "reason": c.reason} for c in result.conditions]
        blocks.append(table(f"{result.name} 사전 심사", columns, rows))
    others = result.products or result.alternatives
    if others:
        columns = [
            column("product", "상품"),
            column("form", "고지 유형"),
            column("verdict", "판단"),
            column("reason", "이유"),
        ]
        rows = [
            {"product": p.name, "code": p.code, "form": p.disclosure_form, "verdict": p.verdict, "reason": p.reason}
            for p in others
        ]
        blocks.append(table("상품별 가입 가능성" if result.products else "대신 살펴볼 상품", columns, rows))
    return tuple(blocks)


@blocks_of.register
def _(result: DisclosureQuestions) -> tuple[Block, ...]:
    columns = [column("number", "번호", "right"), column("period", "기간"), column("question", "질문")]
    rows = [{"number": q.number, "period": q.period, "question": q.question} for q in result.questions]
    return (table(f"{result.name} {result.disclosure_form} 질문", columns, rows),)


@blocks_of.register
def _(result: KnockoutRules) -> tuple[Block, ...]:
    columns = [column("rule", "거절 사유"), column("reason", "이유")]
    rows = [{"rule": line.rule, "reason": line.reason} for line in (*result.special, *result.common)]
    return (table(f"{result.name or '전체 상품'} 거절 사유", columns, rows),)


@blocks_of.register
def _(result: JoinDocuments) -> tuple[Block, ...]:
    columns = [column("case", "경우"), column("documents", "서류"), column("note", "참고")]
    rows = [{"case": c.case, "documents": ", ".join(c.documents), "note": c.note} for c in result.cases]
    return (table("가입 서류", columns, rows),) if rows else ()


@blocks_of.register
def _(result: WaitingPeriods) -> tuple[Block, ...]:
    columns = [
        column("benefits", "보장"),
        column("waiting", "면책"),
        column("reduction", "감액"),
        column("start", "보장개시일"),
    ]
    rows = [
        {
            "benefits": ", ".join(group.benefits),
            "waiting": waiting(group.waiting_days),
            "reduction": f"{group.reduction_months}개월 이내 {percent(group.reduction_rate)}"
            if group.reduction_months and group.reduction_rate
            else "없음",
            "start": group.cover_start,
        }
        for group in result.groups
    ]
    return (table(f"{result.name} 면책·감액", columns, rows),)


@blocks_of.register
def _(result: Exclusions) -> tuple[Block, ...]:
    columns = [column("item", "보장하지 않는 사항"), column("exception", "예외"), column("clause", "근거")]
    rows = [
        {"item": e.item, "exception": e.exception or "-", "clause": e.clause} for e in (*result.own, *result.common)
    ]
    return (table(f"{result.name} 보장하지 않는 사항", columns, rows),)


@blocks_of.register
def _(result: EntryLimits) -> tuple[Block, ...]:
    if result.age_reason:
        return (notice("가입 나이를 벗어나요", result.age_reason, "warning"),)
    if not result.caps:
        return ()
    columns = [column("age", "나이"), column("max", "최대 가입금액", "right")]
    rows = [{"age": f"{cap.from_age}세부터", "max": money(cap.max)} for cap in result.caps]
    return (table(f"{result.name} 나이별 한도", columns, rows),)


@blocks_of.register
def _(result: RenewalNotice) -> tuple[Block, ...]:
    if not result.premiums or result.age is None or result.next_age is None:
        return ()
    chart = {
        "kind": "bar",
        "title": f"{result.name} 다음 갱신 보험료",
        "x": {"label": "나이", "unit": "세"},
        "y": {"label": "월 보험료", "unit": "원"},
        "series": [
            {"name": gender_word(p.gender), "points": [[result.age, p.premium], [result.next_age, p.next_premium]]}
            for p in result.premiums
        ],
        "summary": f"{age_words(result.age, result.age_kind)}와 {result.next_age}세의 월 보험료를 비교합니다.",
        "note": result.age_note,
    }
    return (Block(type="chart", data=chart),)


@blocks_of.register
def _(result: DisclosureScore) -> tuple[Block, ...]:
    if not result.parts:
        return ()
    columns = [
        column("condition", "병력"),
        column("points", "점수", "right"),
        column("makeup", "내역"),
        column("period", "묻는 기간"),
    ]
    rows = [
        {"condition": p.condition, "points": p.points, "makeup": p.makeup, "period": p.period} for p in result.parts
    ]
    return (table("고지 영향 점수", columns, rows),)

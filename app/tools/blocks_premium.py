"""Blocks of the premium results: tables of premiums, the renewal chart, the refund chart and the warnings."""

from __future__ import annotations

from app.insurance.affordability import AffordabilityCheck
from app.insurance.amounts import AmountSuggestion
from app.insurance.entry_age import age_words
from app.insurance.plans import PaymentCycles, PlanOptions
from app.insurance.premium import EntryRefused, PremiumComparison, PremiumQuote
from app.insurance.renewal import RenewalProjection
from app.insurance.surrender import SurrenderExplanation
from app.insurance.wording import day, gender_word, money, percent, won
from app.tools.blocks import Block, blocks_of, column, notice, table


@blocks_of.register
def _(result: PremiumQuote) -> tuple[Block, ...]:
    facts = {
        "월 보험료": won(result.premium),
        "기준": f"{age_words(result.age, result.age_kind)} {gender_word(result.gender)}",
        "가입금액": money(result.sum_insured),
        "플랜": result.plan,
        "납입 기간": result.payment_term,
        "보장 기간": result.coverage_term,
        "갱신": result.renewal,
        "면책": result.waiting,
        "근거": result.source,
    }
    rows = [{"fact": fact, "value": value} for fact, value in facts.items()]
    told = table(
        f"{result.name} 예상 보험료", [column("fact", "항목"), column("value", "내용")], rows, note=result.age_note
    )
    return (told, _by_age(result)) if len(result.by_age) > 1 else (told,)


def _by_age(result: PremiumQuote) -> Block:
    """The premium at every age of the table, with the person's age and the renewals marked."""
    known, age = dict(result.by_age), age_words(result.age, result.age_kind)
    marks = [{"x": result.age, "y": result.premium, "label": f"{age} {won(result.premium)}"}]
    if period := result.renewal_period_years:
        last = min(result.renewal_max_age or max(known), max(known))
        ages = [age for age in range(result.age + period, last + 1, period) if age in known]
        marks += [{"x": age, "y": known[age], "label": f"{age}세 갱신 {won(known[age])}"} for age in ages]
    (first, cheapest), (last_age, dearest) = result.by_age[0], result.by_age[-1]
    who = gender_word(result.gender)
    terms = f"{who}, {result.plan}, 가입금액 {money(result.sum_insured)}, {result.payment_term}"
    return Block(type="chart", data={
        "kind": "line", "title": f"{result.name} 나이별 월 보험료", "x": {"label": "나이", "unit": "세"},
        "y": {"label": "월 보험료", "unit": "원"}, "marks": marks,
        "series": [{"name": who, "points": [list(point) for point in result.by_age]}],
        "summary": f"{who} 월 보험료는 {first}세 {won(cheapest)}에서 {last_age}세 {won(dearest)}까지이고, "
        f"{age}는 {won(result.premium)}입니다.",
        "note": f"{terms}, {day(result.table_date)} 기준. 예시이며 실제와 다를 수 있습니다.",
    })  # fmt: skip


@blocks_of.register
def _(result: EntryRefused) -> tuple[Block, ...]:
    return (notice(f"{result.name}: 가입 나이가 아니에요", result.reason, "warning"),)


@blocks_of.register
def _(result: PremiumComparison) -> tuple[Block, ...]:
    columns = [
        column("name", "상품"),
        column("premium", "월 보험료", "right"),
        column("sum_insured", "가입금액", "right"),
        column("renewal", "갱신"),
        column("waiting", "면책"),
        column("payment_term", "납입 기간"),
    ]
    rows: list[dict[str, object]] = [
        {
            "name": q.name,
            "premium": won(q.premium),
            "sum_insured": money(q.sum_insured),
            "renewal": q.renewal,
            "waiting": q.waiting,
            "payment_term": q.payment_term,
        }
        for q in result.quotes
    ]
    rows += [
        {
            "name": out.name,
            "premium": "가입 불가",
            "sum_insured": "-",
            "renewal": "-",
            "waiting": "-",
            "payment_term": out.reason,
        }
        for out in result.not_enterable
    ]
    title = f"{age_words(result.age, result.age_kind)} {gender_word(result.gender)} 월 보험료 비교"
    return (table(title, columns, rows, note="상품마다 기본 플랜과 기본 가입금액 기준"),)


@blocks_of.register
def _(result: PlanOptions) -> tuple[Block, ...]:
    columns = [
        column("name", "플랜"),
        column("payment_term", "납입 기간"),
        column("coverage_term", "보장 기간"),
        column("surrender", "해약환급금"),
        column("premium", "월 보험료", "right"),
    ]
    rows = [
        {
            "name": p.name + (" (기본)" if p.default else ""),
            "payment_term": p.payment_term,
            "coverage_term": p.coverage_term,
            "surrender": p.surrender,
            "premium": won(p.premium) if p.premium is not None else "나이·성별 필요",
        }
        for p in result.plans
    ]
    return (table(f"{result.name} 플랜", columns, rows, note=f"가입금액 {money(result.sum_insured)} 기준"),)


@blocks_of.register
def _(result: AmountSuggestion) -> tuple[Block, ...]:
    columns = [column("label", "항목"), column("formula", "계산"), column("amount", "금액", "right")]
    rows = [{"label": s.label, "formula": s.formula, "amount": money(s.amount)} for s in result.steps]
    rows.append({"label": "필요 금액", "formula": "모두 더함", "amount": money(result.needed)})
    rows.append({"label": "제안 가입금액", "formula": result.adjustment, "amount": money(result.suggested)})
    return (table("가입금액 계산", columns, rows, note=result.note),)


@blocks_of.register
def _(result: RenewalProjection) -> tuple[Block, ...]:
    if not result.points or result.age is None or result.gender is None:
        return ()
    first, last = result.points[0], result.points[-1]
    who = f"{age_words(result.age, result.age_kind)} {gender_word(result.gender)}"
    chart = Block(type="chart", data={
        "kind": "step", "title": f"{result.name} 갱신 보험료", "x": {"label": "나이", "unit": "세"},
        "y": {"label": "월 보험료", "unit": "원"},
        "series": [{"name": who, "points": [[p.age, p.premium] for p in result.points]}],
        "marks": [{"x": p.age, "y": p.premium, "label": f"{p.age}세 {won(p.premium)}"} for p in result.points],
        "summary": f"{who}: {first.age}세 {won(first.premium)}에서 {last.age}세 {won(last.premium)}까지 바뀝니다.",
        "note": f"가입금액 {money(result.sum_insured)}, {result.source}. 예시이며 실제와 다를 수 있습니다.",
    })  # fmt: skip
    columns = [
        column("age", "나이", "right"),
        column("premium", "월 보험료", "right"),
        column("rise", "직전 대비", "right"),
    ]
    rows = [
        {"age": f"{p.age}세", "premium": won(p.premium), "rise": f"+{percent(p.rise)}" if p.years else "가입"}
        for p in result.points
    ]
    return (chart, table("갱신 시점별 보험료", columns, rows))


@blocks_of.register
def _(result: AffordabilityCheck) -> tuple[Block, ...]:
    if result.fits:
        return ()
    rows: list[dict[str, object]] = []
    if plan := result.cheaper_plan:
        rows.append({"way": f"{plan.name} 플랜", "premium": won(plan.premium or 0)})
    if less := result.smaller_sum:
        rows.append({"way": f"가입금액 {money(less.sum_insured)}", "premium": won(less.premium)})
    rows += [{"way": other.name, "premium": won(other.premium or 0)} for other in result.cheaper_products]
    columns = [column("way", "방법"), column("premium", "월 보험료", "right")]
    return (table(f"월 {money(result.monthly_budget)} 안에서 고를 수 있는 방법", columns, rows),) if rows else ()


@blocks_of.register
def _(result: PaymentCycles) -> tuple[Block, ...]:
    columns = [
        column("name", "납입 주기"),
        column("discount", "할인율", "right"),
        column("payment", "한 번에 내는 금액", "right"),
        column("saved", "1년 절약", "right"),
    ]
    rows = [
        {
            "name": c.name,
            "discount": percent(c.discount) if c.discount else "-",
            "payment": won(c.payment) if c.payment is not None else "-",
            "saved": won(c.yearly_saving) if c.yearly_saving else "-",
        }
        for c in result.cycles
    ]
    return (table(f"{result.name} 납입 주기", columns, rows),)


@blocks_of.register
def _(result: SurrenderExplanation) -> tuple[Block, ...]:
    chart = Block(type="chart", data={
        "kind": "line", "title": f"{result.name} 경과 연수별 환급률", "x": {"label": "경과", "unit": "년"},
        "y": {"label": "환급률", "unit": "%"},
        "series": [{"name": result.kind, "points": [[y.year, round(y.rate * 100, 1)] for y in result.by_year]}],
        "marks": [{"x": result.counted_years, "y": round(result.rate * 100, 1), "label": f"{result.counted_years}년"}]
        if result.rate is not None else [],
        "summary": f"{result.kind}의 환급률은 마지막 시점에 {percent(result.by_year[-1].rate)}입니다."
        if result.by_year else result.explanation,
        "note": f"근거: {result.source}",
    })  # fmt: skip
    warning = (notice("해약환급금이 없을 수 있어요", result.warning, "warning"),) if result.warning else ()
    return (*warning, chart)

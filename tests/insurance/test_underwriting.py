"""Health histories, verdicts, jobs, reinstatement and renewal by the shipped rules."""

from __future__ import annotations

from datetime import date

import pytest

from app.errors import BadRequest
from app.insurance.acceptance import entry_limits, join_documents
from app.insurance.bundles import recommend_riders
from app.insurance.catalogue import Catalogue
from app.insurance.disclosure import score_history
from app.insurance.entry_age import EntryAge
from app.insurance.health import read_history, years_since
from app.insurance.jobs import check_job
from app.insurance.reinstatement import reinstatement
from app.insurance.renewal_terms import renewal_eligibility, renewal_notice
from app.insurance.underwriting import precheck

NEW_START, WHOLE_LIFE, SIMPLE_325, SIMPLE_335 = "B00115023", "B00329010", "B00343004", "B00364004"
TODAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("3년 전 수술", 3.0),
        ("6개월 전", 0.5),
        ("5년 지난 암", 5.0),
        ("작년에", 1.0),
        ("삼 년 전", 3.0),
        ("고혈압", None),
    ],
)
def test_time_since_is_read(text: str, years: float | None) -> None:
    assert years_since(text) == years


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("고혈압약 복용 중이고 3년 전 디스크 수술", {"hypertension", "spinal_surgery"}),
        ("당뇨는 없고 고혈압만 있어요", {"hypertension"}),
        ("갑상선암 수술", {"thyroid_cancer"}),
        ("구강암 수술 2년 전", {"cancer_surgery"}),
        ("7년 전 유방암 수술", {"cancer_5y"}),
        ("1년 전 입원", {"hospital_stay"}),
    ],
)
def test_several_conditions_are_read_from_one_text(catalogue: Catalogue, text: str, rules: set[str]) -> None:
    assert {c.rule.id for c in read_history(catalogue.reference, text).conditions} == rules


def test_each_condition_keeps_the_time_of_its_own_clause(catalogue: Catalogue) -> None:
    read = read_history(catalogue.reference, "당뇨, 6년 전 협심증 스텐트")
    assert {c.rule.id: c.years for c in read.conditions} == {"diabetes": None, "angina": 6.0}


@pytest.mark.parametrize(
    ("code", "history", "verdict"),
    [
        (WHOLE_LIFE, "고혈압약 복용 중", "조건부"),
        (NEW_START, "고혈압약 복용 중", "가능"),
        (NEW_START, "작년 위암 수술", "거절 가능성"),
        (NEW_START, "특별한 병력 없음", "가능"),
        (NEW_START, "루푸스", "조건부"),  # no rule: looked at one by one
        (SIMPLE_325, "작년에 위암 수술", "거절 가능성"),
        (SIMPLE_325, "1년 전 맹장 수술", "거절 가능성"),  # within two years
        (SIMPLE_325, "2년 6개월, 3년 전 맹장 수술", "가능"),
        (SIMPLE_335, "2년 전 입원", "거절 가능성"),  # within three years
        (SIMPLE_335, "4년 전 입원", "가능"),
    ],
)
def test_histories_are_judged(catalogue: Catalogue, code: str, history: str, verdict: str) -> None:
    assert precheck(catalogue, catalogue.product(code), None, None, history).verdict == verdict


def test_a_refused_history_is_shown_the_simplified_products(catalogue: Catalogue) -> None:
    result = precheck(catalogue, catalogue.product(WHOLE_LIFE), EntryAge(45), "M", "당뇨약 복용 중")
    assert result.verdict == "조건부"
    assert {p.code for p in result.alternatives} == {"B00343004", "B00364004", "B00392004"}
    assert all(p.simplified for p in result.alternatives)


def test_an_age_outside_is_a_refusal_that_says_so(catalogue: Catalogue) -> None:
    result = precheck(catalogue, catalogue.product(NEW_START), EntryAge(70), None, "병력 없음")
    assert (result.verdict, result.age_ok) == ("거절 가능성", False)
    assert result.age_reason and "20~65세" in result.age_reason
    assert result.alternatives[0].code == "B00155017"  # the same kind, open at 70


def test_without_a_product_every_product_is_judged(catalogue: Catalogue) -> None:
    result = precheck(catalogue, None, EntryAge(45), None, "협심증 진단")
    assert len(result.products) == len(catalogue.products)
    assert {p.verdict for p in result.products if p.category == "치아" and p.age_ok} == {"가능"}


def test_a_score_is_the_sum_of_its_parts(catalogue: Catalogue) -> None:
    result = score_history(catalogue.reference, "고혈압약 복용 중, 6년 전 허리디스크 치료")
    assert result.score == sum(part.points for part in result.parts) == 45 + 7
    assert result.must_disclose
    assert [part.must_disclose for part in result.parts] == [True, False]
    assert score_history(catalogue.reference, "당뇨 투석, 심근경색, 뇌경색").score == 100


@pytest.mark.parametrize(
    ("job", "risk_class"),
    [("회사원", "1급"), ("용접공으로 일해요", "3급"), ("배달 라이더", "3급"), ("우주비행사", None)],
)
def test_jobs_have_their_class(catalogue: Catalogue, job: str, risk_class: str | None) -> None:
    assert check_job(catalogue.reference, job).risk_class == risk_class


def test_every_job_and_every_condition_is_read_by_its_own_words(catalogue: Catalogue) -> None:
    reference = catalogue.reference
    assert not [job.name for job in reference.jobs if check_job(reference, job.name).job != job.name]
    unread = [
        rule.id
        for rule in reference.condition_rules
        if rule.id not in {c.rule.id for c in read_history(reference, rule.keywords[0]).conditions}
    ]
    assert not unread


def test_of_several_jobs_the_riskiest_decides(catalogue: Catalogue) -> None:
    result = check_job(catalogue.reference, "소방")
    assert result.risk_class == "3급"
    assert len(result.matches) > 1


@pytest.mark.parametrize(
    ("lapse", "until", "left", "expired"),
    [
        (date(2024, 3, 15), date(2027, 3, 15), 378, False),
        (date(2023, 3, 2), date(2026, 3, 2), 0, False),  # the last day still counts
        (date(2023, 3, 1), date(2026, 3, 1), 0, True),
    ],
)
def test_reinstatement_ends_three_years_after_the_lapse(
    catalogue: Catalogue, lapse: date, until: date, left: int, expired: bool
) -> None:
    result = reinstatement(catalogue.reference, None, lapse, TODAY)
    assert (result.until, result.days_left, result.expired) == (until, left, expired)


def test_a_lapse_still_to_come_is_a_wrong_value(catalogue: Catalogue) -> None:
    with pytest.raises(BadRequest, match="실효일"):
        reinstatement(catalogue.reference, None, date(2026, 3, 3), TODAY)


def test_renewals_go_on_to_the_last_age(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    result = renewal_eligibility(product, EntryAge(45))
    assert (result.next_age, result.last_age, result.renewals_left) == (55, 75, 3)
    assert renewal_eligibility(product, EntryAge(75)).may_renew is False
    assert renewal_eligibility(catalogue.product("B00197011"), EntryAge(45)).renews is False


def test_a_renewal_notice_reads_the_premium_table_at_both_ages(catalogue: Catalogue) -> None:
    result = renewal_notice(catalogue, catalogue.product(NEW_START), EntryAge(45), "M")
    assert [(p.premium, p.next_premium) for p in result.premiums] == [
        (catalogue.premium(NEW_START, 45, "M"), catalogue.premium(NEW_START, 55, "M"))
    ]
    assert len(renewal_notice(catalogue, catalogue.product(NEW_START), EntryAge(45), None).premiums) == 2


def test_limits_follow_the_age(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    assert [entry_limits(product, EntryAge(age)).max for age in (45, 58, 62)] == [50_000_000, 40_000_000, 30_000_000]
    assert entry_limits(product, EntryAge(70)).age_ok is False


def test_papers_follow_the_case_and_the_kind_of_product(catalogue: Catalogue) -> None:
    reference = catalogue.reference
    assert [c.case for c in join_documents(reference, None, "외국인").cases] == ["외국인 가입"]
    assert "치과보험 가입" in {c.case for c in join_documents(reference, catalogue.product("B00197011"), None).cases}
    assert not join_documents(reference, None, "반려동물").found


def test_riders_stay_within_the_budget(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    bundle = recommend_riders(catalogue, (product,), "항암", 25_000, EntryAge(45), "M").bundles[0]
    assert bundle.main_premium == 20_625
    assert bundle.total_premium is not None and bundle.total_premium <= 25_000
    assert bundle.picks and bundle.left_out
    assert bundle.total_premium == bundle.main_premium + sum(pick.premium or 0 for pick in bundle.picks)


def test_riders_for_the_other_gender_are_left_out(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    bundle = recommend_riders(catalogue, (product,), "암진단비", None, EntryAge(45), "M").bundles[0]
    assert "여성특정암 특약" in bundle.left_out

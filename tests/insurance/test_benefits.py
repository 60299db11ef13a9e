"""Reading people's words as benefits, diseases and events."""

from __future__ import annotations

import re
from datetime import date, timedelta

import pytest

from app.errors import BadRequest
from app.insurance.benefits import find_covers, insured_for, near_benefits, stem
from app.insurance.catalogue import Catalogue
from app.insurance.coverage import look_up_amount
from app.insurance.events import EventJudgement, judge_event
from app.insurance.exclusions import core_words
from app.insurance.periods import add_months, cover_start, reduction_end
from app.insurance.waiting import waiting_periods

NEW_START, DENTAL, DEMENTIA, HEALTH, WHOLE_LIFE = "B00115023", "B00197011", "B00312011", "B00343004", "B00329010"


def judge(catalogue: Catalogue, code: str, event: str, *days: date) -> EventJudgement:
    contract, happened = days if days else (None, None)
    return judge_event(catalogue, catalogue.product(code), event, happened, contract)


@pytest.mark.parametrize("words", ["암 진단비", "암진단금", "암 진단보험금", "암진단비"])
def test_words_for_money_are_one_word(words: str) -> None:
    assert stem(words) == "암진단"


@pytest.mark.parametrize(
    ("code", "words", "ids"),
    [
        (DENTAL, "크라운", {"crown"}),
        (DENTAL, "implant", {"implant"}),
        (DENTAL, "때우기", {"inlay", "resin", "amalgam"}),
        (NEW_START, "암 진단비", {"cancer_diagnosis"}),
        (NEW_START, "난소암", {"cancer_diagnosis", "women_cancer"}),
        (NEW_START, "갑상선암", {"similar_cancer_diagnosis"}),
        (NEW_START, "유방암 수술비", {"cancer_surgery"}),
        (DENTAL, "임플란드", {"implant"}),
    ],
)
def test_benefits_are_found_by_id_name_keyword_disease_and_misspelling(
    catalogue: Catalogue, code: str, words: str, ids: set[str]
) -> None:
    classes = catalogue.reference.codes.find(words).classes
    found = find_covers(catalogue.product(code), words, classes)
    assert {benefit.id for benefit, _ in found.covers} == ids


def test_every_benefit_is_found_by_its_name_and_keywords(catalogue: Catalogue) -> None:
    missed = [
        (product.code, benefit.name, word)
        for product in catalogue.products
        for benefit, _ in product.all_benefits
        for word in (benefit.name, *benefit.keywords)
        if benefit.name not in {c.benefit for c in look_up_amount(catalogue.reference, product, word).covers}
    ]
    assert not missed


def test_a_benefit_the_product_lacks_is_answered_with_what_it_covers(catalogue: Catalogue) -> None:
    answer = look_up_amount(catalogue.reference, catalogue.product(NEW_START), "치매")
    assert not answer.found
    assert answer.near == near_benefits(catalogue.product(NEW_START), "치매")
    assert "암 진단보험금" in answer.near


@pytest.mark.parametrize(
    ("text", "codes", "narrower"),
    [
        ("C73", ["C73"], None),
        ("c 73", ["C73"], None),
        ("C73.0", ["C73"], "C73.0"),
        ("갑상선암", ["C73"], None),
        ("갑상선암 림프절 전이", ["C73"], None),  # the primary site decides
        ("외상성 뇌출혈", ["S06"], None),  # not 뇌출혈
        ("안드로메다", [], None),
    ],
)
def test_codes_are_read_from_codes_and_lay_names(
    catalogue: Catalogue, text: str, codes: list[str], narrower: str | None
) -> None:
    match = catalogue.reference.codes.find(text)
    assert ([code.code for code in match.codes], match.narrower) == (codes, narrower)


@pytest.mark.parametrize("text", ["뇌졸중", "뇌졸종"])
def test_a_class_name_means_the_classes_all_its_codes_share(catalogue: Catalogue, text: str) -> None:
    assert set(catalogue.reference.codes.find(text).classes) == {"뇌혈관질환", "뇌졸중"}


def test_waiting_counts_the_contract_date_as_its_first_day(catalogue: Catalogue) -> None:
    benefit = catalogue.product(NEW_START).benefits[0]
    assert cover_start(benefit, date(2024, 3, 15)) == date(2024, 6, 13)
    assert reduction_end(benefit, date(2024, 3, 15)) == date(2025, 3, 15)


def test_a_waiting_of_365_days_is_a_year(catalogue: Catalogue) -> None:
    mild = catalogue.product(DEMENTIA).benefits[0]
    assert mild.waiting_days == 365
    assert cover_start(mild, date(2023, 3, 15)) == date(2024, 3, 15)  # 2024-02-29 lies between


def test_months_end_with_the_month() -> None:
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2024, 2, 29), 36) == date(2027, 2, 28)


@pytest.mark.parametrize(
    ("happened", "verdict", "payable"),
    [
        (date(2024, 6, 12), "지급 어려움", 0),
        (date(2024, 6, 13), "감액 지급", 15_000_000),
        (date(2025, 3, 14), "감액 지급", 15_000_000),
        (date(2025, 3, 15), "지급 가능성 높음", 30_000_000),
    ],
)
def test_waiting_and_reduction_end_on_their_days(
    catalogue: Catalogue, happened: date, verdict: str, payable: int
) -> None:
    result = judge(catalogue, NEW_START, "유방암", date(2024, 3, 15), happened)
    assert (result.verdict, result.covers[0].benefit, result.covers[0].payable) == (verdict, "암 진단보험금", payable)
    assert not result.dates_needed


def test_without_dates_the_rules_are_told_and_the_dates_asked(catalogue: Catalogue) -> None:
    result = judge(catalogue, NEW_START, "유방암")
    assert result.verdict == "지급 가능성 높음"
    assert result.dates_needed
    assert result.covers[0].waiting_days == 90


def test_an_event_before_the_contract_is_a_wrong_value(catalogue: Catalogue) -> None:
    with pytest.raises(BadRequest, match="계약일"):
        judge(catalogue, NEW_START, "유방암", date(2024, 3, 15), date(2024, 1, 1))


@pytest.mark.parametrize(
    ("code", "event", "verdict"),
    [
        (DENTAL, "충치 레진", "지급 가능성 높음"),
        (DENTAL, "충치", "확인 필요"),  # which treatment?
        (DENTAL, "사랑니 발치", "지급 어려움"),  # excluded, although 발치 is covered
        (DENTAL, "앞니가 깨졌어요", "지급 가능성 높음"),
        (DEMENTIA, "경도인지장애", "지급 어려움"),
        (DEMENTIA, "치매", "확인 필요"),  # which stage?
        (DEMENTIA, "중증치매", "지급 가능성 높음"),
        (HEALTH, "손목 골절", "확인 필요"),  # an optional rider
        (HEALTH, "팔이 부러졌어요", "확인 필요"),
        (HEALTH, "폐렴 입원", "지급 가능성 높음"),
        (HEALTH, "외상성 뇌출혈", "지급 어려움"),
        (HEALTH, "제왕절개", "지급 어려움"),
        (DENTAL, "임플란드", "확인 필요"),  # misspelt: shown, not promised
        (NEW_START, "치매", "지급 어려움"),
        (NEW_START, "ㅁㄴㅇㄹ", "확인 필요"),
        (WHOLE_LIFE, "자살", "확인 필요"),  # excluded for two years only
    ],
)
def test_events_are_judged(catalogue: Catalogue, code: str, event: str, verdict: str) -> None:
    assert judge(catalogue, code, event).verdict == verdict


def test_an_accident_benefit_is_not_reached_by_the_class_alone(catalogue: Catalogue) -> None:
    assert not judge(catalogue, DENTAL, "손목 골절").covers
    assert [c.benefit for c in judge(catalogue, HEALTH, "손목 골절").covers] == ["골절진단보험금"]


def test_benefits_for_a_part_of_a_class_need_their_own_word(catalogue: Catalogue) -> None:
    assert [c.benefit for c in judge(catalogue, NEW_START, "위암").covers] == ["암 진단보험금"]


def test_core_words_leave_out_particles_and_treatment() -> None:
    assert core_words("사랑니를 발치했어요") == ("사랑니", "발치")
    assert core_words("유방암으로 수술") == ("유방암",)


def test_how_a_benefit_is_counted_agrees_with_its_words(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        for benefit, _ in product.all_benefits:
            unpaid = re.search(r"(\d+)일을? 초과", benefit.condition)
            assert benefit.excluded_days == (int(unpaid[1]) if unpaid else 0), benefit.name
            stay = re.search(r"1회 입원당 (\d+)일", benefit.limit.text) if benefit.limit else None
            assert not stay or (benefit.limit is not None and benefit.limit.per_stay == int(stay[1])), benefit.name
            if benefit.reduction and "상해" in benefit.disease_classes:
                assert benefit.reduction.disease_only == ("질병" in benefit.condition.split(".")[1]), benefit.name


@pytest.mark.parametrize(
    ("code", "word", "together"),
    [(NEW_START, "췌장암", True), (NEW_START, "유방암", False), (NEW_START, "수술", False)],
)
def test_diagnoses_that_a_rule_adds_up_are_paid_together(
    catalogue: Catalogue, code: str, word: str, together: bool
) -> None:
    assert look_up_amount(catalogue.reference, catalogue.product(code), word).adds is together


def test_an_accident_is_not_reduced_where_only_diseases_are(catalogue: Catalogue) -> None:
    days = date(2026, 1, 1), date(2026, 5, 1)
    states = {
        event: next(c.state for c in judge(catalogue, "B00364004", event, *days).covers if c.benefit == "수술보험금")
        for event in ("교통사고 수술", "맹장수술")
    }
    assert states == {"교통사고 수술": "전액", "맹장수술": "감액"}


def test_of_a_contract_alone_the_event_is_judged_as_of_today(catalogue: Catalogue) -> None:
    product, today = catalogue.product(NEW_START), date(2026, 11, 27)
    waiting = judge_event(catalogue, product, "위암", None, date(2026, 10, 1), today)
    assert waiting.verdict == "지급 어려움" and waiting.as_of == today and not waiting.dates_needed
    reduced = judge_event(catalogue, product, "위암", None, date(2026, 3, 1), today)
    assert reduced.verdict == "감액 지급" and reduced.covers[0].reduced_amount == reduced.covers[0].payable
    told = judge_event(catalogue, product, "위암", today, date(2026, 3, 1), today)
    assert told.as_of is None and told.verdict == "감액 지급"


@pytest.mark.parametrize(("amount", "paid"), [(None, 30_000_000), (30_000_000, 30_000_000), (15_000_000, 15_000_000)])
def test_a_cover_pays_in_proportion_to_the_sum_insured(catalogue: Catalogue, amount: int | None, paid: int) -> None:
    product = insured_for(catalogue.product(NEW_START), amount)
    told = look_up_amount(catalogue.reference, product, "암 진단비")
    assert told.covers[0].amount == paid and told.sum_insured_default == (amount or 30_000_000)


def test_what_does_not_scale_stays_as_it_is(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        half = insured_for(product, product.sum_insured.default // 2)
        pairs = zip(product.all_benefits, half.all_benefits, strict=True)
        assert all(b.amount == a.amount for (a, _), (b, _) in pairs if not a.scales)


@pytest.mark.parametrize(
    ("made", "waits", "reduces"),
    [(date(2026, 10, 1), True, True), (date(2026, 3, 1), False, True), (date(2024, 1, 1), False, False)],
)
def test_waiting_is_told_by_the_day_of_a_contract(catalogue: Catalogue, made: date, waits: bool, reduces: bool) -> None:
    told = waiting_periods(catalogue.product(NEW_START), made, date(2026, 11, 26))
    assert (told.waits, told.reduces) == (waits, reduces)
    assert told.starts_on == made + timedelta(days=90) and told.reduced_until == add_months(made, 12)

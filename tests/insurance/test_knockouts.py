"""What people tell is read against every product's knock-outs: declined, underwritten, or nothing told."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import EntryAge
from app.insurance.knockouts import Acceptance, accept, hear, knockouts_of
from app.insurance.numerals import number
from app.insurance.products import check_eligibility
from app.insurance.search import search_products
from app.insurance.since import months_since
from app.insurance.underwriting import precheck

TODAY = date(2026, 3, 2)
CANCER, PICKED, DENTAL, DENTAL_V, SILVER, DEMENTIA, CARE = (
    "B00115023", "B00155017", "B00172014", "B00197011", "B00307007", "B00312011", "B00317010",
)  # fmt: skip
LIFE, SIMPLE, FIRST_DAY, SIMPLE_335, TERM = "B00329010", "B00343004", "B00355005", "B00364004", "B00392004"


def read(catalogue: Catalogue, code: str, *told: str) -> Acceptance:
    return accept(catalogue.reference, catalogue.product(code), hear(catalogue.reference, told, TODAY))


@pytest.mark.parametrize(
    ("code", "told", "rule"),
    [
        (CARE, "치매 진단받은 70세", "dementia"),
        (DEMENTIA, "알츠하이머약 드세요", "dementia"),
        (DEMENTIA, "인지기능검사에서 이상이 있다고 들었어요", "mci"),
        (CARE, "장기요양 3등급이신데", "care_grade"),
        (CARE, "등급 신청해 놓고 결과 기다려요", "care_grade"),
        (CARE, "혼자서는 식사를 못 하세요", "needs_help"),
        (DEMENTIA, "루게릭병", "neuro_degenerative"),
        (SILVER, "완전틀니", "teeth_10"),
        (SILVER, "남은 이가 여덟 개예요", "teeth_10"),
        (DENTAL, "부분틀니 끼고 있어요", "teeth_20"),
        (DENTAL, "자연치가 15개뿐이에요", "teeth_20"),
        (DENTAL, "2년 전에 이를 여섯 개 뽑았어요", "extracted_5"),
        (DENTAL_V, "올해 잇몸치료를 네 번 받았어요", "gum_surgery_1y"),
        (DENTAL_V, "치과에서 어금니를 뽑자고 했어요", "treatment_advised"),
        (CANCER, "2년 전 유방암 수술", "cancer_5y"),
        (CANCER, "조직검사 결과 기다리는 중", "cancer_suspected"),
        (PICKED, "간경변 진단", "hepatitis"),
        (FIRST_DAY, "12년 전 위암, 완치", "cancer_ever"),
        (FIRST_DAY, "B형 간염 보균자", "hepatitis"),
        (SIMPLE, "1년 6개월 전 입원", "simplified_hospital_2y"),
        (SIMPLE_335, "2년 반 전 제왕절개", "simplified_hospital_3y"),
        (TERM, "4년 전 뇌경색", "serious_5y"),
        (LIFE, "폭파공", "declined_job"),
        (LIFE, "남편 모르게 남편 앞으로", "no_insurable"),
        (TERM, "혈액투석 중", "dialysis"),
        (CANCER, "HIV 감염", "hiv"),
        (SIMPLE, "2025년 11월에 수술", "simplified_hospital_2y"),
        (SIMPLE, "2024년 4월에 허리 수술", "simplified_hospital_2y"),  # the month counts
        (SIMPLE_335, "2년 전 심장 수술", "simplified_hospital_3y"),
        (DENTAL_V, "반년 사이에 잇몸치료 네 번 받았는데", "gum_surgery_1y"),
        (DENTAL_V, "또 들", "same_product"),
        (DENTAL, "앞니 네 개랑 어금니 두 개, 총 6개를 작년에 뺐습니다", "extracted_5"),
        (DENTAL, "남은 이가 몇 개 안 돼요", "teeth_20"),
        (CARE, "옷 입고 밥 먹는 거 도와드려야 하는 66세 어머니", "needs_help"),
        (CARE, "머리를 크게 다쳐 3년 전에 뇌수술 받은 50세", "stroke_5y"),
        (DEMENTIA, "기억력 검사했는데 점수가 낮대요", "mci"),
        (CANCER, "6년 전에 위암 진단받고 지금도 항암 중", "ongoing_cancer"),  # what goes on now is not of then
        (TERM, "외국에 5년 동안 나가 살 예정", "foreign_stay"),
        (LIFE, "폭발물 처리하는 일을 하는데", "declined_job"),
        (SIMPLE, "한 달 전에 재검 통보받고 아직 안 갔어요", "advised_3m"),  # not done yet is no denial
        (SIMPLE, "일주일 전에 의사가 MRI 찍어보자고 했고 아직 안 찍었어요", "advised_3m"),
        (CANCER, "대장내시경 하고 암일지도 모른다고 결과 기다리래요", "cancer_suspected"),
        (CANCER, "간염 B형 치료제 먹고 있어요", "hepatitis"),
        (CARE, "요양병원에 누워 계세요", "needs_help"),
        (FIRST_DAY, "암경험자", "cancer_ever"),
        (LIFE, "고층빌딩 유리창 닦는 일", "declined_job"),
        (CARE, "루게릭 의심이 아니라 확진이래요", "neuro_degenerative"),
    ],
)
def test_what_a_knock_out_names_declines(catalogue: Catalogue, code: str, told: str, rule: str) -> None:
    result = read(catalogue, code, told)
    assert result.entry == "가입 불가"
    assert rule in {met.id for met in result.knockouts if met.certain}


@pytest.mark.parametrize(
    ("code", "told", "rule"),
    [
        (CARE, ("뇌를 다쳐서, 작년", "작년에 수술하고 입원"), "stroke_5y"),
        (CARE, ("뇌 다쳐서 작년에 수술",), "stroke_5y"),
        (FIRST_DAY, ("검진에서 폐 결절 나와서, 석 달 됐", "추적관찰 하라는데, 석 달 됐"), "follow_up_1y"),
    ],
)
def test_what_is_told_in_several_clauses_is_read_together(
    catalogue: Catalogue, code: str, told: tuple[str, ...], rule: str
) -> None:
    assert rule in {met.id for met in read(catalogue, code, *told).knockouts if met.certain}


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (CANCER, "고혈압약 먹어요"),
        (DENTAL_V, "브릿지는 8년 전에 끝났고 지금은 괜찮아요"),
        (DENTAL_V, "크라운 하라는데 아직 안 했어요"),  # the rule names other treatments
        (SILVER, "윗니가 전부 없으세요"),
        (DENTAL_V, "교정 중인 22세"),
        (DENTAL, "5년 전에 이 하나 뽑고 임플란트 끝냈어요"),
        (SIMPLE_335, "3년 2개월 전에 입원했었어요"),
        (CARE, "3년 전에 뇌수술"),  # of what, was not told
        (DEMENTIA, "현재 60세 아버지 뇌경색 왔었는데 12년 전에요"),
        (CANCER, "7년 전 위암 수술하고 완치"),  # outside the five years
        (SIMPLE, "5년 전 입원"),
        (SIMPLE, "맹장 수술했어요"),  # when, was not told
        (SIMPLE_335, "4년 전 디스크 수술"),
        (DENTAL, "어금니 하나 빠졌어요"),  # that tooth alone is not covered
        (DENTAL, "2년 전에 이를 두 개 뽑았어요"),
        (SILVER, "부분틀니"),  # the rule asks for a full one, or too few teeth
        (SILVER, "남은 이가 스무 개예요"),
        (CANCER, "배달 라이더"),
        (CANCER, "원양어선 선원"),  # accident cover alone is declined
        (CARE, "8년 전 뇌출혈 수술"),
        (CANCER, "루푸스"),  # no rule knows it
        ("B00329010", "moderate AR이라 2년 전에 AVP 받았습니다"),
    ],
)
def test_what_no_knock_out_names_is_underwritten_never_promised(catalogue: Catalogue, code: str, told: str) -> None:
    result = read(catalogue, code, told)
    assert result.entry == "심사 필요" and result.told


@pytest.mark.parametrize(
    "told",
    [
        "당뇨 없고 건강해요",
        "치매는 아니에요",
        "아픈 데 없음",
        "회사원",
        "암에 걸리면 어쩌나 싶어서",
        "집안에 암 가족력",
        "건강검진 정상",
        "입원한 적도 수술한 적도 없음",
        "우리 집안에 암 환자가 많아서 걱정",
        "나중에 암 진단받으면 어쩌나 해서",
        "치매 검사 받았는데 정상이래요",
        "간염 항체 있고 검사 정상",
        "재검 소견 안 받았어요",
        "최근 입원 수술 재검 없음",
        "병원 입원한 적 없음, 예순하나",
        "암 걸린 적 한 번도 없고 먹는 약도 없는",
    ],
)
def test_the_denied_the_feared_and_the_inherited_are_not_told(catalogue: Catalogue, told: str) -> None:
    for code in (CANCER, DEMENTIA, FIRST_DAY):
        assert read(catalogue, code, told).entry == "가입 가능"


@pytest.mark.parametrize(
    "told",
    ["20년 전 갑상선암 떼냄 재발없음", "위암 수술했는데 전이나 재발은 없어요", "유전병인 헌팅턴병 확진받은 동생"],
)
def test_what_never_came_of_an_illness_does_not_take_it_back(catalogue: Catalogue, told: str) -> None:
    for code in (CANCER, DEMENTIA, FIRST_DAY):
        assert read(catalogue, code, told).entry != "가입 가능"


def test_every_knock_out_can_be_met_by_words_or_is_judged_by_a_value(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        assert product.knockouts
        assert all(rule.when or rule.judged_by for rule in knockouts_of(catalogue.reference, product))


def test_every_name_of_a_finding_is_read_as_told(catalogue: Catalogue) -> None:
    unread = [
        finding.name
        for finding in catalogue.reference.findings
        if not finding.healthy and not hear(catalogue.reference, (finding.name,), TODAY).names
    ]
    assert not unread


@pytest.mark.parametrize(
    ("said", "value"),
    [("12", 12), ("열두", 12), ("스무", 20), ("스물다섯", 25), ("서너", 3), ("이십", 20), ("십오", 15), ("여러", None)],
)
def test_small_numbers_are_read(said: str, value: int | None) -> None:
    assert number(said) == value


@pytest.mark.parametrize(
    ("said", "months"),
    [
        ("석 달 전", 3),
        ("1년 반 전", 18),
        ("반년 사이에", 5.5),
        ("반년 전", 6),
        ("2024년 12월에", 15),
        ("작년", 12),
        ("2024년에", 20.5),
        ("3년 동안", None),
        ("2년 이내", 23.5),
        ("2년이 안 됐어요", 23.5),
        ("최근 2년간", 23.5),
        ("3년간", None),
        ("2024.12 수술", 15),
    ],
)
def test_months_since(said: str, months: float | None) -> None:
    assert months_since(said, TODAY) == months


def test_eligibility_reads_what_was_told(catalogue: Catalogue) -> None:
    refused = check_eligibility(catalogue, catalogue.product(CARE), EntryAge(70), None, ["치매 진단받은 70세"], TODAY)
    assert refused.verdict == "가입 불가" and refused.age_ok
    assert refused.declined_by is not None and refused.declined_by.id == "dementia"
    depends = check_eligibility(catalogue, catalogue.product(LIFE), EntryAge(45), None, ["당뇨약 복용"], TODAY)
    assert depends.verdict == "심사 필요"
    assert {a.code for a in depends.alternatives} == {SIMPLE, SIMPLE_335, TERM}
    well = check_eligibility(catalogue, catalogue.product(LIFE), EntryAge(45), None, ["아픈 데 없음"], TODAY)
    assert well.verdict == "가입 가능" and not well.told


def test_a_declined_person_is_offered_no_product_that_declines_them(catalogue: Catalogue) -> None:
    refused = check_eligibility(catalogue, catalogue.product(CANCER), EntryAge(50), None, ["투석 중"], TODAY)
    assert refused.verdict == "가입 불가" and not refused.alternatives


def test_a_search_drops_the_products_that_decline(catalogue: Catalogue) -> None:
    found = search_products(catalogue, category="치아", age=EntryAge(55), conditions=["완전틀니"], today=TODAY)
    assert not found.products and all("해당해" in out.reason for out in found.fallen_out)
    some = search_products(catalogue, category="암", age=EntryAge(50), conditions=["B형간염 보균자"], today=TODAY)
    assert FIRST_DAY not in {p.code for p in some.products} and some.told


def test_a_precheck_and_an_eligibility_judge_alike(catalogue: Catalogue) -> None:
    for told in ("치매 진단", "작년 뇌경색 입원", "고혈압약 복용", "장기요양 4등급"):
        for product in catalogue.products:
            entry = precheck(catalogue, product, None, None, told, today=TODAY).entry
            assert check_eligibility(catalogue, product, None, None, [told], TODAY).verdict == entry


def test_a_shorter_note_of_what_was_told_with_its_time_adds_nothing(catalogue: Catalogue) -> None:
    told = ("5년 반 전에 심근경색 왔었고", "그 뒤론 약만 먹어요")
    product = catalogue.product(SIMPLE_335)
    result = precheck(catalogue, product, EntryAge(63), None, "심근경색", conditions=told, today=TODAY)
    assert result.entry == "심사 필요"


@pytest.mark.parametrize(
    ("code", "told", "within", "left"),
    [
        (SIMPLE, "1년 6개월 전 입원", 24, 6),
        (SIMPLE_335, "2년 전 심장 수술", 36, 12),
        (LIFE, "폭파공", None, None),
        (CARE, "치매 진단받은 70세", None, None),
    ],
)
def test_how_long_a_rule_still_holds_is_told_where_time_ends_it(
    catalogue: Catalogue, code: str, told: str, within: int | None, left: int | None
) -> None:
    rule = read(catalogue, code, told).decisive
    assert rule is not None and (rule.within_months, rule.months_left) == (within, left)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("고혈압, 복용약 없음", {"illness"}),
        ("고혈압, 당뇨 모두 없음", set()),
        ("5년 전 맹장 수술 뒤로 이상 없음", {"operation"}),
        ("근종 경과관찰 無", {"tumour_disease"}),
        ("재검 나옴, 아직 안 함", {"recheck_advised"}),
        ("윗니 세 개를 빼라 카는데 미루고 있어요", {"extraction_advised"}),
        ("위암 내력으로 걱정돼요", set()),
        ("수술력(-) 투약(-)", set()),
    ],
)
def test_what_is_denied_and_what_is_only_beside_it(catalogue: Catalogue, said: str, told: set[str]) -> None:
    facts = catalogue.reference.told.read([said], TODAY)
    assert {fact.finding.id for fact in facts if not fact.finding.healthy} == told

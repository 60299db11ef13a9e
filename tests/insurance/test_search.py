"""Finding products and riders by people's words."""

from __future__ import annotations

import pytest

from app.errors import BadRequest
from app.insurance.catalogue import Catalogue
from app.insurance.comparison import compare_products, read_codes
from app.insurance.entry_age import EntryAge
from app.insurance.faqs import look_up_faqs, read_topic
from app.insurance.products import channel_availability, check_eligibility, check_version
from app.insurance.riders import find_riders, list_riders, search_riders
from app.insurance.search import search_products

NEW_START, FIRST_DAY, CHOOSE = "B00115023", "B00355005", "B00155017"


def codes(catalogue: Catalogue, words: str) -> set[str]:
    return {line.code for line in search_products(catalogue, keyword=words).products}


@pytest.mark.parametrize("words", ["암", "암보험", "암 보험", "암 보험 상품"])
def test_cancer_at_45_finds_two_and_says_why_the_third_fell_out(catalogue: Catalogue, words: str) -> None:
    found = search_products(catalogue, keyword=words, age=EntryAge(45), gender="M")
    assert {(p.code, p.premium) for p in found.products} == {(NEW_START, 20_625), (FIRST_DAY, 15_600)}
    assert [(f.code, "50~75세" in f.reason) for f in found.fallen_out] == [(CHOOSE, True)]
    assert found.kind_label == "암보험" and found.count == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("뉴스타트", NEW_START),
        ("뉴스타드암보험", NEW_START),
        ("첫날부터 암보험", FIRST_DAY),
        ("골라담는", CHOOSE),
        ("B00343004", "B00343004"),
        ("채우는335", "B00364004"),
        ("치매간병보험", "B00317010"),
        ("THE건강한치아보험V", "B00197011"),
    ],
)
def test_a_name_finds_its_product_alone(catalogue: Catalogue, words: str, code: str) -> None:
    assert codes(catalogue, words) == {code}


@pytest.mark.parametrize("words", ["임플란트", "임플란드"])
def test_a_treatment_finds_the_products_that_cover_it_even_misspelt(catalogue: Catalogue, words: str) -> None:
    found = codes(catalogue, words)
    assert "B00172014" in found and NEW_START not in found


@pytest.mark.parametrize(
    ("words", "kind"), [("실손", "실손의료보험"), ("실손보험", "실손의료보험"), ("자동차보험", "자동차보험")]
)
def test_a_kind_not_sold_is_said_to_be_unsold(catalogue: Catalogue, words: str, kind: str) -> None:
    found = search_products(catalogue, keyword=words)
    assert found.products == () and found.unsold == kind
    assert sum(c.count for c in found.categories) == len(catalogue.products)


def test_a_channel_keeps_what_it_sells(catalogue: Catalogue) -> None:
    found = search_products(catalogue, channel="방카")
    sold = {p.code for p in catalogue.products if any(c.channel == "방카" and c.available for c in p.channels)}
    assert {line.code for line in found.products} == sold != set()
    assert found.channel == "은행(방카슈랑스)"


def test_words_that_mean_nothing_find_nothing_and_name_the_categories(catalogue: Catalogue) -> None:
    found = search_products(catalogue, keyword="쀍쀍")
    assert found.products == () and found.unsold is None and found.categories


def test_an_age_that_shuts_out_the_named_product_offers_its_kind(catalogue: Catalogue) -> None:
    found = search_products(catalogue, keyword="골라담는암보험", age=EntryAge(45))
    assert found.products == () and {p.code for p in found.alternatives} == {NEW_START, FIRST_DAY}


def test_simplified_and_category_narrow_the_search(catalogue: Catalogue) -> None:
    found = search_products(catalogue, simplified=True)
    assert found.products and all(p.simplified for p in found.products)
    assert {p.category for p in search_products(catalogue, category="치과").products} == {"치아"}


def test_comparison_marks_the_rows_that_differ(catalogue: Catalogue) -> None:
    found = compare_products(read_codes(catalogue, [NEW_START, FIRST_DAY]))
    rows = {row.fact: row for row in found.rows}
    assert rows["면책기간"].values == ("90일 면책", "면책 없음") and rows["면책기간"].differs
    assert not rows["상품 종류"].differs
    assert found.differing == sum(row.differs for row in found.rows) and found.total == len(found.rows)


def test_a_cover_without_a_sum_is_compared_by_its_name_alone(catalogue: Catalogue) -> None:
    rows = compare_products(read_codes(catalogue, [NEW_START, CHOOSE])).rows
    main = next(row.values for row in rows if row.fact == "주요 보장")
    assert main[1].endswith("보험료 납입면제") and not any(" 0원" in value for value in main)


@pytest.mark.parametrize(
    "asked", [[NEW_START], [NEW_START, NEW_START], [NEW_START, FIRST_DAY, CHOOSE, "B00329010", "B00343004"]]
)
def test_two_to_four_products_are_compared(catalogue: Catalogue, asked: list[str]) -> None:
    with pytest.raises(BadRequest, match="2~4개"):
        read_codes(catalogue, asked)


def test_a_revision_is_newest_older_or_unknown(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    assert [check_version(product, r).verdict for r in (6, 5, 7, None)] == [
        "최신 개정본",
        "이전 개정본",
        "없는 개정본",
        None,
    ]


def test_entry_rule_gives_its_verdict_by_age_and_channel(catalogue: Catalogue) -> None:
    product = catalogue.product(CHOOSE)
    assert check_eligibility(catalogue, product, EntryAge(55), "TM").verdict == "가입 가능"
    refused = check_eligibility(catalogue, product, EntryAge(45), None)
    assert refused.verdict == "가입 불가" and {a.code for a in refused.alternatives} == {NEW_START, FIRST_DAY}
    assert check_eligibility(catalogue, product, None, None).verdict == "확인 필요"


def test_every_channel_is_answered_yes_or_no(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        found = channel_availability(product, "방카")
        assert {line.channel for line in found.channels} == {"TM", "CM", "대면", "온라인", "방카"}
        assert found.available is not None and found.selling


def test_riders_are_listed_searched_and_found(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    found = list_riders(product, mandatory_only=True)
    assert found.riders and all(r.mandatory for r in found.riders) and found.total == len(product.riders)
    assert "재진단암 특약" in {hit.rider_name for hit in search_riders([product], "재발암").hits}
    assert [r.code for _, r in find_riders([product], "재진단암")] == ["R003"]
    nothing = search_riders([product], "우주여행")
    assert nothing.total == 0 and nothing.near


@pytest.mark.parametrize(
    ("words", "topic"),
    [("면책기간", "면책"), ("해약하면", "해지"), ("보장개시일", "보장개시"), ("갱신", "갱신"), ("날씨", None)],
)
def test_faq_topics_are_read_from_words(words: str, topic: str | None) -> None:
    assert read_topic(words) == topic


def test_faqs_of_a_topic_carry_answer_and_clause(catalogue: Catalogue) -> None:
    one = look_up_faqs([catalogue.product(NEW_START)], "면책기간")
    assert one.items and all(item.topic == "면책" and item.answer and item.source for item in one.items)
    every = look_up_faqs(catalogue.products, "갱신")
    assert len({item.code for item in every.items}) == len(every.items)


def test_a_feature_no_product_of_the_kind_has_is_said_of_each(catalogue: Catalogue) -> None:
    for words in ("비갱신 암보험", "갱신 없는 암보험"):
        found = search_products(catalogue, keyword=words)
        assert found.products == () and {f.reason for f in found.fallen_out} == {"갱신형 상품입니다."}
    ill = search_products(catalogue, keyword="고혈압 있어도 암보험")
    assert {f.reason for f in ill.fallen_out} == {"간편심사 상품이 아닙니다."}
    assert {r.name for r in ill.related} >= {"간편건강보험", "채우는335"}


@pytest.mark.parametrize(("words", "label"), [("부모님 암보험", "암보험"), ("저렴한 치아보험", "치아보험")])
def test_a_word_that_means_nothing_here_takes_nothing_away(catalogue: Catalogue, words: str, label: str) -> None:
    found = search_products(catalogue, keyword=words)
    assert found.kind_label == label and found.count == 3


def test_a_cover_of_another_kind_is_not_found_in_this_one(catalogue: Catalogue) -> None:
    assert search_products(catalogue, keyword="임플란트", category="암").products == ()

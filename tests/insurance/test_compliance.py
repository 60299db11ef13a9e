"""Duties to explain, scripts by topic, recording notices and comparison disclaimers."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.compliance import (
    comparison_disclaimer,
    find_scripts,
    product_facts,
    recording_notice,
    required_disclosures,
    written_out,
)
from app.safety.phrases import PhraseChecker

NEW_START, FIRST_DAY, SIMPLE, DENTAL = "B00115023", "B00355005", "B00343004", "B00197011"


@pytest.mark.parametrize(
    ("words", "topic"),
    [
        ("오프닝", "오프닝"),
        ("첫인사 멘트", "오프닝"),
        ("마무리", "마무리"),
        ("통화 종료 인사", "마무리"),
        ("권하는 멘트", "상품 소개"),
        ("설명", "상품 소개"),
        ("가격 안내", "보험료 안내"),
        ("가격", "보험료 안내"),
        ("갱신", "갱신"),
        ("갱신 안내 멘트 좀 만들어줘", "갱신"),
        ("비갱신 멘트", "비갱신"),
        ("면책기간 설명", "면책"),
        ("감액", "감액"),
        ("청약철회", "청약철회"),
        ("해지방어", "해약환급금"),
        ("만기", "만기"),
        ("미지급형 안내", "해약환급금 미지급형"),
        ("갈아타기", "승환"),
        ("비싸다고 거절할 때", "거절 응대"),
        ("나중에 다시 전화", "재통화 약속"),
        ("어르신", "고령자 설명"),
        ("예금자보호", "예금자보호"),
    ],
)
def test_free_words_find_the_script(catalogue: Catalogue, words: str, topic: str) -> None:
    found = find_scripts(catalogue.reference.scripts, "안내", words, None)
    assert found and found[0].topic == topic


@pytest.mark.parametrize("words", ["우주선", "축구 중계", "ㅁㄴㅇㄹ"])
def test_other_words_find_no_script(catalogue: Catalogue, words: str) -> None:
    assert find_scripts(catalogue.reference.scripts, "안내", words, None) == ()


def test_every_script_passes_the_phrase_check_for_every_product(catalogue: Catalogue) -> None:
    checker = PhraseChecker(catalogue.reference.forbidden_phrases)
    for script in catalogue.reference.scripts:
        for product in (None, *catalogue.products):
            text = " ".join((written_out(script, product), *product_facts(script, product)))
            assert "{" not in text and "상품 상품" not in text and "None" not in text
            assert [hit.text for hit in checker.check(text)] == []


def test_facts_of_the_product_close_what_the_script_leaves_open(catalogue: Catalogue) -> None:
    scripts = {script.topic: script for script in catalogue.reference.scripts if script.kind == "안내"}

    def facts(topic: str, code: str) -> str:
        return " ".join(product_facts(scripts[topic], catalogue.product(code)))

    assert "뉴스타트암보험은 10년마다 갱신" in facts("갱신", NEW_START)
    assert "비갱신형입니다" in facts("갱신", DENTAL)
    assert "90일" in facts("면책", NEW_START) and "면책기간이 없습니다" in facts("면책", FIRST_DAY)
    assert "간편심사 상품입니다" in facts("간편심사", SIMPLE) and "일반심사" in facts("간편심사", NEW_START)
    assert "50%만" in facts("감액", DENTAL)
    assert product_facts(scripts["갱신"], None) == () and facts("오프닝", NEW_START) == ""


def test_duties_of_the_channel_come_with_law_and_the_products_own_first(catalogue: Catalogue) -> None:
    product, common = catalogue.product(NEW_START), catalogue.reference.sales_duties
    everywhere = required_disclosures(product, common, None)
    by_phone = required_disclosures(product, common, "TM")
    at_bank = required_disclosures(product, common, "방카")
    assert everywhere.count == len(product.disclosures) + len(common)
    assert [duty.own for duty in everywhere.duties] == sorted((d.own for d in everywhere.duties), reverse=True)
    assert all(duty.basis for duty in everywhere.duties)
    assert "녹취와 개인정보 안내" in {duty.item for duty in by_phone.duties}
    assert "녹취와 개인정보 안내" not in {duty.item for duty in at_bank.duties}
    assert by_phone.channel_note is None


def test_a_channel_that_does_not_sell_the_product_is_told(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        for offer in product.channels:
            note = required_disclosures(product, (), offer.channel).channel_note
            assert (note is None) == offer.available
            if note:
                assert product.name in note and offer.channel in note


@pytest.mark.parametrize("channel", ["TM", "CM", "대면", "온라인", "방카", None])
def test_every_channel_has_its_recording_notice(catalogue: Catalogue, channel: str | None) -> None:
    told = recording_notice(catalogue.reference.scripts, catalogue.reference.sales_duties, channel)  # type: ignore[arg-type]
    assert told.notices and all("{" not in notice and "상품 상품" not in notice for notice in told.notices)
    assert bool(told.duties) == (channel not in ("대면", None))


def test_the_disclaimer_speaks_of_these_products_and_their_differences(catalogue: Catalogue) -> None:
    scripts = catalogue.reference.scripts
    cancer = [catalogue.product(NEW_START), catalogue.product(FIRST_DAY)]
    told = comparison_disclaimer(cancer, scripts)
    assert told.texts[0].startswith("뉴스타트암보험·첫날부터암보험 비교 자료는")
    assert any("뉴스타트암보험 90일, 첫날부터암보험 없음" in line for line in told.differences)
    assert not any("갱신 여부" in line for line in told.differences)
    mixed = comparison_disclaimer([*cancer, catalogue.product(DENTAL), catalogue.product(SIMPLE)], scripts)
    assert any("갱신 여부가 다릅니다" in line for line in mixed.differences)
    assert any("간편건강보험은 간편심사" in line for line in mixed.differences)
    assert any("보장하는 위험이 다릅니다" in line for line in mixed.differences)
    assert len(mixed.texts) > len(told.texts)
    assert all("은(는)" not in text and "{" not in text for text in (*mixed.texts, *mixed.differences))

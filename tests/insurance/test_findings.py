"""What a text tells is read once, and codes are found by every name that they have."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue


def test_every_name_of_a_code_finds_it_alone_and_within_a_sentence(catalogue: Catalogue) -> None:
    codes = catalogue.reference.codes
    for code in catalogue.reference.kcd:
        for name in (code.name, *code.synonyms):
            assert code in codes.find(name).codes, name
            if len(name) > 2 and not name.isascii():
                assert codes.find(f"작년에 {name}(으)로 치료받았어요").codes, name


def test_a_text_is_held_against_the_findings_once_however_many_ask(catalogue: Catalogue) -> None:
    told, text = catalogue.reference.told, "기억력 검사했는데 점수가 낮대요, 당뇨는 없고 3년 전에 입원했어요"
    read = told.clauses(text)
    assert told.clauses(text) is read
    assert [text[start:end] for start, end in read.spans][-1].strip() == "3년 전에 입원했어요"
    assert len(read.told) == len(read.spans)
    assert {hit.finding.id for hits in read.told for hit in hits} == {fact.finding.id for fact in told.read([text])}


@pytest.mark.parametrize(
    ("text", "named"), [("당뇨는 없어요", True), ("집안에 암이 많아요", True), ("월 보험료가 얼마예요", False)]
)
def test_a_finding_is_named_even_where_it_is_denied(catalogue: Catalogue, text: str, named: bool) -> None:
    assert catalogue.reference.told.names_any(text) is named

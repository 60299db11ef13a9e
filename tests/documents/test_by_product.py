"""Rows, items and sentences of one product in documents of several: what is quoted of one is never another's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.documents.by_product import only_of, owner_of, product_of
from app.documents.search import DocumentSearch, SearchRequest
from app.documents.shapes import Line, SourceDocument, Table
from app.documents.splitter import Splitter
from app.insurance.catalogue import Catalogue
from app.language.normalise import compact

NAMES = {compact(name): code for name, code in (("바다보험", "B1"), ("바다보험V", "B2"), ("산보험", "B3"))}
ARTICLE = Line("제11조(보장개시일) ① 계약일부터 보장합니다. 산보험은 다음 날부터 보장합니다.", 1)
TABLE = Table(
    (
        ("상품", "보장", "면책기간"),
        ("바다보험", "진단", "90일"),
        ("산보험", "진단", "30일"),
        ("바다보험 V", "진단", "없음"),
        ("바다보험", "수술", "60일"),
    ),
    1,
)


@pytest.mark.parametrize(
    ("line", "product", "owner"),
    [
        ("바다보험 — 보장: 진단, 면책기간: 90일", "B1", "B1"),
        ("[상품] 바다보험V — 보장: 진단", "B2", "B2"),
        ("바다보험 V — 보장: 진단", "B2", "B2"),
        ("• 산보험 순수보장형: 환급금이 없습니다. 만기에는 0원입니다.", "B3", "B3"),
        ("③ 산보험에는 제2항의 면책기간이 없습니다.", "B3", ""),
        ("1. 간편고지(산보험)", "", ""),
        ("이 약관은 바다보험, 산보험에 함께 적용합니다.", "", ""),
    ],
)
def test_a_line_is_of_the_product_that_it_begins_with(line: str, product: str, owner: str) -> None:
    assert (product_of(line, NAMES), owner_of(line, NAMES)) == (product, owner)


def test_what_stays_keeps_its_place_and_what_is_anothers_is_blank() -> None:
    text = "① 다음과 같습니다. 산보험은 계약일부터 보장합니다.\n바다보험 — 면책: 90일\n산보험 — 면책: 30일"
    kept = " ".join(only_of(text, "B3", NAMES).split())
    assert kept == "① 다음과 같습니다. 산보험은 계약일부터 보장합니다. 산보험 — 면책: 30일"
    left = only_of(text, "B1", NAMES)
    assert " ".join(left.split()) == "① 다음과 같습니다. 바다보험 — 면책: 90일"
    assert left.index("바다보험") == text.index("바다보험")


def test_the_rows_of_each_product_are_passages_of_their_own() -> None:
    codes = Line("상품 코드 B00115023, B00155017, B00355005", 1)
    document = SourceDocument("약관", "약관.pdf", "모의 약관", "terms", "", "", (ARTICLE, TABLE), 1)
    naming = replace(document, items=(codes, ARTICLE, TABLE))
    names = {"바다보험": "B00115023", "바다보험V": "B00155017", "산보험": "B00355005"}
    splitter = Splitter(500, 100, lambda text: [text], names)
    found = {chunk.text: chunk.products for chunk in splitter.split(naming) if chunk.article}
    assert found == {
        ARTICLE.text.removeprefix("제11조(보장개시일) "): ("B00115023", "B00155017", "B00355005"),
        "바다보험 — 보장: 진단, 면책기간: 90일\n바다보험 — 보장: 수술, 면책기간: 60일": ("B00115023",),
        "산보험 — 보장: 진단, 면책기간: 30일": ("B00355005",),
        "바다보험 V — 보장: 진단, 면책기간: 없음": ("B00155017",),
    }
    whole = splitter.split(document)  # it tells of no product, so its table is that of all
    assert len(whole) == 1 and whole[0].products == ()


@pytest.mark.parametrize(
    "query",
    ["면책기간과 감액기간", "보험기간과 납입기간", "해약환급금", "갱신할 때 보험료 인상", "납입면제", "상품 소개"],
)
@pytest.mark.parametrize("mode", ["keyword", "semantic", "graph", "hybrid"])
def test_no_row_of_another_product_is_quoted(
    search: DocumentSearch, catalogue: Catalogue, query: str, mode: str
) -> None:
    full = {compact(name): p.code for p in catalogue.products for name in (p.name, p.official_name)}
    for product in catalogue.products:
        request = SearchRequest(query=f"{product.name} {query}", mode=mode, top_k=15, product_code=product.code)  # type: ignore[arg-type]
        reply = search.search(request)
        assert reply.results or mode in ("semantic", "hybrid")
        assert reply.metadata.total_results == len(reply.results)
        for passage in reply.results:
            of_product = search.chunk(passage.chunk_id).products == (product.code,)
            lines = [*passage.text.split("\n"), passage.snippet]
            assert of_product or not [line for line in lines if owner_of(line, full) not in ("", product.code)]


def test_a_name_of_another_product_in_the_question_is_no_reason_to_quote_it(search: DocumentSearch) -> None:
    asked = SearchRequest(query="뉴스타트암보험 면책기간 조항", mode="hybrid", top_k=3, product_code="B00355005")
    found = search.search(asked).results
    assert any(passage.snippet.startswith("첫날부터암보험 — 보장: 암 진단보험금, 면책기간: 없음") for passage in found)
    assert not any("뉴스타트암보험 — " in passage.text for passage in found)


def test_without_a_product_the_rows_of_all_are_found(search: DocumentSearch) -> None:
    found = search.search(
        SearchRequest(query="암보험 주계약 보장별 면책기간과 감액기간", mode="hybrid", top_k=20)
    ).results
    assert len({passage.product_code for passage in found if passage.product_code}) > 1

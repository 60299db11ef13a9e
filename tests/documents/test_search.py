"""Searching the shipped documents: modes, parameters, look-up, filters, links and pages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from pydantic import ValidationError

from app.documents.library import DocumentLibrary
from app.documents.pages import page_png
from app.documents.search import DocumentSearch, SearchReply, SearchRequest
from app.errors import NotFound
from app.insurance.catalogue import Catalogue

MODES = ("keyword", "semantic", "graph", "hybrid")


def ask(search: DocumentSearch, query: str, **more: Any) -> SearchReply:
    return search.search(SearchRequest(query=query, **more))


def test_the_whole_corpus_is_searchable(search: DocumentSearch) -> None:
    assert search.document_count == 21
    assert search.chunk_count > 1500


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("query", "document", "article"),
    [
        ("치매간병보험 제15조", "치매간병보험_약관", "제15조"),
        ("암보험 약관 제3조의2에 뭐라고 돼 있죠", "암보험_약관", "제3조의2"),
        ("표준약관 18조 보여줘", "[별표 15] 표준약관(질병·상해보험)", "제18조"),
        ("종신보험 약관 별표 3", "종신보험_약관", "별표 3"),
        ("뉴스타트암보험 제27조", "암보험_약관", "제27조"),
    ],
)
def test_a_named_article_comes_first_in_every_mode(
    search: DocumentSearch, mode: str, query: str, document: str, article: str
) -> None:
    best = ask(search, query, mode=mode, top_k=3).results[0]
    assert (best.document_id, best.article) == (document, article)


def test_an_article_of_a_rider_is_not_that_of_the_main_terms(search: DocumentSearch) -> None:
    best = ask(search, "스케일링치료특약 제3조", mode="hybrid").results[0]
    assert "스케일링치료특약" in best.heading_path and best.article == "제3조"


@pytest.mark.parametrize("mode", ["semantic", "hybrid"])
def test_a_lower_threshold_gives_no_fewer_results(search: DocumentSearch, mode: str) -> None:
    counts = [
        len(ask(search, "보험료를 못 내면", mode=mode, top_k=100, similarity_threshold=limit).results)
        for limit in (0.9, 0.6, 0.3, 0.1, 0.0)
    ]
    assert counts == sorted(counts) and counts[0] < counts[-1]
    reply = ask(search, "보험료를 못 내면", mode=mode, similarity_threshold=0.4)
    assert all(passage.confidence >= 0.4 for passage in reply.results)


@pytest.mark.parametrize("query", ["김치찌개 끓이는 법", "축구 경기 일정 알려줘", "아이폰 배터리 교체"])
def test_off_topic_questions_are_turned_away(search: DocumentSearch, query: str) -> None:
    assert ask(search, query, mode="hybrid").results == ()


@pytest.mark.parametrize(
    ("mode", "used"),
    [
        ("keyword", set()), ("graph", set()), ("semantic", {"similarityThreshold"}),
        ("hybrid", {"similarityThreshold", "fusionStrategy", "rrfK"}),
    ],
)  # fmt: skip
def test_metadata_tells_only_the_parameters_that_were_used(search: DocumentSearch, mode: str, used: set[str]) -> None:
    metadata = ask(search, "해약환급금", mode=mode).metadata.model_dump(by_alias=True)
    keys = ("similarityThreshold", "fusionStrategy", "rrfK", "vectorWeight")
    told = {key for key in keys if metadata[key] is not None}
    assert told == used
    assert metadata["queryTime"].endswith("ms") and metadata["mode"] == mode


def test_weighted_sum_weighs_the_lists(search: DocumentSearch) -> None:
    query = "이빨 심는 돈"
    orders = [
        [p.chunk_id for p in ask(search, query, mode="hybrid", fusion_strategy="weighted_sum", vector_weight=w,
                                 similarity_threshold=0.0).results]
        for w in (0.0, 1.0)
    ]  # fmt: skip
    assert orders[0] != orders[1]


def test_filters_keep_to_a_product_and_a_kind(search: DocumentSearch) -> None:
    found = ask(search, "보험료 예시", product_code="B00355005", kind="summary", top_k=20).results
    assert found and {p.document_id for p in found} == {"B00355005_5_S"}
    more = {"product_code": "B00355005", "kind": "terms", "similarity_threshold": 0.0}
    terms = ask(search, "보장개시일", top_k=50, **more).results
    assert {p.document_id for p in terms} <= {"암보험_약관", "[별표 15] 표준약관(질병·상해보험)"}
    assert not any("[뉴스타트암보험]" in p.heading_path for p in terms)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("topK", 0), ("topK", 101), ("similarityThreshold", 1.5), ("mode", "magic"), ("fusionStrategy", "max"),
        ("rrfK", 0), ("vectorWeight", -0.1), ("kind", "other"), ("query", ""), ("productCode", "X1"), ("unknown", 1),
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        SearchRequest.model_validate({"query": "암", field: value})
    assert caught.value.errors()[0]["loc"] == (field,)


def test_the_graph_tells_how_it_came_to_a_passage(search: DocumentSearch) -> None:
    found = ask(search, "암보험 제27조", mode="graph", top_k=20).results
    steps = {p.article: p.graph_path for p in found if p.graph_path is not None and p.document_id == "암보험_약관"}
    assert "제26조" in steps
    step = steps["제26조"]
    assert step is not None and step.edge in ("인용", "인용됨") and "제26조" in step.quote


def test_word_for_word_repeats_do_not_crowd_out_other_passages(search: DocumentSearch) -> None:
    found = ask(search, "배당금이 있나요", mode="hybrid", kind="terms", top_k=5, similarity_threshold=0.0).results
    assert len({p.text for p in found}) == 5


def test_equal_questions_get_equal_answers(search: DocumentSearch) -> None:
    once, again = (ask(search, "부활하려면 어떻게 하나요", mode="hybrid").results for _ in range(2))
    assert once == again


def test_the_clauses_that_the_products_name_exist(shipped: DocumentLibrary, catalogue: Catalogue) -> None:
    ranker = shipped.ranker("insurance")
    assert ranker is not None
    headings = {(c.doc_id, c.heading[-1]) for c in ranker.snapshot.chunks if c.kind == "terms" and c.heading}
    riders = {(c.scope.split("[")[0].replace(" ", ""), c.heading[-1]) for c in ranker.snapshot.chunks if c.scope}
    lines = {name: f"{name}보험" for name in ("암", "치아", "종신", "건강", "정기")} | {"치매": "치매간병보험"}
    missing = []
    for product in catalogue.products:
        sources = [faq.source for faq in product.faqs] + [rule.source for rule in product.surrender_rules]
        for source in sources:
            for part in re.findall(r"(?:([가-힣·]+ ?특약) 약관 )?(제\d+조(?:의\d+)?\([^)]+\))", source):
                rider, clause = part
                known = (
                    any(clause == head and rider.replace(" ", "") in scope for scope, head in riders)
                    if rider
                    else (f"{lines[product.category]}_약관", clause) in headings
                )
                if not known:
                    missing.append((product.name, source))
    assert missing == []


def test_a_page_image_marks_the_passage(search: DocumentSearch) -> None:
    passage = ask(search, "치매간병보험 제15조").results[0]
    document = search.document(passage.document_id)
    plain = page_png(document.file, passage.page)
    marked = page_png(document.file, passage.page, search.chunk(passage.chunk_id))
    assert plain.startswith(b"\x89PNG") and marked.startswith(b"\x89PNG") and plain != marked
    with pytest.raises(NotFound):
        page_png(document.file, 999)


def test_a_text_document_has_page_images_too(search: DocumentSearch) -> None:
    assert page_png(search.document("lina_info").file, 1).startswith(b"\x89PNG")


def test_unknown_documents_and_passages_are_errors(search: DocumentSearch) -> None:
    with pytest.raises(NotFound):
        search.document("없는문서")
    with pytest.raises(NotFound):
        search.chunk("0123")

"""Defaults, ranges and relations that the specification names."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.api import problems
from app.documents.library import DocumentLibrary
from app.documents.loader import FoundFile, load_file
from app.documents.search import DocumentSearch, SearchRequest
from app.documents.splitter import Splitter
from app.language.tokenizer import Tokenizer
from app.settings import Settings


def test_chunks_are_500_characters_with_an_overlap_of_100_by_default() -> None:
    fields = Settings.model_fields
    assert (fields["chunk_chars"].default, fields["chunk_overlap_chars"].default) == (500, 100)


def test_long_text_is_cut_at_sentences_and_overlaps(tmp_path: Path, tokenizer: Tokenizer) -> None:
    sentences = [f"우산을 빌린 지 {day}일이 지나면 하루에 {day * 100:,}원을 더 냅니다." for day in range(1, 81)]
    (tmp_path / "안내.txt").write_text("\n".join(sentences), encoding="utf-8")
    chunks = Splitter(500, 100, tokenizer.sentences).split(load_file(FoundFile(tmp_path / "안내.txt", "안내.txt")))
    assert len(chunks) > 3
    assert all(len(chunk.text) <= 600 for chunk in chunks)
    for chunk in chunks:
        assert all(line in sentences for line in chunk.text.split("\n"))  # no sentence and no figure is parted
    for one, other in pairwise(chunks):
        shared = set(one.text.split("\n")) & set(other.text.split("\n"))
        assert shared and sum(map(len, shared)) <= 100


def test_the_fusion_defaults_are_those_of_the_specification() -> None:
    request = SearchRequest(query="암")
    assert (request.mode, request.top_k, request.similarity_threshold) == ("semantic", 10, 0.3)
    assert (request.fusion_strategy, request.rrf_k, request.vector_weight) == ("rrf", 60, 0.6)


def test_the_rrf_constant_changes_the_fusion(search: DocumentSearch) -> None:
    query = "보험료를 못 내서 끊긴 계약을 다시 살리려면"
    scores = [
        [p.score for p in search.search(SearchRequest(query=query, mode="hybrid", rrf_k=k, top_k=30)).results]
        for k in (1, 1000)
    ]
    assert scores[0] != scores[1]


def test_the_threshold_means_the_same_in_semantic_and_hybrid_mode(search: DocumentSearch) -> None:
    query = "보험료를 못 내서 끊긴 계약을 다시 살리려면"
    found = [
        {p.chunk_id: p.confidence for p in search.search(SearchRequest(query=query, mode=mode, top_k=100)).results}
        for mode in ("semantic", "hybrid")
    ]
    shared = found[0].keys() & found[1].keys()
    assert len(shared) > 10
    assert all(found[0][name] == found[1][name] for name in shared)


@pytest.mark.parametrize(
    ("field", "value", "limits"),
    [
        ("topK", 101, ("100",)), ("similarityThreshold", 1.5, ("1",)), ("rrfK", 0, ("1",)),
        ("vectorWeight", -0.1, ("0",)), ("mode", "magic", ("keyword", "semantic", "graph", "hybrid")),
        ("fusionStrategy", "max", ("rrf", "weighted_sum")), ("kind", "x", ("terms", "summary", "company")),
    ],
)  # fmt: skip
def test_a_refusal_tells_the_range(field: str, value: object, limits: tuple[str, ...]) -> None:
    app = FastAPI()
    problems.install(app)

    @app.post("/")
    async def take(body: SearchRequest) -> None: ...

    error = TestClient(app).post("/", json={"query": "암", field: value}).json()["errors"][0]
    assert error["field"] == field
    assert all(limit in error["message"] for limit in limits)


def test_the_graph_follows_citations_definitions_and_clauses_of_one_article(
    make_library: Callable[[], DocumentLibrary], folder: Path
) -> None:
    long = "\n".join(f"{mark} 회사는 우산을 {n}번째로 고칩니다. " + "고친 날은 적어 둡니다. " * 12
                     for n, mark in enumerate("①②③④⑤", 1))  # fmt: skip
    (folder / "우산약관.txt").write_text(
        "제1조(용어의 정의) '큰우산'의 뜻은 지름 1미터가 넘는 우산입니다.\n"
        "제2조(빌림) 큰우산은 제3조(돌려줌)에 따라 돌려줍니다.\n"
        "제3조(돌려줌) 사흘 안에 돌려줍니다.\n"
        f"제4조(고침)\n{long}\n"
        "제5조(비용) 비용은 별표 1에 따릅니다.\n"
        "별표 1 비용표\n| 일 | 원 |\n|---|---|\n| 고침 | 3,000원 |\n",
        encoding="utf-8",
    )
    library = make_library()
    library.refresh([folder], "own")
    ranker = library.ranker("own")
    assert ranker is not None
    chunks = ranker.snapshot.chunks
    links = {(chunks[e.source].article, chunks[e.target].article, e.kind) for e in ranker.snapshot.graph.edges}
    assert {("제2조", "제3조", "인용"), ("제3조", "제2조", "인용됨"), ("제5조", "별표 1", "인용")} <= links
    assert {("제2조", "제1조", "용어 정의"), ("제4조", "제4조", "같은 조")} <= links

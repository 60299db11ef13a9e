"""The two document tools, called as the graph calls them and spoken as the planner speaks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.library import open_documents
from app.documents.search import DocumentSearch
from app.errors import BadRequest, ProductNotFound
from app.insurance.catalogue import Catalogue
from app.language.tokenizer import Tokenizer
from app.settings import Settings
from app.tools import rag_tools
from app.tools.context import ToolContext
from tests.state import lay_out

from .conftest import call_tool, say

TERMS, INFO = rag_tools.TOOLS


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, catalogue: Catalogue) -> Iterator[DocumentSearch]:
    settings = Settings(data_dir=lay_out(tmp_path_factory.mktemp("rag")))
    store = ChromaStore(settings.chroma_path)
    yield open_documents(settings, catalogue, build_embedder(settings), Tokenizer(), store)
    store.close()


@pytest.fixture
def ask(context: ToolContext, documents: DocumentSearch) -> Callable[..., Any]:
    async def run(tool: BaseTool, **args: Any) -> Any:
        return await call_tool(tool, args, replace(context, documents=documents))

    return run


def test_the_tools_have_their_fixed_names_and_arguments() -> None:
    schemas = {t.name: set(t.tool_call_schema.model_json_schema()["properties"]) for t in rag_tools.TOOLS}  # type: ignore[union-attr]
    wanted = {"query", "product_code", "top_k"}
    assert schemas == {"rag_terms_query_engine": wanted, "rag_product_info_query_engine": wanted}


async def test_terms_are_cited_with_article_and_page(ask: Callable[..., Any]) -> None:
    result = await ask(TERMS, query="청약철회는 며칠 안에 하나요", product_code="B00115023")
    assert result.count == len(result.passages) <= 5
    best = result.passages[0]
    assert (best.document_id, best.article) == ("암보험_약관", "제6조")
    text = say("rag_terms_query_engine", result)
    assert "[1]" in text and f"{best.page}쪽" in text and "제6조" in text


async def test_a_products_terms_are_those_of_its_line(ask: Callable[..., Any]) -> None:
    result = await ask(TERMS, query="면책기간과 보장개시일", product_code="B00197011", top_k=10)
    assert {p.document_id for p in result.passages} <= {"치아보험_약관", "[별표 15] 표준약관(질병·상해보험)"}


async def test_summaries_and_company_documents_are_searched_together(ask: Callable[..., Any]) -> None:
    company = await ask(INFO, query="고객센터 운영시간")
    assert company.passages[0].document_id == "lina_info"
    summary = await ask(INFO, query="보험료 예시", product_code="B00115023", top_k=3)
    assert summary.passages[0].document_id == "B00115023_6_S" and summary.count <= 3
    assert "상품요약서" in say("rag_product_info_query_engine", summary)


@pytest.mark.parametrize("tool", rag_tools.TOOLS)
async def test_what_no_document_says_is_not_found(ask: Callable[..., Any], tool: BaseTool) -> None:
    result = await ask(tool, query="김치찌개 끓이는 법")
    assert result.passages == ()
    assert "찾지 못했습니다" in say(tool.name, result)


async def test_customers_see_no_product_codes(ask: Callable[..., Any]) -> None:
    result = await ask(TERMS, query="부활", product_code="B00115023")
    assert "B00115023" not in say("rag_terms_query_engine", result, show_codes=False)


async def test_wrong_values_are_refused(ask: Callable[..., Any]) -> None:
    with pytest.raises(ProductNotFound):
        await ask(TERMS, query="부활", product_code="B00115029")
    with pytest.raises(BadRequest):
        await ask(TERMS, query="   ")

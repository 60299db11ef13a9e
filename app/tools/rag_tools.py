"""Document tools: passages of policy terms, and of product summaries and company documents, with clause and page."""

from __future__ import annotations

import asyncio
from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

from app.documents.search import Passage, SearchReply, SearchRequest
from app.errors import BadRequest
from app.insurance.models import Model, Product
from app.tools.arguments import CodeArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Runtime = ToolRuntime[ToolContext]
MAX_PASSAGES = 20
QueryArg = Annotated[
    str, Field(min_length=1, max_length=5000, description="문서에서 찾을 말이나 질문 (예: 청약 철회, 제11조)")
]
TopKArg = Annotated[int, Field(ge=1, le=MAX_PASSAGES, description="가져올 문단 수, 1~20")]


class FoundPassage(Model):
    """A passage one may cite: `score` 0 to 1 ranks within the answer, `confidence` 0 to 1 is calibrated and compares
    across answers; `page` counts from 1 in the document."""

    id: int
    document_id: str
    chunk_id: str
    title: str
    heading_path: str
    article: str
    product_code: str
    page: int
    page_end: int
    score: float
    confidence: float
    snippet: str
    text: str


class FoundPassages(Model):
    """Passages for a question, best first; none when nothing is sure enough.

    `source` says in Korean where was looked. `code` and `name` are those of the product that was asked about.
    """

    query: str
    source: str
    code: str | None
    name: str | None
    count: int
    passages: tuple[FoundPassage, ...]


@insurance_tool(looks_up="query")
async def rag_terms_query_engine(
    query: QueryArg, runtime: Runtime, product_code: CodeArg | None = None, top_k: TopKArg | None = None
) -> tuple[str, FoundPassages]:
    """보험 약관과 표준약관에서 질문에 맞는 조항 원문을 찾아 문서 이름, 조항, 쪽수와 함께 알려 준다."""
    product = _product(runtime.context, product_code)
    reply = await _search(runtime.context, query, product, top_k, "terms")
    return told(_found(query, "약관", product, reply.results))


@insurance_tool(looks_up="query")
async def rag_product_info_query_engine(
    query: QueryArg, runtime: Runtime, product_code: CodeArg | None = None, top_k: TopKArg | None = None
) -> tuple[str, FoundPassages]:
    """상품요약서와 회사 안내 문서에서 질문에 맞는 문단을 찾아 문서 이름, 쪽수와 함께 알려 준다."""
    product = _product(runtime.context, product_code)
    wanted = _wanted(runtime.context, top_k)
    summaries = await _search(runtime.context, query, product, wanted, "summary")
    company = await _search(runtime.context, query, product, wanted, "company")
    # both lists rank by share of their own best: the calibrated confidence is what compares across them
    merged = sorted((*summaries.results, *company.results), key=lambda p: (-p.confidence, p.document_id, p.page))
    return told(_found(query, "상품요약서와 회사 안내 자료", product, tuple(merged[:wanted])))


async def _search(
    context: ToolContext, query: str, product: Product | None, top_k: int | None, kind: str
) -> SearchReply:
    words = " ".join(query.split())
    if not words:
        raise BadRequest("찾을 말이 비어 있습니다. 궁금한 내용이나 조항 번호를 적어 주세요.")
    request = SearchRequest(
        query=words, mode="hybrid", top_k=_wanted(context, top_k), kind=kind,
        product_code=product.code if product else None,
    )  # fmt: skip
    return await asyncio.to_thread(context.documents.search, request)


def _wanted(context: ToolContext, top_k: int | None) -> int:
    return min(top_k or context.rag_top_k, MAX_PASSAGES)


def _product(context: ToolContext, code: str | None) -> Product | None:
    return context.catalogue.product(code) if code else None


def _found(query: str, source: str, product: Product | None, passages: tuple[Passage, ...]) -> FoundPassages:
    return FoundPassages(
        query=query, source=source, code=product.code if product else None, name=product.name if product else None,
        count=len(passages),
        passages=tuple(
            FoundPassage(
                id=number, document_id=p.document_id, chunk_id=p.chunk_id, title=p.title, heading_path=p.heading_path,
                article=p.article, product_code=p.product_code, page=p.page, page_end=p.page_end,
                score=p.score, confidence=p.confidence, snippet=p.snippet, text=p.text,
            )
            for number, p in enumerate(passages, 1)
        ),
    )  # fmt: skip


TOOLS = [rag_terms_query_engine, rag_product_info_query_engine]

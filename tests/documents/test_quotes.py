"""Quotations: whole sentences, short, and about what was asked."""

from __future__ import annotations

import re

import pytest

from app.documents.quotes import QUOTE_CHARS, Asked, quotation
from app.documents.search import DocumentSearch, SearchRequest

TEXT = (
    "① 계약자는 보험증권을 받은 날부터 15일 안에 청약을 철회할 수 있습니다. "
    "다만 청약한 날부터 30일이 지나면 철회할 수 없습니다.\n"
    "② 만 65세 이상인 계약자가 전화로 체결한 계약은 제1항 단서의 30일을 45일로 합니다.\n"
    "③ 다음 계약은 청약을 철회할 수 없습니다.\n1. 회사가 비용을 내어 건강진단을 지원한 진단계약\n"
    "⑤ 회사는 철회를 접수한 날부터 3영업일 안에 낸 보험료를 돌려드리고, 늦어지면 이율 1.5%로 계산한 이자를 더합니다."
)


def asked(query: str, *words: str) -> Asked:
    return Asked.read(query, words)


def test_a_short_passage_is_quoted_whole() -> None:
    assert quotation("자기부담금은 30,000원입니다.", asked("얼마")).text == "자기부담금은 30,000원입니다."


def test_a_quotation_is_whole_sentences_about_the_question() -> None:
    assert quotation(TEXT, asked("65세 어머니가 전화로 들었어요"), 60).text.startswith("② 만 65세")
    told = quotation(TEXT, asked("며칠 만에 돈이 들어와요", "보험료", "반환", "영업일"), 80).text
    assert told.startswith("⑤ 회사는 철회를 접수한 날부터 3영업일") and told.endswith(("더합니다.", "…"))


def test_a_quotation_knows_where_it_begins() -> None:
    found = quotation(TEXT, asked("65세 어머니가 전화로 들었어요"), 60)
    assert TEXT[found.at :].startswith("② 만 65세")


def test_a_figure_is_not_a_sentence_border() -> None:
    assert "이율 1.5%로 계산한" in quotation(TEXT, asked("이율", "이율", "이자"), 90).text


def test_a_sentence_that_is_too_long_is_cut_at_a_space_behind() -> None:
    told = quotation("가나다라 " * 100, asked("가나다라"), 50).text
    assert len(told) <= 50 and told.endswith("가나다라…") and told.startswith("가나다라")


@pytest.mark.parametrize(
    "query", ["청약철회 되나요", "보험료를 못 내면 어떻게 되나요", "해약하면 얼마 받나요", "암 보장은 언제부터"]
)
def test_every_quotation_of_the_corpus_begins_at_a_border(search: DocumentSearch, query: str) -> None:
    for passage in search.search(SearchRequest(query=query, mode="hybrid")).results:
        quoted = passage.snippet.rstrip("…")
        flat = " ".join(passage.text.split())
        assert 0 < len(passage.snippet) <= QUOTE_CHARS
        at = flat.index(quoted)
        assert at == 0 or re.search(r"[.다요음임함]$|\D\.$", flat[:at].rstrip()) or "\n" + quoted[:8] in passage.text

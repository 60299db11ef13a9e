"""Customers' words and those of the trade; words of documents, analysed together."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.documents.glossary import GLOSSARY, Glossary, read_entries
from app.documents.terms import TermReader, content_words
from app.errors import DataFaults
from app.language.normalise import compact
from app.language.tokenizer import Tokenizer
from app.settings import ROOT

ENTRIES = """
- {term: 부활 효력회복, says: [끊긴 보험을 살리다, 되살리다]}
- {term: 소멸시효, says: [때를 놓치다]}
"""


def build(tmp_path: Path, tokenizer: Tokenizer, text: str = ENTRIES) -> Glossary:
    (tmp_path / GLOSSARY).write_text(text, encoding="utf-8")
    return Glossary.build(read_entries(tmp_path / GLOSSARY), lambda said: content_words(tokenizer, said))


def test_a_saying_is_met_when_all_its_words_stand_in_the_question(tmp_path: Path, tokenizer: Tokenizer) -> None:
    glossary = build(tmp_path, tokenizer)

    def meant(question: str) -> tuple[str, ...]:
        return glossary.terms(frozenset(content_words(tokenizer, question)))

    assert {"부활", "효력"} <= set(meant("보험이 끊겼는데 어떻게 살리나요")) | set(meant("끊긴 보험을 살리고 싶어요"))
    assert "부활" in meant("되살리고 싶은데요")
    assert meant("보험을 들고 싶어요") == ()
    assert "소멸" in " ".join(meant("청구할 때를 놓쳤어요"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- {term: 부활}", "says"),
        ("- [", "YAML"),
        (ENTRIES + "- {term: 소멸시효, says: [늦다]}", "두 번"),
        ("- 1", "0"),
    ],
)
def test_every_fault_of_the_file_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / GLOSSARY).write_text(text, encoding="utf-8")
    with pytest.raises(DataFaults, match=told):
        read_entries(tmp_path / GLOSSARY)


def test_no_question_of_the_evaluation_stands_in_the_glossary() -> None:
    says = {compact(say) for entry in read_entries(ROOT / "data" / "language" / GLOSSARY) for say in entry.says}
    asked = {
        compact(json.loads(line)["query"])
        for path in (ROOT / "data" / "evaluation" / "retrieval").glob("*.jsonl")
        for line in path.read_text(encoding="utf-8").splitlines()
    }
    assert not says & asked and len(asked) > 300


def test_texts_analysed_together_have_the_words_they_have_alone(tokenizer: Tokenizer) -> None:
    texts = [
        f"제{n}조의2에 따라 {n},000원을 {n}일 안에 돌려드립니다.\n① 회사는 보험금을 지급합니다." for n in range(1, 300)
    ]
    assert tokenizer.tagged_many(texts) == [tokenizer.tagged(text) for text in texts]
    together = TermReader(tokenizer).all(texts)
    assert together == [TermReader(tokenizer).terms(text) for text in texts]
    assert "§제7조의2" in together[6] and "7000" in together[6]

"""What a provider's model is sent: prompts from files, the newest turns that fit, pairs whole, results short."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from app.errors import DataFaults
from app.graph.history import compacted, fitted
from app.graph.prompting import load_prompts
from app.graph.provider_reply import spoiled, whole
from app.insurance.catalogue import Catalogue

CONTENT = Path(__file__).resolve().parents[2] / "data"


def test_the_prompt_names_company_products_and_codes(catalogue: Catalogue) -> None:
    book = load_prompts(CONTENT, "라이나생명", catalogue.products)
    assert "라이나생명" in book.system and "{" not in book.system
    assert all(f"{product.name}, {product.code}" in book.system for product in catalogue.products)


def test_what_changes_from_turn_to_turn_stands_behind_what_does_not(catalogue: Catalogue) -> None:
    book = load_prompts(CONTENT, "라이나생명", catalogue.products)
    tail = book.tail(
        today="2026-11-20", sees_codes=True, facts={"age": 45}, rewritten="뜻", spent=True, hint="고치세요"
    )
    assert all(word in tail for word in ("2026-11-20", '"age": 45', "뜻", "고치세요"))
    assert "2026" not in book.system and "{facts}" not in tail


def test_an_edited_prompt_gets_another_version_and_broken_ones_are_all_told(
    catalogue: Catalogue, tmp_path: Path
) -> None:
    shutil.copytree(CONTENT / "prompts", tmp_path / "prompts")
    before = load_prompts(tmp_path, "가", catalogue.products)
    path = tmp_path / "prompts" / "system.md"
    path.write_text(path.read_text(encoding="utf-8") + "\n- 한 줄 더", encoding="utf-8")
    after = load_prompts(tmp_path, "가", catalogue.products)
    assert before.version != after.version and after.system.endswith("한 줄 더")
    path.write_text("머리말 없음", encoding="utf-8")
    (tmp_path / "prompts" / "rewrite.md").unlink()
    (tmp_path / "prompts" / "lines.yaml").write_text("today: 오늘\n", encoding="utf-8")
    with pytest.raises(DataFaults) as raised:
        load_prompts(tmp_path, "가", catalogue.products)
    files = {Path(fault.file).name for fault in raised.value.faults}
    assert files == {"system.md", "rewrite.md", "lines.yaml"}


def talk(turns: int, letters: int = 300) -> list[AnyMessage]:
    said: list[AnyMessage] = []
    for n in range(turns):
        said += [
            HumanMessage(f"질문 {n}", id=f"h{n}"),
            AIMessage("", id=f"a{n}", tool_calls=[{"name": "t", "args": {"n": n}, "id": f"c{n}"}]),
            ToolMessage(json.dumps({"글": "가" * letters}, ensure_ascii=False), tool_call_id=f"c{n}", name="t"),
            AIMessage(f"답 {n}", id=f"b{n}"),
        ]
    return said


@given(st.integers(1, 12), st.integers(500, 4000), st.integers(1, 20), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_calls_and_results_stay_together_and_the_newest_turn_is_whole(
    turns: int, tokens: int, most: int, unfinished: int
) -> None:
    said = talk(turns)[: len(talk(turns)) - unfinished]
    kept = fitted(said, max_turns=most, max_tokens=tokens, result_chars=2000)
    asked = [call["id"] for m in kept if isinstance(m, AIMessage) for call in m.tool_calls]
    answered = [m.tool_call_id for m in kept if isinstance(m, ToolMessage)]
    assert asked == answered
    questions = [m.content for m in kept if isinstance(m, HumanMessage)]
    assert questions == [f"질문 {n}" for n in range(turns - len(questions), turns)] and 1 <= len(questions) <= most


def test_results_are_cut_to_the_limit_and_stay_json() -> None:
    long = {"rows": [{"n": n, "글": "가" * 200, "empty": None} for n in range(200)], "total": 200}
    short = compacted(json.dumps(long, ensure_ascii=False), 3000)
    data = json.loads(short)
    assert len(short) <= 3000 and data["total"] == 200 and data["rows"][-1].startswith("그 밖에")
    assert "empty" not in data["rows"][0]


def test_small_results_lose_nothing_but_empty_fields() -> None:
    assert json.loads(compacted('{"a": 0, "b": false, "c": null, "d": "", "e": [1]}', 500)) == {
        "a": 0, "b": False, "e": [1],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "question", "kind"),
    [
        ("네, 20,625원이에요.", "얼마예요?", None),
        ("B00115023", "상품 코드가 뭐예요?", None),
        ("C50은 유방암(breast cancer) 코드예요.", "C50이 뭐예요?", None),
        ("", "얼마예요?", "empty"),
        ("... !!", "얼마예요?", "empty"),
        ("保险费是每月两万韩元。", "얼마예요?", "language"),
        ("The monthly premium is 20,625 won.", "얼마예요?", "language"),
        ("The monthly premium is 20,625 won.", "How much is it?", None),
    ],
)
def test_a_reply_in_another_language_or_without_words_is_spoiled(text: str, question: str, kind: str | None) -> None:
    assert spoiled(AIMessage(text), question) == kind


def test_a_cut_reply_ends_with_its_last_whole_sentence() -> None:
    cut = AIMessage("월 보험료는 20,625원이에요. 면책기간은 구십", response_metadata={"finish_reason": "length"})
    assert whole(cut).content == "월 보험료는 20,625원이에요."

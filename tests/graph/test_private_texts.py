"""What may be said though it shares letters with our prompts and cards, and how much may not."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from app.access import LOCAL_ADMIN
from app.graph.private_texts import repeats
from app.graph.turn import TurnContext
from app.safety.overlap import Protected, Repeating
from app.services import Services
from app.settings import ROOT
from tests.graph.test_output_guard import services

__all__ = ["services"]

PROMPT = (
    "도구의 내부 이름은 고객에게 말하지 않습니다. 숫자와 날짜는 도구 결과에 있는 것만 씁니다. "
    "뉴스타트암보험은 상품 목록에 있습니다. 보험과 관계없는 부탁은 정중히 거절합니다."
)
STORED = ("safety/development/answers.jsonl", "evaluation/safety/grounding.jsonl", "evaluation/safety/phrases.jsonl")


def counted(*known: str, most: int = 20) -> Repeating:
    protected = Protected.of([PROMPT], size=7, most=most, disguised=True, free=["뉴스타트암보험"])
    return Repeating([protected], lambda: known)


@pytest.fixture
def turn(services: Services) -> TurnContext:
    return services.talk.make_context(LOCAL_ADMIN, "t", "r")


@pytest.mark.parametrize(
    "text",
    [
        PROMPT,
        PROMPT.upper().replace(" ", ""),
        "\n".join(f"- '{part}'" for part in reversed(PROMPT.split(". "))),
        " ".join("\u200b".join(word) for word in PROMPT.split()),
        "-".join(PROMPT),
        "q".join(PROMPT),
        PROMPT[::-1],
        "숫자와 날짜는 도구 결과에. 어쩌고저쩌고. 부탁은 정중히 거절합니다.",
    ],
)
def test_repetition_is_found_in_any_order_and_dress_whole_and_in_pieces(text: str) -> None:
    assert counted().beyond(text)
    one = counted()
    found = [one.beyond(letter) for letter in text]
    assert any(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "숫자와 날짜는 도구 결과에",
        "숫자와 날짜는 도구 결과에. " * 20,  # the same phrase over and over tells no more
        "뉴스타트암보험은 좋은 보험입니다. 뉴스타트암보험입니다.",
        "보험료는 나이와 성별에 따라 다르니 나이를 알려 주세요.",
    ],
)
def test_a_short_phrase_is_no_repetition(text: str) -> None:
    assert not counted().beyond(text)


def test_what_was_said_before_may_be_repeated() -> None:
    asked = "숫자와 날짜는 도구 결과에 있는 것만 씁니다, 맞나요?"
    assert counted(most=15).beyond(asked) and not counted(asked, most=15).beyond(asked)
    assert counted(asked, most=15).beyond(f"{asked} {PROMPT}")


def test_a_repetition_beyond_a_piece_is_found_over_the_pieces() -> None:
    one = counted(most=15)
    parts = ["숫자와 날짜는 도", "구 결과에 있는 ", "것만 씁", "니다"]
    assert [one.beyond(part) for part in parts] == [False, False, True, True]


def _stored() -> Iterator[str]:
    for name in STORED:
        for line in (ROOT / "data" / name).read_text(encoding="utf-8").splitlines():
            yield str(json.loads(line)["text"])


def test_no_stored_answer_is_taken_for_a_repetition(turn: TurnContext) -> None:
    texts = list(_stored())
    assert len(texts) > 2000
    assert [text for text in texts if repeats(turn, (), text)] == []


def test_every_schema_and_every_half_card_is_known(turn: TurnContext) -> None:
    entries = [entry for entry in turn.snapshot.entries if entry.source == "builtin"]
    schemas = {entry.name: json.dumps(entry.openai_schema, ensure_ascii=False) for entry in entries}
    cards = {entry.name: "\n".join(entry.card.when_to_use[::2]) for entry in entries}
    for texts in (schemas, cards):
        assert [name for name, text in texts.items() if not repeats(turn, (), text)] == []


def test_the_index_is_made_once_for_a_prompt_book_and_a_tool_set(turn: TurnContext, services: Services) -> None:
    private = services.talk.parts.private
    other = services.talk.make_context(LOCAL_ADMIN, "u", "s")
    assert private.of(turn) is private.of(other)

"""Results without an English template are told field by field, never as a wall of Korean."""

from __future__ import annotations

from pathlib import Path

from app.answering.words import FieldWords
from app.language.english_answers import english_environment
from app.language.english_values import EnglishValues
from app.planner.english_shapes import QUOTED, EnglishSpeaker
from app.planner.moves import Done
from app.toolbox.declared import Declarations

LANGUAGE = Path("data/language")
TEMPLATES = Path("templates")


def told(data: dict[str, object]) -> str:
    values = EnglishValues(LANGUAGE / "english_words")
    environment = english_environment(TEMPLATES / "answers" / "en", values)
    speaker = EnglishSpeaker(TEMPLATES, FieldWords.load(LANGUAGE / "field_words.yaml"), environment, values)
    done = Done("tool_of_nobody", {}, "Made", data)
    return speaker.tell([done], {}, declared=Declarations(), show_codes=False).text


def test_fields_are_named_and_measured_by_their_names() -> None:
    text = told({"monthly_premium": 20500, "waiting_days": 90, "active": True, "discount_rate": 0.02})
    assert text.splitlines() == [
        "• Monthly premium: 20,500 won",
        "• Waiting days: 90 days",
        "• Active: yes",
        "• Discount rate: 2%",
    ]


def test_rows_are_lines_and_korean_values_are_translated_or_quoted() -> None:
    text = told({"items": [{"plan": "기본형", "amount": 10000}, {"plan": "모르는 이름", "amount": 5}], "note": ""})
    known, unknown = "• plan basic plan, amount 10,000 won", f"{QUOTED}• plan 모르는 이름, amount 5 won"
    assert text.splitlines() == ["Items:", known, unknown]


def test_long_korean_texts_are_cut() -> None:
    assert len(told({"text": "가나다라 " * 80})) < 110

"""Measuring answers: which engine a name means, and how turns are added up."""

from __future__ import annotations

import pytest

from app.evaluation.dialogues import Call, Turn
from app.evaluation.scoring import Heard, score_turn
from app.settings import OPENROUTER
from scripts.eval_answers import Grade, engine_settings, main, summary

CALL = Call("premium_estimate", {"age": 45})
USED = {"model_calls": 2, "input_tokens": 100, "output_tokens": 10, "cached_tokens": 60, "cost_usd": 0.5}


def test_a_name_means_the_planner_the_configured_model_or_a_model_at_an_address() -> None:
    planner, there = engine_settings("embedded"), engine_settings("qwen3:14b@http://127.0.0.1:11434/v1", fallback=False)
    assert planner.openrouter_api_key is None and planner.llm_base_url == OPENROUTER
    assert (there.openrouter_model, there.llm_fallback) == ("qwen3:14b", False)
    for wrong in ("qwen", "qwen@", "qwen@ftp://x"):
        with pytest.raises(ValueError, match="모델@"):
            engine_settings(wrong)


def test_turns_are_added_up_with_tokens_cost_and_who_answered() -> None:
    turn = Turn(user="얼마예요?", calls=(CALL,))
    reply = {"answer": "20,625원이에요.", "usage": USED, "engine_fault": None}
    right = score_turn("a", 1, turn, Heard(reply, (CALL,), 20.0, ()))
    wrong = score_turn("a", 2, turn, Heard({**reply, "engine_fault": "timeout"}, (), 40.0, ("1원",)))
    told = summary([right, wrong], [Grade(helpful=5, faithful=4), None])
    assert told["rates"]["first_tool"] == [1, 2] and told["rates"]["no_invention"] == [1, 2]
    assert (told["fallback"], told["faults"], told["cost_usd"]) == (1, ["timeout"], 1.0)
    assert told["tokens"] == {"input_tokens": 200, "output_tokens": 20, "cached_tokens": 120}
    assert (told["judged"], told["helpful"], told["faithful"]) == (1, 5, 4)


def test_what_cannot_be_read_is_told_and_ends_with_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cases", "nowhere.jsonl", "--engine", "embedded"]) == 2
    assert "nowhere.jsonl" in capsys.readouterr().err

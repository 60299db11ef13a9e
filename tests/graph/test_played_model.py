"""The model that is played from labelled talks: right where its label allows it, wrong at the wanted rate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.access import Principal
from app.composition import open_services
from app.evaluation.dialogues import load_dialogues
from app.settings import ROOT, Settings
from scripts.eval_answers import main
from scripts.play_model import Player, played_model
from tests.state import lay_out

TALK = {
    "id": "t",
    "turns": [
        {"user": "뉴스타트암보험 45세 남자 보험료 알려줘",
         "calls": [{"tool": "premium_estimate", "args": {"product_code": "B00115023", "age": 45, "gender": "M"}}]},
        {"user": "고마워요", "calls": []},
    ],
}  # fmt: skip


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "talks.jsonl"
    path.write_text(json.dumps(TALK, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


async def test_a_played_model_calls_what_the_label_says_and_tells_that_it_is_done(cases: Path, tmp_path: Path) -> None:
    async with played_model(Player(load_dialogues(cases))) as server:
        settings = Settings(
            _env_file=None, data_dir=lay_out(tmp_path / "var"), engine="model", llm_base_url=server.url,
            llm_price_input_usd=1.0,
        )  # fmt: skip
        async with open_services(settings) as services:
            reply = await services.talk.runner.ask(TALK["turns"][0]["user"], Principal("p", "staff"))
    [call] = [row for row in reply["trace"] if row["node"] == "tools"]
    assert (call["tool"], call["status"]) == ("premium_estimate", "ok")
    assert reply["engine_fault"] is None and reply["usage"]["model_calls"] == 2
    assert reply["usage"]["total_tokens"] > 1000 and reply["usage"]["cost_usd"] > 0.001


def test_it_errs_at_its_rate_and_always_on_the_same_questions() -> None:
    talks = load_dialogues(ROOT / "data/evaluation/dialogues/unseen.jsonl")
    questions = {turn.user for talk in talks for turn in talk.turns}
    for rate in (0.0, 0.2, 1.0):
        player, again = Player(talks, rate), Player(talks, rate)
        wrong = [question for question in questions if player.errs(question)]
        assert len(wrong) / len(questions) == pytest.approx(rate, abs=0.06)
        assert wrong == [question for question in questions if again.errs(question)]


def test_engines_are_compared_turn_by_turn_with_intervals(
    cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DATA_DIR", str(lay_out(tmp_path / "var")))
    report = tmp_path / "report.md"
    engines = ["--engine", "model", "--engine", "auto", "--error-rate", "0.3"]
    arguments = ["--cases", str(cases), *engines, "--play", "0", "--prices", "1:1", "--report", str(report)]
    assert main([*arguments, "--json"]) == 0
    alone, both = json.loads(capsys.readouterr().out)
    assert (alone["engine"], alone["right"], both["right"]) == ("model", 2, 2)
    assert both["planner"] >= 1 and sum(both["tokens"].values()) < sum(alone["tokens"].values())
    told: list[Any] = both["against_first"]["tokens"]
    assert told[1] <= told[0] <= told[2] < 0 and both["against_first"]["right"][0] == 0
    assert "| auto | +0.0%p" in report.read_text(encoding="utf-8")

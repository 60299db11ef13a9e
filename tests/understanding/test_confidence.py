"""How sure the planner is: the shipped model, what a threshold means, and a calibration from judged turns."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from app.errors import Unavailable
from app.settings import ROOT
from app.understanding.confidence import NEVER, REPORT, SHIPPED, ConfidenceModel, read_report
from scripts.calibrate import calibrated, checked, unread_authors
from scripts.confidence.fitting import Table, grown
from scripts.confidence.turns import JudgedTurn, read_turns, write_turns

UNREAD = ("consultation:u1", "consultation:u2", "consultation:u3")
AUTHORS = (*UNREAD, "consultation:r1", "consultation:r2", "dialogue:d1", "dialogue:d2")


def turns(count: int = 150) -> list[JudgedTurn]:
    """Turns whose answers are right by chance: the likelier, the greater a sign is."""
    dice = random.Random(7)
    made = []
    for author in AUTHORS:
        for number in range(count):
            margin = dice.random()
            wrong = dice.random() > 0.3 + 0.7 * margin
            signs = {"margin": margin, "noise": dice.random()}
            made.append(JudgedTurn(author, f"t{number // 5}", number % 5 + 1, wrong, signs))
    return made


@pytest.fixture(scope="module")
def fitted() -> tuple[ConfidenceModel, dict[str, object]]:
    return calibrated(turns(), UNREAD)


def test_the_confidence_is_the_share_that_is_right(fitted: tuple[ConfidenceModel, dict[str, object]]) -> None:
    model, report = fitted
    for over, share in ((True, 0.825), (False, 0.475)):
        signs = [t.signs for t in turns() if t.author in UNREAD and (t.signs["margin"] > 0.5) is over]
        assert sum(map(model.confidence, signs)) / len(signs) == pytest.approx(share, abs=0.08)
    found = report["sets"]["unread"]  # type: ignore[index]
    assert found["turns"] == 450 and found["ece"] < 0.15 and found["auc"] > 0.65
    assert 0.05 < found["kept"]["0.1"] < found["kept"]["0.2"] < 0.8


def test_a_threshold_keeps_no_more_wrong_answers_than_wanted(
    fitted: tuple[ConfidenceModel, dict[str, object]],
) -> None:
    model, _ = fitted
    assert model.threshold(0.6) <= model.threshold(0.2) <= model.threshold(0.1)
    none = model.model_copy(update={"curve": tuple(point for point in model.curve if point.wrong > 0.1)})
    assert none.threshold(0.1) == NEVER
    told = [(model.confidence(turn.signs), turn.wrong) for turn in turns() if turn.author in UNREAD]
    kept = [wrong for confidence, wrong in told if confidence >= model.threshold(0.15)]
    assert kept and sum(kept) / len(kept) <= 0.2


def test_a_first_question_has_a_threshold_of_its_own() -> None:
    """Where first answers are right more often than the same signs say within a talk, more of them are kept."""
    made = [JudgedTurn(t.author, t.talk, t.number, t.wrong and t.number > 1, t.signs) for t in turns()]
    model, report = calibrated(made, UNREAD)
    assert model.threshold(0.1, first=True) < model.threshold(0.1)
    force = {name: found["in_force"]["0.1"] for name, found in report["sets"].items()}
    assert "unread_first" not in force, "nothing to tell apart where all are right"
    assert force["unread_within"]["kept"] < force["unread"]["kept"]
    assert force["unread"]["wrong"] <= 0.12
    same = model.model_copy(update={"first_curve": ()})
    assert same.threshold(0.1, first=True) == same.threshold(0.1)
    assert report["sets"]["unread"]["most"]["0.1"] < 1


def test_the_written_model_says_what_the_learned_one_said(
    fitted: tuple[ConfidenceModel, dict[str, object]], tmp_path: Path
) -> None:
    model, _ = fitted
    table = Table.of(turns())
    learned = grown(table, table.by("consultation", "dialogue"))
    path = tmp_path / "trees.json"
    path.write_text(model.model_dump_json(), encoding="utf-8")
    again = ConfidenceModel.load(path)
    scores = [again.score(turn.signs) for turn in turns()[:200]]
    assert scores == pytest.approx(list(learned.scores(table.rows[:200])), abs=1e-3)


def test_kept_turns_hold_numbers_alone_and_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    write_turns(path, turns(3))
    assert read_turns(path) == turns(3)
    model, _ = calibrated(turns(), UNREAD)
    report = checked(model, turns(), UNREAD)
    assert report["made_of"] == model.made_of and len(report["authors"]) == 3


def test_a_damaged_model_is_refused_and_says_how_to_make_it(tmp_path: Path) -> None:
    path = tmp_path / "trees.json"
    whole = json.loads((ROOT / "data" / SHIPPED).read_text(encoding="utf-8"))
    loop = {**whole["trees"][0], "left": [0] * len(whole["trees"][0]["left"])}
    for broken in (
        "",
        "{}",
        json.dumps({**whole, "scores": []}),
        json.dumps({**whole, "weights": [1.0]}),
        json.dumps({**whole, "trees": [loop]}),
    ):
        path.write_text(broken, encoding="utf-8")
        with pytest.raises(Unavailable, match="calibrate"):
            ConfidenceModel.load(path)
    path.write_text("[", encoding="utf-8")
    assert read_report(path) is None and read_report(tmp_path / "none.json") is None


def test_the_shipped_report_belongs_to_the_shipped_model() -> None:
    model = ConfidenceModel.load(ROOT / "data" / SHIPPED)
    report = read_report(ROOT / "data" / REPORT)
    assert report is not None and report["made_of"] == model.made_of
    assert report["sets"]["consultations"]["ece"] <= 0.03
    assert report["sets"]["unread"]["ece"] <= report["sets"]["unread"]["ece_by_chance"] + 0.02
    unread = [name.partition(":")[2] for name in unread_authors(ROOT / "data")]
    assert [row["author"] for row in report["authors"]] == unread

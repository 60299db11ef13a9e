"""The model that chooses among routed tools in a talk: its file, its features, and tools it never saw."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.errors import DataFaults
from app.planner.conversation_model import FEATURES, SHIPPED, ConversationModel, describe, words_of
from app.planner.situation import Heard, Situation
from app.planner.talk_network import counts_of, dense_of
from scripts.training.talk_network import fit_network, untrained_network
from tests.conftest import ROOT

SHARES = Heard({"premium_estimate": 0.05, "coverage_summary": 0.05}, {"premium_estimate": 0.4, "coverage_summary": 0.4})
SEEN = Situation(
    asked="그럼 그건요",
    kinds=(),
    states=False,
    last_tool="coverage_summary",
    tools=("premium_estimate", "coverage_summary"),
    groups={"premium_estimate": "premium", "coverage_summary": "coverage"},
    arguments={
        "premium_estimate": frozenset({"product_code", "age"}),
        "coverage_summary": frozenset({"product_code"}),
    },
    standing=SHARES,
    alone=SHARES,
    joined=SHARES,
)


@pytest.fixture(scope="module")
def shipped() -> ConversationModel:
    return ConversationModel.load(ROOT / "data" / SHIPPED)


def column(seen: Situation, name: str) -> list[float]:
    return [float(value) for value in describe(seen)[:, FEATURES.index(name)]]


def test_the_last_tool_is_meant_again_where_nothing_tells_two_apart(shipped: ConversationModel) -> None:
    scores = shipped.scores(SEEN)
    assert scores[1] > scores[0]


def test_what_is_named_speaks_for_a_tool_that_takes_it(shipped: ConversationModel) -> None:
    aged = replace(SEEN, asked="55세면 어때요", kinds=("ages",))
    assert column(aged, "untaken_kinds") == [0.0, 1.0] and column(aged, "takes_all_kinds") == [1.0, 0.0]
    before, after = shipped.scores(replace(SEEN, asked="55세면 어때요")), shipped.scores(aged)
    assert after[0] - after[1] > before[0] - before[1]


def test_a_cue_and_a_hint_raise_their_tool(shipped: ConversationModel) -> None:
    plain = shipped.scores(SEEN)
    assert shipped.scores(replace(SEEN, continuing="premium_estimate"))[0] > plain[0]
    assert shipped.scores(replace(SEEN, hint="premium_estimate"))[0] > plain[0]


def test_a_tool_it_never_saw_is_judged_by_its_routes_alone(shipped: ConversationModel) -> None:
    tools = ("premium_estimate", "weather_lookup")
    heard = Heard({"weather_lookup": 0.06}, {"weather_lookup": 0.9})
    seen = replace(SEEN, asked="내일 비 와요?", tools=tools, last_tool=None, standing=heard, alone=heard, joined=heard)
    assert shipped.words(seen)[1] == 0.0
    assert int(shipped.scores(seen)[:-1].argmax()) == 1


def test_mere_talk_speaks_for_no_tool_and_substance_against_it(shipped: ConversationModel) -> None:
    def talk(seen: Situation) -> float:
        scores = shipped.scores(seen)
        return float(scores[-1] - scores[:-1].max())

    plain = replace(SEEN, asked="그렇군요", talk=(0.5, 0.5, 0.5))
    assert talk(replace(plain, talk=(0.95, 0.95, 0.95))) > talk(plain) > talk(replace(plain, substance=True))


def test_what_a_tool_still_lacks_is_counted() -> None:
    required = {
        "premium_estimate": frozenset({"product_code"}),
        "coverage_summary": frozenset({"product_code", "benefit"}),
    }
    assert column(replace(SEEN, required=required), "lacking") == [1.0, 2.0]
    assert column(replace(SEEN, required=required, known=("product_code",)), "lacking") == [0.0, 1.0]


def test_words_are_counted_without_spaces_and_case() -> None:
    one, two = words_of("TM은  되나요", None), words_of("tm은 되나요 ", None)
    assert sorted(one[0]) == sorted(two[0]) and one[1].sum() == two[1].sum()
    assert len(words_of("   ", None)[0]) == 0


def test_words_are_heard_behind_the_last_tool_too() -> None:
    first, later = words_of("그건요", None), words_of("그건요", "premium_estimate")
    shared = set(first[0]) & set(later[0])
    assert shared and shared != set(later[0])


def test_it_is_read_back_as_it_was_saved(shipped: ConversationModel, tmp_path: Path) -> None:
    shipped.save(tmp_path / "model.packed")
    again = ConversationModel.load(tmp_path / "model.packed")
    assert np.allclose(again.scores(SEEN), shipped.scores(SEEN), atol=1e-3)


def test_a_missing_or_broken_file_is_told_with_the_way_out(tmp_path: Path) -> None:
    broken = tmp_path / "ranker.packed"
    for content in (None, b"", b"PK\x03\x04 not a model"):
        if content is not None:
            broken.write_bytes(content)
        with pytest.raises(DataFaults, match="train_conversation"):
            ConversationModel.load(broken)


def test_the_network_gives_shares_of_the_tools_and_of_none(shipped: ConversationModel) -> None:
    seen = replace(SEEN, features={"c그럼": 1, "w그럼": 1, "c그건": 2})
    logs = shipped.network.log_shares(seen)
    assert logs.shape == (3,) and np.all(logs <= 0) and float(np.exp(logs).sum()) <= 1.001


def test_of_a_tool_that_the_network_never_saw_the_router_decides(shipped: ConversationModel) -> None:
    heard = Heard({"weather_lookup": 0.06}, {"weather_lookup": 0.9})
    seen = replace(SEEN, tools=("weather_lookup",), standing=heard, alone=heard, joined=heard)
    assert np.exp(shipped.network.log_shares(seen)[0]) == pytest.approx(0.9)
    assert np.exp(untrained_network().log_shares(SEEN)[:-1]) == pytest.approx([0.4, 0.4])


def test_a_network_learns_its_rows_and_the_same_rows_give_the_same_one() -> None:
    one = replace(SEEN, features={"w얼마": 1}, last_tool=None)
    two = replace(SEEN, features={"w보장": 1}, last_tool=None)
    labels = {"": 0, "premium_estimate": 1, "coverage_summary": 2}
    rows = [(one, (0,)), (two, (1,))] * 200
    learned, again = fit_network(rows, labels), fit_network(rows, labels)
    assert learned.log_shares(one).argmax() == 0 and learned.log_shares(two).argmax() == 1
    assert np.array_equal(learned.log_shares(one), again.log_shares(one))


def test_buckets_hold_damped_counts_and_what_is_unknown_is_left_out() -> None:
    places, values = counts_of({"w얼마": 1, "c얼마": 3})
    assert len(places) == 2 and sorted(values.tolist()) == pytest.approx([1.0, 1.0 + np.log(3)])
    labels = {"": 0, "premium_estimate": 1}
    plain = dense_of(SEEN, labels, {"ages": 0})
    aged = dense_of(replace(SEEN, kinds=("ages", "unheard")), labels, {"ages": 0})
    assert plain[0] == 0.0 and aged[0] == 1.0 and len(plain) == len(aged)

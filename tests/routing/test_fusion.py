"""The arithmetic of weighted reciprocal rank fusion."""

from __future__ import annotations

import numpy as np
import pytest

from app.routing.fusion import RRF_K, WEIGHTS, fuse, ranks_of


def scores(*values: float) -> np.ndarray:
    return np.asarray(values, dtype=np.float32)


def test_the_published_constants() -> None:
    assert RRF_K == 60
    assert {name: WEIGHTS[name] for name in ("bm25", "graph", "embedding", "annotation")} == {
        "bm25": 1.0,
        "graph": 1.0,
        "embedding": 1.0,
        "annotation": 0.2,
    }


def test_ranks_start_at_one_and_ties_share() -> None:
    assert ranks_of(scores(0.5, 0.9, 0.5, 0.1)).tolist() == [2, 1, 2, 4]


def test_what_does_not_score_has_no_rank() -> None:
    assert ranks_of(scores(0.0, 2.0), floor=0.0).tolist() == [np.inf, 1]


def test_each_source_adds_its_weight_over_k_plus_rank() -> None:
    fused = fuse([(scores(1, 2), 1.0), (scores(2, 1), 0.2)])
    assert fused[0] == pytest.approx(1 / 61 + 0.2 / 62)
    assert fused[1] == pytest.approx(1 / 62 + 0.2 / 61)


def test_a_tool_unknown_to_a_source_gains_nothing_there() -> None:
    assert fuse([(scores(1, np.inf), 1.0)]).tolist() == pytest.approx([1 / 61, 0.0])


def test_annotations_only_break_ties() -> None:
    worse_rank = fuse([(scores(1, 2), 1.0), (scores(2, 1), 0.2)])
    same_rank = fuse([(scores(1, 1), 1.0), (scores(2, 1), 0.2)])
    assert worse_rank[0] > worse_rank[1]
    assert same_rank[1] > same_rank[0]

"""The alignment table of annotation-aware-retrieval.txt."""

from __future__ import annotations

import pytest

from app.routing.annotation_scorer import alignment, compute_annotation_scores
from app.routing.intent import QueryIntent
from app.tools.declare import DESTROYS, READS, WRITES, Annotations

READ, WRITE, DELETE = QueryIntent(read=1.0), QueryIntent(write=1.0), QueryIntent(delete=1.0)


@pytest.mark.parametrize(
    ("intent", "hints", "score"),
    [
        (READ, READS, 1.0),
        (READ, WRITES, 0.3),
        (READ, DESTROYS, 0.3),
        (WRITE, READS, 0.0),
        (WRITE, WRITES, 1.0),
        (WRITE, DESTROYS, 1.0),
        (DELETE, DESTROYS, 1.0),
        (DELETE, WRITES, 0.1),
        (DELETE, READS, 0.0),
        (QueryIntent(), READS, 0.5),
        (READ, None, 0.5),
        (READ, Annotations(), 0.5),
    ],
)
def test_the_published_table(intent: QueryIntent, hints: Annotations | None, score: float) -> None:
    assert alignment(intent, hints) == pytest.approx(score)


def test_a_mixed_intent_weighs_both_rows() -> None:
    assert alignment(QueryIntent(read=0.5, delete=0.5), DESTROYS) == pytest.approx(0.65)


def test_a_neutral_intent_gives_no_scores() -> None:
    assert compute_annotation_scores(QueryIntent(), {"a": READS, "b": DESTROYS}) == {}


def test_tools_without_annotations_are_left_out() -> None:
    scores = compute_annotation_scores(DELETE, {"get_user": READS, "delete_user": DESTROYS, "unknown": None})
    assert scores == {"get_user": 0.0, "delete_user": 1.0}

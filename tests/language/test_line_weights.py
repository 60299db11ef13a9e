"""What features weigh in lines comes back from how often they stand there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.language.line_weights import Weighing, lines_from_parts, lines_to_parts
from app.language.postings import Postings, by_feature
from app.packed import open_packed, write_packed

LINES, WIDTH = 500, 90


def _lines() -> tuple[Postings, Weighing, np.ndarray]:
    """Postings of random lines with their weights, and how often each feature was counted, up to 40 times."""
    random = np.random.default_rng(11)
    features = [np.sort(random.choice(WIDTH - 1, random.integers(0, 14), replace=False)) for _ in range(LINES)]
    starts = np.cumsum([0, *map(len, features)])
    flat = np.concatenate(features)
    bare = by_feature(starts, flat, np.zeros(len(flat), np.float16), WIDTH)
    counts = np.minimum(random.geometric(0.6, len(flat)) ** 2, 40).astype(np.uint8)
    blocks = np.repeat(np.arange(3, dtype=np.uint8), WIDTH // 3)
    lengths = np.sqrt(np.array([0.4, 0.2, 0.07], dtype=np.float32))
    weighing = Weighing(random.uniform(1, 8, WIDTH).astype(np.float32), blocks, lengths)
    return bare._replace(values=weighing.weights(bare, counts, LINES)), weighing, counts


def test_the_weights_of_a_line_are_as_long_as_its_blocks() -> None:
    held, weighing, _ = _lines()
    lengths = np.bincount(weighing.groups(held), weights=held.values.astype(np.float64) ** 2, minlength=LINES * 3)
    expected = np.tile(weighing.lengths**2, LINES)
    np.testing.assert_allclose(lengths[lengths > 0], expected[lengths > 0], rtol=3e-3)


def test_lines_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    held, weighing, _ = _lines()
    write_packed(tmp_path / "lines.packed", lines_to_parts(held, weighing, LINES))
    with open_packed(tmp_path / "lines.packed") as stored:
        again = lines_from_parts(stored, weighing, LINES)
    np.testing.assert_array_equal(again.starts, held.starts)
    np.testing.assert_array_equal(again.lines, held.lines)
    np.testing.assert_allclose(again.values.astype(np.float32), held.values.astype(np.float32), rtol=4e-3)
    assert (again.values == held.values).mean() > 0.99


def test_counts_are_read_out_of_weights_where_a_feature_stands_once() -> None:
    held, weighing, counts = _lines()
    least = np.full(LINES * 3, 255)
    np.minimum.at(least, weighing.groups(held), counts)
    once = (least == 1)[weighing.groups(held)]
    np.testing.assert_array_equal(weighing.counts(held, LINES)[once], counts[once])


def test_features_of_the_same_lines_stand_together_and_lose_nothing() -> None:
    held, _, _ = _lines()
    order = held.alike_together()
    assert sorted(order) == list(range(WIDTH))
    ordered = held.ordered(order)
    runs = [ordered.lines[a:b].tolist() for a, b in zip(ordered.starts, ordered.starts[1:], strict=False)]
    assert runs == sorted(runs)
    back = ordered.ordered(np.argsort(order))
    for one, other in zip(back, held, strict=True):
        np.testing.assert_array_equal(one, other)


def test_parts_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    held, weighing, _ = _lines()
    parts = lines_to_parts(held, weighing, LINES)
    write_packed(tmp_path / "lines.packed", {**parts, "counts": np.ones(3, np.uint8)})
    with pytest.raises(ValueError, match="fit together"), open_packed(tmp_path / "lines.packed") as stored:
        lines_from_parts(stored, weighing, LINES)
    write_packed(tmp_path / "lines.packed", parts)
    with pytest.raises(ValueError, match="not there"), open_packed(tmp_path / "lines.packed") as stored:
        lines_from_parts(stored, weighing, LINES // 2)

"""What lines were learned from can be read back from how they are laid out for comparison."""

from __future__ import annotations

import numpy as np

from app.language.feature_space import Row
from app.language.kernel_heads import Supports

WIDTH, LINES = 60, 900


def _lines() -> list[Row]:
    """Lines of three to twelve features; the first features stand in most of them, the last in few."""
    random = np.random.default_rng(7)
    likely = 1.0 / np.arange(1, WIDTH + 1) ** 1.5
    found = []
    for _ in range(LINES):
        places = np.sort(random.choice(WIDTH, random.integers(3, 12), replace=False, p=likely / likely.sum()))
        values = random.uniform(0.1, 0.9, len(places)).astype(np.float16).astype(np.float32)
        found.append((places.astype(np.intp), values))
    return found


def test_lines_are_read_back_in_the_order_asked_for() -> None:
    lines = _lines()
    supports = Supports.of(lines, np.zeros((LINES, 4), np.float32), WIDTH)
    assert 0 < len(supports.common) < WIDTH, "both ways of keeping a feature are to be read back"
    wanted = np.array([899, 0, 17, 450])
    for number, (places, values) in zip(wanted, supports.rows(wanted), strict=True):
        np.testing.assert_array_equal(places, lines[number][0])
        np.testing.assert_array_equal(values, lines[number][1])


def test_no_line_is_lost() -> None:
    lines = _lines()
    rows = Supports.of(lines, np.zeros((LINES, 4), np.float32), WIDTH).rows(np.arange(LINES))
    assert len(rows) == LINES
    assert sum(len(places) for places, _ in rows) == sum(len(places) for places, _ in lines)


def test_nothing_asked_for_is_nothing_read() -> None:
    supports = Supports.of(_lines(), np.zeros((LINES, 4), np.float32), WIDTH)
    assert len(supports.rows(np.array([], dtype=np.intp))) == 0


def test_likeness_is_the_cosine_however_a_feature_is_kept() -> None:
    lines, random = _lines(), np.random.default_rng(3)
    meaning = random.uniform(-1, 1, (LINES, 4)).astype(np.float32)
    supports = Supports.of(lines, meaning, WIDTH)
    dense = np.zeros((LINES, WIDTH), np.float32)
    for number, (places, values) in enumerate(lines):
        dense[number, places] = values
    asked, weights, meant = np.array([0, 1, 30, 59]), np.array([0.5, 0.2, 0.7, 0.1], np.float32), meaning[0]
    expected = dense[:, asked] @ weights + meaning @ meant
    np.testing.assert_allclose(supports.likeness(asked, weights, meant), expected, atol=1e-6)

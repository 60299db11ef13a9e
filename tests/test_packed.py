"""Weights come back from a packed file as they were rounded, and whatever is wrong with a file is told in one way."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.packed import Int8Rows, Part, narrow, open_packed, rounded, write_packed

PARTS: dict[str, Part] = {
    "halves": np.linspace(-2, 2, 30).astype(np.float16).reshape(5, 6),
    "whole": np.array([0, 7, 70_000], dtype=np.uint32),
    "none": np.zeros((0, 4), np.float32),
    "text": "보험료\n얼마",
    "names": ("c보험", "w보험료/N", "p\n줄", ""),
}


def _matrix(rows: int = 400, width: int = 24) -> NDArray[np.float32]:
    """Rows of very different lengths, one of them empty."""
    random = np.random.default_rng(5)
    matrix = random.normal(size=(rows, width)) * np.exp(random.normal(0, 3, size=(rows, 1)))
    matrix[3] = 0.0
    return matrix.astype(np.float32)


def test_every_kind_of_part_comes_back_with_its_shape_and_type(tmp_path: Path) -> None:
    rows = Int8Rows.of(_matrix())
    write_packed(tmp_path / "made" / "w.packed", {**PARTS, "rows": rows})
    with open_packed(tmp_path / "made" / "w.packed") as stored:
        for name in ("halves", "whole", "none"):
            part = PARTS[name]
            assert isinstance(part, np.ndarray)
            found = stored.array(name)
            assert (found.dtype, found.shape) == (part.dtype, part.shape)
            np.testing.assert_array_equal(found, part)
        assert stored.text("text") == PARTS["text"]
        assert tuple(stored.names("names")) == PARTS["names"]
        np.testing.assert_array_equal(stored.rows("rows").steps, rows.steps)
        np.testing.assert_array_equal(stored.rows("rows").scales, rows.scales)
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["w.packed"]


def test_the_same_parts_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_packed(tmp_path / name, {**PARTS, "rows": Int8Rows.of(_matrix())})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_value_is_off_by_a_254th_of_its_rows_largest_at_most() -> None:
    matrix = _matrix()
    largest = np.abs(matrix).max(axis=1, keepdims=True)
    assert (np.abs(rounded(matrix) - matrix) <= largest / 253).all()
    assert not rounded(matrix)[3].any()


@pytest.mark.parametrize("summed", [False, True])
def test_what_was_rounded_once_is_rounded_to_itself(summed: bool) -> None:
    once = Int8Rows.of(_matrix(), summed=summed)
    again = Int8Rows.of(once.whole(), summed=summed)
    np.testing.assert_array_equal(once.steps, again.steps)
    np.testing.assert_array_equal(once.scales, again.scales)


def test_sums_over_all_rows_are_far_more_exact_where_they_are_what_is_wanted() -> None:
    matrix = np.random.default_rng(9).normal(size=(4_000, 8)).astype(np.float32)
    off = [np.abs((Int8Rows.of(matrix, summed=summed).whole() - matrix).sum(axis=0)).max() for summed in (False, True)]
    assert off[1] < off[0] / 5


def test_rows_are_weighed_as_in_the_whole_matrix() -> None:
    rows = Int8Rows.of(_matrix())
    numbers, weights = [5, 0, 5, 17], np.array([0.5, -1.0, 2.0, 0.1], dtype=np.float32)
    np.testing.assert_allclose(rows.weighed(numbers, weights), weights @ rows.whole()[numbers], rtol=1e-5)
    assert not rows.weighed(np.zeros(0, np.intp), np.zeros(0, np.float32)).any()


def test_numbers_take_as_few_bytes_as_the_largest_needs() -> None:
    assert [narrow(np.array(numbers, dtype=np.int64)).itemsize for numbers in ([], [255], [256], [70_000])] == [
        1,
        1,
        2,
        4,
    ]


@pytest.mark.parametrize("damage", ["empty", "garbage", "cut", "flipped", "other archive", "other part", "lacking"])
def test_a_damaged_file_is_a_value_error_however_it_is_damaged(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "w.packed"
    write_packed(path, {"halves": PARTS["halves"], "rows": Int8Rows.of(_matrix())})
    whole = path.read_bytes()
    if damage == "other archive":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("halves", b"")
    elif damage == "other part":
        write_packed(path, {"halves": "a text", "rows": "another"})
    elif damage == "lacking":
        write_packed(path, {"halves": PARTS["halves"]})
    else:
        middle = whole.index(b"rows.steps") + 200
        flipped = whole[:middle] + bytes(byte ^ 255 for byte in whole[middle : middle + 40]) + whole[middle + 40 :]
        cut = {"empty": b"", "garbage": b"PK\x03\x04 no weights", "cut": whole[: len(whole) // 2], "flipped": flipped}
        path.write_bytes(cut[damage])
    with pytest.raises(ValueError, match=r"w\.packed"), open_packed(path) as stored:
        stored.array("halves")
        stored.rows("rows")


def test_a_missing_file_is_told_as_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), open_packed(tmp_path / "none.packed"):
        pass

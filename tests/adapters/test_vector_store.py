"""Vectors on disk survive restarts, changes of the model and damage."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from app.adapters.vector_store import MAX_ROWS, ChromaStore
from app.errors import IndexBuildError
from app.settings import ROOT

DIMENSION = 8


def unit(rows: int, seed: int = 1, dimension: int = DIMENSION) -> NDArray[np.float32]:
    matrix = np.random.default_rng(seed).standard_normal((rows, dimension)).astype(np.float32)
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "var" / "chroma_data"


@pytest.fixture
def store(folder: Path) -> Iterator[ChromaStore]:
    opened = ChromaStore(folder)
    yield opened
    opened.close()


def test_what_was_written_comes_back_after_a_restart(folder: Path) -> None:
    vectors = unit(3)
    store = ChromaStore(folder)
    store.collection("cards", "model:1", DIMENSION).upsert(
        ["a", "b", "c"], vectors, [{"tool": "x", "line": 1}, {"tool": "y", "line": 2}, {}]
    )
    store.close()
    store = ChromaStore(folder)
    loaded = store.collection("cards", "model:1", DIMENSION).load()
    store.close()
    assert sorted(loaded.ids) == ["a", "b", "c"]
    assert loaded.matrix.dtype == np.float32
    for row, vector in zip("abc", vectors, strict=True):
        np.testing.assert_allclose(loaded.matrix[loaded.ids.index(row)], vector, atol=1e-6)
    assert dict(zip(loaded.ids, loaded.metadatas, strict=True)) == {
        "a": {"tool": "x", "line": 1},
        "b": {"tool": "y", "line": 2},
        "c": {},
    }


def test_an_empty_collection_loads_and_answers_nothing(store: ChromaStore) -> None:
    cards = store.collection("cards", "model:1", DIMENSION)
    ids, matrix, metadatas = cards.load()
    assert (ids, matrix.shape, metadatas, cards.count()) == ((), (0, DIMENSION), (), 0)
    assert cards.query(unit(1)[0], 3) == ()
    cards.upsert([], unit(0), [])
    cards.delete([])
    cards.delete(["unknown"])


def test_upsert_replaces_a_row_whole(store: ChromaStore) -> None:
    cards = store.collection("cards", "model:1", DIMENSION)
    first, second = unit(2)
    cards.upsert(["a"], first[None], [{"tool": "x", "old": True}])
    cards.upsert(["a"], second[None], [{"tool": "y"}])
    loaded = cards.load()
    assert loaded.ids == ("a",)
    assert loaded.metadatas == ({"tool": "y"},)
    np.testing.assert_allclose(loaded.matrix[0], second, atol=1e-6)
    cards.upsert(["a"], second[None], [{}])
    assert cards.load().metadatas == ({},)


def test_delete_removes_rows(store: ChromaStore) -> None:
    cards = store.collection("cards", "model:1", DIMENSION)
    cards.upsert(["a", "b"], unit(2), [{"tool": "x"}, {"tool": "y"}])
    cards.delete(["a"])
    assert cards.load().ids == ("b",)
    assert cards.count() == 1


def test_query_scores_by_cosine_and_filters(store: ChromaStore) -> None:
    cards = store.collection("cards", "model:1", DIMENSION)
    vectors = unit(20)
    cards.upsert([f"r{i}" for i in range(20)], vectors, [{"kind": "even" if i % 2 == 0 else "odd"} for i in range(20)])
    query = unit(1, seed=5)[0]
    exact = vectors @ query
    hits = cards.query(query, 5)
    assert [hit.id for hit in hits] == [f"r{i}" for i in np.argsort(-exact)[:5]]
    assert hits[0].score == pytest.approx(float(exact.max()), abs=1e-5)
    assert {hit.metadata["kind"] for hit in cards.query(query, 5, {"kind": "odd"})} == {"odd"}
    assert len(cards.query(query, 100)) == 20
    assert cards.query(query, 0) == ()


def test_more_rows_than_one_call_takes(store: ChromaStore) -> None:
    rows = MAX_ROWS + 600
    ids = [f"r{i}" for i in range(rows)]
    cards = store.collection("many", "model:1", 2)
    cards.upsert(ids, unit(rows, dimension=2), [{"i": i} for i in range(rows)])
    loaded = cards.load()
    assert set(loaded.ids) == set(ids)
    assert loaded.matrix.shape == (rows, 2)
    cards.delete(ids[1:])
    assert cards.count() == 1


def test_lengths_that_differ_are_refused(store: ChromaStore) -> None:
    with pytest.raises(ValueError, match="lengths differ"):
        store.collection("cards", "model:1", DIMENSION).upsert(["a"], unit(2), [{}])


def test_another_model_starts_an_empty_collection(store: ChromaStore) -> None:
    store.collection("cards", "model:1", DIMENSION).upsert(["a"], unit(1), [{"tool": "x"}])
    assert store.collection("cards", "model:1", DIMENSION).count() == 1
    changed = store.collection("cards", "model:2", 4)
    assert changed.count() == 0
    changed.upsert(["b"], unit(1, dimension=4), [{"tool": "x"}])
    assert store.collection("cards", "model:2", 4).load().ids == ("b",)


def test_another_dimension_starts_an_empty_collection(store: ChromaStore) -> None:
    store.collection("cards", "model:1", DIMENSION).upsert(["a"], unit(1), [{"tool": "x"}])
    assert store.collection("cards", "model:1", 16).count() == 0


def test_collections_do_not_mix_and_can_be_dropped(store: ChromaStore) -> None:
    store.collection("cards", "model:1", DIMENSION).upsert(["a"], unit(1), [{}])
    store.collection("documents", "model:1", DIMENSION).upsert(["b"], unit(1), [{}])
    assert store.names() == ("cards", "documents")
    store.drop("cards")
    store.drop("unknown")
    assert store.names() == ("documents",)
    assert store.collection("documents", "model:1", DIMENSION).load().ids == ("b",)


@pytest.mark.parametrize("damage", ["garbage", "cut short", "page overwritten"])
def test_a_damaged_folder_is_set_aside_and_built_anew(
    folder: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = ChromaStore(folder)
    store.collection("cards", "model:1", DIMENSION).upsert([f"r{i}" for i in range(200)], unit(200), [{"t": "x"}] * 200)
    store.close()
    database = folder / "chroma.sqlite3"
    content = bytearray(database.read_bytes())
    if damage == "garbage":
        content[:] = b"not a database" * 500
    elif damage == "cut short":
        content = content[: len(content) // 2]
    else:
        for start in range(4096, len(content), 8192):
            content[start : start + 4096] = os.urandom(4096)
    database.write_bytes(content)
    with caplog.at_level(logging.WARNING):
        store = ChromaStore(folder)
    cards = store.collection("cards", "model:1", DIMENSION)
    assert cards.count() == 0
    cards.upsert(["a"], unit(1), [{"tool": "x"}])
    assert cards.query(unit(1)[0], 1)[0].id == "a"
    store.close()
    assert "damaged" in caplog.text
    assert [path.name for path in folder.parent.iterdir() if path.name.startswith("chroma_data.damaged-")]
    store = ChromaStore(folder)
    assert store.collection("cards", "model:1", DIMENSION).load().ids == ("a",)
    store.close()


def test_damaged_vectors_rebuild_only_their_collection(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = ChromaStore(folder)
    store.collection("big", "model:1", DIMENSION).upsert(
        [f"r{i}" for i in range(3000)], unit(3000), [{"i": i} for i in range(3000)]
    )
    store.collection("small", "model:1", DIMENSION).upsert(["a"], unit(1), [{}])
    store.close()
    written = [file for file in folder.rglob("*.bin") if file.stat().st_size > 10_000]
    for file in (sibling for big in written for sibling in big.parent.iterdir()):
        file.write_bytes(b"")
    store = ChromaStore(folder)
    with caplog.at_level(logging.WARNING):
        big = store.collection("big", "model:1", DIMENSION)
    big.upsert(["b"], unit(1), [{}])
    assert big.load().ids[-1:] == ("b",)
    assert store.collection("small", "model:1", DIMENSION).load().ids == ("a",)
    store.close()


def test_a_path_that_cannot_be_a_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("x", encoding="utf-8")
    with pytest.raises(IndexBuildError, match="벡터 저장소 폴더"):
        ChromaStore(blocked / "chroma_data")


def test_processes_that_open_a_new_folder_at_once_disturb_none(tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from app.adapters.vector_store import ChromaStore as Store; "
    code += "Store(Path(sys.argv[1])).collection('lines', 'print', 4).count()"
    folder = tmp_path / "chroma_data"
    workers = [subprocess.Popen([sys.executable, "-c", code, str(folder)], cwd=ROOT) for _ in range(4)]
    assert [worker.wait(timeout=120) for worker in workers] == [0, 0, 0, 0]
    assert not list(tmp_path.glob("*damaged*"))

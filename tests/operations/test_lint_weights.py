"""A clone stays light: weights keep within their limit, and one release has one version of each file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.lint_weights import LIST, faults, weights_of, write_list
from tests.conftest import ROOT

PROJECT = '[project]\nversion = "{version}"\n[tool.weights]\nmost_bytes = {most}\n'
HEADS = "data/models/routing/heads.packed"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one weights file, listed and committed under release 1.0.0."""
    _git(tmp_path, "init", "-q")
    _project(tmp_path, "1.0.0")
    _commit(tmp_path, b"first")
    return tmp_path


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *who, *arguments), cwd=root, check=True, capture_output=True)


def _project(root: Path, version: str, most: int = 1000) -> None:
    (root / "pyproject.toml").write_text(PROJECT.format(version=version, most=most), encoding="utf-8")


def _weights(root: Path, held: bytes, file: str = HEADS) -> None:
    (root / file).parent.mkdir(parents=True, exist_ok=True)
    (root / file).write_bytes(held)


def _commit(root: Path, held: bytes) -> None:
    _weights(root, held)
    write_list(root)
    _git(root, "add", ".")
    _git(root, "commit", "-qm", "weights")


@pytest.mark.requirement("house:size:weights")
def test_the_shipped_weights_are_within_the_limit_and_as_the_list_says() -> None:
    assert len(weights_of(ROOT)) == 10
    assert list(faults(ROOT)) == []


@pytest.mark.requirement("house:size:weights")
def test_a_file_that_changed_after_its_release_is_a_fault(project: Path) -> None:
    assert list(faults(project)) == []
    _weights(project, b"second")
    (told,) = faults(project)
    assert told.startswith(HEADS) and "1.0.0" in told


@pytest.mark.requirement("house:size:weights")
def test_writing_the_list_anew_does_not_help_within_a_release(project: Path) -> None:
    _weights(project, b"second")
    write_list(project)
    (told,) = faults(project)
    assert "second version in release 1.0.0" in told
    _commit(project, b"second")
    assert list(faults(project)) == [told]


@pytest.mark.requirement("house:size:weights")
def test_the_next_release_may_hold_another_version(project: Path) -> None:
    _project(project, "1.1.0")
    _weights(project, b"new", "data/safety/other.packed")
    _commit(project, b"second")
    assert list(faults(project)) == []
    _project(project, "1.2.0")
    kept = (project / LIST).read_text(encoding="utf-8")
    write_list(project)
    assert (project / LIST).read_text(encoding="utf-8") == kept  # unchanged files stay with their release


def test_what_is_not_listed_not_there_too_new_or_too_large_is_told(project: Path) -> None:
    _weights(project, b"x", "data/safety/extra.npz")
    assert list(faults(project)) == [f"data/safety/extra.npz: not in {LIST}"]
    (project / "data/safety/extra.npz").unlink()
    _project(project, "0.9.0", most=4)
    (project / "data/models/notes.json").write_text("{}", encoding="utf-8")  # all of data/models counts
    size = sum(path.stat().st_size for path in (project / "data").rglob("*.*"))
    assert list(faults(project)) == [f"weights: {size} > 4 bytes", f"{HEADS}: of release 1.0.0, after 0.9.0"]
    _project(project, "1.0.0")
    (project / HEADS).unlink()
    assert list(faults(project)) == [f"{HEADS}: in {LIST}, but not there"]


def test_without_a_history_the_list_alone_is_kept(tmp_path: Path) -> None:
    _project(tmp_path, "1.0.0")
    _weights(tmp_path, b"first")
    write_list(tmp_path)
    assert list(faults(tmp_path)) == []

"""What a machine cannot run is named and counted, and never just missing; in CI it is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.setup_system import PARTS
from tests.left_out import NEEDS

ROOT = Path(__file__).resolve().parents[2]
OWN_TESTS = """
import pytest

@pytest.fixture
def postgres(): return 1

@pytest.fixture
def cluster(): return 1

def test_plain(): pass

@pytest.mark.parametrize("number", [1, 2])
def test_tables(postgres, number): pass

def test_workers(cluster): pass
"""
CONFTEST = """
from tests.left_out import LeftOut

def pytest_configure(config): config.pluginmanager.register(LeftOut())
"""


def run(folder: Path, *given: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """pytest on a machine that has none of the programs."""
    (folder / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (folder / "test_own.py").write_text(OWN_TESTS, encoding="utf-8")
    without = {name: value for name, value in os.environ.items() if name not in ("CI", "PYTEST_XDIST_WORKER")}
    return subprocess.run(
        [sys.executable, "-c", BARE, "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"),
         "--rootdir", str(folder), *given, str(folder)],
        cwd=ROOT, env={**without, "PYTHONPATH": str(ROOT), **environment}, capture_output=True, text=True, check=False,
    )  # fmt: skip


BARE = """
import sys
from dataclasses import replace
from scripts import setup_system
setup_system.PARTS = tuple(replace(part, is_here=lambda: False) for part in setup_system.PARTS)
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_tests_that_cannot_run_here_are_named_and_counted(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "돌리지 못한 시험 3개" in done.stdout and "3 deselected" in done.stdout
    assert "test_own.py: 2개 (PostgreSQL 없음)" in done.stdout
    assert "test_own.py: 1개 (PostgreSQL, Redis, nginx 없음)" in done.stdout


def test_in_ci_a_missing_program_is_an_error(tmp_path: Path) -> None:
    done = run(tmp_path, CI="true")
    assert done.returncode != 0 and "CI에 없는 프로그램" in done.stdout + done.stderr


def test_the_setup_names_what_is_missing_and_fails_in_ci_alone() -> None:
    def told(**environment: str) -> subprocess.CompletedProcess[str]:
        script = BARE.replace("import pytest\nsys.exit(pytest.main(sys.argv[1:]))", (
            "import os\nos.geteuid = lambda: 1000\nsys.exit(setup_system.main())"
        ))  # fmt: skip
        return subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, env={**os.environ, "CI": "", **environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    here = told()
    assert here.returncode == 0 and told(CI="true").returncode == 1
    for part in PARTS:
        assert part.name in here.stderr and " ".join(part.packages) in here.stderr


def test_every_fixture_that_needs_a_program_names_one_that_is_set_up() -> None:
    assert {part for parts in NEEDS.values() for part in parts} == {part.name for part in PARTS}


@pytest.mark.parametrize("workers", [2])
def test_the_summary_counts_once_what_several_processes_left_out(tmp_path: Path, workers: int) -> None:
    (tmp_path / "bare.py").write_text(BARE.partition("import pytest")[0], encoding="utf-8")
    done = run(tmp_path, "-n", str(workers), "-p", "bare", PYTHONPATH=f"{ROOT}{os.pathsep}{tmp_path}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "돌리지 못한 시험 3개" in done.stdout

"""What ties the engine to one catalogue is counted, and stays within the limits that pyproject.toml sets."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from scripts.lint_engine import above, counted, engine_files, engine_limits, measured
from tests.conftest import ROOT

MODULE = '''"""premium_estimate, 보험료"""
import re
NAMES = {"premium_estimate": "한 번", "other": "rider_get.j2"}
WORDS = re.compile(r"보험료").search("a") or re.sub("b", "c", "d")  # rider_get, 갱신
"""What premium_estimate tells."""
'''


@pytest.mark.requirement("loaded-tools:declared:card")
def test_the_engine_keeps_within_its_limits() -> None:
    limits = engine_limits(ROOT / "pyproject.toml")
    assert limits["tools"] == 0 and limits.keys() == {"tools", "hangul", "patterns"}
    assert above(measured(ROOT), limits) == []


def test_names_hangul_and_patterns_are_counted_in_code_alone() -> None:
    found = counted(MODULE, {"premium_estimate", "rider_get"})
    assert found == Counter(tools=2, hangul=2, patterns=2)
    assert above({"a.py": found}, {"tools": 1, "hangul": 2}) == ["tools: 2 > 1 (a.py 2)"]


def test_the_business_may_name_itself(tmp_path: Path) -> None:
    for name in ("tools/premium.py", "planner/goals.py", "errors.py", "computing.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("", encoding="utf-8")
    assert engine_files(tmp_path) == [tmp_path / "computing.py", tmp_path / "planner" / "goals.py"]

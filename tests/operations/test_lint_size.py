"""What is read in one go stays short: functions, classes and modules of app/."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from app.services import Desks, Knowledge, Services, Storage, Talk, Tools
from scripts.lint_size import found, size_limits, too_long
from tests.conftest import ROOT

SOURCE = """@decorated
@twice
async def short():
    pass


class Long:
    def method(self):
        a = 1
        return a
"""


@pytest.mark.requirement("house:size:limits")
def test_no_function_class_or_module_of_the_app_is_too_long() -> None:
    limits = size_limits(ROOT / "pyproject.toml")
    assert limits["function"] <= 60 and limits["class"] <= 250 and limits["module"] <= 350
    assert found(ROOT) == []


def test_each_kind_is_measured_by_its_own_limit_and_decorators_count_for_none() -> None:
    assert list(too_long(SOURCE, {"function": 3, "class": 3, "module": 9})) == [
        "module: 10 > 9 lines",
        "class Long, line 7: 4 > 3 lines",
    ]
    assert list(too_long(SOURCE, {"function": 2, "class": 4, "module": 10})) == ["function method, line 8: 3 > 2 lines"]


@pytest.mark.requirement("house:composition:bundles")
@pytest.mark.parametrize("bundle", [Services, Storage, Knowledge, Tools, Talk, Desks])
def test_what_a_face_is_handed_is_a_bundle_of_few_parts(bundle: type[Any]) -> None:
    assert len(fields(bundle)) <= 8

"""The sentences of the forms in English take what the Korean ones take."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ANSWERS = Path(__file__).resolve().parents[2] / "templates" / "answers"
MACRO = re.compile(r"{% macro ([^%]+?) %}")


@pytest.mark.parametrize("name", ["_forms.j2", "_deadlines.j2"])
def test_both_languages_have_the_same_sentences(name: str) -> None:
    korean, english = (
        sorted(MACRO.findall((folder / name).read_text(encoding="utf-8"))) for folder in (ANSWERS, ANSWERS / "en")
    )
    assert korean == english != []

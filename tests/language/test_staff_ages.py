"""Ages and genders as staff note them: 54/F, M/61, and what looks like them and is none."""

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader

TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("text", "age", "gender"),
    [
        ("54/F 골라담는암 ㄱㄴ?", 54, "F"),
        ("M/61 간편건강 가입", 61, "M"),
        ("38M 뉴스타트", 38, "M"),
        ("올해 56 자영업이에요 뉴스타트 되나요", 56, None),
        ("열여덟 재수생인데 채우는335 되나요", 18, None),
        ("1/3만 내면 되나요", None, None),
        ("2026/11/26 가입", None, None),
    ],
)
def test_ages_in_notes(catalogue: Catalogue, text: str, age: int | None, gender: str | None) -> None:
    said = EntityReader(catalogue).read(text, TODAY)
    assert next((m.age for m in said.ages), None) == age
    assert next((m.gender for m in said.genders), None) == gender

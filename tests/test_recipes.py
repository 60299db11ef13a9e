"""The recipes of CONTRIBUTING.md work as they are written, followed in a copy of the project."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.insurance.catalogue import load_catalogue
from app.language.ages import AgeReader
from app.language.numbers import NUMERALS
from app.safety.phrases import PhraseChecker
from app.word_files import WordFiles
from tests.recipes import copied, follow


@pytest.mark.requirement("run:recipes:replayed")
def test_a_product_is_added_as_contributing_says(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    follow("Add a product", copy)
    catalogue = load_catalogue(copy / "data", "라이나생명")
    assert len(catalogue.products) == 13
    (product,) = [product for product in catalogue.products if product.code == "B00401001"]
    assert product.name == "새봄암보험" and product.knockouts
    assert catalogue.premium("B00401001", 45, "M") == 19_800


@pytest.mark.requirement("run:recipes:replayed")
def test_a_guard_rule_is_added_as_contributing_says(tmp_path: Path) -> None:
    copy = copied(tmp_path)
    pressing, asking = "옆집도 다 들었으니 사모님만 남으셨어요.", "이웃분도 모두 가입하셨나요?"

    def found(text: str) -> list[str]:
        rules = load_catalogue(copy / "data", "라이나생명").reference.forbidden_phrases
        return [hit.rule_id for hit in PhraseChecker(rules).check(text)]

    assert found(pressing) == []
    assert follow("Add a guard rule", copy) == ["data/safety/forbidden_phrases.yaml"]
    assert found(pressing) == ["urg_last_one"] and found(asking) == []


@pytest.mark.requirement("run:recipes:replayed")
def test_a_language_form_is_added_as_contributing_says(tmp_path: Path) -> None:
    copy = copied(tmp_path)

    def ages(text: str) -> list[int]:
        return [mention.age for mention in AgeReader(WordFiles(copy / "data" / "language", NUMERALS)).find(text)]

    assert ages("벌써 45줄에 들어섰어요") == []
    assert follow("Add a language form", copy) == ["data/language/ages.yaml"]
    assert ages("벌써 45줄에 들어섰어요") == [45] and ages("45줄 띄우고 적어 주세요") == []
    assert ages("마흔다섯이에요") == [45]

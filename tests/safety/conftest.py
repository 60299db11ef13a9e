"""Real guards over the repository's own data."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from app.insurance.reference import ForbiddenPhrase
from app.language.tokenizer import Tokenizer
from app.safety.injection import InjectionCheck
from app.safety.output import OutputGuard
from app.safety.personal_data import PersonalDataMasker, shipped_masker
from app.safety.phrase_classifier import PhraseClassifier
from app.safety.phrases import PhraseChecker

CONTENT = Path(__file__).resolve().parents[2] / "data"
PRODUCTS = ("뉴스타트암보험", "골라담는암보험", "THE건강한치아보험V", "채우는335")
TOOLS = frozenset({"premium_estimate", "product_search", "customer_search"})


@pytest.fixture(scope="session")
def injection(tokenizer: Tokenizer) -> InjectionCheck:
    return InjectionCheck(CONTENT, tokenizer)


@pytest.fixture(scope="session")
def masker() -> PersonalDataMasker:
    return shipped_masker()


@pytest.fixture(scope="session")
def phrases(tokenizer: Tokenizer) -> PhraseChecker:
    rows = yaml.safe_load((CONTENT / "safety" / "forbidden_phrases.yaml").read_text(encoding="utf-8"))
    return PhraseChecker([ForbiddenPhrase(**row) for row in rows], PhraseClassifier(CONTENT, tokenizer))


@pytest.fixture(scope="session")
def guard(masker: PersonalDataMasker, phrases: PhraseChecker) -> OutputGuard:
    return OutputGuard(masker, phrases, PRODUCTS, lambda: TOOLS)

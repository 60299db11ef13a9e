"""The names a product goes by, and one form of a name for comparing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from app.insurance.models import Product

_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")
_KEPT = 8192  # the catalogue's own words, which every search compares with


@lru_cache(maxsize=_KEPT)
def name_key(text: str) -> str:
    """Letters and digits only, NFKC, lower case: equal for names that differ in spacing, case and punctuation alone."""
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).lower())


def names_of(product: Product) -> tuple[str, ...]:
    """Every name a product goes by: name, official name, nicknames."""
    return (product.name, product.official_name, *product.nicknames)

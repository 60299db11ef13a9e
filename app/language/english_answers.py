"""The environment of the answer templates in English: the filters of the Korean ones, in English."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment

from app.language.english_values import EnglishValues, counted, day, percent, won
from app.language.formatting import answer_environment

_SEXES = {"M": "man", "F": "woman"}


def english_environment(directory: Path, values: EnglishValues) -> Environment:
    """Templates of `directory`; `en` says a Korean value in English, `name` adds its gloss, `text` translates a
    sentence that is known, `plural` counts, `any_text` leaves out what has no English."""
    environment = answer_environment(directory)
    environment.filters.update(
        won=won, money=won, percent=_percent, age=_age, ages=_ages, gender=_gender, date_ko=day, josa=_bare,
        en=lambda text: values.value(str(text)), name=lambda text: values.name(str(text)),
        text=lambda text: values.text(str(text)), label=lambda text: values.label(str(text)), plural=counted,
        kind=lambda text: values.kind(str(text)),
    )  # fmt: skip
    return environment


def _percent(share: float, digits: int = 1) -> str:
    return percent(share)


def _age(years: int, kind: str = "") -> str:
    return f"age {years}"


def _ages(span: Mapping[str, Any]) -> str:
    return f"{span['min']} to {span['max']}" if span["min"] != span["max"] else f"{span['min']}"


def _gender(code: str) -> str:
    return _SEXES[code]


def _bare(word: str, pair: str = "") -> str:
    return word

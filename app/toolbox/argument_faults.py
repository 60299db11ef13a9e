"""What was wrong with a tool call's arguments, in Korean, for the model and for people who call tools by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_KOREAN = {
    "missing": "꼭 필요한 값입니다",
    "missing_argument": "꼭 필요한 값입니다",
    "extra_forbidden": "이 도구에 없는 인자입니다",
    "string_type": "글자여야 합니다",
    "int_type": "정수여야 합니다",
    "int_parsing": "정수여야 합니다",
    "int_from_float": "정수여야 합니다",
    "float_type": "숫자여야 합니다",
    "float_parsing": "숫자여야 합니다",
    "bool_type": "true 또는 false여야 합니다",
    "bool_parsing": "true 또는 false여야 합니다",
    "date_type": "날짜(YYYY-MM-DD)여야 합니다",
    "date_parsing": "날짜(YYYY-MM-DD)여야 합니다",
    "date_from_datetime_parsing": "날짜(YYYY-MM-DD)여야 합니다",
    "list_type": "목록이어야 합니다",
    "literal_error": "다음 가운데 하나여야 합니다: {expected}",
    "string_pattern_mismatch": "형식이 맞지 않습니다(형식: {pattern})",
    "greater_than": "{gt}보다 커야 합니다",
    "greater_than_equal": "{ge} 이상이어야 합니다",
    "less_than": "{lt}보다 작아야 합니다",
    "less_than_equal": "{le} 이하여야 합니다",
    "too_short": "{min_length}개 이상이어야 합니다",
    "too_long": "{max_length}개 이하여야 합니다",
    "string_too_short": "{min_length}글자 이상이어야 합니다",
    "string_too_long": "{max_length}글자 이하여야 합니다",
}
_SHOWN = 40


def argument_faults(problems: Iterable[Mapping[str, Any]]) -> str:
    """One sentence that names each argument, what it must be and, where short, what was given."""
    told = dict.fromkeys(_told(problem) for problem in problems)
    return "인자가 올바르지 않습니다. " + "; ".join(told)


def named_faults(problems: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Each argument ("riders.0" for a part of one) with what is wrong with it."""
    return list(dict.fromkeys((_name(problem), _what(problem)) for problem in problems))


def _told(problem: Mapping[str, Any]) -> str:
    name, text = _name(problem), _what(problem)
    return f"{name}: {text}" if name else text


def _name(problem: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in problem["loc"])


def _what(problem: Mapping[str, Any]) -> str:
    template = _KOREAN.get(problem["type"], str(problem["msg"]))
    context = {key: str(value).replace(" or ", ", ") for key, value in problem.get("ctx", {}).items()}
    text = template.format(**context) if "{" in template and context else template
    given = problem.get("input")
    shown = f" (받은 값: {given!r})" if isinstance(given, str | int | float) and len(str(given)) <= _SHOWN else ""
    return f"{text}{shown}"

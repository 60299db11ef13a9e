"""What was wrong with a tool call's arguments, in Korean, for the model and for people who call tools by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from app.messages import worded, worded_table

_BY_TYPE = worded_table("wrong_arguments")
_SHOWN = 40


def argument_faults(problems: Iterable[Mapping[str, Any]]) -> str:
    """One sentence that names each argument, what it must be and, where short, what was given."""
    told = dict.fromkeys(_told(problem) for problem in problems)
    return worded("files.bad_arguments") + "; ".join(told)


def named_faults(problems: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """Each argument ("riders.0" for a part of one) with what is wrong with it."""
    return list(dict.fromkeys((_name(problem), _what(problem)) for problem in problems))


def _told(problem: Mapping[str, Any]) -> str:
    name, text = _name(problem), _what(problem)
    return f"{name}: {text}" if name else text


def _name(problem: Mapping[str, Any]) -> str:
    return ".".join(str(part) for part in problem["loc"])


def _what(problem: Mapping[str, Any]) -> str:
    template = _BY_TYPE.get(problem["type"], str(problem["msg"]))
    context = {key: str(value).replace(" or ", ", ") for key, value in problem.get("ctx", {}).items()}
    text = template.format(**context) if "{" in template and context else template
    given = problem.get("input")
    shown = (
        worded("argument_faults.given", given=given)
        if isinstance(given, str | int | float) and len(str(given)) <= _SHOWN
        else ""
    )
    return f"{text}{shown}"

"""Arithmetic that travels with an answer: what was reckoned from which figures, so that anybody can reckon it again."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from app.messages import worded

Operation = Literal["sum", "product", "difference", "quotient"]


class Derivation(BaseModel):
    """One calculation over whole numbers (원, 일, 개). `result` of a quotient is rounded half up.

    `figures` are the operands that must rest on results or on earlier derivations; `counts` (months of a year, days,
    pieces, people) come from the question or the calendar.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    operation: Operation
    figures: tuple[int, ...]
    counts: tuple[int, ...] = ()
    result: int


def added(figures: Sequence[int]) -> Derivation:
    """The sum of figures."""
    return _derived("sum", tuple(figures))


def times(figure: int, *counts: int) -> Derivation:
    """A figure times counts."""
    return _derived("product", (figure,), counts)


def as_counted(*counts: int) -> Derivation:
    """What a person counted in words of their own (일년 반: 18 months), times each other."""
    return _derived("product", (), counts)


def apart(one: int, other: int) -> Derivation:
    """How far two figures are apart, the larger less the smaller."""
    return _derived("difference", (max(one, other), min(one, other)))


def shared(figure: int, count: int) -> Derivation:
    """A figure shared by a count, to the whole 원. Raises ZeroDivisionError."""
    return _derived("quotient", (figure,), (count,))


def unsupported(derivations: Sequence[Derivation], known: Collection[int]) -> tuple[Derivation, ...]:
    """The derivations that do not hold: a wrong result, or a figure that neither `known` nor an earlier derivation
    that holds supports."""
    supported, failed = set(known), []
    for derivation in derivations:
        if _value(derivation) == derivation.result and supported.issuperset(derivation.figures):
            supported.add(derivation.result)
        else:
            failed.append(derivation)
    return tuple(failed)


def _derived(operation: Operation, figures: tuple[int, ...], counts: tuple[int, ...] = ()) -> Derivation:
    draft = Derivation(operation=operation, figures=figures, counts=counts, result=0)
    value = _value(draft)
    if value is None:
        raise ZeroDivisionError(worded("calculator.zero"))
    return draft.model_copy(update={"result": value})


def _value(derivation: Derivation) -> int | None:
    figures, counts = derivation.figures, derivation.counts
    if derivation.operation == "sum":
        return sum(figures)
    if derivation.operation == "difference":
        return figures[0] - figures[1] if len(figures) == 2 else None
    if derivation.operation == "product":
        return math.prod(figures) * math.prod(counts)
    return (2 * figures[0] + counts[0]) // (2 * counts[0]) if len(figures) == 1 == len(counts) and counts[0] else None

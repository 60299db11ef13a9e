"""Arithmetic travels with its operands, and whoever checks it finds every operand that was tampered with."""

from __future__ import annotations

from typing import Any

import pytest

from app.answering.calculator import Derivation, added, apart, shared, times, unsupported


def test_each_operation_gives_its_result() -> None:
    assert added([33_505, 20_015]).result == 53_520
    assert times(53_520, 12).result == 642_240
    assert apart(14_025, 18_805).result == 4_780
    assert shared(33_790, 30).result == 1_126


def test_a_chain_rests_on_the_figures_shown_alone() -> None:
    steps = [added([33_505, 20_015]), times(53_520, 12)]
    assert unsupported(steps, {33_505, 20_015}) == ()
    assert unsupported(steps, {33_505}) == tuple(steps)


@pytest.mark.parametrize(
    "changed",
    [{"figures": (33_505, 20_016)}, {"result": 53_521}, {"operation": "difference"}, {"figures": (33_505,)}],
    ids=lambda changed: "-".join(changed),
)
def test_a_tampered_step_is_found(changed: dict[str, Any]) -> None:
    step = added([33_505, 20_015]).model_copy(update=changed)
    assert unsupported([step], {33_505, 20_015}) == (step,)


@pytest.mark.parametrize("counts", [(0,), (), (3, 4)])
def test_a_quotient_by_nothing_does_not_hold(counts: tuple[int, ...]) -> None:
    step = Derivation(operation="quotient", figures=(100,), counts=counts, result=0)
    assert unsupported([step], {100}) == (step,)


def test_sharing_by_nothing_is_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        shared(100, 0)

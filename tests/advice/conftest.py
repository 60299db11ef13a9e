"""Proposals over the real tools, gate and data, without a database."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from app.access import Principal
from app.advice.book import AdviceBook, load_advice
from app.advice.building import build
from app.advice.calls import Told
from app.advice.inquiring import inquirer
from app.advice.models import Proposal, ProposalRequest
from app.insurance.catalogue import Catalogue
from app.toolbox.approvals import ApprovalGate
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot
from app.tools.context import ToolContext

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 3, 2)
CUSTOMER = Principal("web-1", "customer")


@dataclass(frozen=True)
class _Context(ToolContext):
    """A tool context with the tool set in force, as a turn's."""

    snapshot: ToolSnapshot | None = None


@dataclass(frozen=True)
class Made:
    """A proposal and every result that its calls gave."""

    proposal: Proposal
    results: tuple[Any, ...]
    calls: tuple[tuple[str, str], ...]

    @property
    def figures(self) -> frozenset[int]:
        """Every whole number in the results."""
        return frozenset(_numbers(self.results))


def _numbers(value: Any) -> list[int]:
    if isinstance(value, dict):
        return [n for item in value.values() for n in _numbers(item)]
    if isinstance(value, list | tuple):
        return [n for item in value for n in _numbers(item)]
    return [value] if isinstance(value, int) and not isinstance(value, bool) else []


Propose = Callable[..., Awaitable[Made]]


@pytest.fixture(scope="session")
def book(catalogue: Catalogue) -> AdviceBook:
    """The shipped advice."""
    found = load_advice(ROOT / "data", "라이나생명", catalogue)
    assert found is not None
    return found


@pytest.fixture(scope="session")
def propose(catalogue: Catalogue, book: AdviceBook) -> Propose:
    """`await propose(household={...}, wishes={...})` → the proposal with what its calls gave."""
    snapshot = ToolSnapshot(1, load_builtin_entries(ROOT / "data"))
    nothing = cast(Any, None)  # no database: the tools that a proposal calls only read

    def make_context(principal: Principal, thread_id: str, run_id: str) -> _Context:
        return _Context(
            principal=principal, catalogue=catalogue, customers=nothing, documents=nothing, phrases=nothing,
            masker=nothing, today=lambda: TODAY, snapshot=snapshot,
        )  # fmt: skip

    async def still() -> None:
        return None

    opened = inquirer(make_context, ApprovalGate(nothing), still)

    async def made(principal: Principal = CUSTOMER, **told: Any) -> Made:
        invoke = await opened(principal, "run", "api")
        results: list[Any] = []
        calls: list[tuple[str, str]] = []

        async def recorded(tool: str, args: dict[str, Any]) -> Told:
            answer = await invoke(tool, args)
            results.append(answer.data)
            calls.append((tool, repr(sorted(args.items()))))
            return answer

        proposal = await build(ProposalRequest.model_validate(told), recorded, book)
        return Made(proposal, tuple(results), tuple(calls))

    return made

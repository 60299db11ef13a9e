"""Times proposals: computed, kept, edited and printed, for a couple with two children.

`python -m scripts.bench_advice [--rounds N] [--write]`: opens the real services and prints a table; `--write` puts it
into docs/benchmarks.md between its marks, with the commit.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Awaitable, Callable

from app.access import LOCAL_ADMIN, Principal
from app.advice.edits import LeaveOut
from app.advice.models import ProposalRequest
from app.advice.paper import as_pdf
from app.composition import open_services
from app.settings import ROOT, Settings
from scripts.bench_turn import quantiles
from scripts.benchmark_notes import measured_on, write_section

FAMILY = ProposalRequest.model_validate(
    {
        "household": {
            "people": [
                {"age": 45, "sex": "M", "job": "사무직", "told": ["고혈압약 복용 중"]},
                {"age": 42, "sex": "F", "role": "partner"},
                {"age": 12, "sex": "M"},
                {"age": 8, "sex": "F"},
            ],
            "budget": {"amount": 200_000},
        }
    }
)
CUSTOMER = Principal("visitor:bench", "customer")


async def timed(rounds: int, work: Callable[[], Awaitable[object]]) -> list[float]:
    """What each round of some work takes, ms; the first one is not counted."""
    took = []
    for _ in range(rounds + 1):
        started = time.perf_counter()
        await work()
        took.append((time.perf_counter() - started) * 1000)
    return took[1:]


async def measure(rounds: int) -> list[tuple[str, str, str]]:
    """Rows of (what, measured, target)."""
    async with open_services(Settings(twin_process=False)) as services:
        desk = services.talk.proposals
        assert desk is not None
        company, names = services.settings.company_name, []

        async def kept() -> None:
            names.append((await desk.create(CUSTOMER, FAMILY)).kept.proposal_id)

        async def edited() -> None:
            await desk.edit(CUSTOMER, names[-1], [LeaveOut(kind="without", what="dental")])

        async def printed() -> None:
            await asyncio.to_thread(as_pdf, shown, desk.book, company, ROOT / "templates")

        computed = await timed(rounds, lambda: desk.compute(CUSTOMER, FAMILY, "bench"))
        created, changed = await timed(rounds, kept), await timed(rounds, edited)
        shown = await desk.read(CUSTOMER, names[0])
        on_paper = await timed(rounds, printed)
        for name in names:
            await desk.delete(LOCAL_ADMIN, name)
    return [
        ("a proposal computed", quantiles(computed), "p50 ≤ 150"),
        ("computed and kept", quantiles(created), ""),
        ("edited, the next version kept", quantiles(changed), ""),
        ("PDF of a proposal", quantiles(on_paper), "p50 ≤ 500"),
    ]


def main() -> None:
    """Prints the table, and writes it with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    rows = asyncio.run(measure(args.rounds))
    lines = [f"{measured_on()}: `python -m scripts.bench_advice --rounds {args.rounds}`", ""]
    lines += ["| what, for a couple with two children | p50 / p95 / p99, ms | target |", "| --- | --- | --- |"]
    lines += [f"| {what} | {found} | {target} |" for what, found, target in rows]
    print("\n".join(lines))
    if args.write:
        write_section("bench_advice", "Proposals", "\n".join(lines))


if __name__ == "__main__":
    main()

"""Plays household consultations on the real services and compares the proposal at the end with what was told.

    python -m scripts.eval_households [--cases FILE …] [--first N] [--verbose]

Told by author: a share of talks for each thing compared, the median of answers before the first proposal, and every
recommendation that the products' rules forbid. `--verbose` names what is wrong by talk, never what was said.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from app.access import Principal
from app.advice.desk import Shown
from app.advice.models import Line
from app.composition import open_services
from app.consulting.telling import sums_told
from app.errors import AppError
from app.json_lines import read_jsonl
from app.services import Services
from app.settings import ROOT, Settings

FOLDER = ROOT / "data" / "evaluation" / "households"
TOLD_ON = date(2026, 11, 27)
COMPARED = ("proposal", "people", "budget", "without", "renewal", "health", "sums", "allowed", "figures")


@dataclass
class Score:
    """What one author's talks came to."""

    talks: int = 0
    right: Counter[str] = field(default_factory=Counter)
    whole: int = 0
    before: list[int] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """The shares in one line."""
        shares = ", ".join(f"{what} {self.right[what]}" for what in COMPARED)
        median = statistics.median(self.before) if self.before else float("nan")
        return (
            f"{name}: {self.talks} talks, as told in all {self.whole} ({self.whole / max(self.talks, 1):.0%}); "
            f"{shares}; answers before the first proposal: median {median:g}; forbidden: {len(self.forbidden)}"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code: 1 where something forbidden was recommended."""
    options = _options(argv)
    try:
        scores = asyncio.run(_scored(options.cases, options.first, verbose=options.verbose))
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    for name, score in scores.items():
        print(score.line(name))
    return int(any(score.forbidden for score in scores.values()))


async def _scored(paths: Sequence[Path], first: int | None, *, verbose: bool) -> dict[str, Score]:
    async with open_services(Settings(), today=lambda: TOLD_ON) as services:
        return {path.stem: await score(services, path, first, verbose=verbose) for path in paths}


async def score(services: Services, path: Path, first: int | None = None, *, verbose: bool = False) -> Score:
    """The score of one author's file, or of its first talks."""
    made, run = Score(), uuid.uuid4().hex[:8]
    for talk in read_jsonl(path)[:first]:
        before, shown = await _played(services, talk, run)
        right = compared(talk["final"], shown, services)
        made.talks += 1
        made.right.update(what for what in COMPARED if right[what])
        made.whole += all(right.values())
        if before is not None:
            made.before.append(before)
        if not right["allowed"]:
            made.forbidden.append(talk["id"])
        if verbose and not all(right.values()):
            print(f"{talk['id']}: {', '.join(what for what in COMPARED if not right[what])}")
    return made


async def _played(services: Services, talk: dict[str, Any], run: str) -> tuple[int | None, Shown | None]:
    """How many answers came before the first proposal (None: none came), and the proposal at the end."""
    role: Any = "staff" if talk["persona"] == "agent" else "customer"
    who = Principal(id=f"eval-{role}", role=role)
    named, before = None, None
    for number, turn in enumerate(talk["turns"]):
        reply = await services.talk.runner.ask(turn["user"], who, f"{run}-{talk['id']}")
        for block in reply["blocks"]:
            if block["type"] == "proposal":
                named = block["data"]["id"]
                before = number if before is None else before
    if named is None or services.talk.proposals is None:
        return before, None
    return before, await services.talk.proposals.read(who, named)


def compared(final: dict[str, Any], shown: Shown | None, services: Services) -> dict[str, bool]:
    """For each thing compared whether the proposal holds to what was told."""
    if shown is None or services.talk.proposals is None:
        return dict.fromkeys(COMPARED, False) | {"allowed": True, "figures": True}
    book, proposal, wishes = services.talk.proposals.book, shown.proposal, shown.request.wishes
    people = proposal.household.people
    budget = proposal.household.budget
    ids = {
        told["who"]: {p.id for p in people if p.age == told["age"] and told["sex"] in (None, p.sex)}
        for told in final["people"]
    }

    def lines_of(who: str | None) -> list[Line]:
        return [
            line for variant in proposal.variants for part in variant.people for line in part.lines
            if who is None or part.person in ids.get(who, set())
        ]  # fmt: skip

    wanted = sorted(told["age"] for told in final["people"])
    told_budget = final["budget"] and (final["budget"]["amount"], final["budget"]["per"])
    own_budget = budget and (budget.amount, budget.per if len(people) > 1 else (told_budget or ("", ""))[1])
    fixed = final["renewal"] == "none"
    never = [(item["who"], item["product"]) for item in final["never"]]
    gone = {book.what_of(word) for word in final["without"]}
    lines = lines_of(None)
    return {
        "proposal": True,
        "people": sorted(p.age for p in people) == wanted and all(ids.values()),
        "budget": own_budget == told_budget,
        "without": not any({line.need, *line.also, line.product.code} & gone for line in lines),
        "renewal": (wishes.renewal == "fixed") == fixed and not (fixed and any(_renews(line) for line in lines)),
        "health": all(any(p.told for p in people if p.id in ids.get(who, set())) for who in final["health"]),
        "sums": all(
            any(
                wish.need == book.need_of(told["need"]) and wish.amount == told["amount"]
                and (wish.person is None or wish.person in ids.get(told["who"], set()))
                for wish in wishes.sums
            )
            for told in final["sums"]
        ),
        "allowed": not any(line.product.name == name for who, name in never for line in lines_of(who)),
        "figures": not sums_told(proposal)[1],
    }  # fmt: skip


def _renews(line: Line) -> bool:
    return len(line.renewal.path) > 1


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, nargs="+", default=sorted(FOLDER.glob("*.jsonl")))
    parser.add_argument("--first", type=int, default=None, help="only the first talks of each file")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

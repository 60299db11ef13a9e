"""What a card would change: measured against the cards in force, off the event loop."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from app.editing.collisions import collisions, told
from app.editing.differences import as_data, card_diff
from app.editing.trials import RouteOf, Trial, line_effects, neighbours_of, rank_changes, suite_report
from app.routing.evaluation import Case, load_cases
from app.routing.router import Router
from app.toolbox.cards import ToolCard
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox

_NEW_LINES = 20


class CardMeasure:
    """Tries cards out, one at a time. Each call takes about a second of one core, mostly routing."""

    def __init__(self, toolbox: Toolbox, router: Router, evaluation: Path) -> None:
        """`evaluation` is the folder of the routing cases."""
        self.router = router
        self._toolbox, self._evaluation = toolbox, evaluation
        self._before: tuple[ToolSnapshot, RouteOf] | None = None

    def cases(self, *names: str) -> list[Case]:
        """The cases of these files."""
        return [case for name in names for case in load_cases(self._evaluation / name)]

    def suite(self, tool: str, card: ToolCard, saved: Sequence[Case] = ()) -> dict[str, Any]:
        """The routing suite before and after. `saved` are the questions that operators saved as cases."""
        before, after, _ = self._routes(tool, card)
        return suite_report([*self.cases("cases.jsonl"), *saved], before, after)

    def preview(self, tool: str, card: ToolCard, saved: Sequence[Case] = ()) -> dict[str, Any]:
        """What would change: lines, ranks of the tool and its neighbours, where new lines lead, collisions, suite."""
        before, after, trial = self._routes(tool, card)
        neighbours = neighbours_of(tool, trial, before)
        cases = [*self.cases("cases.jsonl", "development.jsonl"), *saved]
        held = set(trial.now.entry(tool).card.when_to_use)
        new = [line for line in card.when_to_use if line not in held]
        return {
            "diff": card_diff(as_data(trial.now.entry(tool).card), as_data(card)),
            **rank_changes(tool, neighbours, cases, before, after),
            "lines": line_effects(tool, new[:_NEW_LINES], before, after),
            "collisions": told(collisions(trial.after.index(trial.then), tool)),
            "suite": suite_report([*self.cases("cases.jsonl"), *saved], before, after),
        }

    def _routes(self, tool: str, card: ToolCard) -> tuple[RouteOf, RouteOf, Trial]:
        """Routing before and after; what was routed by the set in force is remembered while it is in force."""
        trial = Trial(self.router, self._toolbox.registry.snapshot(), self._toolbox.candidate(tool, card))
        if self._before is None or self._before[0] is not trial.now:
            self._before = (trial.now, trial.route_before())
        return self._before[1], trial.route_after(), trial

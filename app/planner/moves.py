"""What the planner may do next: call tools, or say something."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.answering.calculator import Derivation
from app.dialogue.state import Terms
from app.tools.results import NeedsInput


@dataclass(frozen=True)
class Call:
    """One tool call with its arguments."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Say:
    """A text. `grounds` are the figures and sources it rests on beside tool results; `asks` is a question back,
    `pending` the tool that waits for its answer with the arguments `given` so far. `idle`: a courtesy, or that
    nothing is known. `reckoned` is what of the text holds no longer than its `derivations` do, `total` the sum it
    tells, 원; `operator` what made it, `terms` what it was reckoned by, `of_all` that it sums up several answers;
    `about` the products that it is of, `riders` those that it names, `topic` the tool whose business it is of, where
    none was called. `cites` are the ids of the passages shown as sources (None: all found).
    """

    text: str
    grounds: tuple[str, ...] = ()
    asks: NeedsInput | None = None
    pending: str | None = None
    given: dict[str, Any] = field(default_factory=dict)
    idle: bool = False
    reckoned: str = ""
    derivations: tuple[Derivation, ...] = ()
    total: int | None = None
    operator: str | None = None
    terms: Terms = field(default_factory=Terms)
    of_all: bool = False
    cites: tuple[str, ...] | None = None
    topic: str | None = None
    about: tuple[str, ...] = ()
    riders: tuple[str, ...] = ()

    def extras(self) -> dict[str, Any]:
        """What rides on the message for the output guardrail and the reply."""
        found: dict[str, Any] = {}
        if self.grounds:
            found["grounds"] = list(self.grounds)
        if self.asks:
            found["needs_input"] = self.asks.model_dump(mode="json")
        if self.pending:
            found["pending"] = self.pending
            found["given"] = self.given
        if self.topic:
            found["topic"] = self.topic
        if self.operator:
            found["operator"] = self.operator
            found["reckoned"] = self.reckoned
            found["derivations"] = [derivation.model_dump(mode="json") for derivation in self.derivations]
            found["total"] = self.total
            found["of_all"] = self.of_all
            found["riders"] = list(self.riders)
            found["terms"] = self.terms.model_dump(mode="json", exclude_defaults=True)
        if self.about:
            found["about"] = list(self.about)
        if self.idle:
            found["idle"] = True
        if self.cites is not None:
            found["cites"] = list(self.cites)
        return found


Move = Say | tuple[Call, ...]


@dataclass(frozen=True)
class Done:
    """A finished call of this turn: its arguments and the artifact as JSON (`kind`, `data`)."""

    tool: str
    args: dict[str, Any]
    kind: str
    data: dict[str, Any]

    @property
    def ok(self) -> bool:
        return self.kind not in ("Error", "NeedsInput")

"""A turn as the planner finds it: the brief, what the message says, the tools at hand and what they found so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from app.answering.answering import Answering
from app.dialogue.state import Shown
from app.language.entities import EntityReader
from app.language.mentions import Entities
from app.planner.brief import Brief
from app.planner.moves import Done
from app.planner.signatures import Signature, read_signature

_EARLIER = 3


@dataclass(frozen=True)
class PlannerTurn:
    """`said` is what the message mentions, `done` what its calls found but for those in documents, which are `looked`;
    `signatures` are the bound tools, best first."""

    brief: Brief
    messages: Sequence[BaseMessage]
    said: Entities
    done: tuple[Done, ...]
    looked: tuple[Done, ...]
    signatures: Mapping[str, Signature]

    @property
    def asked(self) -> str:
        """The message as it came."""
        return self.brief.asked

    @property
    def shown(self) -> Sequence[Shown]:
        """What the last answers showed, newest first."""
        return self.brief.dialogue.shown

    @property
    def products(self) -> tuple[str, ...]:
        """The products that the message names, else those that the talk is of, or that were shown last."""
        return _products(self.brief, self.said)

    @property
    def only_looked_up(self) -> bool:
        """Whether nothing but documents was looked into."""
        return bool(self.looked) and not self.done

    @property
    def of_a_loaded_tool(self) -> bool:
        """Whether the message asks for a tool whose schema alone says what fills it."""
        return bool(self.brief.parts) and self.brief.parts[0][1][0] in self.brief.filled


def read_turn(
    brief: Brief,
    messages: Sequence[BaseMessage],
    tools: Sequence[dict[str, Any]],
    entities: EntityReader,
    answering: Answering,
    calls: Sequence[Done],
) -> PlannerTurn:
    """The turn of these messages, with these bound tools, after these `calls`."""
    said = entities.read(brief.asked, brief.today)
    signatures = {signature.name: signature for signature in map(read_signature, tools)}
    points_back = bool(brief.previous) and answering.points_back(said, brief.facts.last_args.get("action"))
    brief = replace(brief, points_back=points_back, among=_among(brief, said, signatures))
    done = tuple(item for item in calls if item.tool not in brief.lookups)
    looked = tuple(item for item in calls if item.tool in brief.lookups)
    told = [str(message.content) for message in messages if isinstance(message, HumanMessage)]
    before = told[-2 : -2 - _EARLIER : -1] if brief.dialogue.shown else []
    cause = answering.cause([entities.read(text, brief.today) for text in before])
    return PlannerTurn(replace(brief, cause=cause), messages, said, done, looked, signatures)


def _products(brief: Brief, said: Entities) -> tuple[str, ...]:
    facts = brief.facts
    return said.product_codes or ((facts.product_codes or facts.shown_products) if brief.previous else ())


def _among(brief: Brief, said: Entities, signatures: Mapping[str, Signature]) -> dict[str, dict[str, str]]:
    """By tool that looks up, the documents of the one product that is spoken of."""
    codes = _products(brief, said)
    takes = [tool for tool in brief.lookups if tool in signatures and "product_code" in signatures[tool].arguments]
    return {tool: {"product_code": codes[0]} for tool in takes} if len(codes) == 1 else {}

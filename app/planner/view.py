"""What one question offers to the filler of arguments: its words and mentions, the facts, and the tool meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.language.mentions import Entities, Mention
from app.planner.facts import PERSONS_ARGUMENTS, Facts
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations, Trait


@dataclass(frozen=True)
class View:
    """What one question offers to the filler."""

    question: str
    entities: Entities
    facts: Facts
    tool: str
    same_tool: bool
    today: date
    said: Entities
    declared: Declarations
    words: PlannerWords
    cause: str = ""

    def is_for(self, *traits: Trait) -> bool:
        """Whether the tool meant declares one of these traits."""
        return self.declared.has(self.tool, *traits)

    def after(self, *traits: Trait) -> bool:
        """Whether the last tool declares one of these traits."""
        return self.declared.has(self.facts.last_tool, *traits)

    @property
    def case(self) -> tuple[Mention, ...]:
        """What the message itself names that may be paid for."""
        said = self.said
        named: tuple[Mention, ...] = (*said.benefits, *said.medical, *said.coverages, *said.claims, *said.riders)
        return tuple(mention for mention in named if not mention.negated)

    def first(self, kind: str, attribute: str) -> Any:
        """The attribute of the mention of `kind` that was said last and not ruled out; a claim within the name of a
        product that the talk is of (치매간병보험) is none."""
        put = kind == "claims" and not self.said.products
        names = [(m.start, m.end) for m in self.entities.products] if put else []
        kept = [m for m in getattr(self.entities, kind) if not m.negated]
        kept = [m for m in kept if not any(start <= m.start and m.end <= end for start, end in names)]
        return getattr(kept[-1], attribute) if kept else None

    def kept(self, name: str) -> Any:
        """The argument of the last call of the same tool, while it is still the one asked about; what belongs to a
        person only while that person is still spoken of."""
        if not self.same_tool or (name in PERSONS_ARGUMENTS and self.facts.last_who not in (None, self.facts.who)):
            return None
        if name == "product_code" and not self.facts.product_codes:
            return None  # it was one of several asked about at once
        given = self.facts.last_args if self.tool == self.facts.last_tool else self.facts.calls.get(self.tool)
        if given and name == "customer_id" and given.get("customer_name") not in (None, self.facts.customer_name):
            return None  # the number of the customer before
        return (given or {}).get(name)

    def topic_words(self) -> str:
        """The question without requests and asking words: what it is about, when no entity tells."""
        words = self.words.view
        text = self.without_products()
        text = words.asking.sub("", words.request.sub(" ", text))
        return re.sub(r"[?？!.,~]+|\s+", " ", text).strip().rstrip("은는이가을를도요 ") or self.question.strip()

    def without_products(self) -> str:
        """The question without the products that it names."""
        return self.without("products")

    def without(self, *kinds: str) -> str:
        """The question without its mentions of these kinds."""
        text = self.question
        spans = {(m.start, m.end) for kind in kinds for m in getattr(self.entities, kind)}
        for start, end in sorted(spans, reverse=True):
            text = text[:start] + " " + text[end:] if end <= len(text) else text
        return text

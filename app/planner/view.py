"""What one question offers to the filler of arguments: its words and mentions, the facts, and the tool meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.language.mentions import Entities
from app.planner.facts import PERSONS_ARGUMENTS, Facts
from app.toolbox.declared import Declarations, Trait

_REQUEST = re.compile(
    r"(좀|한번|지금|혹시|그럼|그리고|근데|이거|그거|저기요?|알려|말해|찾아|보여|검사|확인|설명|가려|마스킹|만들어|뽑아|정리)"
    r"(해|줘|줄래|주세요|주실래요|주시겠어요|줄 수 있나요|해줘|해주세요|봐|봐줘|봐주세요|드려|달라)*"
)
_ASKING = re.compile(
    r"(이|가|은|는|을|를|도|의|에|로|으로)?\s*(뭐예요|뭐에요|뭐야|뭐죠|뭔가요|뭔지|무엇인가요|무슨 뜻|무슨 말|뜻|얼마"
    r"|어떻게|어떤|언제|되나요|돼요|되나|되죠|인가요|나와요|나오나요|있나요|있어요|할 수 있나요|가능한가요|가능해요"
    r"|받나요|주나요|줘요).*$"
)


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

    def is_for(self, *traits: Trait) -> bool:
        """Whether the tool meant declares one of these traits."""
        return self.declared.has(self.tool, *traits)

    def after(self, *traits: Trait) -> bool:
        """Whether the last tool declares one of these traits."""
        return self.declared.has(self.facts.last_tool, *traits)

    def first(self, kind: str, attribute: str) -> Any:
        """The attribute of the mention of `kind` that was said last and not ruled out."""
        kept = [m for m in getattr(self.entities, kind) if not m.negated]
        return getattr(kept[-1], attribute) if kept else None

    def kept(self, name: str) -> Any:
        """The argument of the last call of the same tool, while it is still the one asked about; what belongs to a
        person only while that person is still spoken of."""
        if not self.same_tool or (name in PERSONS_ARGUMENTS and self.facts.last_who not in (None, self.facts.who)):
            return None
        if name == "product_code" and not self.facts.product_codes:
            return None  # it was one of several asked about at once
        given = self.facts.last_args if self.tool == self.facts.last_tool else self.facts.calls.get(self.tool)
        return (given or {}).get(name)

    def topic_words(self) -> str:
        """The question without requests and asking words: what it is about, when no entity tells."""
        text = self.without_products()
        text = _ASKING.sub("", _REQUEST.sub(" ", text))
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

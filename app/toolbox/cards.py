"""Tool cards: how a customer asks for a tool. The function says what it does; the card of the same name says when."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from app.errors import DataFaults, Fault
from app.language.normalise import compact


class ToolCard(BaseModel):
    """One card of data/tool_cards/{module}.yaml. `when_not_to_use` reaches the model's description, never the index."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{2,63}$")
    title: str = Field(min_length=2, description="화면에 보이는 한국어 이름, 예: '보험료 계산'")
    purpose: str = Field(min_length=5, max_length=300)
    when_to_use: tuple[Annotated[str, Field(min_length=2, max_length=300)], ...] = Field(min_length=1)
    when_not_to_use: tuple[str, ...] = Field((), description="'이런 상황 → other_tool 사용'")
    tags: tuple[str, ...] = ()
    disclaimers: tuple[str, ...] = Field((), description="답변 아래 붙는 면책 문구 id (data/reference/disclaimers.yaml)")

    @model_validator(mode="after")
    def _no_duplicate_lines(self) -> ToolCard:
        seen: set[str] = set()
        for line in self.when_to_use:
            key = compact(line)
            if key in seen:
                raise ValueError(f"when_to_use에 같은 문장이 두 번 있습니다: {line!r}")
            seen.add(key)
        return self

    def lines(self) -> tuple[tuple[str, str, str], ...]:
        """`(document id, type, text)` of every line that is indexed: purpose, each use, tags."""
        head = (f"tool_{self.name}", "purpose", self.purpose)
        uses = tuple((f"tool_{self.name}__use_{i}", "use", text) for i, text in enumerate(self.when_to_use))
        tags = ((f"tool_{self.name}__tags", "tags", " ".join(self.tags)),) if self.tags else ()
        return (head, *uses, *tags)

    @property
    def content_hash(self) -> str:
        """Changes when any indexed line changes."""
        return hashlib.sha256("\n".join(text for _, _, text in self.lines()).encode()).hexdigest()[:16]


def card_from_description(name: str, description: str) -> ToolCard:
    """The stand-in card of a tool that came without one: its name and first paragraph."""
    purpose = " ".join(description.split())[:300] or name
    return ToolCard(name=name, title=name, purpose=purpose.ljust(5), when_to_use=(purpose,), tags=tuple(name.split("_")))


def load_cards(path: Path) -> dict[str, ToolCard]:
    """The cards of one file by tool name. Raises DataFaults with every fault of the file."""
    faults: list[Fault] = []
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8")) or []
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        raise DataFaults([Fault(str(path), mark.line + 1 if mark else 0, f"읽을 수 없습니다: {error}")]) from error
    if not isinstance(raw, list):
        raise DataFaults([Fault(str(path), 1, "카드 목록(- name: …)이어야 합니다")])
    cards: dict[str, ToolCard] = {}
    for index, item in enumerate(raw, 1):
        label = item.get("name", f"{index}번째 카드") if isinstance(item, dict) else f"{index}번째 카드"
        try:
            card = ToolCard.model_validate(item)
        except ValidationError as error:
            for problem in error.errors():
                where = ".".join(str(part) for part in problem["loc"])
                faults.append(Fault(str(path), _line_of(path, str(label)), f"{label}: {where}: {problem['msg']}"))
            continue
        if card.name in cards:
            faults.append(Fault(str(path), _line_of(path, card.name), f"카드 {card.name}이(가) 두 번 있습니다"))
        cards[card.name] = card
    if faults:
        raise DataFaults(faults)
    return cards


def _line_of(path: Path, name: str) -> int:
    needle = f"name: {name}"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if needle in line:
            return number
    return 0

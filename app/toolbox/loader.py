"""Joins tool functions with their cards. A card without a tool is a fault; a tool without a card is only warned of."""

from __future__ import annotations

import importlib
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import cast

from langchain_core.tools import BaseTool
from pydantic import ValidationError
from pydantic.errors import PydanticUserError

from app.access import ROLE_ORDER, Role
from app.answering.choices import listed_values
from app.answering.schema import SchemaView
from app.errors import DataFaults, Fault, ToolLoadError
from app.insurance.company import chosen_modules
from app.messages import worded
from app.toolbox.cards import ToolCard, card_from_description, load_cards
from app.toolbox.snapshot import ToolEntry
from app.tools.declare import Annotations

log = logging.getLogger(__name__)

BUILTIN_MODULES = (
    "product",
    "premium",
    "coverage",
    "underwriting",
    "compliance",
    "claims",
    "customer_db",
    "rag_tools",
)


def shipped_modules(content_dir: Path) -> tuple[str, ...]:
    """The shipped modules that this content folder uses: all, or those that its company.yaml names. Raises DataFaults
    for a name that is none of theirs."""
    return chosen_modules(content_dir, BUILTIN_MODULES)


def load_builtin_entries(content_dir: Path) -> tuple[ToolEntry, ...]:
    """The shipped tools in use, joined with tool_cards/{module}.yaml. Raises DataFaults with every fault of every
    file."""
    entries: list[ToolEntry] = []
    faults: list[Fault] = []
    for name in shipped_modules(content_dir):
        path = content_dir / "tool_cards" / f"{name}.yaml"
        try:
            cards = load_cards(path)
            entries += entries_of(importlib.import_module(f"app.tools.{name}"), name, cards)
        except DataFaults as error:
            faults += error.faults
        except ToolLoadError as error:
            faults += [Fault(f"tool_cards/{path.name}", 0, reason) for reason in error.faults]
    faults += [Fault("tool_cards", 0, reason) for reason in (*shared_names(entries), *shared_lines(entries))]
    if faults:
        raise DataFaults(faults)
    return tuple(entries)


def entries_of(
    module: ModuleType, name: str, cards: Mapping[str, ToolCard], source: str = "builtin"
) -> tuple[ToolEntry, ...]:
    """The entries of one module's TOOLS.

    Raises ToolLoadError naming every fault: no TOOLS, an item that is no tool, a bad schema, role or name, a name
    twice, a card without a tool. A tool without a card is logged as a warning and indexed by its description.
    """
    tools = getattr(module, "TOOLS", None)
    if not isinstance(tools, list | tuple) or not tools:
        raise ToolLoadError(name, [worded("loader.no_list", name=name)])
    faults: list[str] = []
    entries: list[ToolEntry] = []
    for item in tools:
        if not isinstance(item, BaseTool):
            faults.append(worded("loader.not_tool", item=item))
            continue
        if problem := _problem(item):
            faults.append(problem)
            continue
        card = cards.get(item.name)
        if card is None:
            log.warning(worded("loader.no_card"), item.name)
        entry = _entry(item, card, name, source)
        if problem := _schema_problem(entry):
            faults.append(problem)
            continue
        faults += argument_faults(entry)
        entries.append(entry)
    named = {item.name for item in tools if isinstance(item, BaseTool)}
    faults += shared_names(entries)
    faults += [worded("loader.no_function", card=card) for card in cards if card not in named]
    if faults:
        raise ToolLoadError(name, faults)
    return tuple(entries)


def _problem(tool: BaseTool) -> str | None:
    """Why this tool cannot be offered, or None."""
    role = (tool.metadata or {}).get("role", "staff")
    if role not in ROLE_ORDER:
        return worded("loader.unknown_role", tool=tool.name, role=role, role_order=", ".join(ROLE_ORDER))
    try:
        card_from_description(tool.name, tool.description)
    except ValidationError:
        return worded("loader.bad_name", tool=tool.name)
    return None


def _schema_problem(entry: ToolEntry) -> str | None:
    """Why this tool's arguments cannot be told a model, or None. The entry keeps what was found out."""
    try:
        entry.openai_schema  # noqa: B018
    except (PydanticUserError, ValueError, TypeError) as error:
        return worded("loader.no_description", entry=entry.name, error=error)
    return None


def _entry(tool: BaseTool, card: ToolCard | None, module: str, source: str) -> ToolEntry:
    declared = tool.metadata or {}
    annotations = declared.get("annotations")
    return ToolEntry(
        tool=tool,
        card=card or card_from_description(tool.name, tool.description),
        module=module,
        role=cast(Role, declared.get("role", "staff")),
        annotations=annotations if isinstance(annotations, Annotations) else None,
        source=source,
        has_own_card=card is not None,
        writes_when=tuple(declared.get("writes_when", ())),
        looks_up=declared.get("looks_up"),
    )


def argument_faults(entry: ToolEntry) -> list[str]:
    """A reason for each thing that the card says of an argument, or a value of one, that the tool does not take."""
    faults: list[str] = []
    schema = SchemaView.of(entry.openai_schema["function"].get("parameters"))
    for name, hint in entry.card.arguments.items():
        place = f"arguments.{name}: "
        if name not in entry.arguments:
            told = ", ".join(sorted(entry.arguments)) or worded("files.none")
            faults.append(worded("loader.no_argument", place=place, entry=entry.name, told=told))
            continue
        inner = schema.member(name)
        values = {str(value) for value, _ in (*listed_values(inner), *listed_values(inner.items()))}
        unknown = [value for value in hint.synonyms if value not in values]
        for part, wrong in (("synonyms", unknown), ("after", [value for value in hint.after if value not in values])):
            if wrong and values:
                faults.append(
                    worded(
                        "loader.not_taken",
                        place=place,
                        part=part,
                        wrong=", ".join(wrong),
                        values=", ".join(sorted(values)),
                    )
                )
        if unknown and not values:
            faults.append(worded("loader.no_values", place=place))
        shared = [
            word for word, times in Counter(w for words in hint.synonyms.values() for w in words).items() if times > 1
        ]
        faults += [worded("loader.two_values", place=place, word=word) for word in shared]
    return faults


def shared_names(entries: Sequence[ToolEntry]) -> list[str]:
    """A reason for each tool name that stands for two tools."""
    seen: dict[str, str] = {}
    reasons = []
    for entry in entries:
        if entry.name in seen:
            places = " / ".join(dict.fromkeys((seen[entry.name], entry.module)))
            reasons.append(worded("loader.twice", entry=entry.name, places=places))
        seen[entry.name] = entry.module
    return reasons


def shared_lines(entries: Sequence[ToolEntry]) -> list[str]:
    """A reason for each line that stands in the cards of two tools."""
    owner: dict[str, str] = {}
    reasons = []
    for entry in entries:
        for line, key in zip(entry.card.when_to_use, entry.card.line_keys, strict=True):
            first = owner.setdefault(key, entry.name)
            if first != entry.name:
                reasons.append(worded("loader.same_sentence", first=first, entry=entry.name, line=line))
    return reasons

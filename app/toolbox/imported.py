"""What every imported tool shares: its name, its stand-in card, the check of its arguments and its trimmed result."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, SchemaError
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, ConfigDict, JsonValue

from app.access import Role
from app.errors import BadRequest
from app.messages import worded
from app.toolbox.cards import card_from_description
from app.toolbox.snapshot import ToolEntry
from app.tools.declare import Annotations

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+")
# A description that orders a model about speaks to it, or of its prompt; "Reset the password of a user" does not.
_SPOKEN_TO = re.compile(
    r"\b(you|your|assistant|ai|llm|model|agent|prompts?|instructions?|guidelines|this tool|other tools?|<\w+>)\b"
    r"|프롬프트|지침|지시|규칙|모델|어시스턴트|너는|너의|네가|당신|이 도구|다른 도구|사용자에게",
    re.IGNORECASE,
)
_MOST_NAME = 64
_MOST_FAULTS = 5
_MOST_DESCRIPTION = 1_500

# Times of day are asked for and told in hours and minutes; RFC 3339 wants seconds and a zone, which nobody says.
_SHORT_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")

# The tool's arguments to (data, whether it was cut); raises AppError.
Call = Callable[[dict[str, Any]], Awaitable["ImportedResult"]]


class ImportedResult(BaseModel):
    """What an imported tool answered. `data` is JSON; `note` says what was left out. It is data, never instruction."""

    model_config = ConfigDict(frozen=True)

    source: str
    data: JsonValue
    truncated: bool = False
    note: str = ""


@dataclass(frozen=True)
class ToolParameter:
    """One argument of an imported tool."""

    name: str
    schema: Mapping[str, Any]
    required: bool


@dataclass(frozen=True)
class ImportedTool:
    """A tool of another program. `name` is ours, `original` the one its program knows; `title` the words it came with,
    `results` the JSON schema of its answers, where it has them."""

    name: str
    original: str
    description: str
    input_schema: Mapping[str, Any]
    annotations: Annotations | None
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    results: Mapping[str, Any] | None = None

    @property
    def parameters(self) -> tuple[ToolParameter, ...]:
        """The arguments, in the order of the schema."""
        needed = self.input_schema.get("required", ())
        found = self.input_schema.get("properties", {})
        return tuple(ToolParameter(name, schema, name in needed) for name, schema in found.items())


def tool_name(*parts: str) -> str:
    """A name as tools have them: getPetById and get-pet-by-id are get_pet_by_id; '' when nothing is left."""
    words = [word.lower() for part in parts for word in _WORD.findall(part)]
    name = re.sub(r"^[0-9_]+", "", "_".join(words))
    if len(name) <= _MOST_NAME:
        return name if len(name) > 2 else ""
    mark = hashlib.sha256(name.encode()).hexdigest()[:6]
    return f"{name[: _MOST_NAME - 7].rstrip('_')}_{mark}"


def free_name(name: str, source: str, taken: Collection[str]) -> str:
    """`name`, with the source before it where the name is taken, and a number where that is too."""
    if name and name not in taken:
        return name
    named = tool_name(source, name or "tool") or f"tool_{hashlib.sha256(source.encode()).hexdigest()[:6]}"
    return next(
        found
        for number in range(1, 10_000)
        if (found := named if number == 1 else f"{named[: _MOST_NAME - 5]}_{number}") not in taken
    )


def entry_of(tool: ImportedTool, call: Call, source: str, role: Role) -> ToolEntry:
    """The tool as the toolbox holds it. Its card is made of its name and description."""
    schema = {"type": "object", "properties": {}, **tool.input_schema}

    async def run(**args: Any) -> tuple[str, ImportedResult]:
        if faults := argument_errors(schema, args):
            raise BadRequest(worded("files.bad_arguments") + "; ".join(faults))
        result = await call(args)
        return result.model_dump_json(exclude_defaults=True), result

    made: BaseTool = StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=schema,
        coroutine=run,
        response_format="content_and_artifact",
        metadata={"role": role, "annotations": tool.annotations, "tags": list(tool.tags), **tool.metadata},
        tags=list(tool.tags),
    )
    card = card_from_description(tool.name, tool.description, tool.title or tool.original)
    tags = tuple(dict.fromkeys((*card.tags, *(tag for tag in tool.tags if tag))))
    return ToolEntry(
        tool=made,
        card=card.model_copy(update={"tags": tags}),
        module=source,
        role=role,
        annotations=tool.annotations,
        source=source,
        has_own_card=False,
        results={"type": "object", "properties": {"data": tool.results}} if tool.results else None,
    )


def distinct(entries: Collection[ToolEntry], others: Collection[ToolEntry]) -> tuple[ToolEntry, ...]:
    """The entries with stand-in cards whose lines no other card has: many descriptions of one program read alike."""
    lines = {"".join(line.split()) for entry in others for line in entry.card.when_to_use}
    made = []
    for entry in entries:
        line = entry.card.when_to_use[0]
        if "".join(line.split()) in lines:
            line = f"{line[:200]} ({entry.name})"
            entry = replace(entry, card=entry.card.model_copy(update={"purpose": line, "when_to_use": (line,)}))
        lines.add("".join(line.split()))
        made.append(entry)
    return tuple(made)


def described(text: str, fallback: str, suspicious: Callable[[str], bool]) -> tuple[str, bool]:
    """A foreign description made fit for a model: short, and without sentences that give orders; (text, was it cut)."""
    sentences = [part.strip() for part in re.split(r"(?<=[.!?。])\s+|\n+", text) if part.strip()]
    kept = [sentence for sentence in sentences if not suspicious(sentence)]
    told = " ".join(kept)[:_MOST_DESCRIPTION]
    return (told if len(told) >= 3 else fallback), len(kept) < len(sentences)


def titled(text: Any, suspicious: Callable[[str], bool]) -> str:
    """A foreign title; '' for one that gives orders."""
    told = " ".join(text.split()) if isinstance(text, str) else ""
    return "" if suspicious(told) else told


def without_orders(schema: Any, suspicious: Callable[[str], bool]) -> Any:
    """A foreign schema without the titles and descriptions that give orders: people read them as labels."""
    if isinstance(schema, list):
        return [without_orders(item, suspicious) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: item
        for key, item in schema.items()
        if not (key in ("title", "description") and isinstance(item, str) and suspicious(item))
    }
    return {key: without_orders(item, suspicious) for key, item in kept.items()}


def speaks_to_a_model(sentence: str) -> bool:
    """Whether a sentence is addressed to a model or names what drives one."""
    return _SPOKEN_TO.search(sentence) is not None


def schema_fault(schema: Mapping[str, Any]) -> str | None:
    """Why no arguments can be checked against this schema; None when they can."""
    try:
        Draft202012Validator.check_schema(dict(schema))
    except SchemaError as error:
        return f"{error.json_path}: {error.message[:120]}"
    return None


def argument_errors(schema: Mapping[str, Any], args: Mapping[str, Any]) -> list[str]:
    """What is wrong with the arguments, in Korean; empty when nothing is. An argument that is not known is wrong."""
    closed = {**schema}
    if "properties" in schema and not any(key in schema for key in ("allOf", "anyOf", "oneOf", "$ref")):
        closed.setdefault("additionalProperties", False)
    validator = Draft202012Validator(closed, format_checker=_FORMATS)
    found = sorted(validator.iter_errors(dict(args)), key=lambda error: error.json_path)
    return [_told(error) for error in found[:_MOST_FAULTS]]


def _is_time(value: object) -> bool:
    short = isinstance(value, str) and bool(_SHORT_TIME.fullmatch(value))
    return short or FormatChecker().conforms(value, "time")


_FORMATS = FormatChecker()
_FORMATS.checks("time")(_is_time)


def _told(error: Any) -> str:
    place = error.json_path.removeprefix("$").removeprefix(".")
    expected = json.dumps(error.validator_value, ensure_ascii=False, default=str)[:100]
    match error.validator:
        case "required":
            missing = [name for name in error.validator_value if name not in error.instance]
            return worded("imported.missing", missing=", ".join(f"{place}.{name}".lstrip(".") for name in missing))
        case "additionalProperties":
            unknown = [name for name in error.instance if name not in error.schema.get("properties", {})]
            return worded("imported.unknown", unknown=", ".join(unknown)[:100])
        case "type":
            return worded("imported.wrong_kind", place=place, expected=expected)
        case "enum" | "const":
            return worded("imported.not_among", place=place, expected=expected)
        case _:
            return worded("imported.condition", place=place, validator=error.validator, expected=expected)


def trimmed(data: Any, limit: int) -> tuple[Any, str]:
    """`data` cut to about `limit` characters of JSON, and a note on what was left out ('' when nothing was).

    Long lists lose their tails and long texts their ends before anything else goes.
    """
    if _size(data) <= limit:
        return data, ""
    for items, chars in ((50, 1000), (20, 600), (10, 300), (5, 200), (3, 100), (1, 60)):
        cut: list[str] = []
        shorter = _cut(data, items, chars, cut, 0)
        if _size(shorter) <= limit:
            return shorter, worded("imported.shortened") + ", ".join(list(dict.fromkeys(cut))[:3])
    return json.dumps(data, ensure_ascii=False, default=str)[:limit], worded("imported.cut")


def _cut(value: Any, items: int, chars: int, cut: list[str], depth: int) -> Any:
    if isinstance(value, str) and len(value) > chars:
        cut.append(worded("imported.long_text"))
        return value[:chars] + "…"
    if isinstance(value, list):
        if len(value) > items:
            cut.append(worded("imported.some_of", count=len(value), items=items))
        return [_cut(item, items, chars, cut, depth + 1) for item in value[:items]]
    if isinstance(value, dict):
        return {key: _cut(item, items, chars, cut, depth + 1) for key, item in value.items()}
    return value


def _size(data: Any) -> int:
    return len(json.dumps(data, ensure_ascii=False, default=str))

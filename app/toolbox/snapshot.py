"""The immutable set of tools that a turn sees from its start to its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from langchain_core.tools import BaseTool, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, TypeAdapter

from app.access import Principal, Role
from app.errors import ToolNotFound
from app.messages import worded
from app.toolbox.calling import ToolCaller
from app.toolbox.cards import ToolCard
from app.toolbox.declared import Declarations
from app.tools.declare import Annotations

Channel = Literal["chat", "api", "mcp"]
ALL_CHANNELS: frozenset[Channel] = frozenset(("chat", "api", "mcp"))

COMPANY = "company"
"""The source of a tool that a company's own content folder brings."""


@dataclass(frozen=True)
class ToolEntry:
    """A tool joined with its card.

    `module` is where it came from; `source` is 'builtin', COMPANY, 'local' (TOOL_PATHS), 'openapi:…' or 'mcp:…'.
    `writes_when` names the arguments that make a call write, `looks_up` the one that takes any question's words;
    `channels` says through which faces the tool may be called; one that is `off` may be called through none until an
    operator switches it on. `results` is the JSON schema of what a tool of another program answers, where that tells.
    """

    tool: BaseTool
    card: ToolCard
    module: str
    role: Role = "staff"
    annotations: Annotations | None = None
    source: str = "builtin"
    has_own_card: bool = True
    writes_when: tuple[str, ...] = ()
    looks_up: str | None = None
    channels: frozenset[Channel] = ALL_CHANNELS
    off: bool = False
    results: Mapping[str, Any] | None = None

    @property
    def name(self) -> str:
        return self.tool.name

    @cached_property
    def openai_schema(self) -> dict[str, Any]:
        """The tool as a chat model gets it: name, description with the card's hints, arguments."""
        schema = convert_to_openai_tool(self.tool)
        schema["function"]["description"] = self.description
        for argument in schema["function"].get("parameters", {}).get("properties", {}).values():
            # An optional argument keeps its words inside `anyOf`, where models and pages do not look.
            inner = (choice["description"] for choice in argument.get("anyOf", ()) if choice.get("description"))
            argument.setdefault("description", next(inner, ""))
        return schema

    @cached_property
    def caller(self) -> ToolCaller:
        """What calls the tool."""
        return ToolCaller(self.tool)

    @cached_property
    def properties(self) -> dict[str, Any]:
        """The schema of each argument that a call may give, by name."""
        schema = self.tool.tool_call_schema
        return dict(schema.get("properties", {}) if isinstance(schema, dict) else self.tool.args)

    @cached_property
    def arguments(self) -> frozenset[str]:
        """The names of the arguments that a call may give."""
        return frozenset(self.properties)

    @cached_property
    def required(self) -> frozenset[str]:
        """The names of the arguments that a call cannot do without."""
        return frozenset(self.openai_schema["function"].get("parameters", {}).get("required", ()))

    @cached_property
    def output_schema(self) -> dict[str, Any] | None:
        """The JSON schema of the tool's results, from its return type; None where that names none."""
        function = getattr(self.tool, "coroutine", None) or getattr(self.tool, "func", None)
        kinds = _result_types(function)
        if not kinds:
            return None
        either: Any = Union[kinds]  # noqa: UP007  made at run time
        schema = TypeAdapter(either).json_schema(mode="serialization")
        return {"type": "object", **schema}

    @property
    def result_schema(self) -> Mapping[str, Any] | None:
        """What tells of the fields of a result: the schema that the tool came with, else that of its return type."""
        return self.results or self.output_schema

    def outlined(self) -> ToolEntry:
        """The same entry with everything of its tool but the code: what another process can be told."""
        schema = {"type": "object", "properties": self.properties}
        tool = StructuredTool(
            name=self.tool.name, description=self.tool.description, args_schema=schema, coroutine=_no_code
        )
        outlined = replace(self, tool=tool)
        outlined.__dict__["openai_schema"] = self.openai_schema
        return outlined

    @property
    def description(self) -> str:
        """What the model reads: the function's docstring, the card's purpose and when not to use it."""
        text = self.tool.description.strip()
        if self.has_own_card and self.card.purpose not in text:
            text += f"\n{self.card.purpose}"
        if self.card.when_not_to_use:
            text += worded("snapshot.not_for") + "; ".join(self.card.when_not_to_use)
        return text


async def _no_code() -> None:
    raise NotImplementedError("the code of this tool is in another process")


def _result_types(function: Any) -> tuple[type[BaseModel], ...]:
    """The models that a tool's `-> tuple[str, A | B]` names; none for a tool that declares no model of its own."""
    try:
        declared = get_args(get_type_hints(function).get("return"))
    except (NameError, TypeError, AttributeError):
        return ()
    if len(declared) != 2 or declared[0] is not str:
        return ()
    told = declared[1]
    kinds = get_args(told) if get_origin(told) in (Union, UnionType) else (told,)
    good = all(isinstance(kind, type) and issubclass(kind, BaseModel) and kind is not BaseModel for kind in kinds)
    return kinds if good else ()


@dataclass(frozen=True)
class ToolSnapshot:
    """A versioned set of tools. Never changed; a writer makes a new one."""

    version: int
    entries: tuple[ToolEntry, ...]
    _by_name: dict[str, ToolEntry] = field(init=False, repr=False, compare=False)
    _allowed: dict[tuple[Role, Channel], frozenset[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        by_name: dict[str, ToolEntry] = {}
        for entry in self.entries:
            if entry.name in by_name:
                raise ValueError(
                    worded(
                        "snapshot.name_clash", entry=entry.name, module=by_name[entry.name].module, other=entry.module
                    )
                )
            by_name[entry.name] = entry
        object.__setattr__(self, "_by_name", by_name)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def tools_count(self) -> int:
        """How many tools answer questions: what operators work with (not for the chat) or switched off counts not."""
        return sum("chat" in entry.channels and not entry.off for entry in self.entries)

    def names(self) -> tuple[str, ...]:
        """Tool names in registration order."""
        return tuple(self._by_name)

    def entry(self, name: str) -> ToolEntry:
        """The entry of one tool. Raises ToolNotFound."""
        try:
            return self._by_name[name]
        except KeyError:
            raise ToolNotFound(name) from None

    def allowed_for(self, principal: Principal, channel: Channel = "chat") -> frozenset[str]:
        """Names of the tools this principal may call through this face."""
        key = (principal.role, channel)
        if key not in self._allowed:
            self._allowed[key] = frozenset(
                entry.name
                for entry in self.entries
                if principal.at_least(entry.role) and channel in entry.channels and not entry.off
            )
        return self._allowed[key]

    @cached_property
    def lookups(self) -> dict[str, str]:
        """The tools that find passages for any question, each with the argument that takes its words."""
        return {entry.name: entry.looks_up for entry in self.entries if entry.looks_up}

    @cached_property
    def modules(self) -> dict[str, str]:
        """Where each tool came from."""
        return {entry.name: entry.module for entry in self.entries}

    @cached_property
    def arguments(self) -> dict[str, frozenset[str]]:
        """The names of each tool's arguments."""
        return {entry.name: entry.arguments for entry in self.entries}

    @cached_property
    def required(self) -> dict[str, frozenset[str]]:
        """The names of the arguments that each tool cannot do without."""
        return {entry.name: entry.required for entry in self.entries}

    @cached_property
    def declared(self) -> Declarations:
        """What the tools declare for the talk."""
        blocks = {entry.name: entry.card.dialogue for entry in self.entries if entry.card.dialogue is not None}
        return Declarations(blocks, self.arguments, self.required)

    def schemas(self, allowed: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """The tools as a chat model gets them (name, description, arguments), in the order of `allowed`.

        Names that are not registered are left out; without `allowed`, every tool in registration order.
        """
        names = self.names() if allowed is None else [name for name in dict.fromkeys(allowed) if name in self]
        return [self._by_name[name].openai_schema for name in names]

    def restricted(self, allowed: Iterable[str]) -> ToolSnapshot:
        """The same version with only the named tools."""
        wanted = set(allowed)
        return ToolSnapshot(self.version, tuple(entry for entry in self.entries if entry.name in wanted))

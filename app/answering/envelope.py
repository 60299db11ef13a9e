"""Takes the wrapping off a result: {source, data}, {status: ok, result}, {count, items} and the like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.answering.faults import is_fault
from app.answering.parsing import parsed
from app.answering.schema import SchemaView
from app.answering.values import is_empty
from app.answering.words import FieldWords, plain_name

_MOST_LAYERS = 6


@dataclass(frozen=True)
class Core:
    """What a result is about. `key` names the field it stood in, where that tells something; `remarks` are sentences
    of the wrapping; `done` tells that the wrapping held nothing but that all went well."""

    value: Any
    view: SchemaView
    key: str = ""
    holder: SchemaView | None = None
    remarks: tuple[str, ...] = ()
    done: bool = False


def unwrapped(value: Any, view: SchemaView, words: FieldWords) -> Core:
    """The core of a result with what its schema tells of it."""
    core = Core(parsed(value), view)
    for _ in range(_MOST_LAYERS):
        inner = _opened(core, words)
        if inner is None:
            break
        core = inner
    return core


def _opened(core: Core, words: FieldWords) -> Core | None:
    """The one member that matters, or None where the value is no wrapping, or tells of a failure."""
    if not isinstance(core.value, dict) or is_fault(core.value):
        return None
    names = {key: plain_name(key) for key, item in core.value.items() if not is_empty(item)}
    rest = [key for key, name in names.items() if not _is_aside(name, core.value[key], words)]
    remarks = [key for key in rest if names[key] in words.envelope.remarks and isinstance(core.value[key], str)]
    told = (*core.remarks, *(str(core.value[key]) for key in remarks))
    rest = [key for key in rest if key not in remarks]
    held = [key for key in rest if isinstance(core.value[key], dict | list)]
    if len(held) == 1 and isinstance(items := core.value[held[0]], list):
        totals = words.envelope.totals
        rest = [key for key in rest if not (names[key] in totals and core.value[key] == len(items))]
    if not rest:
        if remarks:
            return Core("\n".join(told), SchemaView())
        empty = [item for key, item in core.value.items() if plain_name(key) in words.envelope.carriers]
        if any(isinstance(item, dict | list | str) for item in empty):
            return Core(None, SchemaView())  # what was looked for is not there
        fine = bool(names) and all(name in words.envelope.states for name in names.values())
        if fine:
            return Core(None, SchemaView(), done=True)
        return Core(None, SchemaView()) if empty else None
    carries = names[rest[0]] in words.envelope.carriers
    if len(rest) > 1 or not (carries or held):
        return None
    value, key = parsed(core.value[rest[0]]), core.key if carries else rest[0]
    holder = core.holder if carries else core.view
    return Core(value, core.view.member(rest[0]), key, holder, told)


def _is_aside(name: str, value: Any, words: FieldWords) -> bool:
    if name in words.envelope.states:
        return value is True or str(value).strip().lower() in words.envelope.fine
    return name in words.envelope.aside

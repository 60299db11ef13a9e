"""Tool calls as models really write them: broken JSON, doubled ids, one index for all, or plain text."""

from __future__ import annotations

import ast
import json
import re
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# The argument under which a call with unreadable arguments arrives; the dispatcher answers it with an error.
UNREADABLE = "unreadable_arguments"
_SHOWN_CHARS = 300
_MOST_CALLS = 16

_FENCE = re.compile(r"^\s*```[a-zA-Z_]*\s*|\s*```\s*$")
_TRAILING_COMMA = re.compile(r",\s*([}\]])")
_FUNCTION = re.compile(r"<function=([\w.\-]+)\s*>?(.*)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w\-]+)>\s*(.*?)\s*(?=</parameter>|<parameter=|</function>|\Z)", re.DOTALL)
_NAME = re.compile(r"\"?(?:name|function)\"?\s*[:=]\s*\"([\w.\-]+)\"")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")


@dataclass(frozen=True)
class WrittenCall:
    """A call as the model meant it; `args` None where they cannot be read, `raw` then holds what stood there."""

    name: str
    args: dict[str, Any] | None
    raw: str = ""
    id: str = ""


@dataclass
class _Open:
    id: str = ""
    name: str = ""
    args: list[str] = field(default_factory=list)


class CallCollector:
    """Gathers calls that come in pieces. Pieces belong together by index, until one brings another id and a name."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._at: dict[Any, _Open] = {}

    def feed(self, pieces: Iterable[Mapping[str, Any]]) -> None:
        """Take the tool-call pieces (`index`, `id`, `name`, `args`) of one chunk."""
        for piece in pieces:
            index, given, name = piece.get("index"), piece.get("id") or "", piece.get("name") or ""
            current = self._at.get(index)
            another = (
                current is not None
                and name
                and ((given and current.id and given != current.id) or (current.name and _whole(current) and name))
            )
            if current is None or another:
                current = self._at[index] = _Open()
                self._open.append(current)
            current.id = current.id or given
            # Some servers repeat the name in every piece, some send it in two.
            if name and current.name != name:
                current.name += name
            if piece.get("args"):
                current.args.append(str(piece["args"]))

    def calls(self) -> list[WrittenCall]:
        """The calls, in order; pieces without a name are none."""
        found = []
        for call in self._open[:_MOST_CALLS]:
            raw = "".join(call.args)
            if call.name:
                found.append(WrittenCall(call.name, read_args(raw), raw, call.id))
        return found


def _whole(call: _Open) -> bool:
    """Whether the arguments gathered so far are a whole JSON object."""
    try:
        return isinstance(json.loads("".join(call.args)), dict)
    except ValueError:
        return False


def calls_in_text(body: str) -> list[WrittenCall]:
    """The calls that a text holds as JSON or as `<function=…>`; empty when it is no call."""
    if match := _FUNCTION.search(body):
        rest = match.group(2)
        parameters = {name: _value(text) for name, text in _PARAMETER.findall(rest)}
        if parameters:
            return [WrittenCall(match.group(1), parameters, rest)]
        return [WrittenCall(match.group(1), read_args(rest.partition("</function>")[0]), rest)]
    data = _loaded(body)
    if isinstance(data, list):
        return [call for item in data[:_MOST_CALLS] if (call := _as_call(item))]
    if isinstance(data, dict):
        return [call] if (call := _as_call(data)) else []
    if match := _NAME.search(body):
        return [WrittenCall(match.group(1), None, body)]
    return []


def settled(calls: Sequence[WrittenCall], offered: Collection[str], used: Collection[str]) -> list[dict[str, Any]]:
    """The calls as LangChain wants them: names without prefixes, unique ids that no earlier message has, and equal
    calls once."""
    ids = set(used)
    seen: set[str] = set()
    done: list[dict[str, Any]] = []
    for call in calls:
        name = _known_name(call.name, offered)
        args = call.args if call.args is not None else {UNREADABLE: call.raw[:_SHOWN_CHARS]}
        same = name + json.dumps(args, ensure_ascii=False, sort_keys=True)
        if same in seen:
            continue
        seen.add(same)
        given = call.id if call.id and call.id not in ids else f"call_{uuid.uuid4().hex[:20]}"
        ids.add(given)
        done.append({"name": name, "args": args, "id": given})
    return done


def read_args(raw: str) -> dict[str, Any] | None:
    """The arguments that a text means; None where nobody can tell."""
    if not raw.strip() or raw.strip() in ("null", "None"):
        return {}
    data = _loaded(raw)
    return data if isinstance(data, dict) else None


def _loaded(raw: str) -> Any:
    """JSON, mended where its meaning is plain: fences, trailing commas, Python's spelling, brackets never closed, JSON
    inside a string, an empty object before the real one."""
    text = _FENCE.sub("", raw.strip())
    for candidate in _candidates(text):
        try:
            data = json.loads(candidate, strict=False)
        except ValueError:
            continue
        if isinstance(data, str) and data.strip()[:1] in ("{", "["):
            return _loaded(data)
        return data
    try:
        return _plain(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return _last_of_several(text)


def _candidates(text: str) -> Iterable[str]:
    yield text
    yield _TRAILING_COMMA.sub(r"\1", text)
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if starts:
        cut = text[min(starts) :]
        yield _TRAILING_COMMA.sub(r"\1", cut[: max(cut.rfind("}"), cut.rfind("]")) + 1])
        yield _TRAILING_COMMA.sub(r"\1", _closed(cut))


def _closed(text: str) -> str:
    """The text with the brackets closed that it opens; an open string is not closed, its end may be missing."""
    stack: list[str] = []
    quoted = escaped = False
    for letter in text:
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = quoted
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "{[":
            stack.append("}" if letter == "{" else "]")
        elif not quoted and letter in "}]" and stack:
            stack.pop()
    return text if quoted else text.rstrip().rstrip(",") + "".join(reversed(stack))


def _last_of_several(text: str) -> Any:
    """The last object of `{}{"age": 45}`; None when there is no row of objects."""
    decoder, at, found = json.JSONDecoder(), 0, None
    while at < len(text):
        try:
            data, at = decoder.raw_decode(text, at)
        except ValueError:
            return None
        found = data if isinstance(data, dict) and data else found
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def _plain(value: Any) -> Any:
    """Only what JSON could say."""
    return json.loads(json.dumps(value))


def _as_call(item: Any) -> WrittenCall | None:
    if not isinstance(item, dict):
        return None
    inner: dict[str, Any] = item["function"] if isinstance(item.get("function"), dict) else item
    name = inner.get("name") or inner.get("tool") or inner.get("function")
    if not isinstance(name, str) or not name:
        return None
    key = next((key for key in _ARGUMENT_KEYS if key in inner), None)
    given = inner[key] if key else {}
    if isinstance(given, str):
        return WrittenCall(name, read_args(given), given)
    return WrittenCall(name, given if isinstance(given, dict) else None, json.dumps(given, ensure_ascii=False))


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _known_name(name: str, offered: Collection[str]) -> str:
    """The offered name that is meant: models add `functions.`, blanks or capitals."""
    bare = name.strip()
    for candidate in (bare, bare.rpartition(".")[2], bare.rpartition(":")[2], bare.lower(), bare.replace("-", "_")):
        if candidate in offered:
            return candidate
    return bare

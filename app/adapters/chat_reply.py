"""One reply of a provider's model, gathered from its pieces."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk

from app.adapters.chat_faults import ProviderFault
from app.adapters.chat_text import ReplySplitter
from app.adapters.chat_tool_calls import CallCollector, calls_in_text, settled

_FILTERED = frozenset({"content_filter", "safety", "prohibited_content", "blocklist"})


@dataclass(frozen=True)
class ReplyEnd:
    """What comes after the last piece. `calls` hold name, id and the arguments as sound JSON."""

    text: str
    calls: tuple[dict[str, Any], ...]
    usage: UsageMetadata | None
    metadata: dict[str, Any]


class ReplyCollector:
    """Takes raw pieces, gives text for people; calls, usage and the reason of the end come with `finish`."""

    def __init__(self, offered: Collection[str], used_ids: Collection[str]) -> None:
        self._offered, self._used_ids = offered, used_ids
        self._text, self._calls = ReplySplitter(), CallCollector()
        self._usage: UsageMetadata | None = None
        self._info: dict[str, Any] = {}

    @property
    def thinking(self) -> bool:
        """Whether the newest text stands within a thought."""
        return self._text.thinking

    @property
    def ended(self) -> bool:
        """Whether the model has said why it stopped: at most its usage is still to come."""
        return bool(self._info.get("finish_reason"))

    def take(self, piece: ChatGenerationChunk) -> str:
        """The text of this piece that is surely for people."""
        message = piece.message
        self._info.update(piece.generation_info or {})
        if isinstance(message, AIMessageChunk):
            # Some endpoints send running totals with every piece: the last one counts.
            self._usage = message.usage_metadata or self._usage
            self._calls.feed(message.tool_call_chunks)
        return self._text.feed(message.text)

    def finish(self) -> ReplyEnd:
        """Raises ProviderFault: `filtered`, or `broken_stream` for a stream that stopped without saying why."""
        reason = self._info.get("finish_reason")
        if reason in _FILTERED or self._info.get("refusal"):
            raise ProviderFault("filtered")
        calls = self._calls.calls()
        if reason is None and not calls:
            raise ProviderFault("broken_stream")
        held = self._text.held_json
        rest = self._text.rest()
        written = [call for body in self._text.calls for call in calls_in_text(body)]
        if not calls and not written and held.strip():
            named = [call for call in calls_in_text(held) if call.name.rpartition(".")[2] in self._offered]
            if named:
                written, rest = named, ""
        done = settled(calls or written, self._offered, self._used_ids)
        metadata = {"finish_reason": str(reason or "tool_calls")}
        if "cost_usd" in self._info:
            metadata["cost_usd"] = self._info["cost_usd"]
        ready = tuple(
            {"name": call["name"], "id": call["id"], "json": json.dumps(call["args"], ensure_ascii=False)}
            for call in done
        )
        return ReplyEnd(rest, ready, self._usage, metadata)

"""What a turn's model calls took: tokens and, where it is known, money."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage

from app.adapters.chat_model import Provider
from app.graph.history import estimated_tokens
from app.graph.turn import as_text

_COUNTS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")


def usage_row(reply: AIMessage, model: str, provider: Provider, prompt: Sequence[AnyMessage]) -> dict[str, Any]:
    """The usage of one call. `cost_usd` is the provider's own word, else reckoned from the prices of the settings, else
    None; `estimated` says that the endpoint counted no tokens and the texts were measured."""
    told = reply.usage_metadata
    row: dict[str, Any] = dict.fromkeys(_COUNTS, 0)
    if told is not None:
        row["input_tokens"], row["output_tokens"] = told["input_tokens"], told["output_tokens"]
        row["cached_tokens"] = (told.get("input_token_details") or {}).get("cache_read") or 0
        row["reasoning_tokens"] = (told.get("output_token_details") or {}).get("reasoning") or 0
    else:
        row["input_tokens"] = sum(estimated_tokens(as_text(message.content)) for message in prompt)
        calls = json.dumps(reply.tool_calls, ensure_ascii=False) if reply.tool_calls else ""
        row["output_tokens"] = estimated_tokens(as_text(reply.content) + calls)
    cost = reply.response_metadata.get("cost_usd")
    dear_in, dear_out = provider.prices
    if cost is None and (dear_in or dear_out):
        cost = (row["input_tokens"] * dear_in + row["output_tokens"] * dear_out) / 1_000_000
    stats = provider.link.stats
    stats.input_tokens += row["input_tokens"]
    stats.output_tokens += row["output_tokens"]
    stats.cost_usd += cost or 0.0
    return {**row, "model": model, "cost_usd": cost, "estimated": told is None}


def total(rows: Sequence[dict[str, Any]], prompt_version: str) -> dict[str, Any] | None:
    """The `usage` of a reply: sums over the turn's calls; None when no provider was asked."""
    if not rows:
        return None
    costs = [row["cost_usd"] for row in rows if row["cost_usd"] is not None]
    return {
        "model": rows[0]["model"],
        "model_calls": len(rows),
        **{name: sum(row[name] for row in rows) for name in _COUNTS},
        "total_tokens": sum(row["input_tokens"] + row["output_tokens"] for row in rows),
        "cost_usd": round(sum(costs), 8) if costs else None,
        "estimated": any(row["estimated"] for row in rows),
        "prompt_version": prompt_version,
    }

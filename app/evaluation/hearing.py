"""What the product did in one turn, and which figures of its answer rest on nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from app.evaluation.dialogues import Call
from app.evaluation.scoring import Heard
from app.graph.turn import as_text, tool_results
from app.safety.evidence import Evidence
from app.safety.grounding import ProductNames, ungrounded

# When an approval ends stands in the request for it, not in a tool's result.
_DEADLINE = re.compile(r"\d{1,2}시 \d{1,2}분까지 결정하지 않으시면")


@dataclass(frozen=True)
class Known:
    """What an answer may always say: product names and fixed sentences."""

    products: tuple[str, ...]
    disclaimers: tuple[str, ...]


def heard(reply: dict[str, Any], took_ms: float, messages: Sequence[AnyMessage], asked: str, known: Known) -> Heard:
    """A reply with its calls and loose figures. The evidence is in the thread: tool results, the person's words, the
    sources that knowledge answers name; and fixed sentences."""
    now = [as_text(m.content) for m in tool_results(messages)]
    given = [as_text(m.content) for m in messages if isinstance(m, HumanMessage | ToolMessage)]
    grounds = [str(ground) for m in messages for ground in m.additional_kwargs.get("grounds", ())]
    # Reckoned from figures shown before; the output guard has reckoned it again.
    grounds += [str(m.additional_kwargs["reckoned"]) for m in messages if m.additional_kwargs.get("reckoned")]
    names = ProductNames(list(known.products))
    told = _DEADLINE.sub("", reply["answer"])
    evidence = Evidence([*now, *grounds, asked, *known.disclaimers], earlier=given)
    loose = invented(told, evidence, names)
    return Heard(reply, calls_of(reply), took_ms, loose)


def invented(answer: str, evidence: Evidence, products: ProductNames | None = None) -> tuple[str, ...]:
    """The figures of `answer` that rest on nothing in `evidence` (names are another check's business)."""
    loose = (found.text for found in ungrounded(answer, evidence, products) if re.search(r"\d", found.text))
    return tuple(dict.fromkeys(loose))


def _anew(row: dict[str, Any]) -> bool:
    asked = row.get("asked") or {}
    return bool(asked.get("chosen")) and asked["chosen"] != asked["taken"]


def calls_of(reply: dict[str, Any]) -> tuple[Call, ...]:
    """The calls that the answer is of; one that waits for its approval has not run, but was made. Where a model took
    over and called tools itself, or the planner began anew by its word, the calls before that are not its own."""
    rows = reply["trace"]
    taken = [at for at, row in enumerate(rows) if (row.get("decision") or {}).get("engine") == "model" or _anew(row)]
    own = [row for row in rows[taken[-1] :] if row["node"] == "tools"] if taken else []
    found = own or [row for row in rows if row["node"] == "tools"]
    ran = [Call(row["tool"], row.get("input") or {}) for row in found]
    waiting = reply.get("approval")
    if waiting and all(call.tool != waiting["tool"] for call in ran):
        ran.append(Call(waiting["tool"], waiting.get("args") or {}))
    return tuple(ran)

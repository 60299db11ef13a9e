"""A recorded conversation run again by the version of now, in a thread that is thrown away: nothing of it is kept,
nobody is told of it, and a call that would write stops at its approval, which is thrown away too."""

from __future__ import annotations

import difflib
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from app.access import Principal
from app.adapters.approval_store import ApprovalStore
from app.adapters.checkpoints import Checkpoints
from app.adapters.database import Database
from app.adapters.thread_store import ThreadStore
from app.errors import TurnFailed
from app.graph.builder import AssistantGraph
from app.graph.runner import MakeContext, Runner
from app.graph.turn import Auto, TurnContext
from app.safety.sentences import sentences
from app.settings import Settings, listed
from app.toolbox.approvals import ApprovalGate

Share = Callable[[Auto | None], Auto | None]
"""How planner and model share the turns, in place of how they do now."""

MOST_EARLIER = 20
"""Of a long conversation so many questions before the one that is compared are asked again."""


@dataclass(frozen=True)
class Replayed:
    """The reply of now, what it took (ms), and how many earlier questions were asked before it."""

    reply: dict[str, Any]
    took_ms: float
    earlier: int


class Replays:
    """Runs conversations again."""

    def __init__(
        self,
        graph: AssistantGraph,
        make_context: MakeContext,
        settings: Settings,
        engine_name: str,
        database: Database,
        checkpoints: Checkpoints,
    ) -> None:
        self._make_context, self._checkpoints = make_context, checkpoints
        self._graph, self._settings, self._engine_name = graph, settings, engine_name
        # Nobody hears of these approvals: no webhook is told, and they go with the thread.
        self._gate = ApprovalGate(ApprovalStore(database, settings.approval_ttl_s), listed(settings.require_approval))
        self._threads = ThreadStore(database)

    async def run(self, questions: Sequence[str], asker: Principal, *, by_model: bool = False) -> Replayed:
        """Ask the questions in order as `asker` (their rights, nobody's name) and answer the last one's reply; with
        `by_model` the model is asked the last one, however sure the planner is, and none before it where both work
        together.

        Raises TurnFailed where the last one failed; an earlier one that fails is left behind, as it was then.
        """
        someone = Principal(f"replay:{uuid.uuid4().hex}", asker.role, asker.customer_id)
        before = self._runner(_always_planned if by_model else _as_ever)
        now = self._runner(_never_planned if by_model else _as_ever)
        *earlier, last = questions[-MOST_EARLIER - 1 :]
        try:
            for question in earlier:
                with suppress(TurnFailed):
                    await before.ask(question, someone, "again")
            begun = time.perf_counter()
            reply = await now.ask(last, someone, "again")
            return Replayed(reply, round((time.perf_counter() - begun) * 1000, 1), len(earlier))
        finally:
            await self._threads.forget_owner(someone.id)
            await self._checkpoints.forget_owner(someone.id)

    def _runner(self, share: Share) -> Runner:
        def context(principal: Principal, thread_id: str, run_id: str) -> TurnContext:
            made = self._make_context(principal, thread_id, run_id)
            return replace(made, services=replace(made.services, gate=self._gate, auto=share(made.services.auto)))

        return Runner(self._graph, context, self._settings, self._engine_name)


def _as_ever(auto: Auto | None) -> Auto | None:
    return auto


def _always_planned(auto: Auto | None) -> Auto | None:
    return auto and replace(auto, threshold=0.0, first=0.0)


def _never_planned(auto: Auto | None) -> Auto | None:
    return None


def differences(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """What changed between two replies: by name where a part differs, and the answers sentence by sentence."""
    parts = {name: (read(before), read(now)) for name, read in _PARTS.items()}
    return {
        "same": all(one == other for one, other in parts.values()),
        "parts": [{"part": name, "before": one, "now": other} for name, (one, other) in parts.items() if one != other],
        "sentences": _compared(str(before.get("answer", "")), str(now.get("answer", ""))),
    }


def _calls(reply: dict[str, Any]) -> list[dict[str, Any]]:
    ran = [row for row in reply.get("trace") or () if row.get("node") == "tools" and row.get("tool")]
    return [{"tool": row["tool"], "input": row.get("input"), "status": row.get("status")} for row in ran]


def _blocks(reply: dict[str, Any]) -> list[Any]:
    return [[b["type"], b["data"].get("title") or b["data"].get("name")] for b in reply.get("blocks") or ()]


_PARTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "answer": lambda reply: str(reply.get("answer", "")).strip(),
    "calls": _calls,
    "sources": lambda reply: [[s.get("document_id"), s.get("page")] for s in reply.get("sources") or ()],
    "blocks": _blocks,
    "guard": lambda reply: reply.get("guard") or {},
    "needs_input": lambda reply: list(reply.get("needs_input") or ()),
    "facts": lambda reply: reply.get("facts") or {},
    "engine": lambda reply: reply.get("engine"),
}


def _compared(before: str, now: str) -> list[dict[str, str]]:
    """The sentences of both in order: `same`, `gone` or `new`."""
    old, new = ([text[a:b].strip() for a, b in sentences(text)] for text in (before, now))
    found: list[dict[str, str]] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [{"kind": "same", "text": text} for text in old[a:b]]
        else:
            found += [{"kind": "gone", "text": text} for text in old[a:b]]
            found += [{"kind": "new", "text": text} for text in new[c:d]]
    return [item for item in found if item["text"]]

"""Conversations of a principal: kept, listed, exported, asked again with other facts, forgotten.

Two stores hold a conversation: the turns as the person saw them (ThreadStore), and the graph's memory (checkpoints).
Both are named by the owner, a principal's id, and both are emptied together.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from app.access import Principal
from app.adapters.audit_log import AuditLog, Result
from app.adapters.checkpoints import Checkpoints
from app.adapters.field_cipher import FieldCipher
from app.adapters.thread_store import Handoff, Thread, ThreadStore, Turn, TurnDetail
from app.errors import NotFound, Unavailable
from app.graph.builder import AssistantGraph
from app.graph.privacy import masked_values
from app.graph.reply import shown_facts
from app.graph.runner import Locks
from app.graph.stops import sought
from app.language.entities import EntityReader
from app.language.initials import initials, searchable
from app.messages import worded
from app.planner.facts import Facts
from app.safety.personal_data import PersonalDataMasker

log = logging.getLogger(__name__)

_SAID_GENDER = {"M": "남성", "F": "여성"}


@dataclass(frozen=True)
class Threads:
    """What the API may do with conversations."""

    store: ThreadStore
    checkpoints: Checkpoints
    graph: AssistantGraph
    turn_locks: Locks
    masker: PersonalDataMasker
    entities: EntityReader
    cipher: FieldCipher
    audit: AuditLog
    today: Callable[[], date]

    async def record(
        self,
        principal: Principal,
        thread_id: str,
        query: str,
        reply: dict[str, Any],
        message_id: str | None = None,
        told: dict[str, Any] | None = None,
    ) -> None:
        """Keep a finished turn, personal data masked, and write down what a guard decided. `told` is what only staff
        see of it. A database that is down costs the history, not the answer: the log tells it."""
        kept: dict[str, Any] = masked_values(reply, self.masker)
        question = self.masker.mask(query).text
        detail = _detail(principal, question, kept, told or {})
        turn = Turn(reply["run_id"], principal.id, thread_id, question, kept, message_id, detail=detail)
        try:
            await self.store.record(turn)
            guard = reply["guard"]
            if guard.get("input") == "block" or guard.get("output", "pass") != "pass":
                details = {"guard": guard, "engine": reply["engine"], "text": question[:200]}
                result: Result = "refused" if guard.get("input") == "block" else "ok"
                await self.audit.record(
                    principal.id, "guard", thread_id, result=result, details=details, request_id=reply["run_id"]
                )
        except Unavailable:
            log.exception("run %s could not be kept", reply["run_id"])

    async def delete(self, principal: Principal, thread_id: str) -> None:
        """Forget one thread. Raises NotFound."""
        async with self.turn_locks.lock(f"{principal.id}:{thread_id}"):
            await self.store.delete(principal.id, thread_id)
            await self.checkpoints.forget_thread(principal.id, thread_id)

    async def forget(self, principal: Principal) -> dict[str, int]:
        """Forget everything that this principal said here; answers how much that was."""
        gone = await self.store.forget_owner(principal.id)
        return {"threads": gone, "checkpoints": await self.checkpoints.forget_owner(principal.id)}

    async def purge(self, days: int) -> int:
        """Forget the threads that were not used for `days` days; answers how many."""
        old = await self.store.old(datetime.now(UTC) - timedelta(days=days))
        for owner, thread_id in old:
            with suppress(NotFound):  # another worker was faster
                await self.store.delete(owner, thread_id)
            await self.checkpoints.forget_thread(owner, thread_id)
        return len(old)

    async def facts(self, principal: Principal, thread_id: str) -> dict[str, Any]:
        """What the thread has understood. Raises NotFound."""
        await self.store.thread(principal.id, thread_id)
        return shown_facts((await self._facts(principal, thread_id)).model_dump(mode="json"))

    async def change_facts(
        self, principal: Principal, thread_id: str, values: dict[str, Any], remove: tuple[str, ...]
    ) -> dict[str, Any]:
        """Set and remove facts of a thread; answers what is understood now. Raises NotFound."""
        key = f"{principal.id}:{thread_id}"
        blank = Facts().model_dump(mode="json")
        remove = tuple(name for name in remove if name not in values)
        if "age" in values or "age" in remove:
            remove = (*remove, "birth_year", "birth_month", "birth_date")
        async with self.turn_locks.lock(key):
            await self.store.thread(principal.id, thread_id)
            facts = (await self._facts(principal, thread_id)).model_dump(mode="json")
            facts |= {name: blank[name] for name in remove} | values
            # what the last call was made with would otherwise bring the old value back
            earlier = facts["last_args"]
            facts["last_args"] = {name: values.get(name, earlier[name]) for name in earlier if name not in remove}
            config: Any = {"configurable": {"thread_id": key}}
            await self.graph.aupdate_state(config, {"facts": facts}, as_node="output_guardrail")
        return shown_facts(facts)

    async def restated(self, principal: Principal, run_id: str) -> tuple[Turn, str]:
        """An earlier turn, and its question with the age and gender that the thread believes now. Raises NotFound."""
        turn = await self.store.turn(principal.id, run_id)
        now = await self._facts(principal, turn.thread_id)
        then = turn.reply.get("facts") or {}
        found = self.entities.read(turn.query, self.today())
        swaps: list[tuple[int, int, str]] = []
        if now.age is not None and then.get("age") not in (None, now.age):
            swaps += [(m.start, m.end, worded("threads.age", age=now.age)) for m in found.ages if m.age == then["age"]]
        if now.gender is not None and then.get("gender") not in (None, now.gender):
            swaps += [(m.start, m.end, _SAID_GENDER[now.gender]) for m in found.genders if m.gender == then["gender"]]
        text = found.text
        for start, end, said in sorted(swaps, reverse=True):
            text = f"{text[:start]}{said}{text[end:]}"
        return turn, text if swaps else turn.query

    async def hand_off(self, principal: Principal, thread_id: str, note: str, contact: str | None) -> Handoff:
        """Hand a thread to a person; the contact is encrypted, the note masked. Raises NotFound."""

        def seal(handoff_id: str) -> str | None:
            return self.cipher.encrypt(contact, f"handoffs.contact:{handoff_id}") if contact else None

        masked = self.masker.mask(note).text
        return await self.store.add_handoff(principal.id, thread_id, masked, seal)

    def contact_of(self, handoff: Handoff) -> str | None:
        """The contact that was left, in the clear; for staff."""
        place = f"handoffs.contact:{handoff.handoff_id}"
        return self.cipher.decrypt(handoff.contact, place) if handoff.contact else None

    async def _facts(self, principal: Principal, thread_id: str) -> Facts:
        saved = await self.checkpoints.aget_tuple({"configurable": {"thread_id": f"{principal.id}:{thread_id}"}})
        values = saved.checkpoint["channel_values"] if saved else {}
        return Facts.model_validate(values.get("facts") or {})


def _detail(principal: Principal, question: str, reply: dict[str, Any], told: dict[str, Any]) -> TurnDetail:
    asked = searchable(question)
    return TurnDetail(
        role=principal.role,
        customer_id=principal.customer_id,
        took_ms=told.get("took_ms", 0.0),
        first_ms=told.get("first_ms"),
        words=f"{asked}\n{searchable(reply['answer'])}",
        initials=initials(asked),
        shown={name: value for name, value in told.items() if name not in ("took_ms", "first_ms")},
        stops=sought(told.get("stops") or ()),
    )


def as_markdown(thread: Thread, turns: tuple[Turn, ...]) -> str:
    """A thread to read or print."""
    parts = [
        f"# {thread.title}",
        worded("threads.started", created_at=thread.created_at),
    ]
    for turn in turns:
        parts += [worded("threads.question", query=turn.query), worded("threads.answer", answer=turn.reply["answer"])]
        sources = turn.reply.get("sources") or ()
        parts += [
            worded("threads.source", title=s["title"], heading=s.get("heading_path") or "", page=s.get("page") or "-")
            for s in sources
        ]
    return "\n\n".join(parts) + "\n"

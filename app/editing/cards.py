"""Tool cards edited in place: draft, preview, publish, versions, rollback."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from app.adapters.card_store import CardStore, CardVersion
from app.adapters.case_store import CaseStore
from app.editing.card_rules import CardRules
from app.editing.collisions import collisions
from app.editing.differences import as_data, card_diff
from app.editing.measuring import CardMeasure
from app.errors import BadRequest, CardRefused, ChangeTooSlow, Conflict, NotFound
from app.messages import worded
from app.routing.evaluation import Case, case_of
from app.toolbox.cards import ToolCard
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox

_SHOWN_LOSSES = 10


T = TypeVar("T")


@dataclass(frozen=True)
class Published:
    """A card that was put in force."""

    version: CardVersion
    snapshot: ToolSnapshot
    suite: dict[str, Any]


class CardDesk:
    """Edits cards. One at a time is published; measuring runs off the event loop."""

    def __init__(
        self,
        toolbox: Toolbox,
        store: CardStore,
        measure: CardMeasure,
        cases: CaseStore,
        disclaimers: Mapping[str, str],
        suspicious: Callable[[str], bool],
    ) -> None:
        """`suspicious` says whether a sentence gives orders to a model: parts of a card go into descriptions."""
        self._toolbox, self._store, self._measure, self._cases = toolbox, store, measure, cases
        self._disclaimers = dict(disclaimers)
        self._read = CardRules(toolbox, measure, self._disclaimers, suspicious).read
        self._publishing, self._measuring = asyncio.Lock(), asyncio.Lock()
        self._near: tuple[ToolSnapshot, dict[str, int]] | None = None

    async def overview(self) -> list[dict[str, Any]]:
        """Every tool with how its card stands: version in force, author, draft, lines near another tool's."""
        snapshot = self._toolbox.registry.snapshot()
        states, drafts = await self._store.states(), await self._store.drafts()
        near = await self._collisions_by_tool(snapshot)
        rows = []
        for entry in snapshot.entries:
            if "chat" not in entry.channels:
                continue  # what operators work with is never routed to
            state = states.get(entry.name) if self._toolbox.is_published(entry.name) else None
            draft = drafts.get(entry.name)
            rows.append(
                {
                    "tool": entry.name,
                    "title": entry.card.title,
                    "module": entry.module,
                    "has_own_card": entry.has_own_card,
                    "lines": len(entry.card.when_to_use),
                    "collisions": near.get(entry.name, 0),
                    "version": state.version if state else 0,
                    "author": state.author if state else None,
                    "published_at": state.created_at.isoformat() if state else None,
                    "draft_author": draft.author if draft else None,
                    "draft_at": draft.updated_at.isoformat() if draft else None,
                }
            )
        return rows

    async def shown(self, tool: str) -> dict[str, Any]:
        """The card in force, the one of its file, its version (0: the file's) and the draft. Raises ToolNotFound."""
        entry = self._toolbox.registry.snapshot().entry(tool)
        draft = await self._store.draft(tool)
        return {
            "tool": tool,
            "card": as_data(entry.card),
            "file_card": as_data(self._toolbox.filed_card(tool)),
            "has_own_card": entry.has_own_card,
            "version": await self._version_in_force(tool),
            "draft": draft.model_dump(mode="json") if draft else None,
            "disclaimers": self._disclaimers,
        }

    async def save_draft(
        self, tool: str, raw: Mapping[str, Any], author: str, *, preview: bool = True
    ) -> dict[str, Any]:
        """Keep a draft, faulty ones too; answers its faults, and its preview when it has none. Raises ToolNotFound."""
        self._toolbox.registry.snapshot().entry(tool)
        draft = await self._store.save_draft(tool, raw, author)
        kept = {"tool": tool, "status": "draft", "updated_at": draft.updated_at.isoformat()}
        if not preview:
            return {**kept, "faults": await self._faults(tool, raw), "preview": None}
        return {**kept, **await self.preview(tool, raw)}

    async def preview(self, tool: str, raw: Mapping[str, Any]) -> dict[str, Any]:
        """What a card would change, without keeping it: its faults, or the measurement. One at a time is measured.

        Raises ToolNotFound.
        """
        self._toolbox.registry.snapshot().entry(tool)
        saved = await self._saved()
        try:
            card = self._read(tool, raw, saved)
        except CardRefused as error:
            return {"faults": list(error.faults), "preview": None}
        async with self._measuring:
            return {"faults": [], "preview": await self._measured(self._measure.preview, tool, card, saved)}

    async def drop_draft(self, tool: str) -> None:
        """Forget the draft. Raises ToolNotFound, and NotFound when there is none."""
        self._toolbox.registry.snapshot().entry(tool)
        if not await self._store.drop_draft(tool):
            raise NotFound(worded("card_editing.no_draft", tool=tool))

    async def candidate(self, tool: str, version: int | None) -> ToolSnapshot:
        """The set with another card of one tool: a version (0: the file's), or the draft (None).

        Raises ToolNotFound, NotFound, and CardRefused when the card does not fit beside the others.
        """
        if version is None:
            draft = await self._store.draft(tool)
            if draft is None:
                raise NotFound(worded("card_editing.no_draft_version", tool=tool))
            raw: Mapping[str, Any] = draft.card
        else:
            raw = await self._card_of(tool, version)
        return self._toolbox.candidate(tool, self._read(tool, raw, await self._saved()))

    async def publish(
        self,
        tool: str,
        raw: Mapping[str, Any] | None,
        author: str,
        *,
        note: str = "",
        override_reason: str | None = None,
        base_version: int | None = None,
    ) -> Published:
        """Put a card in force (the draft, when none is given): linted, measured, stored and swapped, or none of it.

        Raises ToolNotFound, BadRequest (nothing to publish), Conflict (somebody published after `base_version`), and
        CardRefused with every fault; a suite that falls is one unless `override_reason` is given.
        """
        async with self._publishing:
            self._toolbox.registry.snapshot().entry(tool)
            if base_version is not None and base_version != await self._version_in_force(tool):
                raise Conflict(worded("card_editing.published_since"))
            draft = await self._store.draft(tool) if raw is None else None
            wanted = raw if raw is not None else draft.card if draft else None
            if wanted is None:
                raise BadRequest(worded("card_editing.nothing_to_publish", tool=tool))
            saved = await self._saved()
            card = self._read(tool, wanted, saved)
            suite = await self._suite(tool, card, saved)
            if suite["fell"] and not override_reason:
                raise CardRefused(tool, _losses(suite))
            told = " / ".join(
                part
                for part in (
                    note,
                    override_reason and worded("card_editing.published_anyway", override_reason=override_reason),
                )
                if part
            )
            return await self._put(tool, card, "published", author, told, suite)

    async def rollback(self, tool: str, version: int, author: str, *, note: str = "") -> Published:
        """Put an earlier card in force again, as a new version; 0 is the card of the file. It is measured, not blocked.

        Raises ToolNotFound, NotFound for the version, and CardRefused when it does not fit beside the other cards.
        """
        async with self._publishing:
            saved = await self._saved()
            card = self._read(tool, await self._card_of(tool, version), saved)
            suite = await self._suite(tool, card, saved)
            told = " / ".join(part for part in (worded("card_editing.rolled_back", version=version), note) if part)
            return await self._put(tool, card, "file" if version == 0 else "rollback", author, told, suite)

    async def versions(self, tool: str) -> list[dict[str, Any]]:
        """Every version, the newest first, with what changed from the one before. Raises ToolNotFound."""
        self._toolbox.registry.snapshot().entry(tool)
        found = await self._store.versions(tool)
        older = [*found, None][1:]
        return [
            {**version.model_dump(mode="json"), "diff": card_diff(before.card if before else {}, version.card)}
            for version, before in zip(found, older, strict=True)
        ]

    async def _card_of(self, tool: str, version: int) -> dict[str, Any]:
        if version == 0:
            return as_data(self._toolbox.filed_card(tool))
        return (await self._store.version(tool, version)).card

    async def _suite(self, tool: str, card: ToolCard, saved: Sequence[Case]) -> dict[str, Any]:
        async with self._measuring:
            return await self._measured(self._measure.suite, tool, card, saved)

    async def _measured(self, work: Callable[..., T], *given: Any) -> T:
        """One that hangs is left behind, so that the next measurement can go on. Raises ChangeTooSlow."""
        limit_s = self._toolbox.registry.line.limit_s
        try:
            async with asyncio.timeout(limit_s):
                return await asyncio.to_thread(work, *given)
        except TimeoutError:
            raise ChangeTooSlow("undone", limit_s) from None

    async def _saved(self) -> list[Case]:
        """The questions that operators saved: they are asked in every suite, so that no card may hold them."""
        return [case_of(saved) for saved in (await self._cases.list("routing"))[0]]

    async def _faults(self, tool: str, raw: Mapping[str, Any]) -> list[str]:
        try:
            self._read(tool, raw, await self._saved())
        except CardRefused as error:
            return list(error.faults)
        return []

    async def _collisions_by_tool(self, snapshot: ToolSnapshot) -> dict[str, int]:
        """How many lines of each tool are near another tool's; found once a snapshot."""
        if self._near is None or self._near[0] is not snapshot:
            found = await asyncio.to_thread(lambda: collisions(self._measure.router.index(snapshot)))
            self._near = (snapshot, dict(Counter(item.tool for item in found)))
        return self._near[1]

    async def _version_in_force(self, tool: str) -> int:
        if not self._toolbox.is_published(tool):
            return 0
        return next((item.version for item in await self._store.versions(tool) if item.active), 0)

    async def _put(
        self,
        tool: str,
        card: ToolCard,
        origin: Literal["file", "published", "rollback"],
        author: str,
        note: str,
        suite: dict[str, Any],
    ) -> Published:
        before = self._toolbox.registry.snapshot().entry(tool).card if self._toolbox.is_published(tool) else None
        swapped: ToolSnapshot | None = None
        try:
            async with self._store.adding(
                tool, as_data(card), first=as_data(self._toolbox.filed_card(tool)), origin=origin, author=author,
                note=note, report=suite,
            ) as version:  # fmt: skip
                wanted = None if origin == "file" else card
                swapped = await asyncio.to_thread(self._toolbox.put_card, tool, wanted)
        except BaseException:
            if swapped is not None:  # the database did not keep it: the card before stays in force
                await asyncio.to_thread(self._toolbox.put_card, tool, before)
            raise
        return Published(version, swapped, suite)


def _losses(suite: dict[str, Any]) -> list[str]:
    rates = [
        f"{name}: {rate['before']:.1%} → {rate['after']:.1%}"
        for name, rate in suite["rates"].items()
        if rate["after"] < rate["before"]
    ]
    lost = [
        worded(
            "card_editing.first_changes",
            query=change["query"],
            before=change["first_before"],
            after=change["first_after"],
        )
        for change in suite["lost"][:_SHOWN_LOSSES]
    ]
    return [worded("card_editing.falls", rates=", ".join(rates)), *lost]

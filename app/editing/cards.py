"""Tool cards edited in place: draft, preview, publish, versions, rollback."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from app.adapters.card_store import CardStore, CardVersion
from app.editing.trials import Trial, neighbours_of, rank_changes, suite_report
from app.errors import BadRequest, CardRefused, Conflict, ToolLoadError
from app.language.normalise import compact
from app.routing.evaluation import Case, load_cases
from app.routing.router import Router
from app.toolbox.cards import ToolCard
from app.toolbox.imported import speaks_to_a_model
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox

_SHOWN_LOSSES = 10


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
        router: Router,
        content_dir: Path,
        disclaimers: Collection[str],
        suspicious: Callable[[str], bool],
    ) -> None:
        """`suspicious` says whether a sentence gives orders to a model: parts of a card go into descriptions."""
        self._suspicious: Callable[[str], bool] = lambda text: speaks_to_a_model(text) and suspicious(text)
        self._toolbox, self._store, self._router = toolbox, store, router
        self._evaluation, self._disclaimers = content_dir / "evaluation" / "routing", frozenset(disclaimers)
        self._publishing = asyncio.Lock()

    async def shown(self, tool: str) -> dict[str, Any]:
        """The card in force, the one of its file, its version (0: the file's) and the draft. Raises ToolNotFound."""
        entry = self._toolbox.registry.snapshot().entry(tool)
        draft = await self._store.draft(tool)
        return {
            "tool": tool,
            "card": _as_data(entry.card),
            "file_card": _as_data(self._toolbox.filed_card(tool)),
            "has_own_card": entry.has_own_card,
            "version": await self._version_in_force(tool),
            "draft": draft.model_dump(mode="json") if draft else None,
        }

    async def save_draft(self, tool: str, raw: Mapping[str, Any], author: str) -> dict[str, Any]:
        """Keep a draft, faulty ones too; answers its faults, and its preview when it has none. Raises ToolNotFound."""
        self._toolbox.registry.snapshot().entry(tool)
        draft = await self._store.save_draft(tool, raw, author)
        try:
            card = self._read(tool, raw)
            preview = await asyncio.to_thread(self._preview, tool, card)
        except CardRefused as error:
            return {"tool": tool, "status": "draft", "faults": list(error.faults), "preview": None}
        kept = draft.updated_at.isoformat()
        return {"tool": tool, "status": "draft", "faults": [], "preview": preview, "updated_at": kept}

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
                raise Conflict("그사이 다른 사람이 카드를 게시했습니다. 지금 카드를 확인하고 다시 시도해 주세요.")
            draft = await self._store.draft(tool) if raw is None else None
            wanted = raw if raw is not None else draft.card if draft else None
            if wanted is None:
                raise BadRequest(f"도구 {tool!r}에 게시할 카드가 없습니다. card를 보내거나 초안을 먼저 저장해 주세요.")
            card = self._read(tool, wanted)
            suite = await asyncio.to_thread(self._suite, tool, card)
            if suite["fell"] and not override_reason:
                raise CardRefused(tool, _losses(suite))
            told = " / ".join(part for part in (note, override_reason and f"떨어져도 게시: {override_reason}") if part)
            return await self._put(tool, card, "published", author, told, suite)

    async def rollback(self, tool: str, version: int, author: str, *, note: str = "") -> Published:
        """Put an earlier card in force again, as a new version; 0 is the card of the file. It is measured, not blocked.

        Raises ToolNotFound, NotFound for the version, and CardRefused when it does not fit beside the other cards.
        """
        async with self._publishing:
            filed = self._toolbox.filed_card(tool)
            raw = _as_data(filed) if version == 0 else (await self._store.version(tool, version)).card
            card = self._read(tool, raw)
            suite = await asyncio.to_thread(self._suite, tool, card)
            told = " / ".join(part for part in (f"{version}번 판으로 되돌림", note) if part)
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
                tool, _as_data(card), first=_as_data(self._toolbox.filed_card(tool)), origin=origin, author=author,
                note=note, report=suite,
            ) as version:  # fmt: skip
                wanted = None if origin == "file" else card
                swapped = await asyncio.to_thread(self._toolbox.put_card, tool, wanted)
        except BaseException:
            if swapped is not None:  # the database did not keep it: the card before stays in force
                await asyncio.to_thread(self._toolbox.put_card, tool, before)
            raise
        return Published(version, swapped, suite)

    def _read(self, tool: str, raw: Mapping[str, Any]) -> ToolCard:
        """The card, if it may stand: well formed, this tool's, no line that another card or the evaluation has."""
        try:
            card = ToolCard.model_validate(dict(raw))
        except ValidationError as error:
            raise CardRefused(tool, [f"{_place(item['loc'])}{item['msg']}" for item in error.errors()]) from error
        faults = [] if card.name == tool else [f"name: 카드 이름은 {tool!r}여야 합니다(지금 {card.name!r})"]
        faults += [
            f"disclaimers: {key!r}라는 면책 문구가 없습니다" for key in card.disclaimers if key not in self._disclaimers
        ]
        asked = {compact(case.query) for case in self._cases("cases.jsonl", "development.jsonl")}
        faults += [
            f"when_to_use: 평가 질문과 같은 문장이라 넣을 수 없습니다: {line!r}"
            for _, _, line in card.lines()
            if compact(line) in asked
        ]
        faults += [
            f"{where}: 모델에게 지시하는 문장이라 넣을 수 없습니다: {text!r}"
            for where, text in _read_by_models(card)
            if self._suspicious(text)
        ]
        if card.name == tool:
            try:
                self._toolbox.candidate(tool, card)
            except ToolLoadError as error:
                faults += error.faults
        if faults:
            raise CardRefused(tool, faults)
        return card

    def _cases(self, *names: str) -> list[Case]:
        return [case for name in names for case in load_cases(self._evaluation / name)]

    def _trial(self, tool: str, card: ToolCard) -> Trial:
        then = self._toolbox.candidate(tool, card)
        return Trial(self._router, self._toolbox.registry.snapshot(), then)

    def _suite(self, tool: str, card: ToolCard) -> dict[str, Any]:
        before, after = self._trial(tool, card).routes()
        return suite_report(self._cases("cases.jsonl"), before, after)

    def _preview(self, tool: str, card: ToolCard) -> dict[str, Any]:
        trial = self._trial(tool, card)
        before, after = trial.routes()
        neighbours = neighbours_of(tool, trial, before)
        cases = self._cases("cases.jsonl", "development.jsonl")
        diff = card_diff(_as_data(trial.now.entry(tool).card), _as_data(card))
        return {
            "diff": diff,
            **rank_changes(tool, neighbours, cases, before, after),
            "suite": suite_report(self._cases("cases.jsonl"), before, after),
        }


def card_diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What changed, field by field, as removed and added lines."""
    changes = []
    for field in dict.fromkeys((*before, *after)):
        old, new = _lines(before.get(field)), _lines(after.get(field))
        if old != new:
            steps = [line for line in difflib.ndiff(old, new) if line[:2] in ("- ", "+ ")]
            changes.append(
                {
                    "field": field,
                    "removed": [line[2:] for line in steps if line[0] == "-"],
                    "added": [line[2:] for line in steps if line[0] == "+"],
                }
            )
    return changes


def _lines(value: Any) -> list[str]:
    if value is None:
        return []
    return [str(item) for item in value] if isinstance(value, list | tuple) else [str(value)]


def _losses(suite: dict[str, Any]) -> list[str]:
    rates = [
        f"{name}: {rate['before']:.1%} → {rate['after']:.1%}"
        for name, rate in suite["rates"].items()
        if rate["after"] < rate["before"]
    ]
    lost = [
        f"{change['query']!r}: 1위가 {change['first_before']}에서 {change['first_after']}로 바뀝니다"
        for change in suite["lost"][:_SHOWN_LOSSES]
    ]
    return [f"라우팅 평가가 떨어집니다({', '.join(rates)}). 그래도 게시하려면 override_reason을 적어 주세요", *lost]


def _place(loc: tuple[int | str, ...]) -> str:
    return f"{'.'.join(map(str, loc))}: " if loc else ""


def _as_data(card: ToolCard) -> dict[str, Any]:
    return card.model_dump(mode="json")


def _read_by_models(card: ToolCard) -> Iterator[tuple[str, str]]:
    yield "title", card.title
    yield "purpose", card.purpose
    for line in card.when_not_to_use:
        yield "when_not_to_use", line

"""knowledge_read, knowledge_search and knowledge_edit: for operators, over the API and MCP; not among the 54."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, ConfigDict, Field

from app.adapters.knowledge_store import KnowledgeStore, KnowledgeVersion
from app.errors import BadRequest, Conflict
from app.insurance.models import Model
from app.language.normalise import nfc
from app.language.replace import PASSES, replace_once
from app.messages import worded
from app.toolbox.cards import ToolCard
from app.toolbox.knowledge_files import KnowledgeFiles
from app.toolbox.snapshot import Channel, ToolEntry
from app.tools.context import ToolContext
from app.tools.declare import READS, WRITES, Annotations, insurance_tool
from app.tools.results import told

Runtime = ToolRuntime[ToolContext]
MODULE = "knowledge"
OVER: frozenset[Channel] = frozenset(("api", "mcp"))
_EDITS = Annotations(**{**WRITES.model_dump(), "destructive": True})
_MOST_LINES = 400
_MOST_DIFF = 6_000

PathArg = Annotated[str, Field(min_length=1, max_length=200, description=worded("knowledge_tools.path_arg"))]
TextArg = Annotated[str, Field(max_length=20_000)]


class KnowledgeFile(Model):
    """One file on the list."""

    path: str
    lines: int
    chars: int


class KnowledgeText(Model):
    """Lines of a file; without a path, the files there are. Line numbers count from 1."""

    model_config = ConfigDict(str_strip_whitespace=False)

    files: tuple[KnowledgeFile, ...] = ()
    path: str | None = None
    first_line: int = 0
    last_line: int = 0
    lines: int = 0
    version: int = 0
    text: str = Field("", description=worded("knowledge_tools.raw_text"))


class KnowledgeHit(Model):
    """A line that was found."""

    path: str
    line: int
    text: str


class KnowledgeHits(Model):
    """What was found; `more` counts what is not shown."""

    query: str
    hits: tuple[KnowledgeHit, ...]
    more: int = 0


class KnowledgeEdit(Model):
    """An edit: prepared, or done. `matched` says by which pass the place was found, `version` what is in force."""

    model_config = ConfigDict(str_strip_whitespace=False)

    status: Literal["미리보기", "승인 대기", "적용됨"]
    path: str
    line: int
    matched: str
    diff: str
    version: int

    @property
    def approval_effect(self) -> str:
        """What the person who approves reads."""
        return worded("knowledge_tools.effect", path=self.path, line=self.line, matched=self.matched, diff=self.diff)


@dataclass(frozen=True)
class KnowledgeDesk:
    """What the tools work with. `check` names every fault of a file as it would be; `reload` puts what is on the disk
    in force."""

    files: KnowledgeFiles
    store: KnowledgeStore
    check: Callable[[str, str], list[str]]
    reload: Callable[[], Awaitable[None]]
    writing: asyncio.Lock
    # (path, author): held while an edit is made, so that every worker takes it
    changing: Callable[[str, str], AbstractAsyncContextManager[Any]] = lambda path, author: nullcontext()

    async def edit(
        self,
        runtime: Runtime,
        path: str,
        planned: Callable[[str], Awaitable[tuple[str, int, str]]],
        apply: bool,
        note: str,
        base_version: int | None = None,
    ) -> KnowledgeEdit:
        """Show an edit, or make it where its approval was given; an approved call that runs twice edits once."""
        context, call = runtime.context, runtime.tool_call_id or ""
        granted = apply and call in context.approved
        key = f"{context.principal.id}:{call}"
        async with self.writing:
            if granted and (done := await self.store.made_by(key)) is not None:
                return _told("적용됨", done, 0, worded("knowledge_tools.already_applied"), "")
            newest = await self.store.newest(path)
            version = newest.version if newest else 0
            if base_version is not None and base_version != version:
                raise Conflict(worded("knowledge_tools.changed_since"))
            before = await asyncio.to_thread(self.files.read, path)
            after, line, matched = await planned(before)
            if faults := await asyncio.to_thread(self.check, path, after):
                raise BadRequest(worded("knowledge_tools.faulty") + "; ".join(faults[:5]))
            self.files.check_writable(path)
            diff = _diff(path, before, after)
            if not granted:
                status: Literal["미리보기", "승인 대기"] = "승인 대기" if apply else "미리보기"
                return KnowledgeEdit(status=status, path=path, line=line, matched=matched, diff=diff, version=version)
            origin: Literal["edit", "restore"] = "restore" if line == 0 else "edit"
            written = False
            try:
                async with (
                    self.changing(path, context.principal.id),
                    self.store.adding(
                        path, before, after, origin=origin, author=context.principal.id, note=note, change_key=key
                    ) as made,
                ):
                    await asyncio.to_thread(self.files.write, path, after)
                    written = True
                    await self.reload()
            except BaseException:
                if written:  # it was not kept, or could not be put in force: the file of before stays
                    await asyncio.to_thread(self.files.write, path, before)
                    await self.reload()
                raise
            return _told("적용됨", made, line, matched, diff)


def knowledge_entries(desk: KnowledgeDesk) -> tuple[ToolEntry, ...]:
    """The three tools, ready for the registry."""
    return (
        _entry(_reading(desk), worded("knowledge_tools.read_title"), worded("knowledge_tools.read_effect")),
        _entry(_searching(desk), worded("knowledge_tools.search_title"), worded("knowledge_tools.search_effect")),
        _entry(_editing(desk), worded("knowledge_tools.edit_title"), worded("knowledge_tools.edit_effect")),
    )


def _entry(tool: BaseTool, title: str, purpose: str) -> ToolEntry:
    declared = tool.metadata or {}
    return ToolEntry(
        tool=tool,
        card=ToolCard(name=tool.name, title=title, purpose=purpose, when_to_use=(purpose,)),
        module=MODULE,
        role="operator",
        annotations=declared["annotations"],
        source="operator",
        writes_when=declared["writes_when"],
        channels=OVER,
    )


def _reading(desk: KnowledgeDesk) -> BaseTool:
    @insurance_tool(role="operator", annotations=READS)
    async def knowledge_read(
        runtime: Runtime,
        path: Annotated[PathArg | None, Field(description=worded("knowledge_tools.path_or_list"))] = None,
        first_line: Annotated[int, Field(ge=1, description=worded("knowledge_tools.first_line"))] = 1,
        lines: Annotated[int, Field(ge=1, le=_MOST_LINES, description=worded("knowledge_tools.lines"))] = _MOST_LINES,
    ) -> tuple[str, BaseModel]:
        """지식 파일과 지침 파일의 목록이나 내용을 있는 그대로 보여 준다."""
        if path is None:
            return told(KnowledgeText(files=await asyncio.to_thread(_listed, desk.files)))
        text = await asyncio.to_thread(desk.files.read, path)
        newest = await desk.store.newest(path)
        rows = text.splitlines(keepends=True)
        shown = rows[first_line - 1 : first_line - 1 + lines]
        return told(
            KnowledgeText(
                path=path,
                first_line=first_line,
                last_line=first_line + len(shown) - 1,
                lines=len(rows),
                version=newest.version if newest else 0,
                text="".join(shown),
            )
        )

    return knowledge_read


def _searching(desk: KnowledgeDesk) -> BaseTool:
    @insurance_tool(role="operator", annotations=READS)
    async def knowledge_search(
        runtime: Runtime,
        query: Annotated[str, Field(min_length=1, max_length=200, description=worded("knowledge_tools.query"))],
        limit: Annotated[int, Field(ge=1, le=100, description=worded("knowledge_tools.limit"))] = 20,
    ) -> tuple[str, BaseModel]:
        """지식 파일과 지침 파일에서 낱말이 든 줄을 찾아 파일 이름과 줄 번호를 알려 준다."""
        found = await asyncio.to_thread(_searched, desk.files, query)
        return told(KnowledgeHits(query=query, hits=tuple(found[:limit]), more=max(len(found) - limit, 0)))

    return knowledge_search


def _editing(desk: KnowledgeDesk) -> BaseTool:
    @insurance_tool(role="operator", annotations=_EDITS, writes_when=("apply",))
    async def knowledge_edit(
        runtime: Runtime,
        path: PathArg,
        old_text: Annotated[TextArg | None, Field(description=worded("knowledge_tools.old_text"))] = None,
        new_text: Annotated[TextArg | None, Field(description=worded("knowledge_tools.new_text"))] = None,
        restore_version: Annotated[
            int | None, Field(ge=1, description=worded("knowledge_tools.restore_version"))
        ] = None,
        base_version: Annotated[int | None, Field(ge=0, description=worded("knowledge_tools.seen_version"))] = None,
        apply: Annotated[bool | None, Field(description=worded("knowledge_tools.apply"))] = None,
        note: Annotated[str, Field(max_length=300, description=worded("knowledge_tools.note"))] = "",
    ) -> tuple[str, BaseModel]:
        """지식·지침 파일의 한 곳을 고치거나 지난 판으로 되돌린다. apply이면 승인 뒤 적용하고 곧바로 반영한다."""

        planned = partial(_planned, desk.store, path, old_text, new_text, restore_version)
        return told(await desk.edit(runtime, path, planned, bool(apply), note, base_version))

    return knowledge_edit


async def _planned(
    store: KnowledgeStore,
    path: str,
    old_text: str | None,
    new_text: str | None,
    restore_version: int | None,
    before: str,
) -> tuple[str, int, str]:
    """The file as it would be, the line that changes (0: all of it) and how the place was found."""
    if restore_version is not None:
        if old_text is not None or new_text is not None:
            raise BadRequest(worded("knowledge_tools.restore_alone"))
        return (
            (await store.version(path, restore_version)).text,
            0,
            worded("knowledge_tools.to_version", restore_version=restore_version),
        )
    if old_text is None or new_text is None:
        raise BadRequest(worded("knowledge_tools.both_texts"))
    syntax: Literal["markdown", "yaml"] = "markdown" if path.endswith(".md") else "yaml"
    done = await asyncio.to_thread(replace_once, before, old_text, new_text, syntax)
    return done.text, done.line, PASSES[done.pass_number - 1]


def _told(status: Literal["적용됨"], made: KnowledgeVersion, line: int, matched: str, diff: str) -> KnowledgeEdit:
    return KnowledgeEdit(status=status, path=made.path, line=line, matched=matched, diff=diff, version=made.version)


def _listed(files: KnowledgeFiles) -> tuple[KnowledgeFile, ...]:
    found = []
    for path in files.paths():
        text = files.read(path)
        found.append(KnowledgeFile(path=path, lines=text.count("\n") + 1, chars=len(text)))
    return tuple(found)


def _searched(files: KnowledgeFiles, query: str) -> list[KnowledgeHit]:
    words = nfc(query).casefold().split()
    found = []
    for path in files.paths():
        for number, line in enumerate(files.read(path).splitlines(), 1):
            plain = nfc(line).casefold()
            if words and all(word in plain for word in words):
                found.append(KnowledgeHit(path=path, line=number, text=line.strip()[:300]))
    return found


def _diff(path: str, before: str, after: str) -> str:
    rows = difflib.unified_diff(
        before.splitlines(),
        after.splitlines(),
        worded("knowledge_tools.now", path=path),
        worded("knowledge_tools.after", path=path),
        "",
        "",
        2,
        "",
    )
    text = "\n".join(rows)
    return text if len(text) <= _MOST_DIFF else text[:_MOST_DIFF] + worded("knowledge_tools.shortened")

"""knowledge_read, knowledge_search, knowledge_edit: with approval, undone, put in force, and never outside."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from langchain_core.messages import ToolCall

from app.access import Principal
from app.adapters.approval_store import ApprovalStore
from app.adapters.database import Database, open_database
from app.adapters.knowledge_store import KnowledgeStore
from app.editing.knowledge import LiveKnowledge
from app.errors import NotFound, Unavailable
from app.insurance.catalogue import Catalogue
from app.language.tokenizer import Tokenizer
from app.planner.knowledge import KnowledgeBase
from app.toolbox.approvals import ApprovalAwaited, ApprovalGate, Errand, awaited
from app.toolbox.knowledge_files import KnowledgeFiles
from app.toolbox.knowledge_tools import KnowledgeDesk, knowledge_entries
from app.toolbox.snapshot import ToolSnapshot
from app.tools.context import ToolContext

DATA = Path(__file__).resolve().parent.parent.parent / "data"
OPERATOR = Principal("key:op", "operator")


class Bench:
    """A copy of the shipped data, the tools over it, and the gate before them."""

    def __init__(self, content: Path, database: Database, catalogue: Catalogue, base: KnowledgeBase) -> None:
        self.content, self.base, self.store = content, base, KnowledgeStore(database)
        self.prompts: list[str] = []
        self.live = LiveKnowledge(content, "라이나생명", catalogue, base, self._read_prompts, self.prompts.append)
        self.files = KnowledgeFiles(content)
        desk = KnowledgeDesk(self.files, self.store, self.live.faults, self.live.reload, asyncio.Lock())
        self.snapshot = ToolSnapshot(1, knowledge_entries(desk))
        self.approvals = ApprovalStore(database, 900)
        self.gate = ApprovalGate(self.approvals)
        self.runs = 0

    @staticmethod
    def _read_prompts(content: Path, catalogue: Catalogue) -> str:
        return (content / "prompts" / "system.md").read_text(encoding="utf-8")

    async def call(self, name: str, principal: Principal = OPERATOR, channel: Any = "api", **args: Any) -> Any:
        self.runs += 1
        context = ToolContext(
            principal=principal, catalogue=None, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
            today=lambda: date(2026, 3, 2),
        )  # fmt: skip
        call = ToolCall(name=name, args=args, id=f"call-{self.runs}", type="tool_call")
        errand = Errand(f"run-{self.runs}", None, awaited)
        [run] = await self.gate(self.snapshot, [call], context, errand, channel=channel)
        return run

    async def told(self, name: str, **args: Any) -> dict[str, Any]:
        run = await self.call(name, **args)
        assert run.ok, run.message.content
        data: dict[str, Any] = run.message.artifact["data"]
        return data

    async def apply(self, decision: Any = "approved", **args: Any) -> Any:
        with pytest.raises(ApprovalAwaited) as waiting:
            await self.call("knowledge_edit", apply=True, **args)
        [asked] = waiting.value.approvals
        decided = await self.approvals.decide(asked.approval_id, decision, by=OPERATOR.id)
        context = ToolContext(
            principal=OPERATOR, catalogue=None, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
            today=lambda: date(2026, 3, 2),
        )  # fmt: skip
        return asked, decided, await self.gate.carry_out(self.snapshot, decided, context)


@pytest.fixture
async def bench(tmp_path: Path, catalogue: Catalogue, tokenizer: Tokenizer) -> AsyncIterator[Bench]:
    content = tmp_path / "data"
    content.mkdir()
    for child in DATA.iterdir():
        if child.name in ("knowledge", "prompts"):
            shutil.copytree(child, content / child.name)
        else:
            (content / child.name).symlink_to(child)
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'test.db'}")
    yield Bench(content, database, catalogue, KnowledgeBase(catalogue.reference, tokenizer))
    await database.close()


def first_answer(content: Path) -> str:
    return str(yaml.safe_load((content / "knowledge" / "faq.yaml").read_text(encoding="utf-8"))[0]["answer"])


async def test_files_are_listed_read_and_searched(bench: Bench) -> None:
    listed = await bench.told("knowledge_read")
    names = {item["path"] for item in listed["files"]}
    assert {"knowledge/faq.yaml", "knowledge/glossary.yaml", "prompts/system.md"} <= names
    read = await bench.told("knowledge_read", path="knowledge/faq.yaml", first_line=2, lines=3)
    whole = (bench.content / "knowledge" / "faq.yaml").read_text(encoding="utf-8").splitlines(keepends=True)
    assert read["text"] == "".join(whole[1:4]) and (read["first_line"], read["last_line"]) == (2, 4)
    assert read["lines"] == len(whole)
    hits = await bench.told("knowledge_search", query="갱신형 비갱신형", limit=2)
    assert hits["hits"] and hits["hits"][0]["path"] == "knowledge/faq.yaml"
    assert all("갱신형" in whole[hit["line"] - 1] for hit in hits["hits"])


@pytest.mark.requirement("registry:edit:nine-pass-matching")
async def test_a_preview_changes_nothing(bench: Bench) -> None:
    before = bench.files.read("knowledge/faq.yaml")
    shown = await bench.told(
        "knowledge_edit",
        path="knowledge/faq.yaml",
        old_text="갱신형과 비갱신형은 무엇이 다른가요?",
        new_text="갱신형은 무엇인가요?",
    )
    assert shown["status"] == "미리보기" and "+  question: 갱신형은 무엇인가요?" in shown["diff"]
    assert bench.files.read("knowledge/faq.yaml") == before


@pytest.mark.requirement("registry:edit:nine-pass-matching")
async def test_an_edit_waits_for_its_approval_shows_its_diff_and_is_in_force_at_once(bench: Bench) -> None:
    old = first_answer(bench.content)
    asked, _, run = await bench.apply(path="knowledge/faq.yaml", old_text=f"  {old}  ", new_text="새 답변입니다.")
    assert "+  answer: 새 답변입니다." in asked.effect and "knowledge/faq.yaml" in asked.effect
    assert (
        run.ok and run.message.artifact["data"]["status"] == "적용됨" and run.message.artifact["data"]["version"] == 2
    )
    assert first_answer(bench.content) == "새 답변입니다."
    found = bench.base.answer("갱신형과 비갱신형은 무엇이 다른가요?")
    assert found is not None and found.text == "새 답변입니다."
    assert bench.live.catalogue.reference.knowledge[0].answer == "새 답변입니다."


async def test_a_rejected_edit_is_not_made(bench: Bench) -> None:
    before = bench.files.read("knowledge/faq.yaml")
    old = first_answer(bench.content)
    _, _, run = await bench.apply("rejected", path="knowledge/faq.yaml", old_text=old, new_text="다른 답")
    assert not run.ok and bench.files.read("knowledge/faq.yaml") == before


async def test_an_edit_is_undone_by_its_version(bench: Bench) -> None:
    path = bench.content / "knowledge" / "faq.yaml"
    before = path.read_bytes()
    await bench.apply(path="knowledge/faq.yaml", old_text=first_answer(bench.content), new_text="새 답변입니다.")
    _, _, run = await bench.apply(path="knowledge/faq.yaml", restore_version=1)
    assert run.message.artifact["data"]["version"] == 3
    assert path.read_bytes() == before
    assert (await bench.store.version("knowledge/faq.yaml", 2)).author == OPERATOR.id


async def test_prompts_are_edited_and_swapped(bench: Bench) -> None:
    first = bench.files.read("prompts/system.md")
    line = next(
        line for line in first.splitlines()[::-1] if len(line) > 10 and "{" not in line and first.count(line) == 1
    )
    _, _, run = await bench.apply(path="prompts/system.md", old_text=line, new_text=f"{line} 늘 공손하게 말합니다.")
    assert run.ok and bench.prompts and "늘 공손하게 말합니다." in bench.prompts[-1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- id: renewal_vs_fixed", "- id: holder_insured"),
        ("- id: renewal_vs_fixed", "- nonsense: [1"),
        ("- id: renewal_vs_fixed", "- identity: x"),
    ],
)
async def test_an_edit_that_would_break_the_data_is_refused_before_it_is_written(
    bench: Bench, old: str, new: str
) -> None:
    before = bench.files.read("knowledge/faq.yaml")
    run = await bench.call("knowledge_edit", path="knowledge/faq.yaml", old_text=old, new_text=new, apply=True)
    assert not run.ok and "오류가 있어" in str(run.message.content) and "faq.yaml" in str(run.message.content)
    assert bench.files.read("knowledge/faq.yaml") == before


async def test_a_place_that_is_not_one_is_refused_with_lines(bench: Bench) -> None:
    run = await bench.call("knowledge_edit", path="knowledge/faq.yaml", old_text="source: ", new_text="s: ", apply=True)
    assert not run.ok and "번째 줄" in str(run.message.content)


async def test_an_edit_on_another_version_is_refused(bench: Bench) -> None:
    args = {"path": "knowledge/faq.yaml", "old_text": first_answer(bench.content), "new_text": "x 답"}
    assert (await bench.call("knowledge_edit", base_version=0, **args)).ok
    assert not (await bench.call("knowledge_edit", base_version=1, **args)).ok


async def test_an_approved_edit_that_runs_twice_edits_once(bench: Bench) -> None:
    edit = bench.snapshot.entry("knowledge_edit").tool
    from langgraph.prebuilt import ToolRuntime

    context = ToolContext(
        principal=OPERATOR, catalogue=None, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
        today=lambda: date(2026, 3, 2), approved=frozenset({"ap_1"}),
    )  # fmt: skip
    versions = []
    for _ in range(2):
        runtime = ToolRuntime(
            state={}, context=context, config={}, stream_writer=lambda _: None, tool_call_id="ap_1", store=None
        )
        old = "갱신형과 비갱신형은 무엇이 다른가요?"
        args = {"path": "knowledge/faq.yaml", "old_text": old, "new_text": "갱신형은 무엇인가요?", "apply": True}
        _, result = await edit.coroutine(runtime=runtime, **args)  # type: ignore[attr-defined]
        versions.append(result.version)
    assert versions == [2, 2]


@pytest.mark.parametrize("role", ["customer", "staff"])
@pytest.mark.parametrize("name", ["knowledge_read", "knowledge_search", "knowledge_edit"])
async def test_only_operators_have_them_and_the_chat_does_not(bench: Bench, role: Any, name: str) -> None:
    run = await bench.call(name, principal=Principal("key:x", role))
    assert not run.ok and "권한" in str(run.message.content)
    assert name not in bench.snapshot.allowed_for(OPERATOR, "chat")
    assert name in bench.snapshot.allowed_for(OPERATOR, "mcp") and bench.snapshot.tools_count == 0


OUTSIDE = [
    "../../etc/passwd",
    "/etc/passwd",
    "knowledge/../products/x.yaml",
    "knowledge/../knowledge/faq.yaml",
    "knowledge//faq.yaml",
    "./knowledge/faq.yaml",
    "knowledge/faq.yaml/",
    "knowledge/faq.yaml\x00.md",
    "knowledge\\faq.yaml",
    "Knowledge/faq.yaml",
    "knowledge/FAQ.yaml",
    "knowledge/faq.yaml ",
    "knowledge/faq.yaml.",
    "ｋnowledge/faq.yaml",
    "%6bnowledge/faq.yaml",
    "file:knowledge/faq.yaml",
    "safety/forbidden_phrases.yaml",
    "knowledge",
    "knowledge/link.yaml",
    "knowledge/inside/faq.yaml",
    "knowledge/hard.yaml",
    "knowledge/pipe.yaml",
    "knowledge/.hidden.yaml",
    "knowledge/program.py",
]


@pytest.mark.parametrize("path", OUTSIDE)
async def test_no_name_leads_outside(bench: Bench, tmp_path: Path, path: str) -> None:
    folder = bench.content / "knowledge"
    secret = tmp_path / "secret.yaml"
    secret.write_text("비밀: 값\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    shutil.copy(secret, tmp_path / "elsewhere" / "faq.yaml")
    (folder / "link.yaml").symlink_to(secret)
    (folder / "inside").symlink_to(tmp_path / "elsewhere")
    os.link(secret, folder / "hard.yaml")
    os.mkfifo(folder / "pipe.yaml")
    for name in (".hidden.yaml", "program.py"):
        shutil.copy(secret, folder / name)
    with pytest.raises(NotFound):
        bench.files.read(path)
    with pytest.raises(NotFound):
        bench.files.write(path, "비밀: 바뀜\n")
    assert secret.read_text(encoding="utf-8") == "비밀: 값\n"


async def test_a_read_only_folder_is_told_as_such(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("app.toolbox.knowledge_files.tempfile.mkstemp", refuse)
    with pytest.raises(Unavailable, match="읽기 전용"):
        bench.files.write("knowledge/faq.yaml", "x")
    monkeypatch.setattr("app.toolbox.knowledge_files.os.access", lambda *_: False)
    run = await bench.call(
        "knowledge_edit", path="knowledge/faq.yaml", old_text=first_answer(bench.content), new_text="새 답", apply=True
    )
    assert not run.ok and "CONTENT_DIR" in str(run.message.content)

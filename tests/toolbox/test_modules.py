"""Loading tool modules afresh: what a broken one does to nobody, and that the newest source is what runs."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.errors import DataFaults, NotFound, ToolLoadError
from app.toolbox.loader import BUILTIN_MODULES
from app.toolbox.modules import ToolModules

from .samples import entry

DATA = Path(__file__).resolve().parent.parent.parent / "data"
GOOD = '''
from typing import Annotated
from pydantic import Field
from langgraph.prebuilt import ToolRuntime
from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told


class Counted(Model):
    number: int
    again: "Counted | None" = None


@insurance_tool()
async def count_up(runtime: ToolRuntime[ToolContext], number: Annotated[int, Field(ge=0)]) -> tuple[str, Counted]:
    """수를 하나 올려 준다."""
    return told(Counted(number=number + {step}))


TOOLS = [count_up]
'''
CARD = """
- name: {name}
  title: 세기
  purpose: 수를 하나 올려 알려 준다.
  when_to_use: [숫자 하나 올려 줘, 다음 수가 뭐야]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tools")


@pytest.fixture(scope="module")
def modules(folder: Path) -> Iterator[ToolModules]:
    made = ToolModules(DATA, [folder], timeout_s=1.5)
    yield made
    made.close()


def write(folder: Path, name: str, source: str, card: str | None = None) -> None:
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    (folder / f"{name}.yaml").unlink(missing_ok=True)
    if card is not None:
        (folder / f"{name}.yaml").write_text(card, encoding="utf-8")


def test_a_module_beside_its_cards_loads_with_its_own_classes(folder: Path, modules: ToolModules) -> None:
    write(folder, "counting", GOOD.replace("{step}", "1"), CARD.format(name="count_up"))
    (made,) = modules.load("counting")
    assert (made.name, made.module, made.source, made.has_own_card) == ("count_up", "counting", "local", True)
    assert made.openai_schema["function"]["parameters"]["properties"]["number"]["minimum"] == 0


async def test_the_newest_source_runs_even_when_it_is_as_long_and_of_the_same_second(
    folder: Path, modules: ToolModules
) -> None:
    from datetime import date

    from app.toolbox.dispatch import dispatch
    from app.toolbox.snapshot import ToolSnapshot
    from app.tools.context import ToolContext
    from tests.toolbox.test_dispatch import STAFF, calling

    context = ToolContext(
        principal=STAFF, catalogue=None, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
        today=lambda: date(2026, 3, 2),
    )  # fmt: skip
    for step in (1, 2, 3):
        write(folder, "counting", GOOD.replace("{step}", str(step)), CARD.format(name="count_up"))
        (made,) = modules.load("counting")
        (run,) = await dispatch(ToolSnapshot(1, (made,)), [calling("count_up", number=10)], context)
        assert run.message.artifact["data"]["number"] == 10 + step


def test_old_module_objects_are_not_collected_in_sys_modules(folder: Path, modules: ToolModules) -> None:
    write(folder, "counting", GOOD.replace("{step}", "1"), CARD.format(name="count_up"))
    for _ in range(4):
        modules.load("counting")
    assert len([name for name in sys.modules if "counting__" in name]) == 1


BROKEN = {
    "raises": (
        "\n\nraise RuntimeError('설정이 없습니다')\n",
        ["raises.py", "3번째 줄", "RuntimeError", "설정이 없습니다"],
    ),
    "imports": ("import no_such_library\n", ["1번째 줄", "no_such_library"]),
    "syntax": ("def f(:\n", ["1번째 줄", "문법 오류"]),
    "hangs": ("while True:\n    pass\n", ["1.5초가 넘게"]),
    "sleeps": ("import time\ntime.sleep(60)\n", ["1.5초가 넘게"]),
    "exits": ("import sys\nsys.exit(0)\n", ["2번째 줄", "sys.exit"]),
    "dies": ("import os\nos._exit(0)\n", ["프로세스를 끝냈습니다"]),
    "killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", ["프로세스를 끝냈습니다(종료 상태 -9)"]),
    "no_tools": ("x = 1\n", ["no_tools.py", "TOOLS 목록"]),
    "no_tool": ("TOOLS = [print]\n", ["@tool 함수가 아닙니다"]),
    "binary": ("\x00", ["binary.py"]),
}


@pytest.mark.parametrize(("name", "source", "words"), [(name, *rest) for name, rest in BROKEN.items()], ids=BROKEN)
def test_a_broken_module_is_refused_with_its_reason(
    folder: Path, modules: ToolModules, name: str, source: str, words: list[str]
) -> None:
    write(folder, name, source)
    before = set(sys.modules)
    started = time.monotonic()
    with pytest.raises(ToolLoadError) as caught:
        modules.load(name)
    assert all(word in str(caught.value) for word in words), caught.value
    assert time.monotonic() - started < 15
    assert not {module for module in set(sys.modules) - before if f"{name}__" in module}


def test_what_a_broken_module_started_is_gone_too(folder: Path, modules: ToolModules, tmp_path: Path) -> None:
    mark = tmp_path / "alive"
    child = f"import time, pathlib\\nwhile True:\\n    pathlib.Path({str(mark)!r}).touch()\\n    time.sleep(0.05)"
    write(
        folder,
        "spawns",
        f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', \"{child}\"])\ntime.sleep(60)\n",
    )
    with pytest.raises(ToolLoadError):
        modules.load("spawns")
    mark.unlink(missing_ok=True)
    time.sleep(0.3)
    assert not mark.exists()


def test_every_fault_of_module_and_cards_is_named_at_once(folder: Path, modules: ToolModules) -> None:
    write(folder, "twofold", "raise ValueError('망가짐')\n", CARD.format(name="Bad Name") + "  surprise: 1\n")
    with pytest.raises(ToolLoadError) as caught:
        modules.load("twofold")
    told = "\n".join(caught.value.faults)
    assert len(caught.value.faults) >= 3 and "망가짐" in told and "surprise" in told and "twofold.yaml" in told


def test_a_card_for_no_tool_is_a_fault(folder: Path, modules: ToolModules) -> None:
    write(
        folder, "counting", GOOD.replace("{step}", "1"), CARD.format(name="count_up") + CARD.format(name="count_down")
    )
    with pytest.raises(ToolLoadError, match="카드 count_down에 맞는 도구 함수가 없습니다"):
        modules.load("counting")


@pytest.mark.parametrize(
    "name", ["blocks", "context", "nothing", "../errors", "app.tools.premium", "Premium", "", "_x"]
)
def test_what_is_no_tool_module_cannot_be_loaded(modules: ToolModules, name: str) -> None:
    with pytest.raises(NotFound, match="premium"):
        modules.load(name)


def test_the_shipped_modules_load_afresh_with_all_their_tools(modules: ToolModules) -> None:
    import app.tools.premium as living

    loaded = {made.name: made for made in modules.load("premium")}
    assert set(loaded) == {tool.name for tool in living.TOOLS}
    assert all(loaded[tool.name].tool is not tool for tool in living.TOOLS), "a fresh module object"
    assert sys.modules["app.tools.premium"] is living


def test_a_new_file_in_the_tools_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "extra.py").write_text(GOOD.replace("{step}", "1"), encoding="utf-8")
    modules = ToolModules(DATA, tools_folder=tmp_path)
    assert modules.names() == (*BUILTIN_MODULES, "extra")
    assert [made.name for made in modules.load_added()] == ["count_up"]


def test_a_broken_added_module_stops_the_start_with_every_fault(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text("TOOLS = []\n", encoding="utf-8")
    with pytest.raises(DataFaults) as caught:
        ToolModules(DATA, [tmp_path]).load_added()
    assert len(caught.value.faults) == 2


async def test_saving_a_file_reloads_its_module(tmp_path: Path) -> None:
    from app.toolbox.registry import ToolRegistry
    from app.toolbox.toolbox import Toolbox
    from app.toolbox.watching import reload_on_change
    from tests.toolbox.samples import double

    folder, modules = tmp_path, ToolModules(tmp_path / "data", tools_folder=tmp_path / "tools", folders=[tmp_path])
    toolbox = Toolbox(ToolRegistry([entry(double)]), modules)
    watching = asyncio.create_task(reload_on_change(toolbox))
    try:
        await asyncio.sleep(0.5)
        write(folder, "counting", GOOD.replace("{step}", "1"), CARD.format(name="count_up"))
        for _ in range(100):
            if "count_up" in toolbox.registry.snapshot():
                break
            await asyncio.sleep(0.1)
        assert toolbox.registry.snapshot().names() == ("double", "count_up")
        write(folder, "counting", "1/0")
        await asyncio.sleep(1)
        assert "count_up" in toolbox.registry.snapshot(), "a broken save changes nothing"
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        modules.close()

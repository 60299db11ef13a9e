"""Tools and modules made up for the toolbox tests."""

from __future__ import annotations

import asyncio
import json
from types import ModuleType
from typing import Annotated, Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, tool
from langgraph.prebuilt import ToolRuntime
from langgraph.types import Command
from pydantic import BaseModel, Field

from app.errors import BadRequest
from app.insurance.models import Model
from app.toolbox.cards import ToolCard
from app.toolbox.snapshot import ToolEntry
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Runtime = ToolRuntime[ToolContext]


class Doubled(Model):
    """What `double` finds."""

    amount: int
    caller: str


@insurance_tool()
async def double(
    runtime: Runtime, amount: Annotated[int, Field(ge=0, description="금액, 원")]
) -> tuple[str, BaseModel]:
    """금액을 두 배로 만든다."""
    return told(Doubled(amount=amount * 2, caller=runtime.context.principal.id))


@insurance_tool()
async def slow(runtime: Runtime, seconds: Annotated[float, Field(ge=0, le=1)]) -> tuple[str, BaseModel]:
    """잠시 기다린다."""
    await asyncio.sleep(seconds)
    return told(Doubled(amount=int(seconds * 1000), caller="slow"))


@insurance_tool(role="staff")
async def for_staff(runtime: Runtime) -> tuple[str, BaseModel]:
    """직원만 쓸 수 있는 도구이다."""
    return told(Doubled(amount=1, caller=runtime.context.principal.id))


@insurance_tool()
async def refuses(runtime: Runtime) -> tuple[str, BaseModel]:
    """언제나 값이 틀렸다고 한다."""
    raise BadRequest("나이 200세는 범위를 벗어났습니다. 0~120세로 알려 주세요.")


@insurance_tool()
async def breaks(runtime: Runtime) -> tuple[str, BaseModel]:
    """언제나 고장 난다."""
    raise RuntimeError("비밀 경로 /etc/secret")


class Person(Model):
    """What a tool might read for itself."""

    name: str
    age: int


@insurance_tool()
async def misreads(runtime: Runtime, name: str) -> tuple[str, BaseModel]:
    """제 안에서 값을 잘못 읽는다."""
    return told(Person.model_validate({"name": name, "age": f"{name}의 나이"}))


@insurance_tool()
async def misses(runtime: Runtime, name: str) -> tuple[str, BaseModel]:
    """제 안에 없는 것을 찾는다."""
    known: dict[str, int] = {}
    return told(Doubled(amount=known[name], caller=name))


@tool
def misreads_plainly(name: str) -> str:
    """기다리지 않는 도구도 제 안에서 값을 잘못 읽는다."""
    return str(Person.model_validate({"name": name, "age": name}))


class MisreadsAsItsOwnKind(BaseTool):
    """A tool that is no function."""

    name: str = "misreads_as_its_own_kind"
    description: str = "함수가 아닌 도구도 제 안에서 값을 잘못 읽는다."
    args_schema: type[BaseModel] = Person

    def _run(self, name: str, age: int) -> str:
        return str(Person.model_validate({"name": name, "age": name}))


@insurance_tool()
async def reads_facts(runtime: Runtime) -> tuple[str, BaseModel]:
    """대화가 기억하는 나이를 읽는다."""
    return told(Doubled(amount=runtime.state["facts"]["age"], caller="facts"))


class Sealed(Model):
    """A result that JSON cannot hold."""

    thing: Any


@insurance_tool()
async def unshowable(runtime: Runtime) -> tuple[str, BaseModel]:
    """보여 줄 수 없는 것을 돌려준다."""
    return "", Sealed(thing=object())


@tool
def plain(words: str) -> str:
    """글자를 그대로 돌려준다."""
    return f"받은 말: {words}"


@tool
def writes_json(words: str) -> str:
    """글자를 JSON으로 돌려준다."""
    return json.dumps({"words": words}, ensure_ascii=False)


@tool
def steers() -> Command[Any]:
    """그래프를 마음대로 움직이려 한다."""
    return Command(goto="agent")


@tool
async def reads_config(word: str, settings: RunnableConfig) -> str:
    """말과 설정의 이름을 돌려줍니다."""
    return f"{word} {sorted(settings['configurable'])}"


def entry(made: BaseTool, module: str = "sample", **more: Any) -> ToolEntry:
    """An entry with a card of its own."""
    card = ToolCard(name=made.name, title=made.name, purpose=made.description, when_to_use=(f"{made.name} 써 줘",))
    role = (made.metadata or {}).get("role", "staff")
    return ToolEntry(tool=made, card=card, module=module, role=role, **more)


def named(name: str, module: str = "sample") -> ToolEntry:
    """An entry of a do-nothing tool of this name."""

    def nothing() -> str:
        """아무것도 하지 않는다."""
        return name

    return entry(tool(name)(nothing), module)


def module_of(*tools: Any, name: str = "sample") -> ModuleType:
    """A module whose TOOLS are these."""
    made = ModuleType(f"app.tools.{name}")
    made.TOOLS = list(tools)  # type: ignore[attr-defined]
    return made

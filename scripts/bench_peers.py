"""Side by side with what one would pick instead, in one run on the same questions and the same machine.

    pip install -r scripts/bench_peers.requirements.txt      (in an environment of its own)
    python -m scripts.bench_peers [--write]

Routing: ours, graph-tool-call, semantic-router and plain Chroma top-k, over the same 54 tools, the same card lines and,
where one takes an embedder, the same embedder. graph-tool-call and semantic-router get the whole card: description and
every line (as the library wants them: in the description, as utterances). Nobody was tuned on these questions.

Serving: the whole service against a bare `create_agent` with all 54 tools bound, both around one model that answers at
once, so that only the machinery is timed; tokens are those of the tool schemas and prompts that the model is sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field

from app.access import LOCAL_ADMIN
from app.adapters.chat_model import Engine
from app.composition import open_services
from app.routing.evaluation import Case, load_cases
from app.services import Services
from app.settings import ROOT, Settings
from scripts.benchmark_notes import measured_on, write_section

TOP = 5
CASES = ("independent_tools.jsonl",)
TURNS = 30
Rank = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class Scored:
    """One router on all questions."""

    name: str
    hit_1: float
    recall_5: float
    p50_ms: float
    p95_ms: float

    def row(self) -> str:
        """A line of the table."""
        return f"| {self.name} | {self.hit_1:.1%} | {self.recall_5:.1%} | {self.p50_ms:.2f} / {self.p95_ms:.2f} |"


def scored(name: str, rank: Rank, cases: Sequence[Case]) -> Scored:
    """Rank every question and time it."""
    took, first, among = [], 0, 0
    for case in cases:
        begun = time.perf_counter()
        ranked = list(rank(case.question))[:TOP]
        took.append((time.perf_counter() - begun) * 1000)
        first += bool(ranked) and ranked[0] in case.right
        among += any(tool in case.right for tool in ranked)
    took.sort()
    return Scored(name, first / len(cases), among / len(cases), statistics.median(took), took[int(len(took) * 0.95)])


def routers(services: Services) -> list[tuple[str, Rank]]:
    """Every router, set up over the same tools."""
    return [
        ("this router", _ours(services)),
        *_plain_chroma(services),
        *_graph_tool_call(services),
        *_semantic(services),
    ]


def _entries(services: Services) -> list[Any]:
    return [entry for entry in services.tools.registry.snapshot().entries if "chat" in entry.channels]


def _ours(services: Services) -> Rank:
    snapshot = services.tools.registry.snapshot()
    allowed = snapshot.allowed_for(LOCAL_ADMIN)

    def rank(question: str) -> Sequence[str]:
        route = services.tools.routing.router.route(question, snapshot, top_k=TOP, allowed=allowed)
        return [candidate.tool for candidate in route.candidates]

    return rank


def _plain_chroma(services: Services) -> list[tuple[str, Rank]]:
    """A document a card line; a tool stands where its best line stands."""
    lines = [(entry.name, line) for entry in _entries(services) for _, _, line in entry.card.lines()]
    collection = services.storage.store.collection("bench_peers", services.tools.embedder.fingerprint)
    vectors = services.tools.embedder.encode_passages([line for _, line in lines])
    collection.upsert([str(i) for i in range(len(lines))], vectors, [{"tool": tool} for tool, _ in lines])

    def rank(question: str) -> Sequence[str]:
        hits = collection.query(services.tools.embedder.encode_query(question), 40)
        return list(dict.fromkeys(str(hit.metadata["tool"]) for hit in hits))

    return [("Chroma top-k over the card lines", rank)]


def _graph_tool_call(services: Services) -> list[tuple[str, Rank]]:
    from graph_tool_call import ToolGraph  # noqa: PLC0415

    def made(embedded: bool) -> Rank:
        graph = ToolGraph()
        tools = []
        for entry in _entries(services):
            schema = convert_to_openai_tool(entry.tool)
            lines = "\n".join(line for _, _, line in entry.card.lines())
            schema["function"]["description"] = f"{entry.description}\n{lines}"
            tools.append(schema)
        graph.add_tools(tools)
        if embedded:
            graph.enable_embedding(lambda texts: services.tools.embedder.encode_passages(list(texts)).tolist())
        return lambda question: [tool.name for tool in graph.retrieve(question, top_k=TOP)]

    return [("graph-tool-call", made(False)), ("graph-tool-call with our embedder", made(True))]


def _semantic(services: Services) -> list[tuple[str, Rank]]:
    from semantic_router import Route  # noqa: PLC0415
    from semantic_router.encoders.base import DenseEncoder  # noqa: PLC0415
    from semantic_router.routers import IndexedRouter  # noqa: PLC0415

    embedder = services.tools.embedder

    class Ours(DenseEncoder):
        def __call__(self, docs: list[Any]) -> list[list[float]]:
            return embedder.encode_passages([str(doc) for doc in docs]).tolist()

    routes = [
        Route(name=entry.name, utterances=[line for _, _, line in entry.card.lines()]) for entry in _entries(services)
    ]
    found = []
    for aggregation in ("mean", "max"):
        router = IndexedRouter(
            encoder=Ours(name="ours"), routes=routes, top_k=40, aggregation=aggregation, confidence_threshold=0.0
        )

        def rank(question: str, router: Any = router) -> Sequence[str]:
            chosen = router(question, limit=TOP)
            return [choice.name for choice in (chosen if isinstance(chosen, list) else [chosen]) if choice.name]

        found.append((f"semantic-router with our embedder ({aggregation})", rank))
    return found


class InstantModel(BaseChatModel):
    """Calls the tool that it is told to at first, then answers; notes how many characters it was sent."""

    call: str = "premium_estimate"
    args: dict[str, Any] = Field(default_factory=lambda: {"product_code": "B00115023", "age": 45, "gender": "M"})
    sent: list[int] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "instant"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        shown = [tool if isinstance(tool, dict) else convert_to_openai_tool(tool) for tool in tools]
        return self.model_copy(update={"tools": shown})

    def _generate(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kw: Any
    ) -> ChatResult:
        words = sum(len(str(message.content)) for message in messages)
        self.sent.append(words + len(json.dumps(self.tools, ensure_ascii=False)))
        if messages[-1].type == "tool":
            reply = AIMessage("월 보험료를 확인했습니다. 더 궁금한 점이 있으면 말씀해 주세요.")
        else:
            reply = AIMessage("", tool_calls=[{"name": self.call, "args": self.args, "id": f"c{len(self.sent)}"}])
        return ChatResult(generations=[ChatGeneration(message=reply)])


async def serving(folder: Path) -> list[str]:
    """Rows: the service and a bare agent around the same model."""
    from langchain.agents import create_agent  # noqa: PLC0415

    question = "45세 남자인데 치아보험 보험료 알려줘"
    model = InstantModel()
    rows = []
    async with open_services(Settings(_env_file=None, data_dir=folder), engine=Engine("instant", model)) as services:
        context = services.talk.make_context(LOCAL_ADMIN, "bench", "bench")
        tools = [entry.tool for entry in _entries(services)]
        agent = create_agent(model, tools, system_prompt="보험 상담 도우미입니다.", context_schema=type(context))

        async def bare(number: int) -> None:
            await agent.ainvoke({"messages": [("user", question)]}, context=context)

        async def ours(number: int) -> None:
            await services.talk.runner.ask(question, LOCAL_ADMIN, f"bench-{number}")

        for name, turn in (
            ("this service: guards, routing, checks, memory", ours),
            ("bare create_agent, 54 tools", bare),
        ):
            for number in range(3):
                await turn(number)
            model.sent.clear()
            took = []
            for number in range(TURNS):
                begun = time.perf_counter()
                await turn(number + 10)
                took.append((time.perf_counter() - begun) * 1000)
            took.sort()
            chars = sum(model.sent) / TURNS
            rows.append(
                f"| {name} | {statistics.median(took):.1f} / {took[int(len(took) * 0.95)]:.1f} | "
                f"{len(model.sent) / TURNS:.1f} | {chars:,.0f} | {chars / 2:,.0f} |"
            )
    return rows


async def lines() -> list[str]:
    """Both tables."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as made:
        async with open_services(Settings(_env_file=None, data_dir=Path(made) / "a")) as services:
            folder = ROOT / "data" / "evaluation" / "routing"
            cases = [case for name in CASES for case in load_cases(folder / name) if case.expected]
            found = [scored(name, rank, cases) for name, rank in routers(services)]
        rows = await serving(Path(made) / "a")
    return [
        f"{len(cases)} questions of an author who knew neither cards nor code:",
        "",
        "| router | Hit@1 | Recall@5 | p50 / p95, ms |",
        "|---|---|---|---|",
        *(one.row() for one in found),
        "",
        f"One question that needs one tool call, {TURNS} turns around a model that answers at once:",
        "",
        "| what serves | p50 / p95, ms | model calls | characters sent a turn | about tokens |",
        "|---|---|---|---|---|",
        *rows,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    np.seterr(all="ignore")
    head = (
        f"{measured_on()}, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: "
        "`python -m scripts.bench_peers`"
    )
    text = "\n".join([head, "", *asyncio.run(lines())])
    print(text)
    if options.write:
        write_section("bench_peers", "Side by side", text)


if __name__ == "__main__":
    main()

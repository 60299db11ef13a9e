"""The graph, drawn. Only wiring stands here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from app.graph.agent import after_agent, agent
from app.graph.input_guardrail import after_input, input_guardrail
from app.graph.output_guardrail import after_output, output_guardrail
from app.graph.query_rewriter import query_rewriter
from app.graph.state import ThreadState
from app.graph.tools_node import tools
from app.graph.turn import TurnContext

NODES = ("input_guardrail", "query_rewriter", "agent", "tools", "output_guardrail")

AssistantGraph = CompiledStateGraph[ThreadState, TurnContext, ThreadState, ThreadState]


def build_graph(checkpointer: BaseCheckpointSaver[str]) -> AssistantGraph:
    """input_guardrail → query_rewriter → agent ⇄ tools → output_guardrail (→ agent, once)."""
    graph = StateGraph(ThreadState, context_schema=TurnContext)
    graph.add_node("input_guardrail", input_guardrail)
    graph.add_node("query_rewriter", query_rewriter)
    graph.add_node("agent", agent)
    graph.add_node("tools", tools)
    graph.add_node("output_guardrail", output_guardrail)

    graph.add_edge(START, "input_guardrail")
    graph.add_conditional_edges("input_guardrail", _here(after_input), {"blocked": END, "passed": "query_rewriter"})
    graph.add_edge("query_rewriter", "agent")
    graph.add_conditional_edges("agent", _here(after_agent), {"call_tools": "tools", "answer": "output_guardrail"})
    graph.add_edge("tools", "agent")
    graph.add_conditional_edges("output_guardrail", _here(after_output), {"retry": "agent", "deliver": END})
    return graph.compile(checkpointer=checkpointer)


def _here(decide: Callable[[ThreadState], str]) -> Callable[[ThreadState], Awaitable[str]]:
    """The same decision on the loop: LangGraph sends a plain function to a thread, which costs more than deciding."""

    @wraps(decide)
    async def decided(state: ThreadState) -> str:
        return decide(state)

    return decided

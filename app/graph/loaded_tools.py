"""Tools that nobody trained for, in a turn: which of them a message speaks of, goes on with, and fills."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from langchain_core.messages import ToolMessage

from app.graph.turn import StepContext
from app.planner.ranking import DECIDED, Ranking
from app.planning.filling import Filled
from app.planning.tools import LIKELY, PLAINLY, SURE, Claim, ToolSlots, field_of
from app.toolbox.dispatch import SCHEMA
from app.toolbox.snapshot import ToolEntry


def loaded(turn: StepContext, allowed: Collection[str]) -> list[ToolEntry]:
    """The tools that were not built with the product, as far as the caller may use them."""
    return [e for e in turn.snapshot.entries if e.name in allowed and turn.services.slots.by_schema(e)]


def claimed_by(
    turn: StepContext, entries: Collection[ToolEntry], text: str, *, least: float = LIKELY, last: str | None = None
) -> Claim | None:
    """The tool of these whose business and slots the message speaks of; the `last` one is left only for one that is
    meant more plainly. Tools of a large catalogue without cards are told by the router's likeness, too."""
    if not entries:
        return None
    services, names = turn.services, {entry.name for entry in entries}
    alike = services.router.unlearned(
        text, turn.snapshot, vector=turn.vector(text), heard=turn.heard(text), allowed=names
    )
    told = [entry for entry in entries if entry.has_own_card or entry.name not in alike.over]
    holders = services.router.holders(turn.snapshot)
    claim = services.slots.claimed(told, text, turn.today(), holders, least=least, goes_on=last) if told else None
    if not alike.meant or (claim is not None and claim.score >= SURE):
        return claim
    return services.slots.likeliest(entries, text, turn.today(), alike.over, goes_on=last) or claim


def stands(claim: Claim, whole: Ranking) -> bool:
    """Whether a claim stands beside what the router finds: a likely one where that is not decided."""
    best, share = next(iter(whole.tools), (claim.tool, 0.0))
    return claim.score >= SURE or best == claim.tool or whole.no_call or share < DECIDED


def goes_on(turn: StepContext, last: ToolEntry | None, reading: dict[str, Any], claim: Claim | None) -> Filled | None:
    """What the message tells of the last tool: an answer to what was asked back, or a change of the last call with no
    word beside it that asks for something else."""
    if last is None:
        return None
    asked, known = tuple(reading["asked_for"]), reading["told"].get(last.name) or {}
    filled = turn.services.slots.fill(last, reading["said"], turn.today(), asked=asked, before=known)
    other = claim is not None and claim.tool != last.name and claim.business >= PLAINLY
    # 포장도 해줘요: all of it changes the last call, though another tool is spoken of in that word, too.
    elsewhere = other and claim is not None and bool(filled.rest or claim.filled.said)
    return filled if filled.goes_on(asked) and not elsewhere else None


def filled_by(
    turn: StepContext, said: str, tools: Iterable[str], known: dict[str, Filled]
) -> dict[str, dict[str, Any]]:
    """What the message tells of the arguments of these tools; of the `known` ones that was read before."""
    found: dict[str, dict[str, Any]] = {}
    for tool in dict.fromkeys(tools):
        entry = turn.snapshot.entry(tool)
        if not turn.services.slots.by_schema(entry):
            continue
        filled = known.get(tool) or turn.services.slots.fill(entry, said, turn.today())
        missing = [field_of(slot).model_dump(mode="json") for slot in filled.missing]
        found[tool] = {"args": filled.args, "missing": missing}
    return found


def telling_of(entry: ToolEntry, message: ToolMessage, slots: ToolSlots) -> dict[str, Any]:
    """How a tool's result is told where it has no template: see `Telling`."""
    ours = slots.by_schema(entry)
    schema = entry.result_schema
    if not (schema and (schema.get("properties") or schema.get("$ref") or schema.get("items"))):
        schema = message.additional_kwargs.get(SCHEMA) or schema
    return {
        "title": entry.card.title,
        "schema": schema,
        "labels": slots.labels(entry) if ours else entry.card.labels,
        "writes": entry.annotations is not None and entry.annotations.read_only is False,
        "values": slots.value_names(entry) if ours else {},
    }

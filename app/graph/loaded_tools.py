"""Tools that nobody trained for, in a turn: which of them a message speaks of, goes on with, and fills."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from langchain_core.messages import ToolMessage

from app.graph.turn import StepContext
from app.planner.facts import Facts
from app.planner.ranking import DECIDED, Ranking
from app.planning.filling import Filled
from app.planning.tools import INSIDE, LIKELY, PLAINLY, SURE, Claim, ToolSlots, field_of
from app.toolbox.dispatch import SCHEMA
from app.toolbox.snapshot import COMPANY, ToolEntry


def loaded(turn: StepContext, allowed: Collection[str]) -> list[ToolEntry]:
    """The tools that were not built with the product, as far as the caller may use them."""
    return [e for e in turn.snapshot.entries if e.name in allowed and turn.services.slots.by_schema(e)]


def claimed_by(
    turn: StepContext,
    entries: Collection[ToolEntry],
    text: str,
    *,
    least: float = LIKELY,
    last: str | None = None,
    ranked: Ranking | None = None,
) -> Claim | None:
    """The tool of these whose business and slots the message speaks of, which the router has `ranked`; the `last` one
    is left only for one that is meant more plainly. Tools of a large catalogue without cards are told by the router's
    likeness, too."""
    if not entries:
        return None
    services, names = turn.services, {entry.name for entry in entries}
    alike = services.router.unlearned(
        text, turn.snapshot, vector=turn.vector(text), heard=turn.heard(text), allowed=names
    )
    told = [entry for entry in entries if entry.has_own_card or entry.name not in alike.over]
    holders = services.router.holders(turn.snapshot)
    shares = dict(ranked.tools) if ranked else {}
    claim = services.slots.claimed(told, text, turn.today(), holders, least=least, goes_on=last, shares=shares)
    if not alike.meant or (claim is not None and claim.score >= SURE):
        return claim
    return services.slots.likeliest(entries, text, turn.today(), alike.over, goes_on=last) or claim


def speaks_of_a_loaded_tool(question: str, facts: Facts, turn: StepContext, least: float = INSIDE) -> bool:
    """Whether a message speaks of the business of a tool that was loaded, or tells what the last one of them takes."""
    ours = loaded(turn, turn.snapshot.allowed_for(turn.principal))
    if not ours:
        return False
    said, slots = turn.services.reader.spaced(question), turn.services.slots
    last = next((entry for entry in ours if entry.name == facts.last_tool), None)
    if last is not None:
        known = facts.calls.get(last.name)
        if slots.fill(last, said, turn.today(), asked=facts.asked, before=known).goes_on(facts.asked):
            return True
    return claimed_by(turn, ours, said, least=least) is not None


def _stands(claim: Claim, whole: Ranking, turn: StepContext) -> bool:
    """Whether a claim stands beside what the router finds: a likely one where that is not decided, a sure one unless it
    is for a tool whose lines the router learned as well."""
    best, share = next(iter(whole.tools), (claim.tool, 0.0))
    learned = all(turn.snapshot.entry(tool).source == COMPANY for tool in (best, claim.tool))
    sure = claim.score >= SURE and not learned
    return sure or best == claim.tool or whole.no_call or share < DECIDED


def _told_whole(turn: StepContext, reading: dict[str, Any], whole: Ranking, allowed: Collection[str]) -> Claim | None:
    """The tool that the router holds likeliest, though not surely, where the message tells something of it, what it
    needs is known, and no word is left that says something else (슬개골은 언제부터 돼요)."""
    best = next((tool for tool, _ in whole.tools), None)
    if best is None or best not in allowed or turn.snapshot.entry(best).source != COMPANY:
        return None
    entry = turn.snapshot.entry(best)
    filled = turn.services.slots.fill(entry, reading["said"], turn.today())
    known = turn.services.slots.carried(entry, filled, reading["told"], _of_schema(turn, reading["told"]))
    return Claim(best, LIKELY, filled, 0.0) if filled.said and not (known.missing or filled.rest) else None


def settled(
    turn: StepContext, reading: dict[str, Any], claim: Claim | None, whole: Ranking, allowed: Collection[str]
) -> Claim | None:
    """The claim where it stands; where there is none and the router is not sure, what the message tells wholly."""
    if claim is not None and _stands(claim, whole, turn):
        return claim
    unsure = whole.no_call or not whole.tools or whole.tools[0][1] < DECIDED
    return _told_whole(turn, reading, whole, allowed) if unsure else None


def _of_schema(turn: StepContext, tools: Iterable[str]) -> dict[str, ToolEntry]:
    known = (turn.snapshot.entry(tool) for tool in tools if tool in turn.snapshot)
    return {entry.name: entry for entry in known if turn.services.slots.by_schema(entry)}


def goes_on(turn: StepContext, last: ToolEntry | None, reading: dict[str, Any], claim: Claim | None) -> Filled | None:
    """What the message tells of the last tool: an answer to what was asked back, or a change of the last call with no
    word beside it that asks for something else."""
    if last is None:
        return None
    asked, known = tuple(reading["asked_for"]), reading["told"].get(last.name) or {}
    filled = turn.services.slots.fill(last, reading["said"], turn.today(), asked=asked, before=known)
    other = claim is not None and claim.tool != last.name and claim.business >= PLAINLY
    # 포장도 해줘요, 일요일로요: all of it changes the last call, though another tool is spoken of in that word, too.
    elsewhere = other and claim is not None and bool(filled.rest or len(claim.filled.said) > len(filled.said))
    return filled if filled.goes_on(asked) and not elsewhere else None


def filled_by(
    turn: StepContext, reading: dict[str, Any], tools: Iterable[str], known: dict[str, Filled]
) -> dict[str, dict[str, Any]]:
    """What the message tells of the arguments of these tools, and what the calls before did; of the `known` ones it was
    read before."""
    said, calls = reading["said"], reading["told"]
    slots, others = turn.services.slots, _of_schema(turn, calls)
    found: dict[str, dict[str, Any]] = {}
    for tool in dict.fromkeys(tools):
        entry = turn.snapshot.entry(tool)
        if not turn.services.slots.by_schema(entry):
            continue
        filled = known.get(tool) or slots.fill(entry, said, turn.today())
        tells = bool(filled.said)
        filled = slots.carried(entry, filled, calls, others)
        missing = [field_of(slot).model_dump(mode="json") for slot in filled.missing]
        found[tool] = {"args": filled.args, "missing": missing, "tells": tells}
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

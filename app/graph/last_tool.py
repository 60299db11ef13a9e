"""The tool that was used last: whether a message goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.graph.turn import StepContext
from app.planner.follow_up import fits
from app.planner.ranking import SUBSTANCE


def follow_up_of(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str], asked: str) -> str | None:
    """The last tool, when the message only changes facts that it takes, answers its question or gives it the go-ahead;
    a tool before it, when only that one takes them (오만원으로는요, two answers after a budget)."""
    last = _last_tool(reading, turn, allowed)
    if last is None:
        return None
    kinds, changing, declared = reading["kinds"], reading["changing"], turn.snapshot.declared
    if reading["confirms"] or reading["another_sum"]:
        return last
    if reading["answers"]:
        # 치아보험 면책기간은요, though asked for an age: another question comes first.
        named = turn.services.ranker.names(asked, kinds) if reading["asks"] else ()
        return last if not named or last in named else None
    if reading["hypothetical"] and fits(kinds, last, declared):
        return last
    told = reading["tells_more"] or reading["corrects"]
    if told and not declared.has(last, "changes_contract") and fits(changing, last, declared):
        return last
    if not reading["changes_facts"]:
        return None
    usable = [tool for tool in (last, *reading["earlier_tools"]) if tool in allowed and tool in turn.snapshot]
    return next((tool for tool in usable if fits(changing, tool, declared)), None)


def asked_anew(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str]) -> str | None:
    """The last tool, where a message that asks for no tool tells something new that it takes (53이 아니라 63.. 손가락이
    미끄러졌어요): better than to say that nothing is known of it."""
    last = _last_tool(reading, turn, allowed)
    if last is None or not reading["changing"]:
        return None
    return last if fits(reading["changing"], last, turn.snapshot.declared) else None


def _last_tool(reading: dict[str, Any], turn: StepContext, allowed: frozenset[str]) -> str | None:
    """The tool that was used last, where it may be used now."""
    last: str | None = reading["last_tool"]
    return last if last in allowed and last in turn.snapshot else None


def tells(reading: Mapping[str, Any]) -> bool:
    """Whether the message answers or corrects with something of substance and asks nothing."""
    # 방광암이래요, asked what happened: an answer that names something is no mere talk, whatever the model makes of it.
    named = bool(SUBSTANCE & set(reading["kinds"])) or reading["for_the_change"] or reading["describes"]
    return bool((reading["answers"] or reading["corrects"]) and named and not reading["asks"])

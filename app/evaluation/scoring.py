"""What is right and wrong about one turn. Each check is a name with (right, asked) and a reason for each miss."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from app.evaluation.dialogues import Call, Turn
from app.language.normalise import compact
from app.messages import worded
from app.safety.personal_data import PersonalDataMasker, shipped_masker

_EXACT = re.compile(r"(product_code|customer_id|contract_id|gender|.*_date)")


@dataclass(frozen=True)
class Heard:
    """What the product did in one turn. `calls` holds every call of the turn in order, failed ones too.

    `loose` names the figures of the answer that rest on nothing; None where the evidence cannot be had.
    """

    reply: dict[str, Any]
    calls: tuple[Call, ...]
    latency_ms: float
    loose: tuple[str, ...] | None = None
    error: str | None = None


@dataclass
class TurnScore:
    """The checks of one turn."""

    dialogue: str
    turn: int
    user: str
    expected: list[Call]
    heard: Heard
    checks: dict[str, tuple[int, int]] = field(default_factory=dict)
    misses: list[str] = field(default_factory=list)

    def check(self, name: str, right: bool, why: str = "") -> None:
        """Count one question of the check `name`."""
        done, asked = self.checks.get(name, (0, 0))
        self.checks[name] = (done + right, asked + 1)
        if not right and why:
            self.misses.append(why)


def score_turn(dialogue: str, number: int, turn: Turn, heard: Heard) -> TurnScore:
    """All checks that `turn` asks for."""
    score = TurnScore(dialogue, number, turn.user, list(turn.calls), heard)
    if heard.error:
        score.check("answered", False, worded("scoring.error", error=heard.error))
    else:
        score.check("answered", bool(heard.reply.get("answer", "").strip()), worded("scoring.empty_answer"))
    right = _tools(score, turn, heard)
    if right and turn.calls and heard.calls and heard.calls[0].tool in turn.expected_tools:
        _arguments(score, turn, heard)
    _facts(score, turn, heard.reply.get("facts") or {})
    _questions(score, turn, set(heard.reply.get("needs_input") or ()))
    _guard(score, turn, heard.reply.get("guard") or {})
    _answer(score, turn, heard.reply.get("answer", ""))
    if turn.approval:
        passed = any(call.args.get("submit") is True or call.args.get("save") is True for call in heard.calls)
        score.check("approval", passed, worded("scoring.approval"))
    if heard.loose is not None:
        score.check("no_invention", not heard.loose, worded("scoring.loose", loose=", ".join(heard.loose)))
    return score


def _tools(score: TurnScore, turn: Turn, heard: Heard) -> bool:
    first = heard.calls[0].tool if heard.calls else None
    if not turn.calls:
        right = heard.error is None and (first is None or first in turn.also_ok)
    elif first is None:
        # Asking back before any call is as good as calling the tool that asks back.
        asked = set(heard.reply.get("needs_input") or ())
        right = bool(turn.needs_input) and set(turn.needs_input) <= asked
    else:
        right = first in turn.expected_tools or first in turn.also_ok
    got = ", ".join(call.tool for call in heard.calls) or worded("files.none")
    score.check(
        "first_tool",
        right,
        worded("scoring.tools", wanted="/".join(turn.expected_tools) or worded("files.none"), got=got),
    )
    score.check("tool_turns" if turn.calls else "no_tool_turns", right)
    if len(turn.expected_tools) > 1 or len(turn.calls) > 1:
        called = [call.tool for call in heard.calls]
        needed = [call.tool for call in turn.calls]
        short = [tool for tool in dict.fromkeys(needed) if called.count(tool) < needed.count(tool)]
        score.check("all_calls", not short, worded("scoring.calls_short", short=", ".join(short)))
    return right


def _arguments(score: TurnScore, turn: Turn, heard: Heard) -> None:
    """Every expected call whose tool was called must be matched by one of its calls."""
    wrong: list[str] = []
    asked = False
    for call in turn.calls:
        given = [other.args for other in heard.calls if other.tool == call.tool]
        if not given or not call.args:
            continue
        asked = True
        best = min((_differences(call.args, args) for args in given), key=len)
        for name in call.args:
            score.check("each_argument", name not in best)
        wrong += [
            worded("scoring.argument", tool=call.tool, name=name, wanted=call.args[name], given=best[name])
            for name in best
        ]
    if asked:
        score.check("arguments", not wrong, worded("scoring.arguments") + "; ".join(wrong))


def _differences(expected: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    return {name: given.get(name) for name, value in expected.items() if not agrees(name, value, given.get(name))}


def agrees(name: str, expected: Any, given: Any) -> bool:
    """Whether a given argument or fact holds the expected one: text by its key word, lists as sets, the rest equal."""
    if given is None:
        return False
    if isinstance(expected, list):
        if not isinstance(given, list | tuple) or len(given) < len(expected):
            return False
        return all(any(agrees(name, item, other) for other in given) for item in expected)
    if isinstance(expected, dict):
        return isinstance(given, dict) and all(agrees(key, value, given.get(key)) for key, value in expected.items())
    if isinstance(expected, bool) or isinstance(given, bool):
        return expected is given
    if isinstance(expected, str) and not _EXACT.fullmatch(name):
        # A trace never holds personal data: the case's own text is compared as it is masked there.
        masked = _masker().mask(expected).text
        return any(_folded(text) in _folded(str(given)) for text in (expected, masked))
    return bool(expected == given)


@cache
def _masker() -> PersonalDataMasker:
    return shipped_masker()


def _folded(text: str) -> str:
    return compact(text).casefold()


def _facts(score: TurnScore, turn: Turn, facts: dict[str, Any]) -> None:
    wrong = []
    for name, value in turn.facts.items():
        given = facts.get(name)
        # A fact may be kept shorter than the case words it (폐렴 for 작년 폐렴 입원).
        shorter = isinstance(value, str) and isinstance(given, str) and bool(given) and _folded(given) in _folded(value)
        right = agrees(name, value, given) or (shorter and not _EXACT.fullmatch(name))
        score.check("each_fact", right)
        if not right:
            wrong.append(worded("scoring.facts_row", name=name, value=value, given=given))
    if turn.facts:
        score.check("facts", not wrong, worded("scoring.facts") + "; ".join(wrong))


def _questions(score: TurnScore, turn: Turn, asked: set[str]) -> None:
    for name in turn.needs_input:
        score.check(
            "asked_back",
            name in asked,
            worded("scoring.not_asked", name=name, asked=", ".join(sorted(asked)) or worded("files.none")),
        )
    needless = asked - set(turn.needs_input)
    score.check("no_needless", not needless, worded("scoring.needless", needless=", ".join(sorted(needless))))


def _guard(score: TurnScore, turn: Turn, guard: dict[str, Any]) -> None:
    blocked = guard.get("input") == "block"
    if turn.guard == "block":
        layer = turn.layer is None or guard.get("layer") == turn.layer
        score.check(
            "guard",
            blocked and layer,
            worded(
                "scoring.should_block",
                layer=turn.layer or "-",
                found=guard.get("layer") if blocked else worded("scoring.passed"),
            ),
        )
    else:
        score.check(
            "not_blocked",
            not blocked,
            worded("scoring.wrongly_blocked", layer=guard.get("layer"), reason=guard.get("reason")),
        )
    score.check("not_replaced", guard.get("output") != "replaced", worded("scoring.took_out"))


def _answer(score: TurnScore, turn: Turn, answer: str) -> None:
    for pattern in turn.has:
        score.check("answer", bool(re.search(pattern, answer)), worded("scoring.not_in_answer", pattern=pattern))
    for pattern in turn.hasnt:
        score.check("answer", not re.search(pattern, answer), worded("scoring.in_answer", pattern=pattern))

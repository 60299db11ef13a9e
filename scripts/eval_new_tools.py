"""How tools that the product was not built with are used: the right tool, its arguments, what it asks back, what it
does with the answer. `python -m scripts.eval_new_tools --folder data/evaluation/new_tools/NAME [--verbose]`

The folder holds `tools/` (modules with their cards, loaded as by TOOL_PATHS) and `talks.jsonl`, one talk a line:
{"id", "tool", "turns": [{"user", "call": {"tool", "args"}, "either": {argument: [values]}, "contains": {…}} or
{"user", "ask": [arguments]}]}. Each talk is played in a thread of its own, as a customer.

`--cases FILE` plays talks of that form with the tools of CONTENT_DIR (a company of its own), as an administrator; turns
that hold neither `call` nor `ask` are played and not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from app.access import Principal
from app.composition import open_services
from app.evaluation.hearing import calls_of
from app.graph.privacy import masked_values
from app.settings import Settings


def right_arguments(turn: dict[str, Any], given: dict[str, Any], defaults: Mapping[str, Any]) -> bool:
    """Whether a call's arguments are those expected; an optional one that was not said must not differ from nothing, or
    from the tool's own default."""
    either, contains = turn.get("either", {}), turn.get("contains", {})
    wanted = turn["call"]["args"]
    same = all(_plain(given.get(name)) == _plain(value) for name, value in wanted.items())
    one_of = all(given.get(name) in values for name, values in either.items())
    holds = all(all(part in str(given.get(name, "")) for part in parts) for name, parts in contains.items())
    extra = [
        name
        for name, value in given.items()
        if name not in {*wanted, *either, *contains} and value not in (None, defaults.get(name))
    ]
    return same and one_of and holds and not extra


def _plain(value: Any) -> Any:
    return sorted(map(str, value)) if isinstance(value, list) else value


async def play(cases: Path, tools: Path | None, today: date, *, verbose: bool) -> Counter[str]:
    """Counts of turns: `calls`, `tool`, `args`, `asks`, `asked`, `replies`, `used`, `refused`, `turns`. `tools` are
    loaded beside those of the content folder."""
    counts: Counter[str] = Counter()
    text = await asyncio.to_thread(cases.read_text, encoding="utf-8")
    talks = [json.loads(line) for line in text.splitlines() if line]
    with tempfile.TemporaryDirectory() as state:
        settings = Settings(data_dir=Path(state), tool_paths=str(tools or ""), twin_process=False)
        async with open_services(settings, today=lambda: today) as services:
            who = Principal(id="customer", role="customer") if tools else Principal(id="admin", role="admin")
            masker = services.talk.make_context(who, "masks", "masks").masker
            for talk in talks:
                for number, turn in enumerate(talk["turns"]):
                    reply = await services.talk.runner.ask(turn["user"], who, f"new-{talk['id']}")
                    counts["turns"] += 1
                    counts["refused"] += bool(reply["guard"].get("input") == "block")
                    calls = [(call.tool, call.args) for call in calls_of(reply)]
                    fields = set(reply["needs_input"])
                    if "call" in turn:  # what is kept of a turn holds no personal data
                        turn["call"]["args"] = masked_values(turn["call"]["args"], masker)
                    wanted = turn.get("call", {}).get("tool")
                    snapshot = services.tools.registry.snapshot()
                    schema = snapshot.entry(wanted).properties if wanted in snapshot else {}
                    defaults = {name: told.get("default") for name, told in schema.items()}
                    good = _count(
                        counts, turn, calls, fields, defaults, reply_to=number and "ask" in talk["turns"][number - 1]
                    )
                    answer = reply["answer"][:80]
                    if verbose and not good:
                        print(f"✗ {talk['id']} {turn['user']!r} → {calls} asks {fields} {answer!r}")
    return counts


def _count(
    counts: Counter[str],
    turn: dict[str, Any],
    calls: list[tuple[str, dict[str, Any]]],
    fields: set[str],
    defaults: Mapping[str, Any],
    reply_to: Any,
) -> bool:
    if "ask" not in turn and "call" not in turn:
        return True
    if "ask" in turn:
        counts["asks"] += 1
        good = not calls and set(turn["ask"]) <= fields
        counts["asked"] += good
        return good
    wanted = turn["call"]["tool"]
    args = next((args for tool, args in calls if tool == wanted), None)
    good = args is not None and right_arguments(turn, args, defaults)
    kind, done = ("replies", "used") if reply_to else ("calls", "args")
    counts[kind] += 1
    counts[done] += good
    if not reply_to:
        counts["tool"] += args is not None
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--folder", type=Path)
    what.add_argument("--cases", type=Path)
    parser.add_argument("--today", type=date.fromisoformat, default=date(2026, 11, 26), help="when the talks were")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = options.folder
    cases, tools = (folder / "talks.jsonl", folder / "tools") if folder else (options.cases, None)
    counts = asyncio.run(play(cases, tools, options.today, verbose=options.verbose))
    name = folder.name if folder else cases.stem
    print(
        f"{name}: right tool {counts['tool']} of {counts['calls']}, all arguments {counts['args']}; "
        f"asked {counts['asked']} of {counts['asks']}; reply used {counts['used']} of {counts['replies']}; "
        f"refused {counts['refused']} of {counts['turns']}"
    )


if __name__ == "__main__":
    main()

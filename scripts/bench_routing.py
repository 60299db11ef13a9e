"""Routing over 54, 500 and 5,000 tools: recall of the shipped tools, latency, time to index.

    python -m scripts.bench_routing
    python -m scripts.bench_routing --sizes 54 1000 5000 --json
    python -m scripts.bench_routing --write --html var/bench_routing.html   # into docs/benchmarks.md too

The tools beside the shipped ones are made up of words (verb, place, thing; half Korean, half English). The questions
are the development fifth, which no card holds.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.errors import AppError
from app.routing.evaluation import load_cases, metrics, run_cases
from app.toolbox.snapshot import ToolSnapshot
from scripts.benchmark_notes import measured_on, write_section
from scripts.foreign_tools import made_up_tools
from scripts.routing_measure import Opened, open_shipped

_STEP = 2
_WARM = 20


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="도구 수에 따른 라우팅 성능을 잽니다.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[54, 500, 5000], help="도구 수들")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md에 결과를 적습니다")
    parser.add_argument("--html", type=Path, default=None, help="곡선 그림을 쓸 파일")
    options = parser.parse_args(argv)
    try:
        opened = open_shipped()
        rows = [measured(opened, size) for size in options.sizes]
        changed = _changed_card(opened)
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    if options.html is not None:
        options.html.write_text(_page(rows), encoding="utf-8")
    if options.write:
        head = f"{measured_on()}: `python -m scripts.bench_routing`"
        write_section("bench_routing", "Routing over many tools", f"{head}\n\n{_table(rows, changed)}")
    print(
        json.dumps({"sizes": rows, "changed_card_ms": changed}, ensure_ascii=False)
        if options.json
        else _table(rows, changed)
    )
    return 0


def measured(opened: Opened, size: int) -> dict[str, Any]:
    """Shares, milliseconds and seconds to index with `size` tools."""
    router = opened.routing.router
    added = made_up_tools(max(size - len(opened.snapshot), 0))
    snapshot = ToolSnapshot(1_000_000 + size, (*opened.snapshot.entries, *added))
    began = time.perf_counter()
    router.prepare(None, snapshot)
    indexed = time.perf_counter() - began
    cases = [case for case in load_cases(opened.evaluation / "development.jsonl") if case.expected][::_STEP]
    run_cases(cases[:_WARM], lambda text: router.route(text, snapshot))
    outcomes = run_cases(cases, lambda text: router.route(text, snapshot, top_k=10))
    found = metrics(outcomes, 5)
    times = sorted(outcome.route.duration_ms for outcome in outcomes)
    return {
        "tools": len(snapshot),
        "index_s": round(indexed, 2),
        **{name: found[name].as_dict() for name in ("hit_at_1", "recall_at_3", "recall_at_k", "robbed")},
        "p50_ms": round(times[len(times) // 2], 2),
        "p99_ms": round(times[int(len(times) * 0.99)], 2),
    }


def _changed_card(opened: Opened) -> float:
    """Milliseconds to take one changed line of one card in; the best of five."""
    router, entry = opened.routing.router, opened.snapshot.entries[0]
    best = float("inf")
    for turn in range(5):
        uses = (*entry.card.when_to_use[:-1], f"바뀐 문장을 {turn + 1}번째로 적어 봅니다")
        changed = replace(entry, card=entry.card.model_copy(update={"when_to_use": uses}))
        snapshot = ToolSnapshot(2_000_000 + turn, (changed, *opened.snapshot.entries[1:]))
        router.prepare(None, ToolSnapshot(1_900_000 + turn, opened.snapshot.entries))
        began = time.perf_counter()
        router.prepare(None, snapshot)
        best = min(best, time.perf_counter() - began)
    return round(best * 1000, 1)


def _table(rows: Sequence[dict[str, Any]], changed: float) -> str:
    lines = ["| 도구 | Hit@1 | Recall@3 | Recall@5 | p50 ms | p99 ms | 색인 s |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        shares = " | ".join(f"{row[name]['rate']:.1%}" for name in ("hit_at_1", "recall_at_3", "recall_at_k"))
        lines.append(f"| {row['tools']:,} | {shares} | {row['p50_ms']} | {row['p99_ms']} | {row['index_s']} |")
    return "\n".join([*lines, f"카드 한 줄이 바뀌면 {changed} ms"])


def _page(rows: Sequence[dict[str, Any]]) -> str:
    """Two curves over the number of tools: Recall@5 and p50."""
    slowest = max(row["p50_ms"] for row in rows)
    places = [round(i * 400 / max(len(rows) - 1, 1)) for i in range(len(rows))]
    recall = [200 - 200 * row["recall_at_k"]["rate"] for row in rows]
    speed = [200 - 200 * row["p50_ms"] / slowest for row in rows]
    drawn = _line(places, recall, "#1f6feb") + _line(places, speed, "#d1242f")
    drawn += "".join(
        f'<text x="{x}" y="220" text-anchor="middle">{row["tools"]:,}</text>'
        for x, row in zip(places, rows, strict=True)
    )
    table = "".join(
        f"<tr><td>{row['tools']:,}<td>{row['recall_at_k']['rate']:.1%}<td>{row['p50_ms']} ms<td>{row['p99_ms']} ms</tr>"
        for row in rows
    )
    return (
        "<!doctype html><html lang=ko><meta charset=utf-8><title>도구 수와 라우팅</title><h1>도구 수와 라우팅</h1>"
        f"<p>파란 선 Recall@5 (0-100 %), 빨간 선 p50 (0-{slowest} ms)</p>"
        f'<svg viewBox="-40 -10 480 240" width="720">{drawn}</svg><table>{table}</table></html>'
    )


def _line(places: Sequence[int], heights: Sequence[float], colour: str) -> str:
    points = " ".join(f"{x},{y:.1f}" for x, y in zip(places, heights, strict=True))
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'


if __name__ == "__main__":
    sys.exit(main())

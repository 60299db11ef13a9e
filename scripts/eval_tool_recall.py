"""Measures tool routing: Hit@1, Recall@k, MRR, no-call accuracy, with 95 % intervals.

    python -m scripts.eval_tool_recall                          # the project's own cases, k = 5
    python -m scripts.eval_tool_recall --compare                # k = 1, 3, 5, 7, 10 side by side
    python -m scripts.eval_tool_recall --cases FILE --verbose   # any case file (JSON lines: query, expected, accept)
    python -m scripts.eval_tool_recall --no-head --no-graph     # without a source
    python -m scripts.eval_tool_recall --crossval               # 5-fold over the lines of the cards

Questions that stand in a card are refused and named (exit code 2).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.embeddings import Embedder, build_embedder
from app.adapters.vector_store import ChromaStore
from app.errors import AppError
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.kernel_heads import fit_heads
from app.language.tokenizer import Tokenizer
from app.routing.evaluation import (
    Case,
    Leakage,
    Outcome,
    latency,
    load_cases,
    metrics,
    no_call_distribution,
    refuse_leakage,
    run_cases,
)
from app.routing.fusion import WEIGHTS
from app.routing.opening import Routing, as_examples, open_routing, training_lines
from app.routing.router import Router
from app.routing.tool_index import IndexBuilder
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot

OWN_CASES = Path("evaluation") / "routing" / "cases.jsonl"
FOLDS = 5
_ROWS = (
    ("hit_at_1", "Tool Acc (Hit@1)"),
    ("recall_at_k", "Recall@k"),
    ("mrr", "MRR"),
    ("no_call_accuracy", "No-Call Acc"),
    ("robbed", "도구 질문을 놓침"),
    ("overall", "Overall Acc"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    settings = Settings()
    try:
        snapshot = ToolSnapshot(1, load_builtin_entries(settings.content_dir))
        tokenizer = Tokenizer()
        embedder = build_embedder(settings)
        store = ChromaStore(settings.chroma_path)
        routing = open_routing(settings.content_dir, settings.data_dir, snapshot, embedder, tokenizer, store)
        if options.crossval:
            outcomes = _crossval(settings, snapshot, tokenizer, embedder, routing, options.without)
        else:
            cases = load_cases(options.cases or settings.content_dir / OWN_CASES)
            aside = [line.text for line in training_lines(settings.content_dir, snapshot)]
            refuse_leakage(cases, snapshot, aside)
            outcomes = run_cases(cases, lambda text: _route(routing.router, snapshot, text, options.without))
    except (Leakage, AppError) as error:
        print(error, file=sys.stderr)
        return 2
    ks = options.ks if options.compare else [options.k]
    report = _report(outcomes, ks, options, routing)
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report, outcomes, options))
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="도구 라우팅 성능을 잽니다.")
    parser.add_argument("--k", type=int, default=5, help="Recall@k의 k")
    parser.add_argument("--compare", action="store_true", help="여러 k를 나란히")
    parser.add_argument("--ks", type=int, nargs="+", default=[1, 3, 5, 7, 10], help="--compare에서 견줄 k들")
    parser.add_argument("--threshold", type=float, default=None, help="no-call 확률 기준(0-1). 없으면 보정된 값")
    parser.add_argument("--verbose", action="store_true", help="틀린 질문과 후보를 모두 보입니다")
    parser.add_argument("--cases", type=Path, default=None, help="JSON lines 파일. 없으면 이 프로젝트의 질문들")
    parser.add_argument("--crossval", action="store_true", help="카드 문장을 5등분해 교차 검증")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    for source in WEIGHTS:
        parser.add_argument(
            f"--no-{source}", dest="without", action="append_const", const=source, help=f"{source} 없이"
        )
    options = parser.parse_args(argv)
    options.without = frozenset(options.without or ())
    return options


def _route(router: Router, snapshot: ToolSnapshot, text: str, without: frozenset[str]) -> Any:
    return router.route(text, snapshot, top_k=len(snapshot), without=without)


def _crossval(
    settings: Settings,
    snapshot: ToolSnapshot,
    tokenizer: Tokenizer,
    embedder: Embedder,
    routing: Routing,
    without: frozenset[str],
) -> list[Outcome]:
    """Each fold's lines leave the cards and the training, and are routed as questions.

    The bundled embedder saw the cards' lines while it was trained: read the figure with --no-embedding beside it.
    """
    lines = training_lines(settings.content_dir, snapshot)
    purposes = {entry.card.purpose for entry in snapshot.entries}
    tested = [i for i, line in enumerate(lines) if line.label and line.label != OUTSIDE and line.text not in purposes]
    order = np.random.default_rng(7).permutation(tested)
    examples = as_examples(lines, routing.analyser)
    labels = routing.router.index(snapshot).heads
    names = labels.labels if labels is not None else ()
    outcomes: list[Outcome] = []
    for fold in range(FOLDS):
        held = set(order[fold::FOLDS].tolist())
        heads, _ = fit_heads([e for i, e in enumerate(examples) if i not in held], names, tokenizer)
        gone = {lines[i].text for i in held}
        entries = tuple(
            replace(
                entry,
                card=entry.card.model_copy(
                    update={"when_to_use": tuple(text for text in entry.card.when_to_use if text not in gone)}
                ),
            )
            for entry in snapshot.entries
        )
        part = ToolSnapshot(1, entries)
        router = Router(
            IndexBuilder(routing.analyser, embedder, heads, None), routing.calibration, routing.analyser, embedder
        )
        cases = [
            Case(f"fold{fold}-{i}", lines[i].text, () if lines[i].label == NO_TOOL else (str(lines[i].label),))
            for i in sorted(held)
        ]
        outcomes += run_cases(cases, lambda text, r=router, p=part: _route(r, p, text, without))  # type: ignore[misc]
    return outcomes


def _report(
    outcomes: Sequence[Outcome], ks: Sequence[int], options: argparse.Namespace, routing: Routing
) -> dict[str, Any]:
    calibration = routing.calibration
    threshold = options.threshold
    return {
        "cases": len(outcomes),
        "tool_cases": sum(bool(outcome.case.expected) for outcome in outcomes),
        "by_k": {
            str(k): {name: value.as_dict() for name, value in metrics(outcomes, k, threshold).items()} for k in ks
        },
        "no_call_threshold": calibration.no_call.threshold if threshold is None else threshold,
        "scores": no_call_distribution(outcomes),
        "latency": latency(outcomes),
        "calibration": {"model": calibration.model, "data_hash": calibration.data_hash},
        "without": sorted(options.without),
        "misses": [
            {
                "id": outcome.case.id,
                "query": outcome.case.query,
                "expected": list(outcome.case.right),
                "rank": outcome.rank,
                "no_call": outcome.route.no_call,
                "got": [candidate.tool for candidate in outcome.route.candidates[:5]],
            }
            for outcome in outcomes
            if _missed(outcome)
        ],
    }


def _missed(outcome: Outcome) -> bool:
    return outcome.rank != 1 or outcome.route.no_call if outcome.case.expected else not outcome.route.no_call


def _table(report: dict[str, Any], outcomes: Sequence[Outcome], options: argparse.Namespace) -> str:
    ks = list(report["by_k"])
    total, tools = report["cases"], report["tool_cases"]
    lines = [f"질문 {total}개 = 도구 {tools} + 도구 불필요 {total - tools}", ""]
    lines += ["| 지표 | " + " | ".join(f"k={k}" for k in ks) + " |", "|------|" + "-----|" * len(ks)]
    for key, title in _ROWS:
        cells = [report["by_k"][k][key] for k in ks]
        lines.append(f"| {title} | " + " | ".join(_cell(key, cell, len(ks) == 1) for cell in cells) + " |")
    scores = report["scores"]
    lines += ["", f"no-call 확률 (기준 {report['no_call_threshold']:.3f})"]
    for key, title in (("tool_call", "도구 질문"), ("no_call", "도구 불필요")):
        spread = scores[key]
        if spread:
            lines.append(f"  {title}: min={spread['min']:.3f} avg={spread['avg']:.3f} max={spread['max']:.3f}")
    if scores["auroc"] is not None:
        lines.append(f"  AUROC {scores['auroc']:.4f}")
    if report["latency"]:
        lines.append(f"라우팅 시간 p50 {report['latency']['p50_ms']} ms, p99 {report['latency']['p99_ms']} ms")
    lines.append(f"보정: {report['calibration']['model']} / {report['calibration']['data_hash']}")
    misses = report["misses"]
    shown = misses if options.verbose else misses[:10]
    lines.append(f"\n틀린 질문 {len(misses)}개" + ("" if len(shown) == len(misses) else " (--verbose로 모두)"))
    for miss in shown:
        wanted = "/".join(miss["expected"]) or "(없음)"
        quiet = " [no-call]" if miss["no_call"] else ""
        lines.append(f"  {miss['query']}")
        lines.append(f"    바라는 것 {wanted}, 순위 {miss['rank']}{quiet}, 후보 {', '.join(miss['got'])}")
    return "\n".join(lines)


def _cell(key: str, cell: dict[str, float], with_interval: bool) -> str:
    if not cell["n"]:
        return "-"
    value = f"{cell['rate']:.4f}" if key == "mrr" else f"{cell['rate']:.1%}"
    return f"{value} [{cell['low']:.3f}, {cell['high']:.3f}]" if with_interval else value


if __name__ == "__main__":
    sys.exit(main())

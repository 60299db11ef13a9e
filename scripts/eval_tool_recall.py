"""Measures tool routing: Hit@1, Recall@k, MRR, no-call accuracy, with 95 % intervals.

    python -m scripts.eval_tool_recall                          # the project's own cases, k = 5
    python -m scripts.eval_tool_recall --compare                # k = 1, 3, 5, 7, 10 side by side
    python -m scripts.eval_tool_recall --cases FILE --verbose   # any case file (JSON lines: query, expected, accept)
    python -m scripts.eval_tool_recall --development            # the fifth of the utterance bank that no card holds
    python -m scripts.eval_tool_recall --no-head --no-graph     # without a source
    python -m scripts.eval_tool_recall --crossval               # 5-fold over the utterance bank; 5-15 minutes, 2 GB
    python -m scripts.eval_tool_recall --foreign                # tools known only by name and description
    python -m scripts.eval_tool_recall --development --ablation --html var/routing.html
    python -m scripts.eval_tool_recall --development --baseline # beside data/evaluation/routing/baseline.json

Questions that stand in a card or in training are named on stderr, and the exit code is 2. The project's own sets are
then not scored at all; of a file given with --cases the rest is scored and printed (--json names them under `leaked`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from app.errors import AppError
from app.routing.evaluation import (
    Case,
    Leak,
    Leakage,
    Outcome,
    auroc_interval,
    latency,
    leaked_cases,
    load_cases,
    metrics,
    no_call_distribution,
    refuse_leakage,
    run_cases,
)
from app.routing.examples import training_lines
from app.routing.fusion import WEIGHTS
from app.routing.router import Route
from app.toolbox.snapshot import ToolSnapshot
from scripts.foreign_tools import read_foreign_tools
from scripts.routing_measure import Judged, Opened, crossval, open_shipped
from scripts.routing_report import routing_page

_ROWS = (
    ("hit_at_1", "Tool Acc (Hit@1)"),
    ("recall_at_3", "Recall@3"),
    ("recall_at_k", "Recall@k"),
    ("mrr", "MRR"),
    ("no_call_accuracy", "No-Call Acc"),
    ("robbed", "도구 질문을 놓침"),
    ("overall", "Overall Acc"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    try:
        opened = open_shipped()
        beside = _left_out(options)
        measured, judged, leaked = _measured(
            opened, options, [options.without, *(options.without | {n} for n in beside)]
        )
        outcomes = measured[0]
    except (Leakage, AppError) as error:
        print(error, file=sys.stderr)
        return 2
    if leaked:
        print(_named(leaked), file=sys.stderr)
    ks = options.ks if options.compare else [options.k]
    report = _report(outcomes, judged, ks, options, opened)
    report["leaked"] = [asdict(leak) for leak in leaked]
    report["ablation"] = {name: _short(found, options.k) for name, found in zip(beside, measured[1:], strict=True)}
    baseline = opened.evaluation / "baseline.json"
    if options.save_baseline:
        _save_baseline(baseline, options, report)
    if options.baseline:
        report["baseline"] = _recorded(baseline).get(_set_name(options))
    if options.html is not None:
        options.html.write_text(routing_page(report, outcomes, judged), encoding="utf-8")
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report, options))
    return 2 if leaked else 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="도구 라우팅 성능을 잽니다.")
    parser.add_argument("--k", type=int, default=5, help="Recall@k의 k")
    parser.add_argument("--compare", action="store_true", help="여러 k를 나란히")
    parser.add_argument("--ks", type=int, nargs="+", default=[1, 3, 5, 7, 10], help="--compare에서 견줄 k들")
    parser.add_argument("--threshold", type=float, default=None, help="no-call 확률 기준(0-1). 없으면 보정된 값")
    parser.add_argument("--verbose", action="store_true", help="틀린 질문과 후보를 모두 보입니다")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--cases", type=Path, default=None, help="JSON lines 파일. 없으면 이 프로젝트의 질문들")
    which.add_argument("--development", action="store_true", help="카드에 없는 발화 은행 다섯째 몫")
    which.add_argument("--crossval", action="store_true", help="발화 은행 문장을 5등분해 교차 검증")
    which.add_argument("--foreign", action="store_true", help="이름과 설명만 있는 다른 도구 목록")
    parser.add_argument("--folds", type=int, default=5, help="--crossval에서 다섯 조각 가운데 몇 개를 잴지")
    parser.add_argument("--mixed", action="store_true", help="--foreign에서 이 프로젝트의 도구와 섞어서")
    parser.add_argument("--second", action="store_true", help="--foreign에서 둘째 목록(관리사무소, 학교, 회사)으로")
    parser.add_argument("--ablation", action="store_true", help="소스를 하나씩 빼고 다시 잽니다")
    parser.add_argument("--html", type=Path, default=None, help="혼동 행렬과 신뢰도 그림이 든 보고서를 쓸 파일")
    parser.add_argument("--baseline", action="store_true", help="기록해 둔 값과 견줍니다")
    parser.add_argument("--save-baseline", action="store_true", help="이번 값을 기록합니다")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    for source in WEIGHTS:
        parser.add_argument(
            f"--no-{source}", dest="without", action="append_const", const=source, help=f"{source} 없이"
        )
    options = parser.parse_args(argv)
    options.without = frozenset(options.without or ())
    return options


def _left_out(options: argparse.Namespace) -> tuple[str, ...]:
    """The sources to leave out one by one. Cross-validation always shows the embedder's share: it knows the lines."""
    if options.ablation:
        return tuple(WEIGHTS)
    return ("embedding",) if options.crossval and "embedding" not in options.without else ()


def _measured(
    opened: Opened, options: argparse.Namespace, withouts: Sequence[frozenset[str]]
) -> tuple[list[list[Outcome]], list[Judged], tuple[Leak, ...]]:
    """The outcomes of the chosen set by sources left out; the domain check's word on lines that tell the domain.

    Last the questions of a foreign file that were left out because a card or the training holds them.
    """
    if options.crossval:
        return *crossval(opened, withouts, options.folds), ()
    snapshot, path = opened.snapshot, options.cases or opened.evaluation / "cases.jsonl"
    if options.foreign:
        name = "foreign_second" if options.second else "foreign"
        foreign = tuple(read_foreign_tools(opened.evaluation / f"{name}_tools.jsonl"))
        snapshot = ToolSnapshot(2, (*snapshot.entries, *foreign) if options.mixed else foreign)
        path = opened.evaluation / f"{name}_questions.jsonl"
    elif options.development:
        path = opened.evaluation / "development.jsonl"
    cases = load_cases(path)
    aside = [line.text for line in training_lines(opened.settings.content_dir, opened.snapshot)]
    cases, leaked = _scorable(cases, snapshot, aside, strict=_is_own(path, opened))
    router = opened.routing.router

    def route(text: str, without: frozenset[str]) -> Route:
        return router.route(text, snapshot, top_k=len(snapshot), without=without)

    outcomes = [run_cases(cases, lambda text, gone=without: route(text, gone)) for without in withouts]  # type: ignore[misc]
    judge: Callable[[str], float] = lambda text: opened.routing.domain.judge(text).score  # noqa: E731
    told = [case for case in cases if case.domain] and not options.foreign
    judged = [Judged(judge(case.question), case.domain == "out") for case in cases] if told else []
    return outcomes, judged, leaked


def _is_own(path: Path, opened: Opened) -> bool:
    return path.resolve().is_relative_to(opened.evaluation.resolve())


def _scorable(
    cases: Sequence[Case], snapshot: ToolSnapshot, aside: Sequence[str], *, strict: bool
) -> tuple[list[Case], tuple[Leak, ...]]:
    """The cases that may be scored, and those that may not. Raises Leakage for the latter when `strict`."""
    if strict:
        refuse_leakage(cases, snapshot, aside)
        return list(cases), ()
    leaked = leaked_cases(cases, snapshot, aside)
    known = {leak.query for leak in leaked}
    return [case for case in cases if case.query not in known], leaked


def _named(leaked: Sequence[Leak]) -> str:
    lines = "\n".join(f"  {leak.id}: {leak.query!r} ← {leak.owner}" for leak in leaked)
    return f"카드나 학습 문장에 있는 질문 {len(leaked)}개는 빼고 채점합니다(종료 코드 2).\n{lines}"


def _short(outcomes: Sequence[Outcome], k: int) -> dict[str, dict[str, float]]:
    found = metrics(outcomes, k)
    return {name: found[name].as_dict() for name in ("hit_at_1", "recall_at_3", "recall_at_k", "mrr")}


def _set_name(options: argparse.Namespace) -> str:
    if options.cases:
        return str(options.cases.name)
    parts = [name for name in ("development", "crossval", "foreign", "second", "mixed") if getattr(options, name)]
    return "+".join([*(parts or ["cases"]), *(f"no-{source}" for source in sorted(options.without))])


def _recorded(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def _save_baseline(path: Path, options: argparse.Namespace, report: dict[str, Any]) -> None:
    """One entry a set; the others stay."""
    kept = {key: report[key] for key in ("by_k", "no_tool_auroc", "domain_auroc", "calibration", "cases")}
    text = json.dumps(_recorded(path) | {_set_name(options): kept}, ensure_ascii=False, indent=1, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


def _report(
    outcomes: Sequence[Outcome],
    judged: Sequence[Judged],
    ks: Sequence[int],
    options: argparse.Namespace,
    opened: Opened,
) -> dict[str, Any]:
    calibration = opened.routing.calibration
    none = [o.route.no_call_score for o in outcomes if o.case.needs_no_tool]
    asked = [o.route.no_call_score for o in outcomes if o.case.expected]
    outside, inside = ([j.score for j in judged if j.outside is side] for side in (True, False))
    no_tool, domain = auroc_interval(none, asked), auroc_interval(outside, inside)
    threshold = options.threshold
    return {
        "set": _set_name(options),
        "cases": len(outcomes),
        "tool_cases": sum(bool(outcome.case.expected) for outcome in outcomes),
        "by_k": {
            str(k): {name: value.as_dict() for name, value in metrics(outcomes, k, threshold).items()} for k in ks
        },
        "no_call_threshold": calibration.no_call.threshold if threshold is None else threshold,
        "scores": no_call_distribution(outcomes),
        "no_tool_auroc": no_tool.as_dict() if no_tool else None,
        "domain_auroc": domain.as_dict() if domain else None,
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
    if outcome.case.expected:
        return outcome.rank != 1 or outcome.route.no_call
    return outcome.case.needs_no_tool and not outcome.route.no_call


def _table(report: dict[str, Any], options: argparse.Namespace) -> str:
    ks = list(report["by_k"])
    total, tools = report["cases"], report["tool_cases"]
    lines = [f"질문 {total}개, 그 가운데 도구가 필요한 것 {tools}개", ""]
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
    for key, title in (("no_tool_auroc", "도구 불필요 AUROC"), ("domain_auroc", "분야 밖 AUROC")):
        if report[key]:
            lines.append(f"  {title} {report[key]['rate']:.4f} [{report[key]['low']:.3f}, {report[key]['high']:.3f}]")
    for name, found in report.get("ablation", {}).items():
        lines.append(f"  {name} 없이: " + ", ".join(f"{key} {cell['rate']:.3f}" for key, cell in found.items()))
    lines += _beside(report, ks)
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


def _beside(report: dict[str, Any], ks: Sequence[str]) -> list[str]:
    """What was recorded for the same set, and the difference."""
    if "baseline" not in report:
        return []
    if not report["baseline"]:
        return [f"기록해 둔 값이 없습니다({report['set']}). --save-baseline으로 기록해 주세요."]
    rows = []
    for k in ks:
        old = report["baseline"]["by_k"].get(k)
        for key, title in _ROWS if old else ():
            now, then = report["by_k"][k][key]["rate"], old.get(key, {}).get("rate")
            if then is not None:
                rows.append(f"  k={k} {title}: 기록 {then:.4f} → 지금 {now:.4f} ({now - then:+.4f})")
    return rows


def _cell(key: str, cell: dict[str, float], with_interval: bool) -> str:
    if not cell["n"]:
        return "-"
    value = f"{cell['rate']:.4f}" if key == "mrr" else f"{cell['rate']:.1%}"
    return f"{value} [{cell['low']:.3f}, {cell['high']:.3f}]" if with_interval else value


if __name__ == "__main__":
    sys.exit(main())

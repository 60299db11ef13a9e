"""A tool that was just added: leave one tool out, put it back with a few lines, ask for it by its other lines.

    python -m scripts.eval_new_tool                       # all 54, 6 lines each; about 5 minutes on two cores
    python -m scripts.eval_new_tool --tools 10 --lines 3
    python -m scripts.eval_new_tool --no-embedding        # the bundled embedder was trained on the tools' lines

The heads, the calibration and the index of each trial never saw the tool. Exit code 2 when nothing can be measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

import numpy as np

from app.errors import AppError
from app.routing.evaluation import Rate, load_cases, rate
from app.routing.fusion import WEIGHTS
from scripts.routing_measure import Newcomer, newcomers, open_shipped

_OTHERS_STEP = 6


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    without = frozenset(options.without or ())
    try:
        opened = open_shipped()
        others = [c for c in load_cases(opened.evaluation / "development.jsonl") if c.expected][::_OTHERS_STEP]
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    names = list(opened.snapshot.names())
    step = max(len(names) // options.tools, 1)
    trials: list[Newcomer] = []
    for trial in newcomers(opened, names[::step][: options.tools], options.lines, without, others):
        trials.append(trial)
        if not options.json:
            print(
                f"{trial.tool:38s} Recall@5 {_within(trial.found, 5):6.1%}  Hit@1 {_within(trial.found, 1):6.1%}",
                flush=True,
            )
    report = _report(trials, options.lines, without)
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report))
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="갓 추가한 도구를 찾는지 잽니다.")
    parser.add_argument("--tools", type=int, default=54, help="도구 몇 개로 잴지(고르게 뽑습니다)")
    parser.add_argument("--lines", type=int, default=6, help="새 도구의 카드 문장 수")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    for source in WEIGHTS:
        parser.add_argument(
            f"--no-{source}", dest="without", action="append_const", const=source, help=f"{source} 없이"
        )
    return parser.parse_args(argv)


def _within(ranks: Sequence[int | None], k: int) -> float:
    return float(np.mean([rank is not None and rank <= k for rank in ranks]))


def _rate(ranks: Sequence[int | None], k: int) -> Rate:
    return rate([float(rank is not None and rank <= k) for rank in ranks])


def _report(trials: Sequence[Newcomer], lines: int, without: frozenset[str]) -> dict[str, object]:
    found = [rank for trial in trials for rank in trial.found]
    before = [rank for trial in trials for rank in trial.others_before]
    after = [rank for trial in trials for rank in trial.others_after]
    return {
        "tools": len(trials),
        "lines": lines,
        "without": sorted(without),
        "new": {f"within_{k}": _rate(found, k).as_dict() for k in (1, 3, 5)},
        "others_before": {f"within_{k}": _rate(before, k).as_dict() for k in (1, 5)},
        "others_after": {f"within_{k}": _rate(after, k).as_dict() for k in (1, 5)},
        "by_tool": {trial.tool: round(_within(trial.found, 5), 4) for trial in trials},
    }


def _table(report: dict[str, object]) -> str:
    rows = [f"\n도구 {report['tools']}개를 하나씩 빼고 문장 {report['lines']}개로 다시 넣었습니다."]
    rows += ["| 무엇 | Hit@1 | Recall@5 |", "|---|---|---|"]
    for key, title in (
        ("new", "새 도구의 다른 문장"),
        ("others_before", "다른 도구, 넣기 전"),
        ("others_after", "다른 도구, 넣은 뒤"),
    ):
        part = report[key]
        assert isinstance(part, dict)
        cells = [
            f"{part[f'within_{k}']['rate']:.1%} [{part[f'within_{k}']['low']:.3f}, {part[f'within_{k}']['high']:.3f}]"
            for k in (1, 5)
        ]
        rows.append(f"| {title} | {cells[0]} | {cells[1]} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())

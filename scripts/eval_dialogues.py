"""Holds multi-turn conversations and counts what was right: tools, arguments, facts, questions back, guards, figures.

    python -m scripts.eval_dialogues --cases data/dialogues/own.jsonl
    python -m scripts.eval_dialogues --cases FILE --url http://127.0.0.1:8080 --verbose
    python -m scripts.eval_dialogues --cases FILE --json

A turn that needs no tool is right when none was called; arguments are judged where the tool is right.
95 % intervals come from drawing whole dialogues anew. Exit code 2 for a case file that cannot be read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.access import ROLE_ORDER
from app.errors import AppError
from app.evaluation.dialogues import Dialogue, load_dialogues
from app.evaluation.rates import talk_rate
from app.evaluation.scoring import TurnScore, score_turn
from scripts.dialogues.talk import Partner, new_thread, opened

_ROWS = (
    ("first_tool", "첫 도구가 맞은 턴"),
    ("tool_turns", "  도구가 필요한 턴"),
    ("no_tool_turns", "  도구가 필요 없는 턴"),
    ("all_calls", "여러 호출을 모두 한 턴"),
    ("arguments", "인자가 모두 맞은 턴"),
    ("each_argument", "  인자 하나하나"),
    ("facts", "사실을 모두 이어간 턴"),
    ("each_fact", "  사실 하나하나"),
    ("asked_back", "필요한 사실을 되물음"),
    ("no_needless", "쓸데없이 묻지 않은 턴"),
    ("guard", "막아야 할 질문을 막음"),
    ("not_blocked", "정상 질문을 통과시킴"),
    ("approval", "승인 턴에 submit/save 전달"),
    ("answer", "답변 정규식"),
    ("no_invention", "근거 없는 숫자가 없는 턴"),
    ("not_replaced", "가드레일이 고치지 않은 답변"),
    ("answered", "답변이 나온 턴"),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    try:
        dialogues = load_dialogues(options.cases)[: options.limit]
        scores, recorded = asyncio.run(_run(dialogues, options))
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    report = _report(dialogues, scores, recorded)
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report, options.verbose))
    return 0


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="여러 턴 대화로 답변을 잽니다.")
    parser.add_argument("--cases", type=Path, required=True, help="JSON lines 파일")
    parser.add_argument("--url", default=None, help="실행 중인 서버. 없으면 이 프로세스 안에서 엽니다")
    parser.add_argument(
        "--role", choices=ROLE_ORDER, default="admin", help="누구로 물을지 (서버에는 customer와 로컬 관리자만)"
    )
    parser.add_argument("--customer-id", default=None, help="--role customer일 때 본인 고객 번호")
    parser.add_argument("--limit", type=int, default=None, help="앞의 대화 N개만")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    parser.add_argument("--verbose", action="store_true", help="틀린 턴을 모두 보입니다")
    return parser.parse_args(argv)


async def _run(dialogues: Sequence[Dialogue], options: argparse.Namespace) -> tuple[list[TurnScore], int | None]:
    async with opened(options.url, options.role, options.customer_id) as partner:
        before = await partner.recorded()
        scores = [score for dialogue in dialogues for score in await _hold(dialogue, partner)]
        after = await partner.recorded()
    return scores, None if before is None or after is None else after - before


async def _hold(dialogue: Dialogue, partner: Partner) -> list[TurnScore]:
    thread = new_thread(dialogue.id)
    return [
        score_turn(dialogue.id, number, turn, await partner.ask(thread, turn.user))
        for number, turn in enumerate(dialogue.turns, 1)
    ]


def _report(dialogues: Sequence[Dialogue], scores: Sequence[TurnScore], recorded: int | None) -> dict[str, Any]:
    names = [name for name, _ in _ROWS if any(name in score.checks for score in scores)]
    latencies = np.array([score.heard.latency_ms for score in scores])
    wrong = {score.dialogue for score in scores if score.checks["first_tool"] != (1, 1)}
    return {
        "dialogues": len(dialogues),
        "turns": len(scores),
        "rates": {name: talk_rate(name, [dialogue.id for dialogue in dialogues], scores) for name in names},
        "dialogues_all_tools_right": len(dialogues) - len(wrong),
        "recorded_without_approval": recorded,
        "latency_ms": {f"p{q}": round(float(np.percentile(latencies, q)), 1) for q in (50, 95)},
        "misses": [
            {
                "id": score.dialogue,
                "turn": score.turn,
                "user": score.user,
                "why": score.misses,
                "expected": [{"tool": call.tool, "args": call.args} for call in score.expected],
                "got": [{"tool": call.tool, "args": call.args} for call in score.heard.calls],
                "answer": score.heard.reply.get("answer", ""),
            }
            for score in scores
            if score.misses
        ],
    }


def _table(report: dict[str, Any], verbose: bool) -> str:
    lines = [
        f"대화 {report['dialogues']}개, 턴 {report['turns']}개",
        "",
        "| 지표 | 비율 | 95 % 구간 | 맞음/전체 |",
        "|---|---|---|---|",
    ]
    titles = dict(_ROWS)
    for name, cell in report["rates"].items():
        span, count = f"{cell['low']:.3f}-{cell['high']:.3f}", f"{cell['right']}/{cell['n']}"
        lines.append(f"| {titles[name]} | {cell['rate']:.1%} | {span} | {count} |")
    recorded = report["recorded_without_approval"]
    lines += [
        "",
        f"모든 턴의 도구가 맞은 대화 {report['dialogues_all_tools_right']}/{report['dialogues']}",
        f"승인 없이 기록된 것 {'알 수 없음(서버)' if recorded is None else recorded}",
        f"턴 시간 p50 {report['latency_ms']['p50']} ms, p95 {report['latency_ms']['p95']} ms",
        f"틀린 곳이 있는 턴 {len(report['misses'])}개" + ("" if verbose else " (--verbose로 모두)"),
    ]
    for miss in report["misses"] if verbose else ():
        lines += ["", f"{miss['id']}/{miss['turn']} {miss['user']}", *(f"    - {why}" for why in miss["why"])]
        lines += [f"    부름 {call['tool']} {json.dumps(call['args'], ensure_ascii=False)}" for call in miss["got"]]
        answer = " / ".join(line for line in miss["answer"].splitlines() if line.strip())
        lines.append(f"    답 {answer[:220]}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

"""Plays whole consultations and counts the turns, and the talks throughout, that got the answer asked for.

    python -m scripts.eval_consultations --cases data/evaluation/consultations/ana.jsonl [--cases FILE …] [--verbose]

Played in this process as an administrator, who may ask as customer and as staff, like a browser on the machine itself.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

from app.access import Principal
from app.composition import open_services
from app.errors import AppError
from app.evaluation.consultations import Consultation, load_consultations
from app.evaluation.scoring import Heard
from app.settings import Settings
from scripts.dialogues.talk import InProcess, new_thread


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    try:
        sets = {path: load_consultations(path) for path in options.cases}
        reports = asyncio.run(_play(sets, verbose=options.verbose))
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    for name, report in reports.items():
        print(json.dumps({"set": name, **report}, ensure_ascii=False) if options.json else _line(name, report))
    return 0


async def _play(sets: dict[Path, tuple[Consultation, ...]], *, verbose: bool) -> dict[str, dict[str, float]]:
    principal = Principal(id="eval-admin", role="admin")
    reports: dict[str, dict[str, float]] = {}
    async with open_services(Settings()) as services:
        partner = InProcess(services, principal)
        for path, talks in sets.items():
            turns = right = whole = repeated = loose = 0
            times: list[float] = []
            for talk in talks:
                thread, before, all_right = new_thread(talk.id), None, True
                for number, turn in enumerate(talk.turns, 1):
                    heard = await partner.ask(thread, turn.user)
                    answer = str(heard.reply.get("answer") or heard.error or "")
                    misses = turn.misses(answer, before)
                    turns, right, all_right = turns + 1, right + (not misses), all_right and not misses
                    repeated += "앞 답변의 반복" in misses
                    loose += bool(heard.loose)
                    times.append(heard.latency_ms)
                    before = answer
                    if misses and verbose:
                        head = f"{talk.id}.{number} {talk.kind} | {turn.user} | {'; '.join(misses)}"
                        print(_missed(head, heard, answer))
                whole += all_right
            reports[path.stem] = {
                "turns": turns, "right": right, "talks": len(talks), "whole": whole, "repeated": repeated,
                "invented": loose, "p50_ms": round(statistics.median(times), 1),
            }  # fmt: skip
    return reports


def _missed(head: str, heard: Heard, answer: str) -> str:
    calls = ", ".join(f"{call.tool}{json.dumps(call.args, ensure_ascii=False)}" for call in heard.calls)
    shown = " / ".join(line for line in answer.splitlines() if line.strip())
    return f"{head}\n    [{calls}]\n    {shown[:400]}"


def _line(name: str, report: dict[str, float]) -> str:
    return (
        f"{name}: 턴 {report['right']}/{report['turns']} ({report['right'] / report['turns']:.1%}), "
        f"처음부터 끝까지 {report['whole']}/{report['talks']} ({report['whole'] / report['talks']:.1%}), "
        f"반복 {report['repeated']}, 근거 없는 수 {report['invented']}, p50 {report['p50_ms']}ms"
    )


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="처음부터 끝까지 상담으로 답변을 잽니다.")
    parser.add_argument("--cases", type=Path, required=True, action="append", help="JSON lines 파일(여러 번)")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON, 파일마다 한 줄")
    parser.add_argument("--verbose", action="store_true", help="기대와 다른 답을 모두 보입니다")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

"""Asks whether somebody may join, and counts the answers that promise what no underwriter would.

    python -m scripts.eval_acceptance --cases data/evaluation/acceptance/unseen.jsonl
    python -m scripts.eval_acceptance --cases FILE --verbose
    python -m scripts.eval_acceptance --cases FILE --json

A case is {"id", "query", "product", "expect": "no" | "depends" | "yes", "why"}. An answer is read twice: by the typed
verdict of its tools and by its first sentence; it says yes where either does. A wrong yes promises what is not so, a
wrong no turns somebody away who is not declined. Exit code 1 where there is a wrong yes, 2 for an unreadable file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from app.access import Principal
from app.composition import open_services
from app.errors import AppError
from app.json_lines import read_lines
from app.settings import Settings
from scripts.dialogues.talk import InProcess, new_thread

Verdict = Literal["no", "depends", "yes", "none"]
_STRICT: tuple[Verdict, ...] = ("yes", "depends", "no")
_BY_ENTRY: Mapping[str, Verdict] = {"가입 가능": "yes", "심사 필요": "depends", "가입 불가": "no", "확인 필요": "none"}
_SAYS_NO = re.compile(
    r"^아니[요오]|(?:가입|인수)(?:하|할|은|이|도)?\s?(?:실\s?)?수(?:가|는)?\s?없|가입이\s?(?:어렵|불가)|가입되지\s?않|거절됩니다"
    r"|(?:보험|상품)(?:이|은|는)?\s?없습니다|거절 가능성"
)
_SAYS_DEPENDS = re.compile(r"심사|따라\s?(?:다르|달라)|확인이\s?필요|조건부")
_SAYS_YES = re.compile(r"^네[,. ]|가입(?:하|할|하실)?\s?수\s?있습니다|현재\s?가입\s?가능한|가입됩니다|'가능'입니다")


@dataclass(frozen=True)
class Case:
    """One question and what is right to answer."""

    id: str
    query: str
    product: str
    expect: Verdict
    why: str


@dataclass(frozen=True)
class Played:
    """A case with what came of it."""

    case: Case
    typed: Verdict
    said: Verdict
    tools: tuple[str, ...]
    answer: str

    @property
    def verdict(self) -> Verdict:
        """What a person takes from it: a yes in either reading is a yes, then no before depends by the sentence."""
        if "yes" in (self.typed, self.said):
            return "yes"
        return self.said if self.said != "none" else self.typed

    @property
    def wrong_yes(self) -> bool:
        return self.verdict == "yes" and self.case.expect != "yes"

    @property
    def wrong_no(self) -> bool:
        return self.verdict == "no" and self.case.expect != "no"


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    try:
        cases = load_cases(options.cases)
        played = asyncio.run(_play(cases, options.role))
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    report = summed_up(played)
    print(json.dumps(report, ensure_ascii=False) if options.json else _table(report, played, options.verbose))
    return 1 if report["wrong_yes"] else 0


def load_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a JSON-lines file. Raises DataFaults with every line that is none."""
    return tuple(read_lines(path, _case, some=True))


def _case(_: int, item: dict[str, Any]) -> Case:
    case = Case(str(item["id"]), item["query"], item.get("product") or "", item["expect"], item.get("why", ""))
    if case.expect not in get_args(Verdict)[:3]:
        raise ValueError(f"expect는 no, depends, yes 가운데 하나여야 합니다: {case.expect}")
    return case


def typed_verdict(results: Sequence[tuple[str, Mapping[str, Any]]]) -> Verdict:
    """The verdict in the artifacts of a turn's tools, the most promising of several; none where no tool judged."""
    found: list[Verdict] = []
    for kind, data in results:
        if kind == "EligibilityRule":
            found.append(_BY_ENTRY[str(data["verdict"])])
        elif kind == "Precheck":
            found.append(_BY_ENTRY[str(data["entry"])])
        elif kind == "ProductSearchResult":
            found.append("no" if not data["products"] else "depends" if data["told"] else "yes")
    judged = [verdict for verdict in found if verdict != "none"]
    return min(judged, key=_STRICT.index, default="none")


def said_verdict(answer: str) -> Verdict:
    """What the first sentence of an answer says."""
    first = next((line.strip() for line in answer.splitlines() if line.strip()), "")
    first = re.split(r"(?<=[다요])[.!] ", first)[0]
    if _SAYS_NO.search(first):
        return "no"
    if _SAYS_YES.search(first) and not _SAYS_DEPENDS.search(first.replace("사전 심사 결과는", "")):
        return "yes"
    return "depends" if _SAYS_DEPENDS.search(first) else "none"


def summed_up(played: Sequence[Played]) -> dict[str, Any]:
    """Counts and rates."""
    total = len(played)
    wrong_yes = [item.case.id for item in played if item.wrong_yes]
    wrong_no = [item.case.id for item in played if item.wrong_no]
    right = sum(item.verdict == item.case.expect for item in played)
    return {
        "cases": total,
        "right": right,
        "right_rate": right / total,
        "wrong_yes": len(wrong_yes),
        "wrong_yes_rate": len(wrong_yes) / total,
        "wrong_no": len(wrong_no),
        "wrong_no_rate": len(wrong_no) / total,
        "no_verdict": sum(item.verdict == "none" for item in played),
        "table": {f"{expect}->{verdict}": count for (expect, verdict), count in sorted(_crossed(played).items())},
        "wrong_yes_ids": wrong_yes,
        "wrong_no_ids": wrong_no,
    }


def _crossed(played: Sequence[Played]) -> Counter[tuple[str, str]]:
    return Counter((item.case.expect, item.verdict) for item in played)


async def _play(cases: Sequence[Case], role: Literal["customer", "staff"]) -> list[Played]:
    """Each case in a thread of its own, in this process."""
    played = []
    principal = Principal(id=f"eval-{role}", role=role, customer_id="C00001" if role == "customer" else None)
    async with open_services(Settings()) as services:
        partner = InProcess(services, principal)
        for case in cases:
            thread = new_thread(case.id)
            heard = await partner.ask(thread, case.query)
            results = [(row.get("kind", ""), row.get("data") or {}) for row in await partner.artifacts(thread)]
            answer = str(heard.reply.get("answer", heard.error or ""))
            tools = tuple(call.tool for call in heard.calls)
            played.append(Played(case, typed_verdict(results), said_verdict(answer), tools, answer))
    return played


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="가입할 수 있는지 묻는 질문으로 답변을 잽니다.")
    parser.add_argument("--cases", type=Path, required=True, help="JSON lines 파일")
    parser.add_argument("--role", choices=("customer", "staff"), default="customer", help="누구로 물을지")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    parser.add_argument("--verbose", action="store_true", help="기대와 다른 답을 모두 보입니다")
    return parser.parse_args(argv)


def _table(report: Mapping[str, Any], played: Sequence[Played], verbose: bool) -> str:
    total = report["cases"]
    lines = [
        f"질문 {total}개: 맞음 {report['right']}개({report['right_rate']:.1%})",
        f"잘못된 예 {report['wrong_yes']}개({report['wrong_yes_rate']:.1%}), "
        f"잘못된 아니요 {report['wrong_no']}개({report['wrong_no_rate']:.1%}), 판단 없음 {report['no_verdict']}개",
        "기대->답: " + ", ".join(f"{pair} {count}" for pair, count in report["table"].items()),
    ]
    for item in played if verbose else ():
        if item.verdict == item.case.expect:
            continue
        mark = "!! 잘못된 예" if item.wrong_yes else "! 잘못된 아니요" if item.wrong_no else "다름"
        lines += ["", f"{mark} {item.case.id} [{item.case.expect}] {item.case.query}", f"    까닭 {item.case.why}"]
        shown = " / ".join(line for line in item.answer.splitlines() if line.strip())[:240]
        lines += [f"    typed {item.typed}, said {item.said}, {', '.join(item.tools)}", f"    답 {shown}"]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())

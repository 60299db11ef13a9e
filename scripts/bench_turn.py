"""Times what issue-level figures speak of: guard + route, whole turns, first event, warm start and memory.

`python -m scripts.bench_turn [--rounds N] [--write]`: opens the real services, asks real questions in process and
prints a
table; `--write` puts it into docs/benchmarks.md between its marks, with the commit.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import statistics
import time

from app.access import LOCAL_ADMIN
from app.composition import open_services
from app.settings import Settings
from scripts.benchmark_notes import measured_on, write_section

QUESTIONS = (
    "마흔아홉 남자인데 들 수 있는 암보험이랑 월 납입액 좀 볼 수 있을까요?",
    "THE건강한치아보험V 크라운은 몇 개까지 되나요?",
    "혈압약 드시는 아버지도 간편건강보험 들어 드릴 수 있어요?",
    "실속치매보험 쉰여섯 여자 보험료요",
    "입원했는데 무슨 서류 내면 되는지 알려 주세요",
    "종신보험 중간에 그만두면 얼마나 돌려받나요?",
    "C50 코드는 어느 쪽 암으로 치나요?",
    "약관에 청약철회 며칠 안에 하라고 돼 있죠?",
    "갱신형이 무슨 말이에요?",
    "고마워요",
)


def rss_mb() -> float:
    """Resident memory now, MB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def quantiles(values: list[float]) -> str:
    """p50 / p95 / p99 in ms."""
    ordered = sorted(values)
    p95, p99 = (ordered[min(int(len(ordered) * q), len(ordered) - 1)] for q in (0.95, 0.99))
    return f"{statistics.median(ordered):.1f} / {p95:.1f} / {p99:.1f}"


async def measure(rounds: int) -> list[tuple[str, str, str]]:
    """Rows of (what, measured, target)."""
    started = time.perf_counter()
    async with open_services(Settings(twin_process=False)) as services:
        opened = time.perf_counter() - started
        guard_route, turns, first_events, processor = [], [], [], []
        for number in range(rounds + 1):
            for position, question in enumerate(QUESTIONS):
                begun, used = time.perf_counter(), time.process_time()
                first = None
                reply: dict[str, object] = {}
                async for event in services.talk.runner.stream(question, LOCAL_ADMIN, f"bench-{number}-{position}"):
                    first = first or time.perf_counter()
                    if event.type == "done":
                        reply = event.data
                took, spent = (time.perf_counter() - begun) * 1000, (time.process_time() - used) * 1000
                if number == 0:
                    continue  # the first round warms caches
                turns.append(took)
                processor.append(spent)
                first_events.append(((first or begun) - begun) * 1000)
                context = services.talk.make_context(LOCAL_ADMIN, "bench", "bench")
                begun = time.perf_counter()
                services.talk.parts.injection.judge(question)
                services.talk.parts.domain.judge(question)
                services.tools.routing.router.route(question, context.snapshot, vector=context.vector(question))
                guard_route.append((time.perf_counter() - begun) * 1000)
                assert reply.get("answer")
        return [
            ("guard + route, ms p50 / p95 / p99", quantiles(guard_route), "p50 < 10"),
            ("whole turn, ms p50 / p95 / p99", quantiles(turns), "p50 < 80"),
            ("processor time a turn (all threads), ms p50 / p95 / p99", quantiles(processor), ""),
            ("first event, ms p50 / p95 / p99", quantiles(first_events), "p50 < 30"),
            ("services opened, s (imports not counted)", f"{opened:.1f}", "warm start < 8"),
            ("resident memory after the run, MB", f"{rss_mb():.0f}", "< 900"),
            ("peak resident memory, MB", f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}", ""),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md에 결과를 적습니다")
    options = parser.parse_args()
    rows = asyncio.run(measure(options.rounds))
    lines = [
        f"{measured_on()}, {options.rounds} rounds of {len(QUESTIONS)} questions: "
        f"`python -m scripts.bench_turn --rounds {options.rounds}`",
        "",
        "| what | measured | target |",
        "| --- | --- | --- |",
        *(f"| {a} | {b} | {c} |" for a, b, c in rows),
    ]
    print("\n".join(lines))
    if options.write:
        write_section("bench_turn", "A turn with the embedded planner", "\n".join(lines))


if __name__ == "__main__":
    main()

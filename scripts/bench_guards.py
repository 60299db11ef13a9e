"""Times the guards on what people really ask and what the assistant really answers.

`python -m scripts.bench_guards [--talks N] [--write]`: L1 and L2 read the utterances of data/utterances, which they
have not seen since the start; the output guard judges the answers of N training talks with their evidence, each as the
graph hands it over. `--write` puts the table into docs/benchmarks.md between its marks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice, zip_longest
from typing import Any

import numpy as np
from langchain_core.messages import HumanMessage

from app.access import LOCAL_ADMIN
from app.composition import open_services
from app.graph.private_texts import repeats
from app.safety.disguises import readable
from app.safety.output import OutputVerdict
from app.safety.sentences import sentences
from app.services import Services
from app.settings import ROOT, Settings
from scripts.benchmark_notes import measured_on, write_section

_QUESTIONS = 2000
_WARM = 100
_LONG_ANSWER = 12  # sentences
_STRETCHES = 200

Row = tuple[str, int, str, str]


def main() -> None:
    """Measure, print and, with --write, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--talks", type=int, default=200)
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md에 결과를 적습니다")
    options = parser.parse_args()
    rows = asyncio.run(measured(options.talks))
    table = "\n".join(
        [
            f"{measured_on()}: `python -m scripts.bench_guards --talks {options.talks}`",
            "",
            "| what | texts | p50 / p95 / p99, ms | target, ms |",
            "| --- | --- | --- | --- |",
            *(f"| {what} | {count:,} | {times} | {target} |" for what, count, times, target in rows),
        ]
    )
    print(table)
    if options.write:
        write_section("bench_guards", "The guards", table)


async def measured(talks: int) -> list[Row]:
    """Every row of the table."""
    async with open_services(Settings(twin_process=False)) as services:
        parts = services.talk.parts
        questions = list(islice(_questions(), _QUESTIONS + _WARM))

        def both(text: str) -> None:
            parts.injection.judge(text)
            parts.domain.judge(text)

        _times(both, questions[:_WARM])
        questions = questions[_WARM:]
        rows = [
            _row("L1 and L2, an ordinary question", _times(both, questions), "p99 < 5"),
            _row("L1, 500 letters", _times(parts.injection.judge, _of_length(questions, 500)), "p99 < 5"),
            _row("L1, 5,000 letters", _times(parts.injection.judge, _of_length(questions, 5000)), "p99 < 25"),
            _row("L1, 100 kB without an end", _times(parts.injection.judge, _hostile()), "< 50"),
            _row("normalising 2 kB", _times(readable, _of_length(questions, 680)), "p99 < 1"),
        ]
        judged, told = await _answers(services, talks)
        long = [took for count, took in judged if count >= _LONG_ANSWER]
        turn = services.talk.make_context(LOCAL_ADMIN, "bench", "bench")
        said = _of_length(told, 2900)  # 2,000 letters and digits
        leaks = ["\n".join(parts.prompts.private)[:2900]] * _STRETCHES
        asked = [HumanMessage("보험료 " * 5000)]
        repeats(turn, (), "")  # the index is made once
        return [
            *rows,
            _row("output guard, an answer", [took for _, took in judged], "p99 < 2"),
            _row(f"output guard, answers of {_LONG_ANSWER} sentences and more", long, ""),
            _row("repetition of prompts and cards, 2,000 letters", _times(partial(repeats, turn, ()), said), "p99 < 5"),
            _row(
                "the same, the prompt itself with 15,000 letters of results",
                _times(partial(repeats, turn, asked), leaks),
                "p99 < 5",
            ),
        ]


def _questions() -> Iterator[str]:
    """Utterances, one of each tool in turn."""
    files = sorted((ROOT / "data" / "utterances").glob("*.txt"))
    for row in zip_longest(*(path.read_text(encoding="utf-8").split("\n") for path in files)):
        yield from (text for text in row if text and text.strip())


def _of_length(texts: Sequence[str], letters: int) -> list[str]:
    """Stretches of what people ask, from places spread over all of it."""
    joined = " ".join(texts)
    return [joined[at : at + letters] for at in range(0, len(joined) - letters, (len(joined) - letters) // _STRETCHES)]


def _hostile() -> list[str]:
    """Texts that make careless patterns slow: one letter, marks, brackets and half an attack over and over."""
    parts = ("가", "ㄱ.", "a ", "((", "지침을 ", "무시하 ", "=" * 7 + " ", "\u200b너", "1-", "<|im_")
    return [(part * 100_000)[:100_000] for part in parts for _ in range(3)]


def _times(judge: Callable[[str], object], texts: Iterable[str]) -> list[float]:
    """Milliseconds a text."""
    found = []
    for text in texts:
        begun = time.perf_counter()
        judge(text)
        found.append((time.perf_counter() - begun) * 1000)
    return found


async def _answers(services: Services, talks: int) -> tuple[list[tuple[int, float]], list[str]]:
    """How many sentences each answer holds and how long the output guard took for it, after the first hundred; and the
    answers, each once."""
    guard, found, told = services.talk.parts.output_guard, [], dict[str, None]()
    judge = guard.judge

    def watched(answer: str, evidence: Sequence[str] | None, canaries: Collection[str] = ()) -> OutputVerdict:
        begun = time.perf_counter()
        verdict = judge(answer, evidence, canaries)
        found.append((len(sentences(answer)), (time.perf_counter() - begun) * 1000))
        told[answer] = None
        return verdict

    guard.judge = watched  # type: ignore[method-assign]  # the guard itself judges, only by the clock
    for number, talk in enumerate(islice(_talks(), talks)):
        for turn in talk["turns"]:
            await services.talk.runner.ask(turn["user"], LOCAL_ADMIN, f"bench-{number}")
    return found[_WARM:], list(told)


def _talks() -> Iterator[dict[str, Any]]:
    """Training talks, one of each file in turn."""
    files = sorted((ROOT / "data" / "dialogues").glob("*.jsonl"))
    for row in zip_longest(*(path.read_text(encoding="utf-8").splitlines() for path in files)):
        yield from (json.loads(line) for line in row if line)


def _row(what: str, times: Sequence[float], target: str) -> Row:
    p50, p95, p99 = np.percentile(times, [50, 95, 99])
    return what, len(times), f"{p50:.2f} / {p95:.2f} / {p99:.2f}", target


if __name__ == "__main__":
    main()

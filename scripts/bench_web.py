"""Measures the chat page in Chromium: first paint, usable, first event, first sentence, long tasks, script size.

    python -m scripts.bench_web [URL] [--json FILE]        (URL: a running server, default http://127.0.0.1:8080)

Loads are measured with the cache filled, the processor slowed down 4 times and a fast-3G line (1.6 Mbit/s, 150 ms), as
the figures of docs/benchmarks.md say. Needs the development packages and Chromium.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import shutil
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = (
    "45세 남성인데 암보험 보험료가 얼마쯤 하나요?",
    "약관에서 청약철회 조항을 찾아 주세요",
    "뉴스타트암보험과 첫날부터암보험 비교해 주세요",
    "입원비를 청구하려면 무슨 서류가 필요한가요?",
    "갱신형이 무슨 말이에요?",
)
LOADS, ROUNDS, SLOWDOWN = 7, 4, 4
FAST_3G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 0.75e6 / 8}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
PAINTS = """() => ({paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
  usable: performance.getEntriesByName('usable')[0]?.startTime})"""
TURN = """async (query) => {
  const sent = performance.now();
  const headers = {'Content-Type': 'application/json'};
  const body = JSON.stringify({query, thread_id: crypto.randomUUID(), message_id: crypto.randomUUID()});
  const reader = (await fetch('/api/chat/stream', {method: 'POST', headers, body})).body.getReader();
  const decoder = new TextDecoder();
  let text = '', event, sentence;
  for (;;) {
    const {value, done} = await reader.read();
    if (done) break;
    text += decoder.decode(value, {stream: true});
    if (event === undefined && text.includes('event: node_start')) event = performance.now() - sent;
    if (sentence === undefined && text.includes('event: token')) sentence = performance.now() - sent;
  }
  return {event, sentence, done: performance.now() - sent};
}"""
LONG_TASKS = """() => { window.__long = []; new PerformanceObserver((list) => window.__long.push(
  ...list.getEntries().map((item) => item.duration))).observe({type: 'longtask'}); }"""


def p95(values: list[float]) -> float:
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


def start_bytes() -> int:
    """gzip bytes of the script that the chat loads before it is usable."""
    dist = ROOT / "web" / "dist"
    chat = json.loads((dist / "manifest.json").read_text(encoding="utf-8"))["chat"]
    return sum(len(gzip.compress((dist / name).read_bytes(), 9)) for name in (chat["script"], *chat["chunks"]))


async def loads(browser: Any, url: str) -> dict[str, float]:
    """Medians of first paint and usable in ms, second and later visits."""
    context = await browser.new_context(locale="ko-KR", viewport={"width": 390, "height": 844})
    page = await context.new_page()
    cdp = await context.new_cdp_session(page)
    await page.goto(url)
    await page.wait_for_selector("#question")
    await page.wait_for_timeout(1500)
    await cdp.send("Network.enable")
    await cdp.send("Network.emulateNetworkConditions", FAST_3G)
    await cdp.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    found = []
    for _ in range(LOADS):
        await page.goto(url)
        await page.wait_for_selector("#question")
        await page.wait_for_timeout(200)
        found.append(await page.evaluate(PAINTS))
    await context.close()
    return {
        "first_paint_ms": statistics.median(item["paint"] for item in found),
        "usable_ms": statistics.median(item["usable"] for item in found),
    }


async def turns(browser: Any, url: str) -> dict[str, float]:
    """First event and first sentence, ms, over the questions; the longest task of a page that draws the answers."""
    context = await browser.new_context(locale="ko-KR", viewport={"width": 1280, "height": 860})
    page = await context.new_page()
    await page.goto(url)
    await page.wait_for_selector("#question")
    await page.evaluate(TURN, QUESTIONS[0])
    found = [await page.evaluate(TURN, question) for _ in range(ROUNDS) for question in QUESTIONS]
    await page.evaluate(LONG_TASKS)
    for number, question in enumerate(QUESTIONS * 2, 1):
        await page.fill("#question", question)
        await page.press("#question", "Enter")
        await page.wait_for_function(
            "(count) => document.querySelectorAll('.answer[aria-busy=false]').length >= count", arg=number
        )
    await page.wait_for_timeout(300)
    tasks = await page.evaluate("window.__long")
    await context.close()
    return {
        "first_event_p50_ms": statistics.median(item["event"] for item in found),
        "first_event_p95_ms": p95([item["event"] for item in found]),
        "first_sentence_p50_ms": statistics.median(item["sentence"] for item in found),
        "first_sentence_p95_ms": p95([item["sentence"] for item in found]),
        "whole_answer_p95_ms": p95([item["done"] for item in found]),
        "longest_task_ms": max(tasks, default=0.0),
    }


async def measure(url: str) -> dict[str, float]:
    from playwright.async_api import async_playwright  # noqa: PLC0415  a development package

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        figures = {"script_gzip_kb": start_bytes() / 1000, **await loads(browser, url), **await turns(browser, url)}
        await browser.close()
    return figures


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8080")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args(arguments)
    figures = asyncio.run(measure(options.url))
    for name, value in figures.items():
        print(f"{name:24}{value:10.1f}")
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

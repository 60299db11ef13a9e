"""How the figures grow with tools, document passages, threads, people and workers: tables, and plots of them.

    python -m scripts.bench_growth                                  (all axes; ten to twenty minutes on two cores)
    python -m scripts.bench_growth --axes tools people              (some of them)
    python -m scripts.bench_growth --axes threads --sizes 100 1000  (one axis at sizes of one's own)
    python -m scripts.bench_growth --write                          (docs/benchmarks.md, docs/images/growth-*.svg)
    python -m scripts.bench_growth --axes --write                   (measures nothing, draws the kept points anew)

Measured points are kept in docs/images/growth-points.json by --write, so an axis measured later stands beside the
others. A thread count that --fill-minutes does not reach is calculated from those measured, and is called so.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from app.settings import ROOT
from scripts import bench_documents, bench_load, bench_routing
from scripts.bench_workers import PEOPLE, measure_workers
from scripts.benchmark_notes import measured_on, write_section
from scripts.routing_measure import open_shipped

IMAGES = ROOT / "docs" / "images"
POINTS = IMAGES / "growth-points.json"
STEP = 250
BEYOND = 100_000

Row = dict[str, Any]


def measure_tools(sizes: Sequence[int], options: argparse.Namespace) -> list[Row]:
    """Routing among the shipped tools and made-up ones."""
    opened = open_shipped()
    found = [bench_routing.measured(opened, size) for size in sizes]
    return [
        {
            "x": row["tools"],
            "hit": row["hit_at_1"]["rate"] * 100,
            "p50": row["p50_ms"],
            "p99": row["p99_ms"],
            "index": row["index_s"],
        }
        for row in found
    ]


def measure_passages(sizes: Sequence[int], options: argparse.Namespace) -> list[Row]:
    """Hybrid queries over made-up corpora, by the clock and of the processor."""
    rows = []
    for size, times in bench_documents.query_times(sizes):
        clock, processor = zip(*times, strict=True)
        told = {"p50": (clock, 50), "p95": (clock, 95), "cpu50": (processor, 50), "cpu95": (processor, 95)}
        rows.append({"x": size, **{name: float(np.percentile(*of)) for name, of in told.items()}})
    return rows


def measure_threads(sizes: Sequence[int], options: argparse.Namespace) -> list[Row]:
    """A turn of one person, the databases and the worker's memory while threads add up in one worker."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as made:
        folder = _state(Path(made), options.state)
        with bench_load.own_worker(folder, {}) as worker:
            deadline = time.monotonic() + options.fill_minutes * 60
            for size in sizes:
                while (there := _threads(folder)) < size and time.monotonic() < deadline:
                    asyncio.run(bench_load.fill(worker, folder, min(STEP, size - there), warm=0))
                there, disk = _threads(folder), bench_load.disk_mb(folder)
                if rows and there < 1.2 * rows[-1]["x"]:
                    break
                turn = asyncio.run(bench_load.load(worker, 1, options.seconds)).figures()
                rows.append({"x": there, "p50": turn["p50_ms"], "p95": turn["p95_ms"], "cpu": turn["cpu_ms"],
                             "disk": disk, "memory": worker.memory_mb()})  # fmt: skip
                if there < size:
                    break
    return [*rows, *calculated(rows, [size for size in (*sizes, BEYOND) if size > rows[-1]["x"] * 1.05])]


def calculated(rows: Sequence[Row], sizes: Sequence[int]) -> list[Row]:
    """Database sizes (MB) beyond the last measured row, by the line through the last two; nothing from one row."""
    if len(rows) < 2:
        return []
    before, last = rows[-2], rows[-1]
    slope = (last["disk"] - before["disk"]) / (last["x"] - before["x"])
    return [{"x": size, "disk": last["disk"] + slope * (size - last["x"]), "calculated": True} for size in sizes]


def measure_people(sizes: Sequence[int], options: argparse.Namespace) -> list[Row]:
    """Turns of some people at once on one worker."""
    with tempfile.TemporaryDirectory(prefix="bench-growth-") as made:
        folder = _state(Path(made), options.state)
        with bench_load.own_worker(folder, {}) as worker:
            found = [asyncio.run(bench_load.load(worker, size, options.seconds)) for size in sizes]
    return [{"x": one.people, **{k.removesuffix("_ms"): v for k, v in one.figures().items()}} for one in found]


def _state(made: Path, indexed: Path | None) -> Path:
    """A state folder without conversations; the indexes of `indexed` save the worker's first minute."""
    folder = made / "var"
    if indexed is not None:
        shutil.copytree(indexed, folder, ignore=shutil.ignore_patterns("*.db*", "*.lock"))
    folder.mkdir(exist_ok=True)
    return folder


def _threads(folder: Path) -> int:
    """Threads in the database of the worker, which is another process."""
    with closing(sqlite3.connect(f"file:{folder / 'customer.db'}?mode=ro", uri=True, timeout=30)) as database:
        return int(database.execute("SELECT count(*) FROM threads").fetchone()[0])


@dataclass(frozen=True)
class Plot:
    """A picture of an axis: its columns as lines, with the unit of the y axis."""

    name: str
    title: str
    unit: str
    columns: tuple[str, ...]
    top: float | None = None


@dataclass(frozen=True)
class Axis:
    """What grows: its sizes, how it is measured, the table's columns (name, head, digits) and the pictures."""

    title: str
    label: str
    sizes: tuple[int, ...]
    measure: Callable[[Sequence[int], argparse.Namespace], list[Row]]
    columns: tuple[tuple[str, str, int], ...]
    plots: tuple[Plot, ...]


AXES = {
    "tools": Axis(
        "Tools: routing", "tools", (54, 500, 5_000), measure_tools,
        (("hit", "Hit@1, %", 1), ("p50", "p50, ms", 1), ("p99", "p99, ms", 1), ("index", "index, s", 1)),
        (Plot("tools-time", "Routing time by number of tools", "ms", ("p50", "p99")),
         Plot("tools-hit", "Hit@1 by number of tools", "%", ("hit",), 100)),
    ),
    "passages": Axis(
        "Document passages: hybrid query", "passages", (1_000, 10_000, 100_000), measure_passages,
        (("p50", "p50, ms", 1), ("p95", "p95, ms", 1), ("cpu50", "processor time p50, ms", 1),
         ("cpu95", "processor time p95, ms", 1)),
        (Plot("passages-time", "Hybrid query by number of passages", "ms", ("p50", "p95")),),
    ),
    "threads": Axis(
        "Threads: a turn of one person, databases, memory", "threads", (100, 1_000, 10_000), measure_threads,
        (("p50", "turn p50, ms", 1), ("p95", "turn p95, ms", 1), ("cpu", "processor time a turn, ms", 1),
         ("disk", "databases, MB", 1), ("memory", "worker's memory, MB", 0)),
        (Plot("threads-time", "A turn by number of threads", "ms", ("p50", "p95")),
         Plot("threads-disk", "Databases by number of threads", "MB", ("disk",))),
    ),
    "people": Axis(
        "People at once: one worker", "people at once", (1, 5, 20, 50, 100, 200), measure_people,
        (("rate", "turns/s", 1), ("p50", "p50, ms", 0), ("p95", "p95, ms", 0), ("p99", "p99, ms", 0),
         ("failed", "not 200", 0), ("cpu", "processor time a turn, ms", 1)),
        (Plot("people-rate", "Turns a second by people at once", "turns/s", ("rate",)),
         Plot("people-time", "A turn by people at once", "ms", ("p50", "p95", "p99"))),
    ),
    "workers": Axis(
        f"Workers behind nginx: {PEOPLE} people at once, Postgres, Redis and Chroma servers", "workers", (1, 2, 3, 4),
        measure_workers,
        (("rate", "turns/s", 1), ("p50", "p50, ms", 0), ("p95", "p95, ms", 0), ("p99", "p99, ms", 0),
         ("failed", "not 200", 0), ("cpu", "workers' processor time a turn, ms", 1)),
        (Plot("workers-rate", "Turns a second by workers", "turns/s", ("rate",)),
         Plot("workers-time", "A turn by workers", "ms", ("p50", "p95"))),
    ),
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print and write; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--axes", nargs="*", choices=list(AXES), default=list(AXES))
    parser.add_argument("--sizes", type=int, nargs="+", help="sizes of the one axis that --axes names")
    parser.add_argument("--seconds", type=float, default=8, help="how long people ask at each size")
    parser.add_argument("--fill-minutes", type=float, default=15, help="most minutes for making threads")
    parser.add_argument("--state", type=Path, help="a state folder whose indexes are copied: a quick start")
    parser.add_argument("--beside", default="", help="what else the machine did, for the block")
    parser.add_argument("--points", type=Path, default=POINTS, help="the file that keeps the measured points")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(argv)
    if options.sizes and len(options.axes) != 1:
        parser.error("--sizes needs exactly one axis in --axes")
    kept = json.loads(options.points.read_text(encoding="utf-8")) if options.points.exists() else {}
    for name in options.axes:
        before = os.getloadavg()[0]
        rows = AXES[name].measure(sorted(options.sizes or AXES[name].sizes), options)
        kept[name] = {"head": _head(before, options), "rows": rows}
        print(table(AXES[name], kept[name]), flush=True)
        if options.write:
            options.points.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if options.write:
        _write(kept)
    return 0


def _head(before: float, options: argparse.Namespace) -> str:
    load = f"load average {before:.1f} before and {os.getloadavg()[0]:.1f} after on {os.cpu_count()} cores"
    beside = f" ({options.beside})" if options.beside else ""
    return f"{measured_on()}, {load}{beside}."


def table(axis: Axis, kept: dict[str, Any]) -> str:
    """The axis as a Markdown table under its title; a calculated row is called so."""
    lines = [f"**{axis.title}.** {kept['head']}", "", f"| {axis.label} | {' | '.join(c[1] for c in axis.columns)} |"]
    lines.append("|---" * (len(axis.columns) + 1) + "|")
    for row in kept["rows"]:
        cells = [f"{row[name]:,.{digits}f}" if name in row else "—" for name, _, digits in axis.columns]
        size = f"{row['x']:,}" + (" (calculated)" if row.get("calculated") else "")
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 480, 300, 62, 44, 66, 52
COLOURS = ("#0072b2", "#d55e00", "#009e73")
GREY, INK = "#d9dde2", "#24292f"


def drawn(plot: Plot, label: str, rows: Sequence[Row]) -> str:
    """The plot as an SVG: log x, y from zero, each point with its value as a title; calculated points are hollow."""
    rows = [row for row in rows if any(name in row for name in plot.columns)]
    top, step = _scale(plot.top or max(row[name] for row in rows for name in plot.columns if name in row))
    low, high = math.log10(rows[0]["x"]), math.log10(rows[-1]["x"])
    inner, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(x: float) -> float:
        return LEFT + 10 + (inner - 20) * ((math.log10(x) - low) / (high - low) if high > low else 0.5)

    def down(y: float) -> float:
        return TOP + tall * (1 - y / top)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        f'role="img" font-family="sans-serif" font-size="12" fill="{INK}">',
        f"<title>{escape(plot.title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        _text(LEFT, 24, plot.title, "start", 'font-size="14" font-weight="bold"'),
        _text(LEFT + inner / 2, HEIGHT - 12, f"{label} (log scale)"),
        _text(0, 0, plot.unit, more=f'transform="translate(16 {TOP + tall / 2:.0f}) rotate(-90)"'),
    ]
    for number in range(round(top / step) + 1):
        y = down(number * step)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{LEFT + inner}" stroke="{GREY if number else INK}"/>')
        parts.append(_text(LEFT - 8, y + 4, f"{number * step:,g}" if step < 1 else f"{number * step:,.0f}", "end"))
    if any(row.get("calculated") for row in rows):
        parts.append(_text(WIDTH - 12, 24, "hollow, dashed: calculated", "end", 'font-size="11"'))
    free = math.inf  # from the right, so that a label which would cover the next one is left out
    for row in reversed(rows):
        at, size = across(row["x"]), f"{row['x']:,}"
        parts.append(f'<path d="M{at:.1f} {TOP + tall}v5" stroke="{INK}"/>')
        if at + 3.5 * len(size) + 4 < free:
            parts.append(_text(at, TOP + tall + 19, size))
            free = at - 3.5 * len(size)
    ends: list[float] = []
    for name, colour in zip(plot.columns, COLOURS, strict=False):
        points = [(row, across(row["x"]), down(row[name])) for row in rows if name in row]
        for (_, x, y), (end, to_x, to_y) in pairwise(points):
            dashes = ' stroke-dasharray="5 4"' if end.get("calculated") else ""
            line = f"M{x:.1f} {y:.1f}L{to_x:.1f} {to_y:.1f}"
            parts.append(f'<path d="{line}" stroke="{colour}" stroke-width="2"{dashes}/>')
        for row, x, y in points:
            told = f"{name}: {row['x']:,} → {row[name]:,.1f} {plot.unit}" + (
                " (calculated)" if row.get("calculated") else ""
            )
            fill = "#ffffff" if row.get("calculated") else colour
            parts.append(
                f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{colour}" stroke-width="2">'
                f"<title>{escape(told)}</title></circle>"
            )
        ends.append(points[-1][2])
        if len(plot.columns) > 1:
            parts.append(_text(LEFT + inner + 6, _free(ends), name, "start", f'style="fill:{colour}"'))
    return "\n".join([*parts, "</svg>", ""])


def _scale(highest: float) -> tuple[float, float]:
    """The top of the y axis and the step of its lines: 1, 2 or 5 times a power of ten, at most six steps."""
    power = 10.0 ** math.floor(math.log10(highest or 1))
    step = next(power * part for part in (0.2, 0.5, 1, 2) if highest <= power * part * 5.5)
    return math.ceil(highest / step) * step, step


def _free(ends: list[float]) -> float:
    """Where the newest of the labels stands; it is moved up where it would cover an earlier one."""
    while any(abs(ends[-1] - other) < 13 for other in ends[:-1]):
        ends[-1] -= 1
    return ends[-1] + 4


def _text(x: float, y: float, words: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(words)}</text>'


def _write(kept: dict[str, Any]) -> None:
    """The plots into docs/images and the block into docs/benchmarks.md, at its end where the marks are missing."""
    IMAGES.mkdir(exist_ok=True)
    lines = [
        "`python -m scripts.bench_growth --write`. The people who ask run on the same cores as the worker. A threads "
        "row holds what one worker and its databases had by then. The x axes are logarithmic: what grows in proportion "
        "bends upwards. Workers share the two cores with the people who ask, Postgres, Redis, Chroma and nginx.",
        "",
    ]
    for name in (name for name in AXES if name in kept):
        axis, pictures = AXES[name], []
        for plot in axis.plots:
            file = f"growth-{plot.name}.svg"
            (IMAGES / file).write_text(drawn(plot, axis.label, kept[name]["rows"]), encoding="utf-8")
            pictures.append(f"![{plot.title}](images/{file})")
        lines += [table(axis, kept[name]), *pictures, ""]
    write_section("bench_growth", "How the figures grow", "\n".join(lines[:-1]))


if __name__ == "__main__":
    sys.exit(main())

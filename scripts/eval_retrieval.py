"""Measures document search: `python -m scripts.eval_retrieval --cases FILE [--project NAME] [--json] [--modes …]`.

A case: {"id", "query", "relevant": ["documentId" | "documentId#chunkId" | "documentId#제5조"], "product_code"?,
"kind"?}.
A case without `relevant` is off topic: it counts as turned away when nothing passes the threshold. "all": true asks for
every relevant passage (two linked articles) instead of any; one that several documents hold is a list of them.
"right page" is the share of the questions answered within the first five whose quotation stands on the page that is
told, read from the file anew.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from typing import Any

import pymupdf

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.library import open_library
from app.documents.search import DEFAULT_PROJECT, DocumentSearch, Passage, SearchRequest
from app.errors import AppError
from app.insurance.catalogue import load_catalogue
from app.json_lines import read_lines
from app.language.normalise import compact
from app.language.tokenizer import Tokenizer
from app.settings import Settings

MODES = ("keyword", "semantic", "graph", "hybrid")
DEPTH = 10
_RESAMPLES = 1000
_ON_PAGE = 0.8


@dataclass(frozen=True)
class Case:
    """One question with what answers it: each of `relevant` is one passage, under every name it has."""

    id: str
    query: str
    relevant: tuple[tuple[str, ...], ...]
    product_code: str | None = None
    kind: str | None = None
    every: bool = False


@dataclass(frozen=True)
class Outcome:
    """How one case went in one mode. `ranks` are the places (from 1) of the relevant, each once; `seconds` the time.

    `page` tells whether the first relevant passage of the first five stands on the page that is told; None without one.
    """

    case: Case
    ranks: tuple[int, ...]
    wanted: int
    results: int
    seconds: float
    page: bool | None = None


def read_cases(path: Path) -> list[Case]:
    """Cases of a JSON lines file. Raises DataFaults naming every line that is none."""
    return read_lines(path, _case, some=True)


def _case(number: int, row: dict[str, Any]) -> Case:
    relevant = tuple(
        tuple(map(str, item)) if isinstance(item, list) else (str(item),) for item in row.get("relevant") or ()
    )
    return Case(
        str(row.get("id", number)), row["query"], relevant, row.get("product_code"), row.get("kind"),
        bool(row.get("all")),
    )  # fmt: skip


def matches(passage: Passage, wanted: Sequence[str]) -> bool:
    """Whether a passage is what one of the names names: a document, a chunk of it or an article of it."""
    return any(_is(passage, name) for name in wanted)


def _is(passage: Passage, wanted: str) -> bool:
    document, _, part = wanted.partition("#")
    if passage.document_id != document:
        return False
    return not part or part in (passage.chunk_id, passage.article) or passage.heading_path.endswith(part)


def run(search: DocumentSearch, cases: Sequence[Case], mode: str, project: str, threshold: float) -> list[Outcome]:
    """Ask every case in one mode."""
    outcomes, pages = [], Pages(search, project)
    for case in cases:
        request = SearchRequest(
            query=case.query, mode=mode, top_k=DEPTH, project_id=project, similarity_threshold=threshold,
            product_code=case.product_code, kind=case.kind,
        )  # fmt: skip
        begun = time.perf_counter()
        reply = search.search(request)
        seconds = time.perf_counter() - begun
        ranks = [
            next((place for place, p in enumerate(reply.results, 1) if matches(p, wanted)), 0)
            for wanted in case.relevant
        ]
        found = tuple(sorted({rank for rank in ranks if rank}))
        first = next((p for p in reply.results[:5] if any(matches(p, wanted) for wanted in case.relevant)), None)
        page = None if first is None else pages.holds(first)
        outcomes.append(Outcome(case, found, len(case.relevant), len(reply.results), seconds, page))
    return outcomes


class Pages:
    """The text of the pages of a project's files, read independently of the index."""

    def __init__(self, search: DocumentSearch, project: str) -> None:
        self._files = {item.document_id: item.file for item in search.documents(project)}
        self._texts: dict[str, list[str]] = {}

    def holds(self, passage: Passage) -> bool:
        """Whether the words of a passage's quotation stand on its page (some marks of tables are ours)."""
        texts = self._texts.setdefault(passage.document_id, self._read(passage.document_id))
        if not 1 <= passage.page <= len(texts):
            return False
        words = [word for each in passage.snippet.split() if len(word := compact(each)) >= 2]
        return sum(word in texts[passage.page - 1] for word in words) >= _ON_PAGE * len(words)

    def _read(self, document: str) -> list[str]:
        if document in self._texts:
            return self._texts[document]
        file = self._files[document]
        if file.suffix.lower() != ".pdf":
            return [compact(page) for page in file.read_text(encoding="utf-8", errors="replace").split("\f")]
        with pymupdf.open(file) as opened:
            return [compact(page.get_text()) for page in opened]


def recall(k: int) -> Callable[[Outcome], float]:
    """Whether any (or, for an 'all' case, every) relevant passage is among the first k."""

    def value(outcome: Outcome) -> float:
        if outcome.case.every:
            return float(len([rank for rank in outcome.ranks if rank <= k]) >= outcome.wanted)
        return float(any(rank <= k for rank in outcome.ranks))

    return value


def reciprocal(outcome: Outcome) -> float:
    """1 / rank of the first relevant passage."""
    return 1.0 / outcome.ranks[0] if outcome.ranks else 0.0


def ndcg(outcome: Outcome) -> float:
    """nDCG@10 with equal gains; a case that any of several passages answers has an ideal of one."""
    gain = sum(1.0 / log2(rank + 1) for rank in outcome.ranks)
    ideal = sum(
        1.0 / log2(place + 1) for place in range(1, (min(outcome.wanted, DEPTH) if outcome.case.every else 1) + 1)
    )
    return min(1.0, gain / ideal)


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Rates with 95 % bootstrap intervals, and times in ms."""
    on = [outcome for outcome in outcomes if outcome.case.relevant]
    off = [outcome for outcome in outcomes if not outcome.case.relevant]
    measures: dict[str, Callable[[Outcome], float]] = {
        **{f"recall@{k}": recall(k) for k in (1, 3, 5, 10)},
        "mrr@10": reciprocal,
        "ndcg@10": ndcg,
    }
    found: dict[str, Any] = {"cases": len(on)}
    for name, measure in measures.items():
        values = [measure(outcome) for outcome in on]
        found[name] = {"value": round(statistics.fmean(values), 4), "ci95": _interval(values)} if values else None
    if off:
        turned = [float(outcome.results == 0) for outcome in off]
        found["off_topic"] = {
            "cases": len(off),
            "turned_away": round(statistics.fmean(turned), 4),
            "ci95": _interval(turned),
        }
    found["on_topic_empty"] = round(statistics.fmean([float(o.results == 0) for o in on]), 4) if on else None
    pages = [float(outcome.page) for outcome in on if outcome.page is not None]
    found["right_page"] = {"value": round(statistics.fmean(pages), 4), "ci95": _interval(pages)} if pages else None
    times = sorted(outcome.seconds * 1000 for outcome in outcomes)
    found["ms"] = {"p50": round(times[len(times) // 2], 2), "p95": round(times[int(len(times) * 0.95)], 2)}
    return found


def _interval(values: Sequence[float]) -> list[float]:
    dice = random.Random(1)
    means = sorted(statistics.fmean(dice.choices(values, k=len(values))) for _ in range(_RESAMPLES))
    return [round(means[int(_RESAMPLES * 0.025)], 4), round(means[int(_RESAMPLES * 0.975)], 4)]


def open_search(settings: Settings, project: str) -> tuple[DocumentSearch, ChromaStore]:
    """The search over what has been indexed; the shipped documents are brought up to date first."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    store = ChromaStore(settings.chroma_path)
    library = open_library(settings, catalogue, build_embedder(settings), Tokenizer(), store)
    if project == DEFAULT_PROJECT:
        library.refresh()
    return library.search(), store


def main(arguments: list[str] | None = None) -> int:
    """0 when measured, 1 for cases or a project that cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True, help="문항 파일 (JSON lines)")
    parser.add_argument("--project", default=DEFAULT_PROJECT)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--threshold", type=float, default=0.3)
    parser.add_argument("--misses", action="store_true", help="hybrid에서 앞 5개에 없는 문항 보이기")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    try:
        cases = read_cases(options.cases)
        search, store = open_search(Settings(), options.project)
        search.ranker(options.project)
        results = {
            mode: run(search, cases, mode, options.project, options.threshold) for mode in options.modes.split(",")
        }
        store.close()
    except (AppError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    report = {mode: summary(outcomes) for mode, outcomes in results.items()}
    if options.json:
        print(json.dumps({"project": options.project, "cases": len(cases), "modes": report}, ensure_ascii=False))
    else:
        _print(report)
    if options.misses and "hybrid" in results:
        for outcome in results["hybrid"]:
            if outcome.case.relevant and not recall(5)(outcome):
                print(f"  {outcome.case.id} {outcome.ranks} {outcome.case.query}  {outcome.case.relevant}")
    return 0


def _print(report: dict[str, dict[str, Any]]) -> None:
    names = ("recall@1", "recall@3", "recall@5", "recall@10", "mrr@10", "ndcg@10")
    print(f"{'mode':10}" + "".join(f"{name:>24}" for name in names) + f"{'p50/p95 ms':>16}")
    for mode, found in report.items():
        cells = [
            f"{found[n]['value']:.3f} [{found[n]['ci95'][0]:.3f}, {found[n]['ci95'][1]:.3f}]" if found[n] else "-"
            for n in names
        ]
        print(f"{mode:10}" + "".join(f"{cell:>24}" for cell in cells) + f"{found['ms']['p50']:>9}/{found['ms']['p95']}")
        told = [f"right page {found['right_page']['value']:.3f}"] if found["right_page"] else []
        if "off_topic" in found:
            away = found["off_topic"]["turned_away"]
            told.append(f"off topic turned away {away:.3f}, on topic empty {found['on_topic_empty']:.3f}")
        print(f"{'':10}  {', '.join(told)}")


if __name__ == "__main__":
    raise SystemExit(main())

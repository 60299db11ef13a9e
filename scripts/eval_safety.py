"""Measures the guards.

    python -m scripts.eval_safety [--kind guard|domain|personal_data|phrases] [--cases FILE] [--json] [--verbose]

Without --kind everything the project holds under data/evaluation/safety is measured.
Case files: JSON lines; guard {"text","label":"attack|benign"}, domain {"text","label":"in|out"}, personal_data
{"text","spans":[[start,end,"type"],…]}, phrases {"text","label":"violation|ok"}. Unknown keys are left alone.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.errors import AppError, StartError
from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.routing.opening import open_routing
from app.safety.injection import InjectionCheck
from app.safety.personal_data import PersonalDataMasker
from app.safety.phrase_classifier import PhraseClassifier
from app.safety.phrases import PhraseChecker
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot

KINDS = ("guard", "domain", "personal_data", "phrases")
_OWN = {
    "guard": ("attacks.jsonl", "lookalikes.jsonl"),
    "domain": ("domain.jsonl",),
    "personal_data": ("personal_data.jsonl",),
    "phrases": ("phrases.jsonl",),
}
_POSITIVE = {"guard": "attack", "domain": "out", "phrases": "violation"}

Row = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="안전 장치를 잽니다.")
    parser.add_argument("--kind", choices=KINDS, help="잴 것. 없으면 이 프로젝트의 평가 글로 모두 잽니다")
    parser.add_argument("--cases", type=Path, help="JSON lines 파일")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    parser.add_argument("--verbose", action="store_true", help="틀린 글을 모두 보입니다")
    options = parser.parse_args(argv)
    if options.cases and not options.kind:
        parser.error("--cases에는 --kind가 필요합니다.")
    settings = Settings()
    try:
        reports = {
            kind: measure(kind, rows, settings, verbose=options.verbose and not options.json)
            for kind in ([options.kind] if options.kind else KINDS)
            if (rows := _rows(kind, options.cases, settings.content_dir))
        }
    except (AppError, StartError, OSError, ValueError, KeyError) as error:
        print(f"잴 수 없습니다: {error}", file=sys.stderr)
        return 2
    print(
        json.dumps(reports, ensure_ascii=False) if options.json else "\n\n".join(map(_table, reports, reports.values()))
    )
    return 0


def measure(kind: str, rows: Sequence[Row], settings: Settings, *, verbose: bool = False) -> Row:
    """Counts, rates with 95 % intervals and latency for one kind of cases."""
    judge = _judge(kind, settings)
    judge(rows[0]["text"])
    outcomes, took = [], []
    for row in rows:
        started = time.perf_counter()
        found = judge(row["text"])
        took.append((time.perf_counter() - started) * 1000)
        outcomes.append(found)
    report = _spans(rows, outcomes, verbose) if kind == "personal_data" else _labels(kind, rows, outcomes, verbose)
    report["latency_ms"] = {
        "p50": round(float(np.percentile(took, 50)), 3),
        "p99": round(float(np.percentile(took, 99)), 3),
        "max": round(max(took), 3),
    }
    return report


def rate(hits: int, total: int) -> Row:
    """A share with its Wilson 95 % interval."""
    if not total:
        return {"hits": 0, "total": 0, "rate": None, "low": None, "high": None}
    z, share = 1.96, hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z * np.sqrt(share * (1 - share) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return {
        "hits": hits,
        "total": total,
        "rate": round(share, 4),
        "low": round(max(0.0, middle - half), 4),
        "high": round(min(1.0, middle + half), 4),
    }


def _judge(kind: str, settings: Settings) -> Callable[[str], Any]:
    if kind == "guard":
        check = InjectionCheck(settings.content_dir, Tokenizer())
        return lambda text: check.judge(text).level
    if kind == "personal_data":
        masker = PersonalDataMasker()
        return lambda text: {(span.start, span.end, span.kind) for span in masker.find(text)}
    if kind == "phrases":
        catalogue = load_catalogue(settings.content_dir, settings.company_name)
        classifier = PhraseClassifier(settings.content_dir, Tokenizer())
        phrases = PhraseChecker(catalogue.reference.forbidden_phrases, classifier)
        return lambda text: "violation" if phrases.check(text) else "ok"
    embedder, tokenizer = build_embedder(settings), Tokenizer()
    store = ChromaStore(settings.chroma_path)
    snapshot = ToolSnapshot(1, load_builtin_entries(settings.content_dir))
    domain = open_routing(settings.content_dir, settings.data_dir, snapshot, embedder, tokenizer, store).domain
    return lambda text: "in" if domain.judge(text, embedder.encode_query(text)).in_domain else "out"


def _labels(kind: str, rows: Sequence[Row], outcomes: Sequence[str], verbose: bool) -> Row:
    positive = _POSITIVE[kind]
    caught = [outcome not in ("pass", "in", "ok") for outcome in outcomes]
    bad = [c for c, row in zip(caught, rows, strict=True) if row["label"] == positive]
    good = [c for c, row in zip(caught, rows, strict=True) if row["label"] != positive]
    report: Row = {"recall": rate(sum(bad), len(bad)), "false_alarms": rate(sum(good), len(good))}
    if kind == "guard":
        blocked = [o == "block" for o, row in zip(outcomes, rows, strict=True) if row["label"] == positive]
        report["blocked"] = rate(sum(blocked), len(blocked))
    parts = sorted({str(row["kind"]) for row in rows if row["label"] == positive and "kind" in row})
    report["by_kind"] = {
        part: rate(
            sum(c for c, row in zip(caught, rows, strict=True) if row.get("kind") == part and row["label"] == positive),
            sum(row.get("kind") == part and row["label"] == positive for row in rows),
        )
        for part in parts
    }
    if verbose:
        for row, was_caught in zip(rows, caught, strict=True):
            if was_caught != (row["label"] == positive):
                print(f"{'놓침' if row['label'] == positive else '오탐'}: {row['text']!r}")
    return report


def _spans(rows: Sequence[Row], outcomes: Sequence[set[tuple[int, int, str]]], verbose: bool) -> Row:
    found = right = wanted = 0
    touched: dict[str, list[int]] = {}
    for row, got in zip(rows, outcomes, strict=True):
        want = {(start, end, kind) for start, end, kind in row["spans"]}
        found, right, wanted = found + len(got), right + len(got & want), wanted + len(want)
        for span in want:
            counts = touched.setdefault(span[2], [0, 0])
            counts[0] += span in got
            counts[1] += 1
        if verbose and got != want:
            print(f"다름: {row['text']!r} 놓침 {sorted(want - got)} 더 찾음 {sorted(got - want)}")
    return {
        "precision": rate(right, found),
        "recall": rate(right, wanted),
        "by_kind": {kind: rate(*counts) for kind, counts in sorted(touched.items())},
    }


def _rows(kind: str, cases: Path | None, content: Path) -> list[Row]:
    files = [cases] if cases else [content / "evaluation" / "safety" / name for name in _OWN[kind]]
    lines = [line for file in files if cases or file.exists() for line in file.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def _table(kind: str, report: Row) -> str:
    lines = [f"[{kind}]"]
    for name, value in report.items():
        if name == "latency_ms":
            lines.append(f"  시간 p50 {value['p50']} ms, p99 {value['p99']} ms, 최대 {value['max']} ms")
        elif name == "by_kind":
            lines += [f"    {part:16} {_share(share)}" for part, share in value.items()]
        else:
            lines.append(f"  {name:14} {_share(value)}")
    return "\n".join(lines)


def _share(value: Row) -> str:
    if value["rate"] is None:
        return "해당 없음"
    return f"{value['rate']:.1%} ({value['hits']}/{value['total']}, 95% 구간 {value['low']:.1%}~{value['high']:.1%})"


if __name__ == "__main__":
    sys.exit(main())

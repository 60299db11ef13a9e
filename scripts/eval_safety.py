"""Measures the guards.

    python -m scripts.eval_safety [--cases FILE] [--author NAME] [--kind KIND] [--kept-aside] [--json] [--verbose]

Without --cases everything under data/evaluation/safety is measured; with --kept-aside its other half, which no rule,
threshold or training text was chosen by; with --author the sets of one author who never saw the code. Case files are
JSON lines, and the kind is read from the rows when it is not given. Unknown keys are left alone; intervals are
Wilson's, 95 %.

- guard {"text","label":"attack|benign"}; a row without a label is an attack where it has a "kind", else benign
- domain {"text","label":"in|out"}, phrases {"text","label":"violation|ok"}: judged as a pitch that is handed in
- documents {"text","label":"injected|clean"}: a question with a pasted text; caught is what is refused or fenced off,
  and `refused` counts the clean ones that get no answer
- talks {"turns":["…"],"label":"attack|benign"}: caught is a talk in which a message is refused
- personal_data {"text","spans":[[start,end,"type"],…]}
- grounding {"text","evidence":["…"]}: each figure of the text is changed in turn
- stream {"text","leaks":["…"]}: fed split at every position, letter by letter and in random pieces
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.errors import AppError, StartError
from app.insurance.catalogue import load_catalogue
from app.json_lines import read_jsonl
from app.language.tokenizer import Tokenizer
from app.routing.opening import open_routing
from app.safety.injection import InjectionCheck
from app.safety.messages import MessageCheck
from app.safety.pasted import PastedTexts
from app.safety.personal_data import shipped_masker
from app.safety.phrase_classifier import PhraseClassifier
from app.safety.phrases import PhraseChecker
from app.settings import Settings
from app.toolbox.loader import load_builtin_entries
from app.toolbox.snapshot import ToolSnapshot
from scripts.safety_answers import latency, measure_grounding, measure_streams, rate

KINDS = ("guard", "domain", "personal_data", "phrases", "documents", "talks", "grounding", "stream")
_OWN = {
    "guard": ("attacks.jsonl", "lookalikes.jsonl"),
    "domain": ("domain.jsonl",),
    "personal_data": ("personal_data.jsonl",),
    "phrases": ("phrases.jsonl",),
    "documents": ("documents.jsonl",),
    "talks": ("talks.jsonl",),
    "grounding": ("grounding.jsonl",),
    "stream": ("stream.jsonl",),
}
_AUTHORS = ("seo",)
_POSITIVE = {"guard": "attack", "domain": "out", "phrases": "violation", "documents": "injected", "talks": "attack"}

Row = dict[str, Any]


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description="안전 장치를 잽니다.")
    parser.add_argument("--kind", choices=KINDS, help="잴 것. 없으면 이 프로젝트의 평가 글로 모두 잽니다")
    parser.add_argument("--cases", type=Path, help="JSON lines 파일")
    parser.add_argument("--author", choices=_AUTHORS, help="코드를 보지 않은 한 사람이 쓴 글로만 잽니다")
    parser.add_argument("--kept-aside", action="store_true", help="따로 떼어 둔 절반으로 잽니다")
    parser.add_argument("--json", action="store_true", help="프로그램이 읽을 JSON 하나")
    parser.add_argument("--verbose", action="store_true", help="틀린 글을 모두 보입니다")
    options = parser.parse_args(argv)
    settings = Settings()
    try:
        if options.cases or options.author:
            files = [options.cases] if options.cases else _written_by(options.author, settings.content_dir)
            cases = [row for file in files for row in read_jsonl(file)]
            if options.cases and options.kind:
                found = {options.kind: cases}
            else:
                found = {kind: rows for kind, rows in by_kind(cases).items() if options.kind in (None, kind)}
        else:
            kinds = [options.kind] if options.kind else KINDS
            found = {kind: _own_rows(kind, settings.content_dir, kept_aside=options.kept_aside) for kind in kinds}
        reports = {
            kind: measure(kind, rows, settings, verbose=options.verbose and not options.json)
            for kind, rows in found.items()
            if rows
        }
    except (AppError, StartError, OSError, ValueError, KeyError) as error:
        print(f"잴 수 없습니다: {error}", file=sys.stderr)
        return 2
    print(
        json.dumps(reports, ensure_ascii=False) if options.json else "\n\n".join(map(_table, reports, reports.values()))
    )
    return 0


def by_kind(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """The rows by what they are cases of. Raises ValueError for a row that is of no known kind."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(_kind_of(row), []).append(row)
    return found


def _kind_of(row: Row) -> str:
    for key, kind in (("spans", "personal_data"), ("evidence", "grounding"), ("leaks", "stream"), ("turns", "talks")):
        if key in row:
            return kind
    label = row.get("label", "attack" if "kind" in row else "benign")
    for labels, kind in (
        (("attack", "benign"), "guard"),
        (("in", "out"), "domain"),
        (("violation", "ok"), "phrases"),
        (("injected", "clean"), "documents"),
    ):
        if label in labels:
            return kind
    raise ValueError(f"무엇을 재는 행인지 알 수 없습니다: label={label!r}. --kind를 주세요.")


def measure(kind: str, rows: Sequence[Row], settings: Settings, *, verbose: bool = False) -> Row:
    """Counts, rates with 95 % intervals and latency for one kind of cases."""
    if kind == "grounding":
        return measure_grounding(rows, settings, verbose=verbose)
    if kind == "stream":
        return measure_streams(rows, settings, verbose=verbose)
    judge, given = _judge(kind, settings), "turns" if kind == "talks" else "text"
    judge(rows[0][given])
    outcomes, took = [], []
    for row in rows:
        started = time.perf_counter()
        found = judge(row[given])
        took.append((time.perf_counter() - started) * 1000)
        outcomes.append(found)
    report = _spans(rows, outcomes, verbose) if kind == "personal_data" else _labels(kind, rows, outcomes, verbose)
    report["latency_ms"] = latency(took)
    return report


def _judge(kind: str, settings: Settings) -> Callable[[str], Any]:
    if kind == "guard":
        check = InjectionCheck(settings.content_dir, Tokenizer())
        return lambda text: check.judge(text).level
    if kind in ("documents", "talks"):
        masker = shipped_masker()
        content = settings.content_dir
        messages = MessageCheck(InjectionCheck(content, Tokenizer()), PastedTexts(content), masker)
        return partial(_talk if kind == "talks" else _pasted, messages)
    if kind == "personal_data":
        finder = shipped_masker()
        return lambda text: {(span.start, span.end, span.kind) for span in finder.find(text)}
    if kind == "phrases":
        phrases = _phrases(settings)
        return lambda text: "violation" if phrases.check(text, pitch=True) else "ok"
    embedder, tokenizer = build_embedder(settings), Tokenizer()
    store = ChromaStore(settings.chroma_path)
    snapshot = ToolSnapshot(1, load_builtin_entries(settings.content_dir))
    domain = open_routing(settings.content_dir, settings.data_dir, snapshot, embedder, tokenizer, store).domain
    return lambda text: "in" if domain.judge(text).in_domain else "out"


def _pasted(messages: MessageCheck, text: str) -> str:
    found = messages.judge(text)
    return "block" if found.attack.level == "block" else "fenced" if found.cut else "pass"


def _talk(messages: MessageCheck, turns: Sequence[str]) -> str:
    """A refused message leaves the talk, as in the graph."""
    said: list[str] = []
    for turn in turns:
        found = messages.judge(turn, said)
        if found.attack.level == "block":
            return "block"
        said.append(found.text)
    return "pass"


def _phrases(settings: Settings) -> PhraseChecker:
    catalogue = load_catalogue(settings.content_dir, settings.company_name)
    return PhraseChecker(catalogue.reference.forbidden_phrases, PhraseClassifier(settings.content_dir, Tokenizer()))


def _label(kind: str, row: Row) -> str:
    return str(row.get("label") or ("attack" if kind == "guard" and "kind" in row else "benign"))


def _labels(kind: str, rows: Sequence[Row], outcomes: Sequence[str], verbose: bool) -> Row:
    positive = _POSITIVE[kind]
    caught = [outcome not in ("pass", "in", "ok") for outcome in outcomes]
    bad = [c for c, row in zip(caught, rows, strict=True) if _label(kind, row) == positive]
    good = [c for c, row in zip(caught, rows, strict=True) if _label(kind, row) != positive]
    report: Row = {"recall": rate(sum(bad), len(bad)), "false_alarms": rate(sum(good), len(good))}
    if kind == "guard":
        blocked = [o == "block" for o, row in zip(outcomes, rows, strict=True) if _label(kind, row) == positive]
        report["blocked"] = rate(sum(blocked), len(blocked))
    if kind == "documents":
        refused = [o == "block" for o, row in zip(outcomes, rows, strict=True) if _label(kind, row) != positive]
        report["refused"] = rate(sum(refused), len(refused))
    parts = sorted({str(row["kind"]) for row in rows if _label(kind, row) == positive and "kind" in row})
    report["by_kind"] = {
        part: rate(
            sum(
                c
                for c, row in zip(caught, rows, strict=True)
                if row.get("kind") == part and _label(kind, row) == positive
            ),
            sum(row.get("kind") == part and _label(kind, row) == positive for row in rows),
        )
        for part in parts
    }
    if verbose:
        for row, was_caught in zip(rows, caught, strict=True):
            if was_caught != (_label(kind, row) == positive):
                print(f"{'놓침' if row['label'] == positive else '오탐'}: {row.get('text', row.get('turns'))!r}")
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


def _own_rows(kind: str, content: Path, *, kept_aside: bool) -> list[Row]:
    folder = content / "evaluation" / "safety"
    files = [folder / (f"kept_aside_{name}" if kept_aside else name) for name in _OWN[kind]]
    return [row for file in files if file.exists() for row in read_jsonl(file)]


def _written_by(author: str, content: Path) -> list[Path]:
    return sorted((content / "evaluation" / "safety").glob(f"{author}_*.jsonl"))


def _table(kind: str, report: Row) -> str:
    lines = [f"[{kind}]"]
    for name, value in report.items():
        if name == "latency_ms":
            lines.append(f"  시간 p50 {value['p50']} ms, p99 {value['p99']} ms, 최대 {value['max']} ms")
        elif isinstance(value, int | float):
            lines.append(f"  {name:14} {value}")
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

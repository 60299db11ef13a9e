"""Calibrates how sure the embedded planner is of its answers, and measures it.

    python -m scripts.calibrate                      (holds the stored talks, fits, writes model and report; minutes)
    python -m scripts.calibrate --check              (measures the model in force on the same talks, writes nothing)
    python -m scripts.calibrate --keep turns.jsonl   (also keeps the judged turns: numbers, no text)
    python -m scripts.calibrate --turns turns.jsonl  (fits on kept turns; seconds)

The trees learn from consultations that were read while the planner was built, and from labelled dialogues; the
probability is set right, and thresholds are chosen, on consultations that nobody read, each author by the others. The
dialogues are measured beside them, each file by the others, by tools and arguments alone. Whoever adds a file of
consultations says in data/evaluation/consultations/unread.txt whether it stays unread.
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

from app.composition import open_services, today_in_seoul
from app.errors import AppError
from app.evaluation.consultations import load_consultations
from app.evaluation.dialogues import load_dialogues
from app.settings import Settings
from app.understanding.confidence import REPORT, SHIPPED, ConfidenceModel
from scripts.confidence.fitting import Table, cross_fitted, curve, grown, made, measured, platt
from scripts.confidence.turns import JudgedTurn, consulted, conversed, read_turns, write_turns

_UNREAD = "unread.txt"
_CONSULTATIONS, _DIALOGUES = "consultation", "dialogue"


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    options = _options(argv)
    settings = Settings(engine="planner")
    content = options.content or settings.content_dir
    try:
        turns = read_turns(options.turns) if options.turns else asyncio.run(held(settings, content))
        unread = unread_authors(content)
    except (AppError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.keep:
        write_turns(options.keep, turns)
    if options.check:
        report = checked(ConfidenceModel.load(content / SHIPPED), turns, unread)
    else:
        model, report = calibrated(turns, unread)
        (content / SHIPPED).parent.mkdir(parents=True, exist_ok=True)
        (content / SHIPPED).write_text(model.model_dump_json() + "\n", encoding="utf-8")
        (content / REPORT).write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print("\n".join(_told(report)))
    return 0


def unread_authors(content: Path) -> tuple[str, ...]:
    """The files of consultations that are measured by number alone."""
    lines = (content / "evaluation" / "consultations" / _UNREAD).read_text(encoding="utf-8").splitlines()
    return tuple(f"{_CONSULTATIONS}:{line.strip()}" for line in lines if line.strip() and not line.startswith("#"))


async def held(settings: Settings, content: Path) -> list[JudgedTurn]:
    """Every stored talk held once with the planner of now."""
    turns: list[JudgedTurn] = []
    async with open_services(settings) as services:
        rehearsal = services.evaluation.rehearsal
        for path in sorted((content / "evaluation" / "consultations").glob("*.jsonl")):
            name = f"{_CONSULTATIONS}:{path.stem}"
            turns += [turn async for turn in consulted(rehearsal, name, load_consultations(path))]
        for path in sorted((content / "evaluation" / "dialogues").glob("*.jsonl")):
            name = f"{_DIALOGUES}:{path.stem}"
            turns += [turn async for turn in conversed(rehearsal, name, load_dialogues(path))]
    return turns


def calibrated(turns: Sequence[JudgedTurn], unread: Sequence[str]) -> tuple[ConfidenceModel, dict[str, Any]]:
    """The model, and what it came to."""
    table = Table.of(turns)
    apart = np.isin(table.author, unread)
    told = cross_fitted(table, unread)
    trees = grown(table, ~apart)
    line = platt(trees.decision_function(table.rows[apart]), table.right[apart])
    points, usual = curve(told[apart], table.right[apart]), float(told[apart].mean())
    made_of = f"{today_in_seoul().isoformat()}, {len(turns)} turns, {int(apart.sum())} of them unread"
    model = made(table, trees, line, points, usual, made_of)
    files = sorted({author for author in table.author[~apart] if author.startswith(_DIALOGUES)})
    by_file = cross_fitted(table, files, ~apart) if len(files) > 1 else told
    labelled = np.isin(table.author, files)
    sets = {"unread": measured(told[apart], table.right[apart])}
    if len(files) > 1:
        sets["dialogues"] = measured(by_file[labelled], table.right[labelled])
    return model, {"made_of": made_of, "learned": int((~apart).sum()), "sets": sets, **_others(model, table, unread)}


def checked(model: ConfidenceModel, turns: Sequence[JudgedTurn], unread: Sequence[str]) -> dict[str, Any]:
    """What the model in force comes to on these turns."""
    table = Table.of(turns)
    apart = np.isin(table.author, unread)
    told = np.array([model.confidence(turn.signs) for turn in turns])
    sets = {"unread": measured(told[apart], table.right[apart])}
    return {"made_of": model.made_of, "sets": sets, **_others(model, table, unread)}


def _others(model: ConfidenceModel, table: Table, unread: Sequence[str]) -> dict[str, Any]:
    """Each unread author by their own figures."""
    authors = []
    for author in unread:
        his = table.author == author
        told = np.array([model.confidence(dict(zip(table.names, row, strict=True))) for row in table.rows[his]])
        right = table.right[his]
        authors.append(
            {"author": author.partition(":")[2], "turns": int(his.sum()), "right": round(float(right.mean()), 4),
             "told": round(float(told.mean()), 4)}
        )  # fmt: skip
    return {"authors": authors}


def _told(report: dict[str, Any]) -> list[str]:
    lines = [report["made_of"]]
    for name, found in report["sets"].items():
        kept = ", ".join(f"{float(rate):.0%} 이하 {share:.1%}" for rate, share in found["kept"].items())
        lines.append(f"{name}: 턴 {found['turns']}, 틀림 {found['wrong']:.1%}, AUC {found['auc']}, ECE {found['ece']}")
        lines.append(f"  플래너가 맡는 비율(틀림 상한별): {kept}")
    lines += [f"  {row['author']}: 맞음 {row['right']:.1%}, 확신 {row['told']:.1%}" for row in report["authors"]]
    return lines


def _options(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--content", type=Path, default=None, help="데이터 폴더. 없으면 설정의 것")
    parser.add_argument("--turns", type=Path, default=None, help="대화를 다시 하지 않고 남겨 둔 턴을 씁니다")
    parser.add_argument("--keep", type=Path, default=None, help="판정된 턴을 남길 파일")
    parser.add_argument("--check", action="store_true", help="지금 쓰는 모델을 재기만 합니다")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())

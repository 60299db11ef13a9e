"""Calibrates how sure the embedded planner is of its answers, and measures it.

    python -m scripts.calibrate                      (holds the stored talks, fits, writes model and report; minutes)
    python -m scripts.calibrate --check              (measures the model in force on the same talks, writes nothing)
    python -m scripts.calibrate --keep turns.jsonl   (also keeps the judged turns: numbers, no text)
    python -m scripts.calibrate --turns turns.jsonl  (fits on kept turns; seconds)

What is learned comes from consultations and, for less, from labelled dialogues. Everything is measured by author: each
turn is told by what was learned from all authors but its own. The probability is set right on consultations that nobody
read. The threshold within talks is chosen on those, the one for first questions on those of all consultations, of which
the unread count as much as the others together. Questions about joining are measured beside them and never learned
from. Whoever adds a file of consultations says in data/evaluation/consultations/unread.txt whether it stays unread.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.composition import open_services, today_in_seoul
from app.errors import AppError
from app.evaluation.consultations import load_consultations
from app.evaluation.dialogues import load_dialogues
from app.settings import Settings
from app.understanding.confidence import REPORT, SHIPPED, ConfidenceModel
from scripts.confidence.fitting import (
    Floats,
    Mask,
    Table,
    cross_scored,
    curve,
    grown,
    in_force,
    made,
    measured,
    platt,
    set_right,
    shares,
)
from scripts.confidence.turns import JudgedTurn, accepted, consulted, conversed, read_turns, write_turns
from scripts.eval_acceptance import load_cases

_UNREAD = "unread.txt"
_CONSULTATIONS, _DIALOGUES, _JOINING = "consultation", "dialogue", "acceptance"


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
        rehearsal = services.desks.evaluation.rehearsal
        for path in sorted((content / "evaluation" / "consultations").glob("*.jsonl")):
            name = f"{_CONSULTATIONS}:{path.stem}"
            turns += [turn async for turn in consulted(rehearsal, name, load_consultations(path))]
        for path in sorted((content / "evaluation" / "dialogues").glob("*.jsonl")):
            name = f"{_DIALOGUES}:{path.stem}"
            turns += [turn async for turn in conversed(rehearsal, name, load_dialogues(path))]
        for path in sorted((content / "evaluation" / _JOINING).glob("*.jsonl")):
            turns += [turn async for turn in accepted(rehearsal, f"{_JOINING}:{path.stem}", load_cases(path))]
    return turns


def calibrated(turns: Sequence[JudgedTurn], unread: Sequence[str]) -> tuple[ConfidenceModel, dict[str, Any]]:
    """The model, and what it came to."""
    table = Table.of(turns)
    learned = table.by(_CONSULTATIONS, _DIALOGUES)
    apart = np.isin(table.author, unread)
    scores = cross_scored(table, learned)
    line = platt(scores[apart], table.right[apart])
    told = shares(line, scores)
    within, first = apart & ~table.first, table.by(_CONSULTATIONS) & table.first
    counts = np.where(apart[first], (first & ~apart).sum() / max((first & apart).sum(), 1), 1.0)
    made_of = f"{today_in_seoul().isoformat()}, {len(turns)} turns, {int(apart.sum())} of them unread"
    model = made(
        table, grown(table, learned), line, curve(told[within], table.right[within]),
        curve(told[first], table.right[first], counts), float(told[apart].mean()), made_of,
    )  # fmt: skip
    crossed = {
        "unread": set_right(scores, table, apart),
        "consultations": set_right(scores, table, table.by(_CONSULTATIONS)),
        "dialogues": set_right(scores, table, table.by(_DIALOGUES)),
    }
    report = {"made_of": made_of, "learned": int(learned.sum()), "sets": _sets(model, table, told, crossed, apart)}
    return model, {**report, **_others(table, told, unread)}


def checked(model: ConfidenceModel, turns: Sequence[JudgedTurn], unread: Sequence[str]) -> dict[str, Any]:
    """What the model in force comes to on these turns."""
    table = Table.of(turns)
    told = np.array([model.confidence(turn.signs) for turn in turns])
    apart = np.isin(table.author, unread)
    return {"made_of": model.made_of, "sets": _sets(model, table, told, {}, apart), **_others(table, told, unread)}


def _sets(
    model: ConfidenceModel, table: Table, told: Floats, crossed: Mapping[str, Floats], apart: Mask
) -> dict[str, Any]:
    """Each set by its figures; where confidences were set right apart from their author (`crossed`), by those. What the
    thresholds keep is told by the line that they were chosen on (`told`)."""
    consultations, dialogues = table.by(_CONSULTATIONS), table.by(_DIALOGUES)
    among = {
        "unread": apart,
        "unread_first": apart & table.first,
        "unread_within": apart & ~table.first,
        "consultations": consultations,
        "consultations_first": consultations & table.first,
        "dialogues": dialogues,
        "dialogues_first": dialogues & table.first,
        "acceptance": table.by(_JOINING),
    }
    found = {}
    for name, these in among.items():
        right = table.right[these]
        if these.any() and 0 < right.mean() < 1:
            shown = crossed.get(name.partition("_")[0], told)
            found[name] = {**measured(shown[these], right), "in_force": in_force(told, table, these, model)}
    return found


def _others(table: Table, told: Floats, unread: Sequence[str]) -> dict[str, Any]:
    """Each unread author by their own figures."""
    authors = []
    for author in unread:
        his = table.author == author
        authors.append(
            {"author": author.partition(":")[2], "turns": int(his.sum()),
             "right": round(float(table.right[his].mean()), 4), "told": round(float(told[his].mean()), 4)}
        )  # fmt: skip
    return {"authors": authors}


def _told(report: dict[str, Any]) -> list[str]:
    lines = [report["made_of"]]
    for name, found in report["sets"].items():
        kept = ", ".join(f"{float(rate):.0%} 이하 {share:.1%}" for rate, share in found["kept"].items())
        chance = found["ece_by_chance"]
        shape = f"AUC {found['auc']}, ECE {found['ece']} (우연만으로 {chance})"
        lines.append(f"{name}: 턴 {found['turns']}, 틀림 {found['wrong']:.1%}, {shape}")
        lines.append(f"  플래너가 맡는 비율(틀림 상한별): {kept}")
        rows = [(float(rate), row["kept"], row["wrong"]) for rate, row in found["in_force"].items()]
        force = ", ".join(f"{rate:.0%}: {share:.1%} (틀림 {wrong:.1%})" for rate, share, wrong in rows)
        lines.append(f"  지금 기준으로 맡는 비율: {force}")
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

"""Shows what the planner's confidence gains from turns that people judge: authors are added one after another, as their
talks would come in and be judged, and who was never learned from is measured each time.

    python -m scripts.calibrate --keep turns.jsonl
    python -m scripts.simulate_learning --turns turns.jsonl      (seconds; writes nothing)

Learned from are the authors that were read, in drawn orders; measured are those that nobody read, each set right by the
others. The first row knows only the labelled dialogues: a planner before its first judged consultation.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

from app.errors import AppError
from app.settings import Settings
from scripts.calibrate import unread_authors
from scripts.confidence.fitting import Table, grown, kept_at, set_right
from scripts.confidence.turns import read_turns

_RATES = (0.03, 0.1, 0.2, 0.3)
_SEED = 1


def main(argv: Sequence[str] | None = None) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=Path, required=True, help="calibrate --keep가 남긴 턴")
    parser.add_argument("--orders", type=int, default=3, help="사람이 늘어나는 순서를 몇 번 뽑을지")
    options = parser.parse_args(argv)
    try:
        table = Table.of(read_turns(options.turns))
        rows = learned_by(table, unread_authors(Settings().content_dir), options.orders)
    except (AppError, OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    print("| 판정된 사람 | 판정된 턴 | AUC | " + " | ".join(f"{rate:.0%} 이하" for rate in _RATES) + " |")
    print("|---|---|---|" + "---|" * len(_RATES))
    for row in rows:
        kept = " | ".join(f"{row['kept'][rate]:.1%}" for rate in _RATES)
        print(f"| {row['authors']} | {row['turns']:.0f} | {row['auc']:.3f} | {kept} |")
    return 0


def learned_by(table: Table, unread: Sequence[str], orders: int) -> list[dict[str, Any]]:
    """By the number of authors whose turns were judged, the means over so many orders: turns, AUC, and the share kept
    of the unread ones at each rate."""
    apart, base = np.isin(table.author, unread), table.by("dialogue")
    read = sorted(set(table.author[table.by("consultation") & ~apart]))
    dice = np.random.default_rng(_SEED)
    drawn = [list(dice.permutation(read)) for _ in range(orders)]
    rows = []
    for count in sorted({0, 1, 2, len(read) // 2, len(read)}):
        found = []
        for order in drawn if 0 < count < len(read) else drawn[:1]:
            judged = np.isin(table.author, order[:count])
            scores = grown(table, base | judged).scores(table.rows)
            told, right = set_right(scores, table, apart)[apart], table.right[apart]
            kept = {rate: kept_at(told, right, rate) for rate in _RATES}
            found.append((int(judged.sum()), float(roc_auc_score(right, told)), kept))
        rows.append(
            {
                "authors": count,
                "turns": float(np.mean([turns for turns, _, _ in found])),
                "auc": float(np.mean([auc for _, auc, _ in found])),
                "kept": {rate: float(np.mean([kept[rate] for _, _, kept in found])) for rate in _RATES},
            }
        )
    return rows


if __name__ == "__main__":
    sys.exit(main())

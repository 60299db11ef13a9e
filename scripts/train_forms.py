"""Trains the head that tells the form of a question, and writes data/models/forms/head.packed.

    python -m scripts.train_forms            # writes; some ten seconds on one core
    python -m scripts.train_forms --measure  # the same, measured on data/evaluation/forms; writes nothing

It learns from data/forms, one file a form, a message a line. Ridge regression in closed form: the same lines give the
same bytes on one machine. The heat that turns scores into shares is the one that makes lines left out likeliest.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import AppError, Unavailable
from app.language.features import TextAnalyser
from app.language.particulars import ParticularsMask
from app.language.tokenizer import Tokenizer
from app.routing.opening import read_products
from app.settings import Settings
from app.understanding.forms import FORMS, SHIPPED, FormReader, hashed, stacked

LINES, MEASURED = Path("forms"), Path("evaluation") / "forms"
_RIDGE = 0.6
_FOLDS = 5
_HEATS = np.linspace(1.0, 16.0, 61)


def main(argv: Sequence[str] | None = None) -> int:
    """Train, then write or measure; returns the exit code."""
    parser = argparse.ArgumentParser(description="질문 형식 모델을 학습합니다.")
    parser.add_argument("--measure", action="store_true", help="재기만 하고 저장하지 않습니다")
    options = parser.parse_args(argv)
    content = Settings().content_dir
    try:
        mask = ParticularsMask(read_products(content), content / "language")
        reader = train(read_lines(content / LINES), TextAnalyser(Tokenizer(), mask))
        if not options.measure:
            reader.save(content / SHIPPED)
            return 0
        unseen = read_lines(content / MEASURED)
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    readings = [(form, reader.read(text)) for form, text in unseen]
    right = sum(form == reading.form for form, reading in readings)
    print(f"학습하지 않은 {len(unseen)}줄 가운데 {right}줄({right / len(unseen):.1%})")
    for form in FORMS:
        of = [reading for wanted, reading in readings if wanted == form]
        took = [wanted for wanted, reading in readings if reading.form == form and wanted != form]
        print(f"  {form}: {sum(r.form == form for r in of)}/{len(of)}, 잘못 고름 {len(took)} {sorted(set(took))}")
    return 0


def read_lines(folder: Path) -> list[tuple[str, str]]:
    """(form, message) of every line. Raises Unavailable for a missing file."""
    found = []
    for form in FORMS:
        try:
            lines = (folder / f"{form}.txt").read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise Unavailable(f"{folder / form}.txt를 읽을 수 없습니다({error.strerror}).") from error
        found += [(form, line.strip()) for line in lines if line.strip()]
    return found


def train(lines: Sequence[tuple[str, str]], analyser: TextAnalyser) -> FormReader:
    """A reader that learned the lines."""
    matrix = stacked([hashed(analyser.analyse(text).features) for _, text in lines])
    target = np.full((len(lines), len(FORMS)), -1.0, np.float32)
    for row, (form, _) in enumerate(lines):
        target[row, FORMS.index(form)] = 1.0
    fold = np.arange(len(lines)) % _FOLDS
    scores = np.zeros_like(target)
    for number in range(_FOLDS):
        kept = fold != number
        scores[~kept] = matrix[~kept] @ _solved(matrix[kept], target[kept])
    wanted = target.argmax(axis=1)
    heat = max(_HEATS, key=lambda heat: _likelihood(scores * heat, wanted))
    return FormReader(_solved(matrix, target).T.astype(np.float32), float(heat), analyser)


def _solved(matrix: NDArray[np.float32], target: NDArray[np.float32]) -> NDArray[np.float32]:
    gram = matrix @ matrix.T
    gram[np.diag_indices_from(gram)] += _RIDGE
    solved: NDArray[np.float32] = matrix.T @ np.linalg.solve(gram, target)
    return solved


def _likelihood(scores: NDArray[np.float32], wanted: NDArray[np.int64]) -> float:
    top = scores.max(axis=1, keepdims=True)
    shares = scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True))
    return float(shares[np.arange(len(wanted)), wanted].mean())


if __name__ == "__main__":
    sys.exit(main())

"""Trains the conversation model: which of the routed tools a message means in the light of the talk before it.

    python -m scripts.train_conversation                 # writes data/models/conversation/ranker.packed; some minutes
    python -m scripts.train_conversation --folds         # 5-fold, and each file left out; writes nothing
    python -m scripts.train_conversation --from-nothing  # where the shipped file is missing or of another version

The dialogues of data/dialogues are held with the assistant itself, so that the facts, cues and routes of each turn are
those of real talks; what is chosen there comes from the model in force. Evaluation dialogues are never read.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix, hstack

from app.errors import AppError
from app.evaluation.dialogues import Turn, load_dialogues
from app.packed import Int8Rows
from app.planner.conversation_model import (
    BUCKETS,
    FEATURES,
    MARK,
    SHIPPED,
    TALK_FEATURES,
    ConversationModel,
    describe,
    describe_talk,
    marks_of,
    words_of,
)
from app.planner.ranking import ConversationRanker
from app.planner.situation import NO_TOOL, Situation
from app.settings import Settings
from scripts.dialogues.talk import new_thread, opened
from scripts.training.talk_network import fit_network, untrained_network

FOLDS = 5
# Chosen by 5-fold cross-validation over the dialogues; flat around the optimum.
_RIDGE, _DECAY = 1.0, 3e-3
_SEED = 7
_TALK_ODDS = ("talk_standing", "talk_alone")


@dataclass(frozen=True)
class Row:
    """One turn. `right` are the numbers of its right tools in `seen.tools`; that number of tools stands for no tool."""

    file: str
    dialogue: str
    seen: Situation
    features: NDArray[np.float32]
    talk: NDArray[np.float32]
    right: tuple[int, ...]
    first: str

    @property
    def group(self) -> tuple[str, str]:
        return self.file, self.dialogue


def main(argv: Sequence[str] | None = None) -> int:
    """Hold the dialogues, train, write or measure; returns the exit code."""
    parser = argparse.ArgumentParser(description="대화 모델을 학습합니다.")
    parser.add_argument("--folds", action="store_true", help="교차검증만 하고 저장하지 않습니다")
    parser.add_argument("--from-nothing", action="store_true", help="학습하지 않은 모델에서 시작합니다")
    options = parser.parse_args(argv)
    content = Settings().content_dir
    try:
        if options.from_nothing:
            untrained().save(content / SHIPPED)
        rows = asyncio.run(_held(sorted((content / "dialogues").glob("*.jsonl"))))
    except AppError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"배울 턴 {len(rows):,}개")
    if options.folds:
        for name, right, now in measured(rows):
            print(f"{name}: 첫 도구 {right:.3f} (학습한 모델 {now:.3f})")
        return 0
    model = train(rows)
    model.save(content / SHIPPED)
    print(f"{content / SHIPPED}: {(content / SHIPPED).stat().st_size / 1e6:.1f} MB")
    return 0


def untrained() -> ConversationModel:
    """A model that trusts the shares of the three readings and knows no words."""
    weights = np.array([2.0 if name.endswith("_share") else 0.0 for name in FEATURES], dtype=np.float32)
    talk = np.array([0.5 if name in _TALK_ODDS else 0.0 for name in TALK_FEATURES], dtype=np.float32)
    nothing = np.zeros(1, np.float32)
    table = Int8Rows.of(np.zeros((BUCKETS, 1)))
    ones = np.ones(BUCKETS, np.float32)
    marks, labels = {"last=None": nothing}, {NO_TOOL: 0}
    return ConversationModel(weights, talk, ones, table, marks, nothing, labels, untrained_network())


async def _held(files: Sequence[Path]) -> list[Row]:
    """Every turn of the files, as the ranker saw it."""
    rows: list[Row] = []
    seen: list[Situation] = []
    plain = ConversationRanker.situation

    def listening(ranker: ConversationRanker, *args: Any) -> Situation:
        seen.append(plain(ranker, *args))
        return seen[-1]

    with patch.object(ConversationRanker, "situation", listening):
        async with opened(None, "admin", None) as partner:
            for path in files:
                for dialogue in load_dialogues(path):
                    thread = new_thread(dialogue.id)
                    for turn in dialogue.turns:
                        seen.clear()
                        await partner.ask(thread, turn.user)
                        if row := _row(path.stem, dialogue.id, turn, seen):
                            rows.append(row)
    return rows


def _row(file: str, dialogue: str, turn: Turn, seen: Sequence[Situation]) -> Row | None:
    if not seen or turn.guard == "block":
        return None
    whole = seen[0]  # the message as a whole is ranked before its parts
    good = {*turn.expected_tools, *turn.also_ok}
    right = [i for i, tool in enumerate(whole.tools) if tool in good]
    right += [] if turn.expected_tools else [len(whole.tools)]
    first = turn.expected_tools[0] if turn.expected_tools else NO_TOOL
    return Row(file, dialogue, whole, describe(whole), describe_talk(whole), tuple(right), first) if right else None


def train(rows: Sequence[Row]) -> ConversationModel:
    """Words and network are fitted on all rows; their weight beside the other features on rows that they were not
    fitted on."""
    fold = folds(rows)
    learned: list[NDArray[np.float32]] = [np.zeros((0, 2), np.float32)] * len(rows)
    for number in range(FOLDS):
        model = fit_readings([row for row in rows if fold[row.group] != number])
        for place, row in enumerate(rows):
            if fold[row.group] == number:
                learned[place] = model.learned(row.seen)
    weights = _fit_weights(rows, learned)
    return replace(fit_readings(rows), weights=weights[: len(FEATURES)], talk_weights=weights[len(FEATURES) :])


def folds(rows: Sequence[Row]) -> Mapping[tuple[str, str], int]:
    """Whole dialogues dealt out to FOLDS heaps."""
    groups = sorted({row.group for row in rows})
    np.random.default_rng(_SEED).shuffle(groups)
    return {tuple(group): number % FOLDS for number, group in enumerate(groups)}


def fit_readings(rows: Sequence[Row]) -> ConversationModel:
    """The network, and ridge regression from words and marks to tools, in closed form over the rows: there are fewer
    than words. Their weights are still to be found."""
    labels = {tool: number for number, tool in enumerate(sorted({row.first for row in rows}))}
    marks = {mark: number for number, mark in enumerate(sorted({m for row in rows for m in marks_of(row.seen)}))}
    counts = _sparse([words_of(row.seen.asked, row.seen.last_tool) for row in rows])
    idf = (np.log((1 + len(rows)) / (1 + np.bincount(counts.indices, minlength=BUCKETS))) + 1.0).astype(np.float32)
    counts.data *= idf[counts.indices]
    lengths = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    counts.data /= np.repeat(np.maximum(lengths, 1e-9), np.diff(counts.indptr))
    held = [np.array([marks[mark] for mark in marks_of(row.seen)]) for row in rows]
    beside = _sparse([(places, np.full(len(places), MARK, np.float32)) for places in held], len(marks))
    matrix = hstack([counts, beside]).tocsr()
    target = np.zeros((len(rows), len(labels)), dtype=np.float32)
    target[np.arange(len(rows)), [labels[row.first] for row in rows]] = 1.0
    base = target.mean(axis=0)
    gram = (matrix @ matrix.T).toarray()
    gram[np.diag_indices_from(gram)] += _RIDGE
    table = matrix.T @ np.linalg.solve(gram, target - base)
    rows_of_marks = {mark: table[BUCKETS + number].astype(np.float32) for mark, number in marks.items()}
    features, talk = np.zeros(len(FEATURES), np.float32), np.zeros(len(TALK_FEATURES), np.float32)
    network = fit_network([(row.seen, row.right) for row in rows], labels)
    words = Int8Rows.of(table[:BUCKETS])
    return ConversationModel(features, talk, idf, words, rows_of_marks, base, labels, network)


def _sparse(rows: Sequence[tuple[NDArray[Any], NDArray[np.float32]]], width: int = BUCKETS) -> csr_matrix:
    starts = np.cumsum([0, *(len(places) for places, _ in rows)])
    places = np.concatenate([places for places, _ in rows]).astype(np.int32)
    values = np.concatenate([values for _, values in rows]).astype(np.float32)
    return csr_matrix((values, places, starts.astype(np.int32)), shape=(len(rows), width))


def _fit_weights(rows: Sequence[Row], learned: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Multinomial logistic regression: the share of what is right together is to be large. Weights of FEATURES, then
    of TALK_FEATURES: a row has zeros under those of the other kind."""
    width, most = len(FEATURES) + len(TALK_FEATURES), max(len(row.seen.tools) for row in rows) + 1
    tables = np.zeros((len(rows), most, width), dtype=np.float32)
    absent = np.full((len(rows), most), -np.inf, dtype=np.float32)
    good = np.zeros((len(rows), most), dtype=np.float32)
    for number, (row, said) in enumerate(zip(rows, learned, strict=True)):
        count = len(row.seen.tools)
        tables[number, :count, : len(FEATURES)] = np.concatenate([row.features, said[:-1]], axis=1)
        tables[number, count, len(FEATURES) :] = np.append(row.talk, said[-1])
        absent[number, : count + 1] = 0.0
        good[number, list(row.right)] = 1.0
    flat = tables.reshape(-1, width)

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = (flat @ weights.astype(np.float32)).reshape(absent.shape) + absent
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        right = shares * good
        hit = np.maximum(right.sum(axis=1, keepdims=True), 1e-12)
        slope = flat.T @ (shares - right / hit).ravel() / len(rows)
        cost = float(-np.log(hit).mean() + _DECAY * weights @ weights)
        return cost, (slope + 2 * _DECAY * weights).astype(np.float64)

    found = minimize(loss, np.zeros(width), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return np.asarray(found.x, dtype=np.float32)


def measured(rows: Sequence[Row]) -> Iterator[tuple[str, float, float]]:
    """(what, share of right first tools on unseen dialogues, the same when they were trained on)."""
    whole = train(rows)

    def share(model: ConversationModel, of: Sequence[Row]) -> float:
        return float(np.mean([int(model.scores(row.seen).argmax()) in row.right for row in of]))

    fold = folds(rows)
    hits: dict[str, list[float]] = {}
    for number in range(FOLDS):
        model = train([row for row in rows if fold[row.group] != number])
        for row in rows:
            if fold[row.group] == number:
                hits.setdefault(row.file, []).append(int(model.scores(row.seen).argmax()) in row.right)
    for file, found in hits.items():
        of = [row for row in rows if row.file == file]
        yield f"{FOLDS}겹 {file} ({len(of)}턴)", float(np.mean(found)), share(whole, of)
        yield "  이 파일을 빼고 학습", share(train([row for row in rows if row.file != file]), of), share(whole, of)


if __name__ == "__main__":
    sys.exit(main())

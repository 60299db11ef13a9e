"""One score a label from the likeness of a text to every training line: ridge regression with a bent likeness.

The likeness of two lines is the cosine of letters, words and meaning, sent through an exponential, so that a few lines
that are much alike weigh more than many that are a little alike (2 points of Hit@1 over the straight kind). Training
needs scipy and scoring numpy alone. The closed form also gives, for nothing, the score that each training line would
have had if it had not been trained on, which is what thresholds are calibrated with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Example, FeatureSpace, Floats, Places, Row, Rows, build_space
from app.language.features import Analysis
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel
from app.language.postings import Postings, added_to_lines, by_feature
from app.language.ridge import bent, gram_of, solve
from app.packed import Int8Rows, rounded

Reading = tuple[Places, Floats, Floats]

# A feature that more than one of so many lines holds is kept as a row of values, the others as postings. A row is as
# quick from one of 24 on, but eight times as large.
_ROW_SHARE, _LEAST_ROW = 8, 64
# Lines of a label under one scale: scores of 19,367 lines are off by 0.0024 (by 0.005 with 128 of them).
_RUN = 16
_BACKGROUND = 1200
# A new tool's few lines against a sample of all others: each counts for several, and the score is raised, the more the
# fewer they are (by 3 for 8 lines). Chosen by leaving one tool out: Recall@5 66 -> 81 %, the other tools unharmed.
_FEW_STRENGTH = 4.0
_MOST_RAISED, _RAISED_AT = 3.0, 8


@dataclass(frozen=True)
class Supports:
    """Training lines laid out for comparison with one text. Row i of `meaning` belongs to line i.

    `common` holds a row of line values for each frequent feature (`common_of` says which); the other features have
    postings (`rare`), as narrow as they are stored.
    """

    count: int
    common_of: NDArray[np.int32]
    common: Floats
    rare: Postings
    meaning: Floats

    @classmethod
    def of(cls, rows: Sequence[Row], meaning: Floats, width: int) -> Supports:
        """From each line's features and values, and its meaning; `width` is the size of the vocabulary."""
        flat = rows if isinstance(rows, Rows) else Rows.of(rows)
        return cls.laid_out(by_feature(flat.starts, flat.places, flat.values, width), meaning)

    @classmethod
    def laid_out(cls, held: Postings, meaning: Floats) -> Supports:
        """From the postings of all features, and the meaning of each line."""
        holders, count = np.diff(held.starts), len(meaning)
        often = holders > max(_LEAST_ROW, count // _ROW_SHARE)
        common_of = np.full(len(often), -1, dtype=np.int32)
        common_of[often] = np.arange(int(often.sum()), dtype=np.int32)
        common = np.zeros((int(often.sum()), count), dtype=np.float32)
        is_common = np.repeat(often, holders)
        common[np.repeat(common_of[often], holders[often]), held.lines[is_common]] = held.values[is_common]
        starts = np.concatenate([[0], np.cumsum(np.where(often, 0, holders))]).astype(np.intp)
        rare = Postings(starts, held.lines[~is_common], held.values[~is_common])
        return cls(count, common_of, common, rare, meaning)

    def rows(self, wanted: NDArray[np.intp]) -> Rows:
        """Features and values of these lines (each at most once), read back: kept a second time they took 33 MB."""
        place = np.full(self.count, -1, dtype=np.int32)
        place[wanted] = np.arange(len(wanted), dtype=np.int32)
        line = place[self.rare.lines]
        kept = line >= 0
        feature = np.repeat(np.arange(len(self.common_of), dtype=np.int32), np.diff(self.rare.starts))[kept]
        common = self.common[:, wanted]
        often, often_line = np.nonzero(common)
        names = np.flatnonzero(self.common_of >= 0).astype(np.int32)
        features = np.concatenate([feature, names[often]])
        values = np.concatenate([self.rare.values[kept], common[often, often_line]]).astype(np.float16)
        lines = np.concatenate([line[kept], often_line])
        order = np.lexsort((features, lines))
        starts = np.cumsum([0, *np.bincount(lines, minlength=len(wanted))], dtype=np.int32)
        return Rows(starts, features[order], values[order])

    def likeness(self, rows: Places, values: Floats, meaning: Floats) -> Floats:
        """The cosine of every line with one text."""
        places = self.common_of[rows]
        frequent = places >= 0
        # vecdot stays on this thread: a threaded product waits for the slowest core, 16 ms on a busy machine.
        total: Floats = np.vecdot(self.meaning, meaning)
        # Row by row, because gathering the rows first costs more than the product itself.
        shared, weighed = np.zeros(self.count, np.float32), np.empty(self.count, np.float32)
        for value, place in zip(values[frequent], places[frequent], strict=True):
            np.multiply(self.common[place], value, out=weighed)
            shared += weighed
        total += shared
        rare, weights = rows[~frequent], values[~frequent]
        total += added_to_lines(self.rare, rare, weights, self.count).astype(np.float32)
        return total


@dataclass(frozen=True)
class Alpha:
    """How much lines of a part of the supports speak for labels: a row of `weights` for each label from `first` on.
    `lines` says which lines; None: all of the part."""

    part: int
    first: int
    weights: Floats
    lines: NDArray[np.intp] | None = None

    def spoken(self, likeness: Floats) -> Floats:
        """What the bent likeness to the lines of the part adds to each of the labels."""
        said: Floats = np.vecdot(self.weights, likeness if self.lines is None else likeness[self.lines])
        return said

    def packed(self) -> Int8Rows:
        """The weights as they are stored: some lines of a label under one scale, for its own weigh far more than all
        others, and every score is a sum over them all."""
        weights = np.pad(self.weights, ((0, 0), (0, -self.weights.shape[1] % _RUN)))
        return Int8Rows.of(weights.reshape(-1, _RUN), summed=True)

    @classmethod
    def unpacked(cls, stored: Int8Rows, labels: int, lines: int) -> Alpha:
        """From what `packed` made of the weights of all of a part. Raises ValueError where it is of other sizes."""
        weights = stored.whole().reshape(labels, -(-lines // _RUN) * _RUN)
        return cls(0, 0, np.ascontiguousarray(weights[:, :lines]))


@dataclass(frozen=True)
class KernelHeads:
    """A score for each label. Scores are near 1 for a sure line of the label and near 0 otherwise."""

    labels: tuple[str, ...]
    space: FeatureSpace
    supports: tuple[Supports, ...]
    alpha: tuple[Alpha, ...]

    def read(self, analysis: Analysis) -> Reading:
        """Features, their values, and the meaning of a text: what lines are compared by."""
        rows, values = self.space.sparse(analysis)
        return rows, values, self.space.meaning(analysis)

    def row(self, analysis: Analysis) -> tuple[Row, Floats]:
        """The same of a line that is going to be compared with."""
        rows, values, meaning = self.read(analysis)
        return (rows, values), meaning

    def scores(self, analysis: Analysis, reading: Reading | None = None) -> Floats:
        """One score a label, in the order of `labels` (about 0.5 ms); `reading` if it was made already."""
        read = self.read(analysis) if reading is None else reading
        return self.weighed([bent(supports.likeness(*read)) for supports in self.supports])

    def weighed(self, likeness: Sequence[Floats], spoken: Callable[[Alpha, Floats], Floats] = Alpha.spoken) -> Floats:
        """One score a label from the bent likeness to the lines of each part of `supports`."""
        total = np.zeros(len(self.labels), dtype=np.float32)
        for alpha in self.alpha:
            total[alpha.first : alpha.first + len(alpha.weights)] += spoken(alpha, likeness[alpha.part])
        return total

    def with_labels(self, news: Mapping[str, Sequence[Example]]) -> KernelHeads:
        """The same heads and more, each learned from a few lines against a sample of all others (about 0.1 s)."""
        if not news:
            return self
        space, width = self.space, len(self.space.vocabulary)
        base = self.supports[0]
        sample = np.unique(np.linspace(0, base.count - 1, min(_BACKGROUND, base.count)).astype(int))
        owner = [column for column, examples in enumerate(news.values()) for _ in examples]
        fresh = [space.sparse(example.analysis) for examples in news.values() for example in examples]
        fresh_meaning = np.stack([space.meaning(e.analysis) for examples in news.values() for e in examples])
        rows = [*base.rows(sample), *fresh]
        gram = gram_of(rows, width, np.concatenate([base.meaning[sample], fresh_meaning]))
        target = np.full((len(rows), len(news)), -1.0 / max(len(self.labels), 1), dtype=np.float32)
        target[len(sample) + np.arange(len(fresh)), owner] = 1.0
        strength = np.ones(len(rows), np.float32)
        strength[len(sample) :] = _FEW_STRENGTH
        alpha, _ = solve(gram, target, strength)
        raised = [1.0 + (_MOST_RAISED - 1.0) * (_RAISED_AT / max(len(few), _RAISED_AT)) ** 0.5 for few in news.values()]
        alpha = alpha * np.array(raised, dtype=np.float32)
        added = (
            Alpha(0, len(self.labels), np.ascontiguousarray(alpha[: len(sample)].T), sample),
            Alpha(len(self.supports), len(self.labels), np.ascontiguousarray(alpha[len(sample) :].T)),
        )
        supports = (*self.supports, Supports.of(fresh, fresh_meaning, width))
        return replace(self, labels=(*self.labels, *news), supports=supports, alpha=(*self.alpha, *added))


class HeardText:
    """One text for all who judge it in a turn: analysed once, and scored once by the same heads.

    Those who judge the domain and those who route compare it with the same lines, and nobody else does: what the first
    reckoned is kept for the second alone.
    """

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._by: list[tuple[KernelHeads, Reading, Floats]] = []
        self._alike: dict[int, Floats] = {}
        self._spoken: dict[int, Floats] = {}

    def by(self, heads: KernelHeads) -> tuple[Reading, Floats]:
        """What these heads compare by, and their scores."""
        for known, reading, scores in self._by:
            if known is heads:
                return reading, scores
        same = (reading for known, reading, _ in self._by if known.space is heads.space)
        reading = next(same, None) or heads.read(self.analysis)
        scores = heads.weighed([self._likeness(supports, reading) for supports in heads.supports], self._said)
        self._by.append((heads, reading, scores))
        return reading, scores

    def _likeness(self, supports: Supports, reading: Reading) -> Floats:
        found = self._alike.pop(id(supports), None)
        if found is None:
            found = self._alike[id(supports)] = bent(supports.likeness(*reading))
        return found

    def _said(self, alpha: Alpha, likeness: Floats) -> Floats:
        found = self._spoken.pop(id(alpha), None)
        if found is None:
            found = self._spoken[id(alpha)] = alpha.spoken(likeness)
        return found


def fit_heads(
    examples: Iterable[Example],
    labels: Sequence[str],
    model: SimilarityModel,
    vectors: MorphemeVectors | None = None,
) -> tuple[KernelHeads, Floats]:
    """Heads for `labels` and the left-out score of every example (each as if it had not been trained on).

    `examples` are read once, one by one. Cost: the cube of their number (2 s for 7,000 lines on two cores, 200 MB).
    `vectors` of earlier heads save the placing of known morphemes.
    """
    owners: list[str | None] = []

    def stream() -> Iterator[Analysis]:
        for example in examples:
            owners.append(example.label)
            yield example.analysis

    space, found, means = build_space(stream(), model, vectors)
    # Rounded as they are stored, so that the first start and the next one score alike.
    lines = Rows.of(found)
    meaning = rounded(means)
    column = {label: i for i, label in enumerate(labels)}
    target = np.full((len(owners), len(labels)), -1.0 / len(labels), dtype=np.float32)
    for row, label in enumerate(owners):
        if label is not None:
            target[row, column[label]] = 1.0
    width = len(space.vocabulary)
    alpha, inverse_diagonal = solve(gram_of(lines, width, meaning), target)
    left_out = target - alpha / inverse_diagonal[:, None]
    supports = Supports.of(lines, meaning, width)
    spoken = Alpha.unpacked(Alpha(0, 0, alpha.T).packed(), len(labels), len(lines))
    return KernelHeads(tuple(labels), space, (supports,), (spoken,)), left_out.astype(np.float32)

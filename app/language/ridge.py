"""Ridge regression over the bent likeness of lines, solved in closed form. Only training comes here; it needs scipy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats, Row

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

# Chosen by 5-fold cross-validation over the utterance bank; flat around the optimum.
BEND = 1.5
RIDGE = 0.35
COMMON_SHARE = 24
_LEAST_COMMON = 64
_BLOCK = 512


def common_features(holders: NDArray[Any], lines: int) -> NDArray[np.bool_]:
    """Which features stand in so many lines that a dense row is quicker than postings."""
    often: NDArray[np.bool_] = holders > max(_LEAST_COMMON, lines // COMMON_SHARE)
    return often


def bent(likeness: Floats) -> Floats:
    """The kernel: an exponential of the cosine, 1 for equal lines."""
    return np.exp(BEND * (likeness - 1.0))  # type: ignore[no-any-return]


def be_ready() -> None:
    """Read now what the first training would read."""
    import scipy.linalg.lapack  # noqa: PLC0415  (only training needs scipy)
    import scipy.sparse  # noqa: F401, PLC0415


def gram_of(lines: Sequence[Row], width: int, meaning: Floats) -> Floats:
    """Bent likeness of every two lines. Common features go through a dense product, which is much faster there."""
    matrix = _stack(lines, width)
    often = common_features(np.asarray((matrix > 0).sum(axis=0)).ravel(), matrix.shape[0])
    common = np.hstack([matrix[:, often].toarray(), meaning]).astype(np.float32)
    rare = matrix[:, ~often]
    across = rare.T.tocsr()
    gram: Floats = common @ common.T
    # Block by block: the whole sparse product would take half a gigabyte.
    for begin in range(0, len(gram), _BLOCK):
        part = gram[begin : begin + _BLOCK]
        part += (rare[begin : begin + _BLOCK] @ across).toarray()
        part -= 1.0
        part *= BEND
        np.exp(part, out=part)
    return gram


def solve(gram: Floats, target: Floats, strength: Floats | None = None) -> tuple[Floats, Floats]:
    """(K + λ/strength)⁻¹ target, and the diagonal of that inverse. `gram` is used up."""
    from scipy.linalg import lapack  # noqa: PLC0415  (only training needs scipy)

    gram[np.diag_indices_from(gram)] += RIDGE if strength is None else RIDGE / strength
    # The transpose of a symmetric matrix is the same matrix in the order that LAPACK works in: no copy.
    factor, failed = lapack.spotrf(gram.T, lower=1, overwrite_a=1)
    if failed:
        raise ValueError(f"학습 행렬을 분해할 수 없습니다 (LAPACK {failed}).")
    alpha, _ = lapack.spotrs(factor, target, lower=1)
    inverse, _ = lapack.strtri(factor, lower=1, overwrite_c=1)
    diagonal = np.array([float(inverse[i:, i] @ inverse[i:, i]) for i in range(len(inverse))], dtype=np.float32)
    return alpha.astype(np.float32), diagonal


def _stack(lines: Sequence[Row], width: int) -> csr_matrix:
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (only training needs scipy)

    starts = np.cumsum([0, *(len(rows) for rows, _ in lines)])
    rows = np.concatenate([rows for rows, _ in lines]).astype(np.int32)
    values = np.concatenate([values for _, values in lines])
    return csr_matrix((values, rows, starts.astype(np.int32)), shape=(len(lines), width))

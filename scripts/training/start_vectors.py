"""Starting vectors: which pieces stand near each other (PPMI, reduced by SVD), weighted by rarity."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd

from scripts.training.pieces import Encoded

WINDOW = 4
SHARE = 0.3
IDF_POWER = 1.5


def starting_vectors(encoded: Encoded, vocabulary: int, dimension: int, seed: int) -> np.ndarray:
    """`sqrt(.3) * PPMI-SVD + sqrt(.7) * random`, each row a unit vector times `(idf / highest idf) ** 1.5`, float32."""
    rng = np.random.default_rng(seed)
    noise = _unit(rng.standard_normal((vocabulary, dimension)))
    vectors = np.sqrt(SHARE) * _unit(_ppmi_svd(encoded, vocabulary, dimension, seed)) + np.sqrt(1 - SHARE) * noise
    weight = _idf(encoded, vocabulary)
    return np.asarray(_unit(vectors) * (weight / weight.max())[:, None] ** IDF_POWER, dtype=np.float32)


def _ppmi_svd(encoded: Encoded, vocabulary: int, dimension: int, seed: int) -> np.ndarray:
    document = np.repeat(np.arange(len(encoded)), np.diff(encoded.starts))
    near = sparse.csr_matrix((vocabulary, vocabulary), dtype=np.float64)
    for step in range(1, WINDOW + 1):
        same = document[:-step] == document[step:]
        left, right = encoded.ids[:-step][same], encoded.ids[step:][same]
        weight = np.full(len(left), 1 / step)
        near = near + sparse.coo_matrix((weight, (left, right)), shape=near.shape).tocsr()
    near = (near + near.T).tocoo()
    share = np.asarray(near.sum(axis=1)).ravel()
    total = share.sum()
    # context counts to the power .75 keep rare contexts from winning
    context = share**0.75
    context = context / context.sum()
    value = np.log(near.data / (share[near.row] * context[near.col]) + 1e-12)
    keep = (value > 0) & (total > 0)
    matrix = sparse.coo_matrix((value[keep], (near.row[keep], near.col[keep])), shape=near.shape).tocsr()
    left_vectors, strength, _ = randomized_svd(matrix, dimension, n_iter=2, random_state=seed)
    return np.asarray(left_vectors * np.sqrt(strength))


def _idf(encoded: Encoded, vocabulary: int) -> np.ndarray:
    documents = np.zeros(vocabulary)
    for start, end in zip(encoded.starts[:-1], encoded.starts[1:], strict=True):
        documents[np.unique(encoded.ids[start:end])] += 1
    return np.asarray(np.log((len(encoded) + 1) / (documents + 1)) + 0.1)


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))

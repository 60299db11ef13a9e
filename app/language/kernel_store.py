"""Heads as arrays for one .npz file, and back. Only what was trained is kept, not labels added to a living router."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import FeatureSpace, Rows
from app.language.kernel_heads import Alpha, KernelHeads, Supports
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel
from app.language.vocabulary import Vocabulary

FORMAT = 7
Arrays = dict[str, NDArray[Any]]


def heads_to_arrays(heads: KernelHeads) -> Arrays:
    """Everything but the similarity model, of heads that were just trained: those that were loaded have no names."""
    space, vectors = heads.space, heads.space.vectors
    if len(space.names) != len(space.vocabulary):
        raise ValueError("heads that were loaded have no names to be stored: only what was just trained can be")
    known = vectors.known()
    header = {
        "format": FORMAT,
        "labels": heads.labels,
        "words": [[form, tag] for form, tag in space.word_idf],
        "basis": vectors.basis,
        "known": list(known),
        "vocabulary": list(space.names),
    }
    nothing = np.zeros((0, vectors.dimension), np.float32)
    learned = heads.supports[0]
    lines = learned.rows(np.arange(learned.count))
    return {
        "header": text_array(json.dumps(header, ensure_ascii=False)),
        "idf": space.idf,
        "word_idf": np.array(list(space.word_idf.values()), dtype=np.float32),
        "projection": vectors.projection,
        "centre": vectors.centre,
        "axes": vectors.axes if vectors.axes is not None else np.zeros((0, 0), np.float32),
        "starts": lines.starts,
        "rows": lines.places,
        "values": lines.values,
        "meaning": learned.meaning.astype(np.float16),
        "alpha": heads.alpha[0].weights.T.astype(np.float16),
        "known": (np.stack(list(known.values())) if known else nothing).astype(np.float16),
    }


def heads_from_arrays(stored: Mapping[str, NDArray[Any]], model: SimilarityModel) -> KernelHeads | None:
    """What `heads_to_arrays` made; None for another format. Raises KeyError or ValueError for a broken file."""
    header: dict[str, Any] = json.loads(array_text(stored["header"]))
    if header.get("format") != FORMAT:
        return None
    basis = [(form, tag) for form, tag in header["basis"]]
    axes = stored["axes"] if stored["axes"].size else None
    vectors = MorphemeVectors(model, basis, stored["projection"], stored["centre"], axes)
    known = [(form, tag) for form, tag in header["known"]]
    vectors.remember(dict(zip(known, stored["known"].astype(np.float32), strict=True)))
    vocabulary = Vocabulary(list(map(hash, header["vocabulary"])))
    weights = stored["word_idf"].tolist()
    words = {(form, tag): weight for (form, tag), weight in zip(header["words"], weights, strict=True)}
    space = FeatureSpace(vocabulary, stored["idf"], words, vectors, max(weights, default=1.0))
    lines = Rows(stored["starts"], stored["rows"], stored["values"])
    supports = Supports.of(lines, stored["meaning"].astype(np.float32), len(vocabulary))
    # Read along the lines of a label they take half the time.
    alpha = Alpha(0, 0, np.ascontiguousarray(stored["alpha"].T.astype(np.float32)))
    return KernelHeads(tuple(header["labels"]), space, (supports,), (alpha,))


def text_array(text: str) -> NDArray[np.uint8]:
    """Text as an array that can stand in an .npz file."""
    return np.frombuffer(text.encode(), dtype=np.uint8)


def array_text(array: NDArray[Any]) -> str:
    """The text of such an array."""
    return bytes(array.tobytes()).decode()

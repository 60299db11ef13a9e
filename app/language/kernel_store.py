"""Heads as parts of a packed file, and back. Only what was trained is kept, not labels added to a living router."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from app.language.feature_space import BLOCK_LENGTHS, FeatureSpace, blocks_of, rarity
from app.language.kernel_heads import Alpha, KernelHeads, Supports
from app.language.line_weights import Weighing, holders_of, lines_from_parts, lines_to_parts
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel
from app.language.postings import by_feature
from app.language.vocabulary import Vocabulary
from app.packed import Int8Rows, Packed, Part

FORMAT = 8


def heads_to_parts(heads: KernelHeads) -> dict[str, Part]:
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
    }
    nothing = np.zeros((0, vectors.dimension), np.float32)
    learned = heads.supports[0]
    lines = learned.rows(np.arange(learned.count))
    held = by_feature(lines.starts, lines.places, lines.values, len(space.vocabulary))
    order = held.alike_together()
    names = tuple(space.names[feature] for feature in order)
    weighing = Weighing(space.idf[order], blocks_of(names), BLOCK_LENGTHS)
    return {
        "header": json.dumps(header, ensure_ascii=False),
        "vocabulary": names,
        "word_idf": np.array(list(space.word_idf.values()), dtype=np.float32),
        "projection": vectors.projection.astype(np.float16),
        "centre": vectors.centre,
        "axes": (vectors.axes if vectors.axes is not None else np.zeros((0, 0))).astype(np.float16),
        "meaning": Int8Rows.of(learned.meaning),
        "alpha": heads.alpha[0].packed(),
        "known": Int8Rows.of(np.stack(list(known.values())) if known else nothing),
        **lines_to_parts(held.ordered(order), weighing, learned.count),
    }


def heads_from_parts(stored: Packed, model: SimilarityModel) -> KernelHeads | None:
    """What `heads_to_parts` made; None for another format. Raises KeyError or ValueError for a broken file."""
    header: dict[str, Any] = json.loads(stored.text("header"))
    if header.get("format") != FORMAT:
        return None
    basis = [(form, tag) for form, tag in header["basis"]]
    axes, projection = (stored.array(name).astype(np.float32) for name in ("axes", "projection"))
    vectors = MorphemeVectors(model, basis, projection, stored.array("centre"), axes if axes.size else None)
    known = [(form, tag) for form, tag in header["known"]]
    vectors.remember(dict(zip(known, stored.rows("known").whole(), strict=True)))
    weights = stored.array("word_idf").tolist()
    words = {(form, tag): weight for (form, tag), weight in zip(header["words"], weights, strict=True)}
    names, meaning = stored.names("vocabulary"), stored.rows("meaning").whole()
    idf = rarity(holders_of(stored), len(meaning))
    lines = lines_from_parts(stored, Weighing(idf, blocks_of(names), BLOCK_LENGTHS), len(meaning))
    space = FeatureSpace(Vocabulary(list(map(hash, names))), idf, words, vectors, max(weights, default=1.0))
    labels = tuple(header["labels"])
    alpha = Alpha.unpacked(stored.rows("alpha"), len(labels), len(meaning))
    return KernelHeads(labels, space, (Supports.laid_out(lines, meaning),), (alpha,))

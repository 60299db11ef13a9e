"""Questions that name an article ('치매간병보험 제15조'): parse, filter, then rank."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.documents.index import Snapshot, rider_key
from app.documents.terms import references
from app.language.normalise import compact

_CLOSE = 3.0
"""Articles of the same number fit worse by this much when another document or rider was meant."""
_MOST = 20


@dataclass(frozen=True)
class Named:
    """What a question names outright: articles, documents, riders, product codes."""

    articles: tuple[str, ...]
    documents: frozenset[str]
    scopes: frozenset[str]
    products: frozenset[str]


def read_names(snapshot: Snapshot, query: str, product_names: Mapping[str, str]) -> Named:
    """The names in a question; the longest that fits wins, so '암보험' does not match inside '뉴스타트암보험'."""
    plain = compact(query)
    left = plain
    products = set()
    for name in sorted(product_names, key=len, reverse=True):
        if name in left:
            products.add(product_names[name])
            left = left.replace(name, "|")
    scopes = {name for name in snapshot.scope_keys if name in plain}
    longest = max((len(name) for name in scopes), default=0)
    documents: set[str] = set()
    for key in sorted(snapshot.document_keys, key=len, reverse=True):
        if key in left:
            documents.add(snapshot.document_keys[key])
            left = left.replace(key, "|")
    return Named(
        references(query, loose=True), frozenset(documents),
        frozenset(name for name in scopes if len(name) == longest), frozenset(products),
    )  # fmt: skip


def looked_up(
    snapshot: Snapshot, named: Named, query: str, allowed: NDArray[np.bool_], scores: NDArray[np.float32]
) -> list[int]:
    """Chunks of the named articles, best first: named document and rider, main terms before riders, then the words."""
    if not named.articles:
        return []
    words, best = _title_words(query), float(scores.max(initial=0.0))
    found = [
        (_fit(snapshot, named, number, words, scores, best) - 0.5 * place, number)
        for place, label in enumerate(named.articles)
        for number in snapshot.articles.get(label, ())
        if allowed[number]
    ]
    found.sort(key=lambda pair: (-pair[0], pair[1]))
    return [number for fit, number in found if fit >= found[0][0] - _CLOSE][:_MOST]


def _fit(
    snapshot: Snapshot, named: Named, number: int, words: list[str], scores: NDArray[np.float32], best: float
) -> float:
    chunk = snapshot.chunks[number]
    fit = 0.0
    if chunk.doc_id in named.documents:
        fit += 8.0
    elif not named.documents:
        title = compact(chunk.title)
        share = sum(len(word) for word in words if word in title) / max(len(title), 1)
        fit += 4.0 * share
    if named.products:
        fit += 6.0 if named.products & set(chunk.products) else 0.0
        fit += 1.0 if chunk.kind == "terms" else 0.0
    rider = rider_key(chunk.scope) if chunk.scope else ""
    if named.scopes:
        fit += 5.0 if rider in named.scopes else 0.0
    elif chunk.scope:
        fit -= 2.0
    return fit + 1.5 * float(scores[number]) / max(best, 1e-6)


def _title_words(query: str) -> list[str]:
    """Words of a question, with their likely particles off, that may be part of a title."""
    words = re.findall(r"[가-힣A-Za-z0-9]{2,}", query)
    return [compact(re.sub(r"(?:의|에서|에|은|는|이|가|을|를|과|와)$", "", word)) or word for word in words]

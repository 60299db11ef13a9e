"""BM25 over Kiwi morphemes, a document a card line, plus one joined document a tool. Built with numpy alone.

Terms of unchanged lines are taken over from the previous index, so a changed card costs the reading of its new lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.routing.lines import LineTable

Floats = NDArray[np.float32]
Terms = tuple[str, ...]

_K1, _B = 1.2, 0.75
_BEST_LINES = 5


@dataclass(frozen=True)
class Postings:
    """For each term the documents that hold it and its BM25 weight there."""

    starts: NDArray[np.intp]
    documents: NDArray[np.intp]
    weights: Floats
    count: int

    @classmethod
    def of(cls, documents: NDArray[np.intp], terms: NDArray[np.intp], vocabulary: int, count: int) -> Postings:
        """From one (document, term) pair a word occurrence."""
        pairs, frequencies = np.unique(terms * count + documents, return_counts=True)
        term_of, document_of = np.divmod(pairs, count)
        length = np.bincount(documents, minlength=count).astype(np.float32)
        holders = np.bincount(term_of, minlength=vocabulary)
        idf = np.log1p((count - holders + 0.5) / (holders + 0.5))
        norm = _K1 * (1 - _B + _B * length / max(float(length.mean()), 1e-6))
        weights = idf[term_of] * frequencies * (_K1 + 1) / (frequencies + norm[document_of])
        starts = np.concatenate([[0], np.cumsum(holders)]).astype(np.intp)
        return cls(starts, document_of.astype(np.intp), weights.astype(np.float32), count)

    def scores(self, terms: Sequence[int]) -> Floats:
        """The BM25 score of every document for these terms."""
        total = np.zeros(self.count, dtype=np.float32)
        for term in terms:
            begin, end = self.starts[term], self.starts[term + 1]
            total[self.documents[begin:end]] += self.weights[begin:end]
        return total


@dataclass(frozen=True)
class KeywordIndex:
    """Scores tools by the words they share with a question. `terms_of` maps a line's text to its term numbers."""

    table: LineTable
    terms_of: dict[str, NDArray[np.intp]]
    vocabulary: dict[str, int]
    by_line: Postings
    by_tool: Postings

    @classmethod
    def build(
        cls, table: LineTable, read: Callable[[str], Terms], previous: KeywordIndex | None = None
    ) -> KeywordIndex:
        """`read` gives the terms of a text; it is asked only for lines that `previous` does not hold."""
        known = previous.terms_of if previous else {}
        vocabulary = dict(previous.vocabulary) if previous else {}
        terms_of: dict[str, NDArray[np.intp]] = {}
        for line in table.lines:
            numbers = known.get(line.text)
            if numbers is None:
                found = [vocabulary.setdefault(term, len(vocabulary)) for term in read(line.text)]
                numbers = np.asarray(found, dtype=np.intp)
            terms_of[line.text] = numbers
        parts = [terms_of[line.text] for line in table.lines]
        words = np.concatenate(parts) if parts else np.zeros(0, np.intp)
        line_of = np.repeat(np.arange(len(parts), dtype=np.intp), [len(part) for part in parts])
        tool_of = np.searchsorted(table.starts, line_of, side="right").astype(np.intp) - 1
        size = len(vocabulary)
        return cls(
            table,
            terms_of,
            vocabulary,
            Postings.of(line_of, words, size, max(len(table.lines), 1)),
            Postings.of(tool_of, words, size, max(len(table.names), 1)),
        )

    def line_scores(self, terms: Terms) -> Floats:
        """BM25 of every line."""
        return self.by_line.scores(self._known(terms))

    def tool_scores(self, terms: Terms, line_scores: Floats | None = None) -> Floats:
        """The mean of a tool's five best lines and its joined document, each as a share of the best tool's score."""
        lines = self.line_scores(terms) if line_scores is None else line_scores
        best = self.table.best(lines, _BEST_LINES)
        joined = self.by_tool.scores(self._known(terms))
        return _share(best) + _share(joined)

    def coverage(self, terms: Terms, tool: str) -> float:
        """The share of the question's words that stand in the lines of one tool, 0-1."""
        place = self.table.names.index(tool)
        lines = self.table.lines[self.table.starts[place] : self.table.starts[place + 1]]
        held = {int(number) for line in lines for number in self.terms_of[line.text]}
        asked = set(terms)
        return sum(self.vocabulary.get(term, -1) in held for term in asked) / max(len(asked), 1)

    def holders(self, term: str) -> int:
        """In how many tools' lines a word stands."""
        number = self.vocabulary.get(term, -1)
        return int(self.by_tool.starts[number + 1] - self.by_tool.starts[number]) if number >= 0 else 0

    def _known(self, terms: Terms) -> list[int]:
        found = (self.vocabulary.get(term) for term in dict.fromkeys(terms))
        return [term for term in found if term is not None]


def _share(scores: Floats) -> Floats:
    top = float(scores.max(initial=0.0))
    return scores / top if top > 0 else scores

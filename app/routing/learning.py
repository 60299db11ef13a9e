"""The trained heads: taken from the state folder or from the repository when they fit the data, else trained anew.

`python -m scripts.routing_train` trains on every line and writes data/models/routing/heads.packed. A start that finds
neither file fitting (a card was edited, say) trains on at most MOST_LINES of the lines, so that it stays quick and
small: the solution costs the cube of their number.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from app.errors import Unavailable
from app.language.evidence import NO_TOOL, OUTSIDE
from app.language.feature_space import Example, Floats
from app.language.features import Analysis, TextAnalyser
from app.language.kernel_heads import KernelHeads, fit_heads
from app.language.kernel_store import heads_from_parts, heads_to_parts
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel
from app.messages import worded
from app.packed import SUFFIX, Int8Rows, narrow, open_packed, rounded, write_packed
from app.routing.examples import LabelledLine

log = logging.getLogger(__name__)

Terms = Mapping[str, tuple[str, ...]]

# Raise when features, weights or the way of training change, so that stored heads are trained anew.
RECIPE = "4"
MOST_LINES = 7_500
FILE = f"heads{SUFFIX}"
SHIPPED = Path("models") / "routing" / FILE


@dataclass(frozen=True)
class Learned:
    """Heads, the left-out score of each line they learned from, and those lines with their words."""

    data_hash: str
    heads: KernelHeads
    left_out: Floats
    examples: tuple[Example, ...]

    @property
    def terms(self) -> Terms:
        """The words of each line, so that the keyword index need not read the lines again."""
        return {example.analysis.text: example.analysis.terms for example in self.examples}

    def save(self, path: Path) -> None:
        """Write one packed file. Raises OSError."""
        numbers: dict[str, int] = {}
        words = [
            [numbers.setdefault(term, len(numbers)) for term in example.analysis.terms] for example in self.examples
        ]
        about = {
            "data_hash": self.data_hash,
            "texts": [example.analysis.text for example in self.examples],
            "owners": [example.label for example in self.examples],
            "terms": list(numbers),
        }
        parts = {
            "about": json.dumps(about, ensure_ascii=False),
            "left_out": Int8Rows.of(self.left_out),
            "term_counts": narrow(np.array([len(line) for line in words], dtype=np.intp)),
            "term_numbers": narrow(np.array([number for line in words for number in line], dtype=np.intp)),
            **heads_to_parts(self.heads),
        }
        write_packed(path, parts)

    @classmethod
    def load(cls, path: Path, model: SimilarityModel, data_hash: str) -> Learned | None:
        """What `save` wrote for the same data; None when there is no such file."""
        try:
            with open_packed(path) as stored:
                about: dict[str, Any] = json.loads(stored.text("about"))
                if about.get("data_hash") != data_hash:
                    return None
                heads = heads_from_parts(stored, model)
                if heads is None:
                    return None
                counts, numbers = stored.array("term_counts").tolist(), stored.array("term_numbers").tolist()
                return cls(data_hash, heads, stored.rows("left_out").whole(), _examples(about, counts, numbers))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            log.warning(worded("learning.unreadable"), path, exc_info=True)
            return None


def _examples(about: Mapping[str, Any], counts: Sequence[int], numbers: Sequence[int]) -> tuple[Example, ...]:
    names: list[str] = about["terms"]
    found = [names[number] for number in numbers]
    spans = pairwise(accumulate(counts, initial=0))
    return tuple(
        Example(Analysis(text, (), tuple(found[a:b]), (), {}), owner)
        for text, owner, (a, b) in zip(about["texts"], about["owners"], spans, strict=True)
    )


def learned_heads(
    content_dir: Path,
    data_dir: Path,
    training: Sequence[LabelledLine],
    tokenizer: SimilarityModel,
    analyser: TextAnalyser,
    data_hash: str,
) -> Learned:
    """The stored heads of this data, or new ones, which are stored. Raises Unavailable when they cannot be stored."""
    own, shipped = data_dir / "routing" / FILE, content_dir / SHIPPED
    # The shipped ones saw every line; those of a start may be of a part only.
    for path in (shipped, own):
        found = Learned.load(path, tokenizer, data_hash)
        if found is not None:
            return found
    chosen = chosen_lines(training, MOST_LINES)
    log.info(worded("learning.learns"), len(training), len(chosen))
    if len(chosen) < len(training):
        log.warning(worded("learning.partly"))
    learned = learn(chosen, tokenizer, analyser, data_hash)
    try:
        learned.save(own)
    except OSError as error:
        message = worded("learning.cannot_save", parent=own.parent, error=error)
        raise Unavailable(message) from error
    return learned


def learn(
    lines: Sequence[LabelledLine],
    tokenizer: SimilarityModel,
    analyser: TextAnalyser,
    data_hash: str,
    vectors: MorphemeVectors | None = None,
) -> Learned:
    """Train on all of these lines."""
    light: list[Example] = []

    def stream() -> Iterator[Example]:
        for line in lines:
            analysis = analyser.analyse(line.text)
            # Only the words are needed later: the features of all lines together would fill 100 MB.
            light.append(Example(replace(analysis, tagged=(), features={}), line.label))
            yield Example(analysis, line.label)

    labels = sorted({line.label for line in lines if line.label} - {NO_TOOL, OUTSIDE})
    heads, left_out = fit_heads(stream(), (*labels, NO_TOOL, OUTSIDE), tokenizer, vectors)
    # Rounded as stored, so that calibration comes out the same from the file.
    return Learned(data_hash, heads, rounded(left_out), tuple(light))


def chosen_lines(lines: Sequence[LabelledLine], most: int) -> list[LabelledLine]:
    """At most `most` of the lines, drawn evenly: every kind of line keeps its share."""
    if len(lines) <= most:
        return list(lines)
    return [lines[i] for i in np.linspace(0, len(lines) - 1, most).astype(int)]


def hash_of(
    training: Sequence[LabelledLine],
    tagged: Sequence[object],
    hidden: Sequence[str],
) -> str:
    """Changes with the recipe, the lines, the masked product names, and how the tokenizer reads (`tagged` samples)."""
    digest = hashlib.sha256(f"{RECIPE}{list(tagged)}{list(hidden)}".encode())
    for line in training:
        digest.update(f"{line.label}\x1f{line.text}\n".encode())
    return digest.hexdigest()[:16]

"""Word by word likeness of a question to tools that are known by name and description alone.

Every word of the question is looked for among a tool's words: those of its lines, the Korean of its English name, and
what people say for them. One that stands there counts whole, one that is alike by its meaning a part; words that are
rare in the learned lines, and that few of these tools hold, count most.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from app.answering.choices import listed_values
from app.answering.schema import SchemaView
from app.language.everyday import listed_word
from app.language.feature_space import FeatureSpace
from app.language.features import Tagged, is_content_tag
from app.routing.lines import GLOSS, PURPOSE, Line
from app.toolbox.snapshot import ToolEntry

Floats = NDArray[np.float32]

EVERYDAY = 0.8
"""What a word of the everyday lexicon counts beside one of the description itself."""
# Cosines from here on count, the nearer the more. 64 axes tell no more than that.
_LEAST_ALIKE = 0.6
# Rarer words weigh no more: most of them are names.
_MOST_RARE = 9.0
# Brings the weights of a plain question's words to the size of a cosine.
_SCALE = 1 / 45
_MOST_KEPT, _MOST_CHOICES = 4_000, 60
# Auxiliary verbs (해 주다, 하고 싶다), numbers and counters stand in every question; foreign letters have no everyday
# words.
_HOLLOW, _FOREIGN = ("VX", "VCN", "SN", "NR", "NNB", "MM"), ("SL", "SH")
_NOTHING: Mapping[Tagged, float] = {("", ""): 0.0}


@dataclass(frozen=True)
class WordMatch:
    """The words of some tools and the place of each tool's first one in `words_of`, read from `texts`; see the
    module."""

    space: FeatureSpace
    known: Mapping[tuple[str, bool], int]
    vectors: Floats
    words_of: NDArray[np.intp]
    weights: Floats
    starts: NDArray[np.intp]
    texts: tuple[tuple[str, ...], ...] = ()
    _kept: dict[Tagged, tuple[float, Floats]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(
        cls, tools: Sequence[Mapping[Tagged, float]], space: FeatureSpace, texts: tuple[tuple[str, ...], ...] = ()
    ) -> WordMatch:
        """From each tool's words with what they count; `texts` are what they were read from."""
        tools = [words or _NOTHING for words in tools]
        known: dict[tuple[str, bool], int] = {}
        places = [known.setdefault(_plain(word), len(known)) for words in tools for word in words]
        weights = [weight for words in tools for weight in words.values()]
        starts = np.cumsum([0, *map(len, tools)])[:-1]
        vectors = np.zeros((len(known), space.vectors.dimension), dtype=np.float32)
        for word, place in {word: known[_plain(word)] for words in tools for word in words}.items():
            vectors[place] = _unit(space, word)
        held, counts = np.array(places, np.intp), np.array(weights, np.float32)
        return cls(space, known, vectors, held, counts, starts.astype(np.intp), texts)

    def scores(self, tagged: Sequence[Tagged]) -> Floats:
        """How much of a text's words each tool has, from 0 for none to about 1."""
        total = np.zeros(len(self.starts), dtype=np.float32)
        for word in dict.fromkeys(word for word in tagged if _tells(word)):
            weight, held = self._held(word)
            total += weight * held
        return total * np.float32(_SCALE)

    def _held(self, word: Tagged) -> tuple[float, Floats]:
        """A word's weight, and how far each tool has it; remembered, because questions share their words."""
        found = self._kept.get(word)
        if found is None:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[word] = self._look_up(word)
        return found

    def _look_up(self, word: Tagged) -> tuple[float, Floats]:
        alike = np.vecdot(self.vectors, _unit(self.space, word))
        alike = np.clip((alike - _LEAST_ALIKE) / (1 - _LEAST_ALIKE), 0.0, 1.0) ** 2
        same = self.known.get(_plain(word))
        if same is not None:
            alike[same] = 1.0
        held = np.maximum.reduceat(alike[self.words_of] * self.weights, self.starts)
        rare = min(self.space.word_idf.get(word, self.space.rarest), _MOST_RARE)
        weight = rare * float(np.log1p(len(self.starts) / (0.5 + float(held.sum()))))
        return weight, held.astype(np.float32)


def words_of_tool(
    lines: Sequence[Line],
    arguments: Sequence[str],
    tagged: Callable[[str], tuple[Tagged, ...]],
    related: Callable[[Sequence[str]], Sequence[Tagged]] | None,
) -> dict[Tagged, float]:
    """A tool's words with what they count: those of its lines and its arguments, and what is said for those of its
    purpose, or of its translation where the purpose is not Korean. `tagged` reads a text, `related` gives what is said
    for morphemes."""

    def read(text: str, *, listed: bool) -> list[Tagged]:
        # The words of a translation are no sentence: each is read alone.
        found = (word for part in text.split() for word in listed_word(part, tagged)) if listed else tagged(text)
        return [word for word in found if _names(word)]

    held = [(line.kind, read(line.text, listed=line.kind == GLOSS)) for line in lines]
    words = {word: 1.0 for _, found in held for word in found}
    words |= {word: 1.0 for text in arguments for word in read(text, listed=True)}
    purpose = [form for kind, found in held if kind == PURPOSE for form, tag in found if not tag.startswith(_FOREIGN)]
    told = purpose or [form for kind, found in held if kind == GLOSS for form, _ in found]
    for word in filter(_tells, related(told) if related is not None else ()):
        words.setdefault(word, EVERYDAY)
    return words


def argument_texts(entry: ToolEntry, gloss: Callable[[str], str] | None) -> tuple[str, ...]:
    """What the arguments of a tool and their choices are called, as they stand and in Korean."""
    told: list[str] = []
    for name, schema in entry.properties.items():
        view = SchemaView.of(schema if isinstance(schema, dict) else {})
        told += [text for key, text in view.told() if key == "description"]
        told += [name, *(str(value) for value, _ in listed_values(view)[:_MOST_CHOICES])]
    korean = (gloss(text) for text in told) if gloss is not None else ()
    return tuple(dict.fromkeys(filter(None, (*told, *korean))))


def _tells(word: Tagged) -> bool:
    return is_content_tag(word[1]) and not word[1].startswith(_HOLLOW)


def _names(word: Tagged) -> bool:
    """Whether a word of a description names something: 나 and 그것 do not."""
    return _tells(word) and word[1] != "NP"


def _plain(word: Tagged) -> tuple[str, bool]:
    """Without case; whether it is a verb or an adjective is all that its tag tells surely."""
    return word[0].lower(), word[1][:1] == "V"


def _unit(space: FeatureSpace, word: Tagged) -> Floats:
    vector = space.vectors.vector(word)
    if vector is None:
        return np.zeros(space.vectors.dimension, dtype=np.float32)
    return np.asarray(vector / max(float(np.sqrt(vector @ vector)), 1e-9), dtype=np.float32)

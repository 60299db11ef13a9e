"""Judges whole sentences for forbidden sales talk that no pattern names, and says which rule they come nearest to."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from app.insurance.reference import ForbiddenPhrase
from app.safety.disguises import squeezed
from app.safety.likeness import AttackLikeness, LikenessTokenizer
from app.safety.text_classifier import ConceptPlaces, TextClassifier
from app.word_files import Pattern
from app.yaml_text import read_model

CONCEPTS_FILE = "safety/phrase_concepts.yaml"
MODEL_FILE = "safety/phrases.packed"
LIKENESS_FILE = "safety/phrase_likeness.packed"
# How much the likeness to known sales talk (-1 to 1) weighs beside the letters' log-odds; flat around this.
LIKENESS_WEIGHT = 4.0

_QUOTE = re.compile(r"[\"'“”‘’「」『』]")
_LEAST_LETTERS = 9
_MOST_KNOWN = 4000
# Short sentences say little, so that their score must be higher.
_SHORT, _SHORT_MARGIN = 14, 1.5
# Letters and likeness never disagreed by more than this share of the likeness' weight, on 1,200 unseen sentences.
_REACH = 0.6

SentenceVerdict = Literal["violation", "open", "unlikely", "allowed"]


class PhraseConcepts:
    """The word groups of data/safety/phrase_concepts.yaml: called with a squeezed sentence, names what it speaks of."""

    def __init__(self, path: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        groups = read_model(path, dict[str, Pattern])
        self._patterns = tuple(groups.values())
        self._places = ConceptPlaces(list(groups))

    def __call__(self, text: str) -> list[int]:
        return self._places([number for number, pattern in enumerate(self._patterns) if pattern.search(text)])


class PhraseClassifier:
    """Scores sentences by their letters and, where that leaves doubt, by their likeness to known sales talk.

    About 0.1 ms a sentence, 0.8 ms where the likeness is asked for; the last few thousand verdicts are kept.
    """

    def __init__(self, content_dir: Path, tokenizer: LikenessTokenizer) -> None:
        """Raises DataFaults or Unavailable when a file is missing or damaged."""
        self._concepts = PhraseConcepts(content_dir / CONCEPTS_FILE)
        self._model = TextClassifier.load(content_dir / MODEL_FILE)
        # Of a sentence that is doubted at one threshold, its neighbours ask the same.
        self._likeness = lru_cache(_MOST_KNOWN)(AttackLikeness.load(content_dir / LIKENESS_FILE, tokenizer).score)
        self._known: dict[str, SentenceVerdict] = {}

    @property
    def block_at(self) -> float:
        """The score (log-odds) from which a sentence is a violation by itself."""
        return self._model.block_at

    def over(self, block_at: float) -> PhraseClassifier:
        """The same classifier with another threshold, beside this one."""
        other = copy.copy(self)
        other._model, other._known = replace(self._model, block_at=block_at), {}
        return other

    def score(self, sentence: str) -> float:
        """How much a sentence looks like forbidden sales talk (log-odds)."""
        letters = self._model.scores([squeezed_sentence(sentence)], self._concepts)[0]
        return letters + LIKENESS_WEIGHT * self._likeness(sentence)

    def judge(self, sentences: Sequence[str]) -> list[SentenceVerdict]:
        """violation: like forbidden sales talk. allowed: so clearly not that a pattern's word alone is overruled.

        open: a pattern decides. unlikely: no violation, but `allows` must be asked before a pattern is overruled.
        """
        known = self._known
        fresh = [sentence for sentence in dict.fromkeys(sentences) if sentence not in known]
        if fresh:
            texts = [squeezed_sentence(sentence) for sentence in fresh]
            by_letters = self._model.scores(texts, self._concepts)
            found = {
                sentence: self._verdict(sentence, text, letters)
                for sentence, text, letters in zip(fresh, texts, by_letters, strict=True)
            }
            if len(known) < _MOST_KNOWN:
                known.update(found)
            else:
                self._known = known = found
        return [known.get(sentence) or self.judge([sentence])[0] for sentence in sentences]

    def allows(self, sentence: str) -> bool:
        """Whether a sentence that was found unlikely is allowed, whatever words it holds."""
        allowed = self.score(sentence) < self._model.rule_at
        self._known[sentence] = "allowed" if allowed else "open"
        return allowed

    def condemns(self, clause: str) -> bool:
        """Whether a clause that holds a pattern's words is a violation by itself, however short."""
        return self.score(clause) >= self._model.block_at

    def _verdict(self, sentence: str, text: str, letters: float) -> SentenceVerdict:
        """Likeness is asked for only where it could make a violation of the sentence, or save it from being one."""
        model, reach = self._model, LIKENESS_WEIGHT * _REACH
        if letters + reach <= min(model.rule_at, model.block_at):
            return "allowed"
        if len(text) < _LEAST_LETTERS or letters + reach < self._enough(text):
            return "unlikely"
        if letters - reach >= model.block_at + _SHORT_MARGIN:
            return self._by_score(text, letters)
        return self._by_score(text, letters + LIKENESS_WEIGHT * self._likeness(sentence))

    def _by_score(self, text: str, score: float) -> SentenceVerdict:
        if score < self._model.rule_at:
            return "allowed"
        return "violation" if len(text) >= _LEAST_LETTERS and score >= self._enough(text) else "open"

    def _enough(self, text: str) -> float:
        return self._model.block_at + _SHORT_MARGIN * (len(text) < _SHORT)


class NearestRule:
    """The rule whose examples share most letter triples with a sentence."""

    def __init__(self, rules: Sequence[ForbiddenPhrase]) -> None:
        self._examples = [(rule, _triples(example)) for rule in rules for example in rule.examples]

    def __call__(self, sentence: str) -> ForbiddenPhrase | None:
        """None only when there is no rule at all."""
        letters = _triples(sentence)
        best = max(
            self._examples, key=lambda item: len(item[1] & letters) / (len(item[1] | letters) or 1), default=None
        )
        return best[0] if best else None


def squeezed_sentence(sentence: str) -> str:
    """Letters and digits alone, quotation marks as qq."""
    return squeezed(_QUOTE.sub("qq", sentence))


def _triples(text: str) -> set[str]:
    letters = squeezed(text)
    return {letters[i : i + size] for size in (2, 3) for i in range(len(letters) - size + 1)}

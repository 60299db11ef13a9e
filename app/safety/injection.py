"""L1: does a text try to steer, rob or unmask the assistant? Rules by family over side views, and a light classifier.

A verdict is advice: what an attacker can reach is bounded by rights and approvals, whatever this module says.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple

import yaml

from app.errors import DataFaults, Fault
from app.messages import worded
from app.safety.disguises import readable, squeezed, views
from app.safety.likeness import LIKENESS_FILE, AttackLikeness, LikenessTokenizer
from app.safety.mass_data import FAMILY as MASS_DATA
from app.safety.mass_data import MassData
from app.safety.sentences import sentences
from app.safety.sounds import SoundsLike
from app.safety.text_classifier import ConceptPlaces, TextClassifier, concept_place
from app.yaml_text import read_yaml

Level = Literal["pass", "restrict", "block"]

RULES_FILE = "safety/injection.yaml"
MODEL_FILE = "safety/injection.packed"
_PARTS = ("vocabulary", "hanja", "misheard", "initials", "benign", "tokens", "families", "concepts", "counting")
_HEAD, _TAIL = 4000, 1000
_HIDDEN_CHARS = 1500
# Texts up to this length are read whole, longer ones by sentence: an order among many other words is lost in them.
# Short sentences are read with the next one, long ones in overlapping parts.
_WHOLE, _LEAST, _PART, _STEP = 150, 20, 100, 70
# Of a long text's parts only so many, those with the likeliest letters, are weighed by what they speak of.
_WEIGHED_PARTS = 9
# … whose letters alone say this much; of 2,900 attacks that are found none says less, of ordinary sentences half.
_LEAST_LETTERS = -8.5
# Comparing costs 10 µs a letter, so only the likeliest parts are compared, up to so many letters or one part.
_COMPARED_LETTERS = 90
# How much the likeness to known attacks (-1 to 1) weighs beside the letters' log-odds; flat around this.
LIKENESS_WEIGHT = 9.0
# Where the letters speak against an attack by more than this share of it, no comparison is made: of 789 attacks that
# nothing was trained on, none was found by one.
_REACH = 0.25
# Longer words are never mere counting.
_MOST_COUNTED = 60
_STREAM_HINT = re.compile(r"[ㄱ-ㅎ]")


@dataclass(frozen=True)
class InjectionVerdict:
    """`level`: block refuses the question, restrict takes the customer tools away for this turn.

    `score` is what the classifier made of the part that decided, `threshold` what it had to reach; None where neither
    was asked.
    """

    level: Level
    rule: str
    family: str
    score: float | None = field(default=None, compare=False)
    threshold: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Rule:
    """One pattern over squeezed text."""

    id: str
    family: str
    level: Level
    pattern: re.Pattern[str]


_PASS = InjectionVerdict("pass", "", "")
_ORDER: dict[Level, int] = {"pass": 0, "restrict": 1, "block": 2}


class InjectionRules:
    """The rules of data/safety/injection.yaml."""

    def __init__(self, path: Path) -> None:
        data = _read(path)
        vocabulary: dict[str, str] = data["vocabulary"]
        self.hanja: dict[str, str] = data["hanja"]
        self._sounds = SoundsLike(data["misheard"])
        # Longest first and without a way back: one pass, whatever the words.
        counting = sorted(data["counting"], key=len, reverse=True)
        self._counting = re.compile(f"(?:{'|'.join(map(re.escape, counting))}|[0-9]+)++")
        self._initials: tuple[str, ...] = tuple(data["initials"])
        self._benign = re.compile("|".join(data["benign"]))
        self._tokens = tuple(re.compile(pattern, re.IGNORECASE) for pattern in data["tokens"])
        self.rules = tuple(
            Rule(
                f"{family['name']}_{number:02d}", family["name"], family["level"], _compiled(pattern, vocabulary, path)
            )
            for family in data["families"]
            for number, pattern in enumerate(family["patterns"], 1)
        )
        groups = {**vocabulary, **data["concepts"]}
        self._concepts = tuple(re.compile(pattern) for pattern in groups.values())
        self._places = ConceptPlaces(list(groups))
        self._rule_places = {
            rule.id: (concept_place(f"rule:{rule.family}"), concept_place(f"rule:{rule.id}")) for rule in self.rules
        }

    def views(self, text: str) -> list[str]:
        """The text as it reads, then what it may hide."""
        return views(text, self.hanja, self._sounds.mended)

    def bare(self, text: str) -> str:
        """Letters and digits of the text, with the terms of insurance taken out."""
        return self._benign.sub("_", squeezed(text))

    def only_counts(self, text: str) -> bool:
        """Whether a text of at most 60 letters is made of nothing but people, numbers and words for adding them up
        (막내는 그대로 하고 네 명 합은?): no attack can be told in these."""
        letters = squeezed(text)
        return len(letters) <= _MOST_COUNTED and self._counting.fullmatch(letters) is not None

    def concepts(self, text: str) -> list[int]:
        """What the classifier weighs beside n-grams: word groups of squeezed text, pairs of them, rules that hold."""
        held = [number for number, pattern in enumerate(self._concepts) if pattern.search(text)]
        bare = self._benign.sub("_", text)
        ruled = [self._rule_places[rule.id] for rule in self.rules if rule.pattern.search(bare)]
        return [*self._places(held), *{place for places in ruled for place in places}]

    def token(self, seen: str) -> str | None:
        """The mark of a chat template in a readable text."""
        for pattern in self._tokens:
            if match := pattern.search(seen):
                return match.group()
        return None

    def first(self, bare: str) -> Rule | None:
        """The gravest rule that holds."""
        best: Rule | None = None
        for rule in self.rules:
            if (best is None or _ORDER[rule.level] > _ORDER[best.level]) and rule.pattern.search(bare):
                best = rule
                if rule.level == "block":
                    break
        return best

    def by_initials(self, seen: str) -> bool:
        """Whether an attack is written in first consonants alone (ㅇㅈ ㅈㅅ ㅁㅅ)."""
        runs = "".join(re.findall(r"[ㄱ-ㅎ]{2,}", re.sub(r"[^ㄱ-ㅎ가-힣]", "", seen)))
        return len(runs) >= 4 and any(key in runs for key in self._initials)


class InjectionCheck:
    """Judges questions and document texts. Thread-safe; about 0.3 ms for an ordinary question, 4 ms for 500 letters."""

    def __init__(self, content_dir: Path, tokenizer: LikenessTokenizer) -> None:
        """Raises DataFaults when the rules are damaged, Unavailable when the classifiers' files are."""
        self.rules = InjectionRules(content_dir / RULES_FILE)
        self._classifier = TextClassifier.load(content_dir / MODEL_FILE)
        self._likeness = AttackLikeness.load(content_dir / LIKENESS_FILE, tokenizer)
        self.mass_data = MassData(content_dir)

    @property
    def block_at(self) -> float:
        """The score (log-odds) from which letters, words and likeness alone refuse a text."""
        return self._classifier.block_at

    @property
    def least_block_at(self) -> float:
        """`block_at` may not be less: from here on a text is at least restricted."""
        return self._classifier.restrict_at

    def put(self, block_at: float) -> None:
        """Refuse from this score on, from the next text on."""
        self._classifier = replace(self._classifier, block_at=block_at)

    def over(self, block_at: float) -> InjectionCheck:
        """The same check with another threshold, beside this one."""
        other = copy.copy(self)
        other.put(block_at)
        return other

    def weight(self, text: str) -> float:
        """What `block_at` is held against: a text is blocked from there down. Infinite where no threshold frees it."""
        marked, passages = self._read(text)
        if marked is not None:
            return math.inf
        if self.rules.only_counts(text):
            return -math.inf
        scores = self._scores([passage.scored for passage in passages])
        blocked = (self._ruled(passage.read, score) for passage, score in zip(passages, scores, strict=True))
        return math.inf if any(rule and rule.level == "block" for rule in blocked) else max(scores, default=-math.inf)

    def judge(self, text: str) -> InjectionVerdict:
        """The gravest verdict over the text and what it may hide. Very long ones are read at both ends, restricted."""
        marked, passages = self._read(text)
        if marked is not None:
            return marked
        if self.rules.only_counts(text):
            return _PASS
        best = InjectionVerdict("restrict", "length", "length") if len(text) > _HEAD + _TAIL else _PASS
        for passage, score in zip(passages, self._scores([passage.scored for passage in passages]), strict=True):
            verdict = self._verdict(passage.read, score)
            if _ORDER[verdict.level] > _ORDER[best.level]:
                best = verdict
            if best.level == "block":
                break
        return best

    def _read(self, text: str) -> tuple[InjectionVerdict | None, list[_Passage]]:
        """The verdict that needs no score, and what is to be scored where there is none."""
        scanned = text[:_HEAD] + "\n" + text[-_TAIL:] if len(text) > _HEAD + _TAIL else text
        seen = self.rules.views(scanned)
        shown = [view if number == 0 else view[:_HIDDEN_CHARS] for number, view in enumerate(seen)]
        for view in shown:
            if mark := self.rules.token(view):
                return InjectionVerdict("block", f"token:{mark[:20]}", "tokens"), []
            if _STREAM_HINT.search(view) and self.rules.by_initials(view):
                return InjectionVerdict("block", "initials", "encoding"), []
        # What a text may hide mostly differs from it in a word or two: the other sentences are judged once.
        passages = list(dict.fromkeys(passage for view in shown for passage in _passages(view)))
        if any(self.mass_data.asks(squeezed(passage.read)) for passage in passages):
            return InjectionVerdict("block", MASS_DATA, MASS_DATA), []
        return None, passages

    def _scores(self, texts: Sequence[str]) -> list[float]:
        """How much each text looks like an attack. It is compared with known ones only where that can matter."""
        squeezed_texts = [squeezed(text) for text in texts]
        by_letters = self._classifier.scores(squeezed_texts, self.rules.concepts, _WEIGHED_PARTS, _LEAST_LETTERS)
        scores = [letters - LIKENESS_WEIGHT for letters in by_letters]
        compared = 0
        for place in sorted(range(len(texts)), key=lambda place: -by_letters[place]):
            if by_letters[place] + LIKENESS_WEIGHT * _REACH <= self._classifier.rule_at:
                break
            if compared and compared + len(texts[place]) > _COMPARED_LETTERS:
                continue
            compared += len(texts[place])
            scores[place] = by_letters[place] + LIKENESS_WEIGHT * self._likeness.score(texts[place])
        return scores

    def _verdict(self, passage: str, score: float) -> InjectionVerdict:
        model = self._classifier
        rule = self._ruled(passage, score)
        if rule is not None and (rule.level == "block" or score < model.restrict_at):
            return InjectionVerdict(rule.level, rule.id, rule.family, score, model.rule_at)
        if score < model.restrict_at:
            return _PASS
        blocked = score >= model.block_at
        threshold = model.block_at if blocked else model.restrict_at
        return InjectionVerdict("block" if blocked else "restrict", "classifier", "classifier", score, threshold)

    def _ruled(self, passage: str, score: float) -> Rule | None:
        """The gravest rule that holds; letters must not speak against it."""
        return self.rules.first(self.rules.bare(passage)) if score >= self._classifier.rule_at else None


class _Passage(NamedTuple):
    """A part of a text that is scored, and with it what stands right before: an order may need both."""

    scored: str
    read: str


def _passages(view: str) -> list[_Passage]:
    """The text, or the sentences of a long one."""
    if len(view) <= _WHOLE:
        return [_Passage(view, view)]
    parts: list[str] = []
    read = 0
    for _, end in sentences(view):
        if end - read >= _LEAST:
            parts += _windows(view[read:end])
            read = end
    parts += _windows(view[read:])
    return [_Passage(part, f"{before} {part}") for before, part in pairwise(["", *parts])]


def _windows(text: str) -> list[str]:
    """The text, or overlapping parts of a long one; none of an empty one."""
    if len(text) <= _PART:
        return [text] if text.strip() else []
    return [text[at : at + _PART] for at in range(0, len(text) - _PART + _STEP, _STEP)]


def suspicious_sentences(check: InjectionCheck, sentences: Sequence[str]) -> Iterator[int]:
    """The places of the sentences of a document or tool result that read like instructions."""
    for place, sentence in enumerate(sentences):
        if check.judge(sentence).level != "pass":
            yield place


def _compiled(pattern: str, vocabulary: dict[str, str], path: Path) -> re.Pattern[str]:
    for name, words in vocabulary.items():
        pattern = pattern.replace("{" + name + "}", words)
    try:
        return re.compile(pattern)
    except re.error as error:
        raise DataFaults(
            [Fault(str(path), 1, worded("injection.bad_pattern", pattern=pattern[:80], error=error))]
        ) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        data = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DataFaults([Fault(str(path), 1, worded("injection.unreadable", error=error))]) from error
    missing = [part for part in _PARTS if part not in data] if isinstance(data, dict) else list(_PARTS)
    if missing:
        raise DataFaults([Fault(str(path), 1, worded("injection.missing_parts", missing=", ".join(missing)))])
    return dict(data)


__all__ = ["InjectionCheck", "InjectionRules", "InjectionVerdict", "Rule", "readable", "suspicious_sentences"]

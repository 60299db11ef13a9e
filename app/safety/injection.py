"""L1: does a text try to steer, rob or unmask the assistant? Rules by family over side views, and a light classifier.

A verdict is advice: what an attacker can reach is bounded by rights and approvals, whatever this module says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from app.errors import DataFaults, Fault
from app.safety.disguises import readable, squeezed, views
from app.safety.text_classifier import ConceptPlaces, TextClassifier, concept_place

Level = Literal["pass", "restrict", "block"]

RULES_FILE = "safety/injection.yaml"
MODEL_FILE = "safety/injection.npz"
_HEAD, _TAIL = 4000, 1000
_HIDDEN_CHARS = 1500
_STREAM_HINT = re.compile(r"[ㄱ-ㅎ]")


@dataclass(frozen=True)
class InjectionVerdict:
    """`level`: block refuses the question, restrict takes the customer tools away for this turn."""

    level: Level
    rule: str
    family: str


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

    def bare(self, text: str) -> str:
        """Letters and digits of the text, with the terms of insurance taken out."""
        return self._benign.sub("_", squeezed(text))

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
    """Judges questions and document texts. Thread-safe; about 1 ms for an ordinary question."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the rules are damaged; the classifier's weights must be there too."""
        self.rules = InjectionRules(content_dir / RULES_FILE)
        self._classifier = TextClassifier.load(content_dir / MODEL_FILE)

    def judge(self, text: str) -> InjectionVerdict:
        """The gravest verdict over the text and what it may hide. Very long ones are read at both ends, restricted."""
        too_long = len(text) > _HEAD + _TAIL
        scanned = text[:_HEAD] + "\n" + text[-_TAIL:] if too_long else text
        best = InjectionVerdict("restrict", "length", "length") if too_long else _PASS
        for number, view in enumerate(views(scanned, self.rules.hanja)):
            verdict = self._view(view if number == 0 else view[:_HIDDEN_CHARS])
            if _ORDER[verdict.level] > _ORDER[best.level]:
                best = verdict
            if best.level == "block":
                break
        return best

    def _view(self, seen: str) -> InjectionVerdict:
        if mark := self.rules.token(seen):
            return InjectionVerdict("block", f"token:{mark[:20]}", "tokens")
        if _STREAM_HINT.search(seen) and self.rules.by_initials(seen):
            return InjectionVerdict("block", "initials", "encoding")
        model = self._classifier
        score = model.score(squeezed(seen), self.rules.concepts)
        rule = self.rules.first(self.rules.bare(seen)) if score >= model.rule_at else None
        if rule is not None and (rule.level == "block" or score < model.restrict_at):
            return InjectionVerdict(rule.level, rule.id, rule.family)
        if score < model.restrict_at:
            return _PASS
        return InjectionVerdict("block" if score >= model.block_at else "restrict", "classifier", "classifier")


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
        raise DataFaults([Fault(str(path), 1, f"정규식을 읽을 수 없습니다: {pattern[:80]} ({error})")]) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise DataFaults([Fault(str(path), 1, f"입력 가드 규칙을 읽을 수 없습니다: {error}")]) from error
    return dict(data)


__all__ = ["InjectionCheck", "InjectionRules", "InjectionVerdict", "Rule", "readable", "suspicious_sentences"]

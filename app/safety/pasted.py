"""What people paste with their question (letters, notices, certificates): orders to a model in it are fenced off.

Such a text is full of orders to people, so an order counts by its role: it is said to what reads the text instead of a
person, or speaks of what only a machine has. A question itself is never cut. Where orders stand among the pasted lines
only, the rest is still read and answered; where they stand in the person's own words, the whole is judged.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import yaml

from app.errors import DataFaults, Fault
from app.safety.injection import InjectionVerdict
from app.safety.sentences import sentences
from app.yaml_text import read_yaml

PASTED_FILE = "safety/pasted.yaml"
# A document with a question has more lines and letters than a question.
_LEAST_LINES, _LEAST_LETTERS = 2, 60
_TELLING = 30
# A line that stands apart and is longer is pasted, not asked.
_ASKED = 80
# What is mostly orders is no document.
_MOST_CUT = 0.6
# Every sentence costs a judgement, so that a longer document is judged as a whole.
_MOST_SENTENCES = 80
# Found by the shape of letters, or by a rule that takes any machine and any order near each other for the two.
_BY_SHAPE = frozenset(("classifier", "indirect"))


_GROUPS = ("mind", "device", "called", "forms", "described", "task", "outcome", "order", "polite", "inner")
# The syllables that end in a consonant: 한, 인, 둔 …
_SYLLABLES, _FINALS = range(0xAC00, 0xD7A4), 28
_CLOSED = {
    name: "[" + "".join(map(chr, _SYLLABLES[final::_FINALS])) + "]" for name, final in (("{nieun}", 4), ("{rieul}", 8))
}


class Judge(Protocol):
    """What is needed of the check for attacks."""

    def judge(self, text: str) -> InjectionVerdict:
        """The verdict on a text."""
        ...


@dataclass(frozen=True)
class Fenced:
    """A message without the orders to a model that stood in its pasted lines, those orders (none: it is clean), and the
    person's own words in it (empty where nothing is set apart)."""

    text: str
    cut: tuple[str, ...]
    own: str


class PastedTexts:
    """The words of data/safety/pasted.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        path = content_dir / PASTED_FILE
        try:
            data = read_yaml(path.read_text(encoding="utf-8"))
            groups = {name: _joined(data[name]) for name in _GROUPS}
            groups["machine"] = f"(?:{groups['mind']}|{groups['device']})"
            patterns = {**groups, "addressed": "|".join(data["addressed"])}
            self._words = {name: _compiled(pattern, groups["machine"]) for name, pattern in patterns.items()}
        except (OSError, ValueError, yaml.YAMLError, re.error, KeyError, TypeError, AttributeError) as error:
            raise DataFaults([Fault(str(path), 0, f"붙여 넣은 글의 규칙을 읽을 수 없습니다: {error}")]) from error

    def fenced(self, text: str, check: Judge, whole: InjectionVerdict) -> Fenced | None:
        """The message without the orders of its pasted part; None where its verdict as a `whole` must stand.

        About 0.1 ms where the whole passes, else a judgement for each sentence.
        """
        if len(text) < _LEAST_LETTERS or sum(1 for line in text.splitlines() if line.strip()) < _LEAST_LINES:
            return None
        spans = sentences(text)
        if not 1 < len(spans) <= _MOST_SENTENCES:
            return None
        told = [text[slice(*span)] for span in spans]
        ordering = [place for place in range(len(spans)) if self._commands_machine(told[place])]
        ordering += [
            place for first in range(len(spans) - 1) if self._begins(told, first) for place in (first, first + 1)
        ]
        if whole.level == "pass" and not ordering:
            return Fenced(text, (), _own_words(text, told, spans))
        own = _own_places(text, spans)
        if own & set(ordering) or any(_attacks(told[place], check.judge(told[place])) for place in own):
            return None
        ordering += [place for place in range(len(spans)) if place not in own and self._suspect(told, place, check)]
        cut = _to_line_ends(text, [spans[place] for place in sorted(set(ordering))])
        if sum(end - start for start, end in cut) > _MOST_CUT * len(text):
            return None
        return Fenced(_without(text, cut), tuple(text[slice(*span)] for span in cut), _own_words(text, told, spans))

    def _commands_machine(self, sentence: str) -> bool:
        """An order, and who is told is a machine; or what is told to be done is a machine's work on the very text."""
        if not self._has("order", sentence):
            return False
        if self._has("forms", sentence) or (self._has("task", sentence) and self._has("outcome", sentence)):
            return True
        if not self._addresses(sentence):
            return False
        # 심사 시스템은 순서대로 처리하므로 기다려 주십시오: people are told, of a machine.
        of_it = not self._has("mind", sentence) or self._has("described", sentence)
        return not (self._has("polite", sentence) and of_it) or self._has("called", sentence)

    def _begins(self, told: Sequence[str], place: int) -> bool:
        """Whether a line calls a machine and only the next one says what it is to do."""
        line = told[place]
        if line[-1] in ".?" or not self._addresses(line) or self._has("order", line):
            return False
        return self._commands_machine(f"{line} {told[place + 1]}")

    def _addresses(self, sentence: str) -> bool:
        return self._has("machine", sentence) and self._has("addressed", sentence)

    def _has(self, name: str, sentence: str) -> bool:
        return self._words[name].search(sentence) is not None

    def _suspect(self, told: Sequence[str], place: int, check: Judge) -> bool:
        """Whether a sentence reads like an attack and means a model; the one before it may say who is meant."""
        verdict = check.judge(told[place])
        if verdict.level == "pass":
            return False
        if verdict.family not in _BY_SHAPE or self._has("inner", told[place]):
            return True
        return verdict.family == "classifier" and place > 0 and self._commands_machine(told[place - 1])


def _attacks(own: str, verdict: InjectionVerdict) -> bool:
    """Whether the person's own words attack: a few of them hold too little for their letters alone to tell."""
    return verdict.level == "block" and (verdict.family != "classifier" or len(own) >= _TELLING)


def _compiled(pattern: str, machine: str) -> re.Pattern[str]:
    """The pattern with its groups of words and its classes of letters written out."""
    for name, letters in _CLOSED.items():
        pattern = pattern.replace(name, letters)
    return re.compile(pattern.replace("{machine}", machine), re.IGNORECASE)


def _joined(pattern: str) -> str:
    """A pattern of several lines: the line ends are none of it."""
    return pattern.replace("\n", "").replace(" |", "|").strip()


def _own_places(text: str, spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    """The sentences that may be the person's own: of the first and of the last line, where such a line stands alone
    (a blank line behind or before it) or nothing is set apart by blank lines."""
    paragraphs = [part for part in text.strip().split("\n\n") if part.strip()]
    apart = len(paragraphs) > 1
    first = 0 if apart and _pasted(paragraphs[0]) else text.find("\n", spans[0][0])
    last = len(text) if apart and _pasted(paragraphs[-1]) else text.rfind("\n", 0, spans[-1][1])
    return frozenset(place for place, (start, end) in enumerate(spans) if end <= first or start >= last)


def _own_words(text: str, told: Sequence[str], spans: Sequence[tuple[int, int]]) -> str:
    return " ".join(told[place] for place in sorted(_own_places(text, spans)))


def _pasted(paragraph: str) -> bool:
    return len(paragraph) > _ASKED or "\n" in paragraph.strip()


def _to_line_ends(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Each order with what follows it in its line: it is mostly more of the same."""
    found: list[tuple[int, int]] = []
    for start, _ in spans:
        if not found or start >= found[-1][1]:
            stop = text.find("\n", start)
            found.append((start, stop if stop >= 0 else len(text)))
    return found


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text without these stretches and the lines that they leave empty."""
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start].rstrip(" \t"))
        at = end
    lines = "".join([*kept, text[at:]]).split("\n")
    shown = [line for number, line in enumerate(lines) if line.strip() or not number or lines[number - 1].strip()]
    return "\n".join(shown)

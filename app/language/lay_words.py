"""Illnesses, covers and jobs told without their name: 쓸개에 돌 -> 담석, 쇠 지지는 일 -> 용접공.

Source: data/language/lay_words (illnesses.yaml, covers.yaml, jobs.yaml).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, NamedTuple

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.language.normalise import nfc
from app.messages import worded
from app.yaml_text import read_yaml

# What '~' stands for: words between two parts of a saying, within one clause, 글자.
_GAP = r"[^.?!,;]{0,10}?"
_NEEDLE = 4  # letters of a saying that are looked up
_NESTED = re.compile(r"\([^()]*\(")
_PARTS = re.compile(r"\((?P<choice>[^()]*)\)|[가-힣A-Za-z0-9]+")
_RUNS = re.compile(r"[가-힣A-Za-z0-9]+")
_PLAIN = re.compile(r"[가-힣A-Za-z0-9]")

# How sure a reading is that knows no name.
LAY_CONFIDENCE = 0.8


def _closed(saying: str) -> str:
    """A saying whose choices are all closed. Raises ValueError."""
    depth = 0
    for letter in saying:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    if depth:
        raise ValueError(worded("lay_words.open_choice", saying=saying))
    return saying


Saying = Annotated[str, Field(pattern=r"^[가-힣A-Za-z0-9~^|()]+$"), AfterValidator(_closed)]


class LayWord(BaseModel):
    """A term of the catalogue and how people say it who do not know it.

    A saying is written without blanks, which may stand anywhere: `~` for up to ten letters between, `(a|b)` for a
    choice, `^` for the beginning of a word. `unless` are sayings anywhere in the text that rule the meaning out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    term: Annotated[str, Field(min_length=1)]
    says: Annotated[tuple[Saying, ...], Field(min_length=1)]
    unless: tuple[Saying, ...] = ()


class LaySpan(NamedTuple):
    """Where a term is told in the text."""

    start: int
    end: int
    term: str


class LayWords:
    """Finds what is told in lay words. Built once; `find` takes well under a millisecond for a chat message."""

    def __init__(self, words: Sequence[LayWord]) -> None:
        self._words = words
        # Compiled when a message first speaks for them: 1,600 expressions would take a second of every start.
        self._expression = cache(_any_of)
        # Which patterns a few letters speak for: nearly none need be tried on a message.
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(words):
            for needle in {n[:_NEEDLE] for saying in word.says for n in _needles(saying)}:
                self._places.setdefault(needle, []).append(place)
        self.terms = tuple(dict.fromkeys(word.term for word in words))

    def among(self, known: Collection[str]) -> LayWords:
        """The words whose term is one of `known`: a catalogue of one's own may lack some."""
        return LayWords([word for word in self._words if word.term in known])

    def find(self, text: str, taken: Collection[tuple[int, int]] = ()) -> list[LaySpan]:
        """The terms told, the longest first where two overlap, outside the spans of `taken`, in order."""
        found: list[LaySpan] = []
        for place in sorted(self._promising("".join(text.split()))):
            word = self._words[place]
            match = self._expression(word.says).search(text)
            if match and not (word.unless and self._expression(word.unless).search(text)):
                found.append(LaySpan(*match.span(), word.term))
        kept: list[LaySpan] = []
        for span in sorted(found, key=lambda span: span.start - span.end):
            if all(span.end <= a or span.start >= b for a, b in (*taken, *((k.start, k.end) for k in kept))):
                kept.append(span)
        return sorted(kept)

    def _promising(self, letters: str) -> set[int]:
        """The patterns of which `letters` hold what every form of a saying needs."""
        places = set(self._places.get("", ()))
        for start in range(len(letters)):
            for end in range(start + 1, min(start + _NEEDLE, len(letters)) + 1):
                places.update(self._places.get(letters[start:end], ()))
        return places


def _needles(saying: str) -> tuple[str, ...]:
    """Letters of which every form of the saying holds at least one run: a plain run, or the options of a choice."""
    if _NESTED.search(saying):
        return ("",)
    rows = []
    for part in _PARTS.finditer(nfc(saying)):
        options = part["choice"].split("|") if part["choice"] is not None else [part.group()]
        rows.append(tuple(max(_RUNS.findall(option), key=len, default="") for option in options))
    return max(rows, key=lambda row: min(map(len, row)))


def _any_of(sayings: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_spelled, sayings)))


def _spelled(saying: str) -> str:
    """The expression for a saying: a blank may stand between any two letters."""
    parts = []
    for letter in nfc(saying):
        if letter == "~":
            parts.append(_GAP)
        elif letter == "^":
            parts.append(r"(?<![가-힣])")
        elif letter == "(":
            parts.append("(?:")
        elif _PLAIN.match(letter):
            parts.append(rf"{letter}\s?")
        else:
            parts.append(letter)
    spelled = "".join(parts)
    return spelled.removesuffix(r"\s?")


def load_lay_words(path: Path) -> LayWords:
    """The words of one file. Raises DataFaults naming the fault."""
    try:
        words = TypeAdapter(tuple[LayWord, ...]).validate_python(read_yaml(path.read_text(encoding="utf-8")))
        return LayWords(words)
    except FileNotFoundError:
        raise DataFaults([Fault(path.name, 0, worded("files.missing"))]) from None
    except (yaml.YAMLError, ValidationError) as error:
        raise DataFaults([Fault(path.name, 0, worded("files.unreadable", error=error))]) from error

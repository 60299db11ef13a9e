"""Kinds of insurance on the market that are not sold here: which one a message asks for, and what is said of it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.messages import worded
from app.yaml_text import read_yaml

UNSOLD_FILE = "unsold.yaml"
_INSURANCE = "보험"


class UnsoldKind(Model):
    """One kind: its name, a regex of the words people use for it, and what may serve instead (empty: nothing)."""

    name: str
    says: str
    instead: str = ""


class UnsoldData(Model):
    """The head of data/language/unsold.yaml; see there."""

    answer: str
    asks: str
    held: str
    unless: str
    kinds: tuple[UnsoldKind, ...]


@dataclass(frozen=True)
class Unsold:
    """A kind that is asked for and not sold, and the whole answer."""

    name: str
    answer: str


class UnsoldKinds:
    """Built from a folder of word lists. Raises DataFaults when its file is missing or broken."""

    def __init__(self, language_dir: Path) -> None:
        path = language_dir / UNSOLD_FILE
        try:
            data = UnsoldData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
            self._asks, self._held, self._unless = map(re.compile, (data.asks, data.held, data.unless))
            self._kinds = tuple((re.compile(kind.says), kind) for kind in data.kinds)
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, worded("unsold.unreadable", error=error))]) from error
        self._answer = data.answer

    def asked_for(self, text: str) -> Unsold | None:
        """The kind that is asked for as something to buy (자동차보험 얼마예요, 실손은요); None for any other mention of
        it, such as one that is held already, or what it differs in."""
        plain = unicodedata.normalize("NFC", text)
        for says, kind in self._kinds:
            for found in says.finditer(plain):
                before, rest = plain[: found.start()], plain[found.end() :]
                if self._asks.search(rest) and not (self._held.search(before) or self._unless.search(rest)):
                    text = self._answer.format(kind=kind.name, instead=kind.instead)
                    return Unsold(kind.name, "\n".join(map(str.strip, text.strip().splitlines())))
        return None

    def named(self, words: str) -> str | None:
        """The name of the kind that some words hold (실비 있나요, 화재); None where they hold none."""
        plain = unicodedata.normalize("NFC", words)
        return next((kind.name for says, kind in self._kinds if says.search(plain)), None)

    def is_one(self, words: str) -> bool:
        """Whether the words are a kind and nothing else, with or without 보험 behind them."""
        plain = unicodedata.normalize("NFC", words).strip()
        return any(says.fullmatch(plain) or says.fullmatch(plain + _INSURANCE) for says, _ in self._kinds)

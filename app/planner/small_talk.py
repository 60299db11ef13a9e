"""Greetings, thanks, refusals and the like: patterns and answers from data/language/small_talk.yaml."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator

from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.models import Model
from app.messages import worded

_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")


class SmallTalkRule(Model):
    """One kind of talk; see the head of the data file. Patterns are Python regexes, checked when the file is read."""

    kind: str
    patterns: tuple[str, ...] = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=1)
    before_tools: bool = False
    reaction: bool = False
    use: Literal["last_answer", "last_answer_short"] | None = None
    asks: Literal["category"] | None = None
    excluding: Annotated[str | None, Field(alias="except")] = None

    @field_validator("patterns", "excluding")
    @classmethod
    def _compiles(cls, value: tuple[str, ...] | str | None) -> tuple[str, ...] | str | None:
        for pattern in (value,) if isinstance(value, str) else value or ():
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(worded("small_talk.bad_pattern", pattern=pattern, error=error)) from error
        return value


@dataclass(frozen=True)
class Talk:
    """What to say, and whether the last answer is said again with it."""

    kind: str
    text: str
    use: Literal["last_answer", "last_answer_short"] | None
    asks: Literal["category"] | None = None


@dataclass(frozen=True)
class _Compiled:
    rule: SmallTalkRule
    patterns: tuple[re.Pattern[str], ...]
    excluding: re.Pattern[str] | None

    def fits(self, bare: str) -> bool:
        if self.excluding and self.excluding.search(bare):
            return False
        return any(pattern.search(bare) for pattern in self.patterns)


class SmallTalk:
    """Matches a question against the rules, in order. Raises DataFaults with file and line for a broken data file."""

    def __init__(self, path: Path, company_name: str) -> None:
        faults = FaultLog()
        items = DataReader(path.parent, company_name, faults).yaml_list(path.name, SmallTalkRule)
        faults.check()
        self._rules = tuple(
            _Compiled(
                item.value,
                tuple(map(re.compile, item.value.patterns)),
                re.compile(item.value.excluding) if item.value.excluding else None,
            )
            for item in items
        )

    def texts(self) -> list[tuple[str, str]]:
        """Every answer behind the kind of talk that it is for."""
        return [(item.rule.kind, text) for item in self._rules for text in item.rule.answers]

    def refusal(self, question: str) -> Talk | None:
        """A refusal that comes before any tool, if one fits."""
        return self._match(question, lambda rule: rule.before_tools)

    def reply(self, question: str) -> Talk | None:
        """What to say to talk that needs no tool; None when the question is none."""
        return self._match(question, lambda rule: not rule.reaction)

    def reaction(self, remark: str) -> Talk | None:
        """What to say to a remark that asks nothing (휴 다행이다, 생각보다 비싸네), where nothing else fits."""
        return self._match(remark, lambda rule: rule.reaction)

    def _match(self, question: str, among: Callable[[SmallTalkRule], bool]) -> Talk | None:
        bare = bare_letters(question)
        for item in self._rules:
            rule = item.rule
            if among(rule) and item.fits(bare):
                # The same words get the same answer.
                text = rule.answers[zlib.crc32(bare.encode()) % len(rule.answers)]
                return Talk(rule.kind, text, rule.use, rule.asks)
        return None


def bare_letters(text: str) -> str:
    """Letters and digits only, lower case, full-width ones made plain. Lone jamo stay (ㅎㅇ, ㅋㅋ): NFKC would take
    them for parts of syllables and lose them."""
    plain = unicodedata.normalize("NFC", text)
    folded = (c if "ㄱ" <= c <= "ㅣ" else unicodedata.normalize("NFKC", c) for c in plain)
    return _NOT_LETTERS.sub("", "".join(folded).lower())

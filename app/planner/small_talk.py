"""Greetings, thanks, refusals and the like: patterns and answers from data/language/small_talk.yaml."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import Field, TypeAdapter, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.normalise import compact


class SmallTalkRule(Model):
    """One kind of talk; see the head of the data file."""

    kind: str
    patterns: tuple[str, ...] = Field(min_length=1)
    answers: tuple[str, ...] = Field(min_length=1)
    before_tools: bool = False
    use: Literal["last_answer", "last_answer_short"] | None = None
    excluding: Annotated[str | None, Field(alias="except")] = None


@dataclass(frozen=True)
class Talk:
    """What to say, and whether the last answer is said again with it."""

    kind: str
    text: str
    use: Literal["last_answer", "last_answer_short"] | None


class SmallTalk:
    """Matches a question against the rules, in order."""

    def __init__(self, path: Path, company_name: str) -> None:
        try:
            rules = TypeAdapter(list[SmallTalkRule]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))
            self._rules = [
                (rule, [re.compile(p) for p in rule.patterns], re.compile(rule.excluding) if rule.excluding else None)
                for rule in rules
            ]
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, str(error))]) from error
        self._company_name = company_name

    def refusal(self, question: str) -> Talk | None:
        """A refusal that comes before any tool, if one fits."""
        return self._match(question, before_tools=True)

    def reply(self, question: str) -> Talk | None:
        """What to say to talk that needs no tool; None when the question is none."""
        return self._match(question, before_tools=None)

    def _match(self, question: str, before_tools: bool | None) -> Talk | None:
        bare = compact(question)
        for rule, patterns, excluding in self._rules:
            if before_tools is not None and rule.before_tools != before_tools:
                continue
            if excluding and excluding.search(bare):
                continue
            if any(pattern.search(bare) for pattern in patterns):
                text = rule.answers[zlib.crc32(bare.encode()) % len(rule.answers)]
                return Talk(rule.kind, text.replace("{company}", self._company_name), rule.use)
        return None

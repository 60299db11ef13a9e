"""A turn's answer in English: the planner's own answer from the same results, told once more with English sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage

from app.language.english_values import EnglishValues, has_hangul
from app.messages import worded
from app.planner.moves import Say
from app.planner.planner import Planner

TOLD = "english"
"""Under which name the answer in English rides on the planner's message."""

UNKNOWN = worded("english.unknown")
_MARK = re.compile(r"^(\s*(?:[•\-*]|\d{1,2}\.)\s*)?(.*)$")
_HANGUL, _LATIN = re.compile(r"[가-힣]"), re.compile(r"[A-Za-z]")
_SHARE = 0.6


class EnglishTeller:
    """Tells in English. `planner` decides as the Korean one does and has English templates."""

    def __init__(self, planner: Planner, values: EnglishValues) -> None:
        self._planner, self._values = planner, values

    def told(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What rides on the message of this turn: the answer in English and what its figures rest on."""
        move = self._planner.next(messages, tools)
        if not isinstance(move, Say):
            return {}
        return {TOLD: self.plain(move.text) or UNKNOWN, "english_grounds": [*move.grounds]}

    def plain(self, text: str) -> str:
        """The lines that are in English, each sentence that is known translated; the others are left out."""
        lines = [self._line(line) for line in text.splitlines()]
        kept = "\n".join(line for line in lines if line is not None)
        return re.sub(r"\n{3,}", "\n\n", kept).strip()

    def _line(self, line: str) -> str | None:
        if not has_hangul(line) or self._is_english(line):
            return line
        mark, core = _MARK.match(line).groups()  # type: ignore[union-attr]  # it fits any line
        told = self._values.text(core)
        if not has_hangul(told) or (told != core and self._is_english(told)):
            return f"{mark or ''}{told}"
        return None

    @staticmethod
    def _is_english(line: str) -> bool:
        """More than half of the letters are Latin: names of ours stand among them."""
        return len(_LATIN.findall(line)) > _SHARE * len(_HANGUL.findall(line))

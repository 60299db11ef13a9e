"""Leaves a model's thinking (<think>…</think>) out of a text that comes in pieces."""

from __future__ import annotations

import re

_NAMES = r"(?:think|thinking|thought|thoughts|reasoning|analysis|scratchpad|reflection)"
_TAG = re.compile(rf"<\s?(/?)\s?{_NAMES}\s?/?>", re.IGNORECASE)
_CLOSE = re.compile(rf"<\s?/\s?{_NAMES}\s?>", re.IGNORECASE)
_LONGEST_TAG = 20


class ThoughtStripper:
    """Every split of a text gives the same text. An unclosed thought hides everything behind it."""

    def __init__(self) -> None:
        self._pending = ""
        self._thinking = False
        self.lone_close = False

    def feed(self, delta: str) -> str:
        """What is surely outside any thought by now."""
        self._pending += delta
        out: list[str] = []
        while match := (_CLOSE if self._thinking else _TAG).search(self._pending):
            if not self._thinking:
                out.append(self._pending[: match.start()])
                self.lone_close = self.lone_close or bool(match.group(1))
            self._thinking = not self._thinking and not match.group(1)
            self._pending = self._pending[match.end() :]
        keep = self._tail()
        if not self._thinking:
            out.append(self._pending[: len(self._pending) - keep])
        self._pending = self._pending[len(self._pending) - keep :]
        return "".join(out)

    def rest(self) -> str:
        """What was still held back, once nothing more comes."""
        held, self._pending = self._pending, ""
        return "" if self._thinking else held

    def _tail(self) -> int:
        """How many last characters may still be the beginning of a tag."""
        at = self._pending.rfind("<")
        if at < 0 or ">" in self._pending[at:]:
            return 0
        length = len(self._pending) - at
        return length if length < _LONGEST_TAG else 0


def without_thoughts(text: str) -> str:
    """The text without its thoughts; what stands before a closing tag that was never opened is thought too."""
    if "<" not in text:
        return text
    if (close := _TAG.search(text)) and close.group(1):
        text = text[close.end() :]
    stripper = ThoughtStripper()
    return stripper.feed(text) + stripper.rest()


def has_tag(text: str) -> bool:
    """Whether a tag is left, as when tags were nested to survive the stripping."""
    return "<" in text and _TAG.search(text) is not None


def without_tags(text: str) -> str:
    """The text without left-over tags."""
    while has_tag(text):
        text = _TAG.sub("", text)
    return text

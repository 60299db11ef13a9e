"""Sorts a model's text, piece by piece, into what is meant for people, thinking, and tool calls written as text."""

from __future__ import annotations

import re

# Every opening and what closes it; None: it lasts to the end of the text.
_BLOCKS: dict[str, str | None] = {
    **{
        f"<{name}>": f"</{name}>"
        for name in ("think", "thinking", "thought", "thoughts", "reasoning", "analysis", "scratchpad", "reflection")
    },
    "<|channel|>analysis<|message|>": "<|end|>",
    "<tool_call>": "</tool_call>",
    "<function_call>": "</function_call>",
    "<function=": "</function>",
    "<|python_tag|>": None,
    "[TOOL_CALLS]": None,
}
_CALLS = frozenset({"<tool_call>", "<function_call>", "<function=", "<|python_tag|>", "[TOOL_CALLS]"})
_OPENING = re.compile("|".join(map(re.escape, _BLOCKS)), re.IGNORECASE)
_LONGEST = max(map(len, _BLOCKS))
# Words of chat templates that a badly set up server lets through.
_NOISE = re.compile(r"<\|(?:im_end|im_start|endoftext|eot_id|end|eom_id)\|>|</s>")
_LONGEST_NOISE = 15


class ReplySplitter:
    """Every split of a text gives the same visible text and the same calls.

    A text that begins like JSON is held back to its end, because it may be a tool call. A closing `</think>` without an
    opening one is passed on: what stands before it may have been shown, and the guards know what to do.
    """

    def __init__(self) -> None:
        self._pending = ""
        self._inside: str | None = None
        self._held = ""
        self._begun = False
        self.calls: list[str] = []
        """The bodies of calls written as text, in order."""

    def feed(self, delta: str) -> str:
        """What is surely meant for people by now."""
        self._pending += delta
        out: list[str] = []
        while self._step(out):
            pass
        return self._shown("".join(out))

    def rest(self) -> str:
        """What was held back, once nothing more comes."""
        pending, self._pending = self._pending, ""
        if self._inside is not None:
            if self._inside in _CALLS:
                self._keep_call(pending)
            pending = ""
        held, self._held = self._held + _NOISE.sub("", pending), ""
        return held

    @property
    def thinking(self) -> bool:
        """Whether the newest text stands within a thought."""
        return self._inside is not None and self._inside not in _CALLS

    @property
    def held_json(self) -> str:
        """The text held back because it looks like JSON."""
        return self._held + (self._pending if self._inside is None else "")

    def _step(self, out: list[str]) -> bool:
        """Take one block or stretch of text; False when more must come first."""
        if self._inside is None:
            match = _OPENING.search(self._pending)
            if match is None:
                keep = _partial(self._pending)
                cut = len(self._pending) - keep
                out.append(_NOISE.sub("", self._pending[:cut]))
                self._pending = self._pending[cut:]
                return False
            out.append(_NOISE.sub("", self._pending[: match.start()]))
            self._inside = match.group().lower() if match.group() != "[TOOL_CALLS]" else match.group()
            self._pending = self._pending[match.end() :]
            return True
        closing = _BLOCKS[self._inside]
        at = self._pending.lower().find(closing) if closing else -1
        if closing is None or at < 0:
            return False
        if self._inside in _CALLS:
            self._keep_call(self._pending[:at])
        self._pending = self._pending[at + len(closing) :]
        self._inside = None
        return True

    def _keep_call(self, body: str) -> None:
        # The name of a function stands in its opening.
        self.calls.append(f"<function={body}" if self._inside == "<function=" else body)

    def _shown(self, text: str) -> str:
        if self._begun:
            return text
        self._held += text
        start = self._held.lstrip()
        if not start or start[0] in "{[`":
            return ""
        self._begun = True
        text, self._held = self._held, ""
        return text


def _partial(text: str) -> int:
    """How many last characters may still become an opening or a template word."""
    for size in range(min(max(_LONGEST, _LONGEST_NOISE), len(text)), 0, -1):
        tail = text[-size:].lower()
        if any(block.lower().startswith(tail) for block in _BLOCKS) or _starts_noise(tail):
            return size
    return 0


def _starts_noise(tail: str) -> bool:
    words = ("<|im_end|>", "<|im_start|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<|eom_id|>", "</s>")
    return any(word.startswith(tail) for word in words)

"""A question about one side of the answer just given (며칠 걸려요, 이자는요) gets those lines, not all of it again."""

from __future__ import annotations

import re

from app.planner.words import PlannerWords

_LINES_MAX = 4


def names_a_side(words: PlannerWords, asked: str) -> bool:
    """Whether the words ask about one side of a procedure (how long, which papers, what comes back)."""
    return any(words.search(asked) for words, _ in words.aspects.aspects)


def only_asked(words: PlannerWords, text: str, asked: str) -> str | None:
    """The lines of `text` that answer what `asked` asks about; None when it names no side or no line tells of it."""
    told = [told for words, told in words.aspects.aspects if words.search(asked)]
    if not told:
        return None
    lines = [line for line in text.splitlines() if line.strip()]
    fitting = [line for line in lines if any(pattern.search(line) for pattern in told)]
    if not fitting or len(fitting) > _LINES_MAX or len(fitting) >= len(lines) - 1:
        return None
    return "\n".join(line if line.startswith("•") else f"• {re.sub(r'^[0-9]+[.] ', '', line)}" for line in fitting)

"""What the router may learn from turns that a model got wrong: an operator says which tool was right, the line is kept
masked and with where it came from, and `make train` learns it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from app.adapters.turn_store import FoundTurn
from app.editing.veil import Veiling
from app.language.normalise import compact

NO_TOOL = "no_tool"
# How a review's tag tells the tool; reviews keep who said so and when.
_TAG = "learn:"


@dataclass(frozen=True)
class Lesson:
    """A line and the tool that it asks for (`no_tool`: none), the turn that it is of, and who said so."""

    line: str
    tool: str
    run_id: str
    author: str
    day: str


def tagged(tags: Iterable[str], tool: str) -> list[str]:
    """The tags of a review with this lesson in place of any before."""
    return [*(tag for tag in tags if not tag.startswith(_TAG)), f"{_TAG}{tool}"]


def learned_tool(turn: FoundTurn) -> str | None:
    """The tool that the turn was said to be a lesson of."""
    tags = turn.review.tags if turn.review else ()
    return next((tag.removeprefix(_TAG) for tag in tags if tag.startswith(_TAG)), None)


def wrong_of_model(turn: FoundTurn, planner: str) -> bool:
    """Whether a model answered, and a person judged it wrong."""
    return turn.engine != planner and turn.review is not None and turn.review.verdict == "wrong"


def line_of(turn: FoundTurn, veil: Veiling, mask: Callable[[str], str]) -> str:
    """The question, with nobody's name and no personal datum, on one line."""
    return " ".join(mask(veil(turn.query, turn.reply).text(turn.query)).split())


def lesson_of(turn: FoundTurn, veil: Veiling, mask: Callable[[str], str]) -> Lesson | None:
    """The lesson of a turn; None where nobody made it one."""
    tool, review = learned_tool(turn), turn.review
    if tool is None or review is None:
        return None
    return Lesson(line_of(turn, veil, mask), tool, turn.run_id, review.author, review.updated_at.date().isoformat())


def write_lessons(folder: Path, lessons: Iterable[Lesson], kept_aside: frozenset[str]) -> list[Lesson]:
    """Add lessons to `folder`/{tool}.txt, each under a remark that says where it came from, and answer those added: one
    that a file holds already, or that is asked in the evaluation (`kept_aside`, compact), is left out.

    Raises OSError.
    """
    known = {compact(line) for path in folder.glob("*.txt") for line in path.read_text(encoding="utf-8").splitlines()}
    added = []
    for lesson in lessons:
        key = compact(lesson.line)
        if not key or key in known or key in kept_aside:
            continue
        known.add(key)
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{lesson.tool}.txt").open("a", encoding="utf-8") as file:
            file.write(f"# {lesson.day} {lesson.author}, run {lesson.run_id}\n{lesson.line}\n")
        added.append(lesson)
    return added

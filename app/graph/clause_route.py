"""The questions of a message that asks several: what each is about, and which tools answer it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from app.graph.turn import StepContext
from app.planner.brief import Clause
from app.planner.questions import is_asked
from app.planner.ranking import DECIDED, SCENE, SUBSTANCE, Ranking

_SEVERAL = 2
# What a question is about: one that names nothing of the kind is about the same as the one before it.
_ABOUT = frozenset(
    ("products", "categories", "benefits", "coverages", "riders", "medical", "claims", "actions", "documents", "names")
)

# Where one names nothing else, the same is asked of it.
_ALIKE = frozenset(("products", "categories", "people", "ages", "genders"))


class Asked(Protocol):
    """The message of a turn, as it was read."""

    @property
    def turn(self) -> StepContext:
        """The turn that it is of."""
        ...

    @property
    def reading(self) -> Mapping[str, Any]:
        """What was read of it."""
        ...

    def by_itself(self, text: str, previous: str | None = None) -> Ranking:
        """The tools for a part of it, behind what was asked before."""
        ...

    def named(self, text: str) -> tuple[str, ...]:
        """The kinds of mention in a part of it."""
        ...


def clauses_of(
    question: Asked, whole: Ranking, rankings: Sequence[tuple[str, Ranking]], tools_each: int
) -> list[Clause]:
    """The questions of a message that asks several, each with what is told in front of it and its tools; none where it
    asks one. `whole` is what the message as a whole asks for, `rankings` what its parts do."""
    found: list[Clause] = []
    words, told = question.turn.services.reader.words, ""
    for text, ranking in rankings:
        if found and words.questions.goes_on.match(text):
            continue
        told = f"{told} {text}".strip()
        if is_asked(words, text) and not SCENE.search(text):
            found.append(_clause(question, whole, told, ranking, found[-1:], tools_each))
            told = ""
    if found and told and question.named(told):  # … 얼마 나와요. 가입하고 2년 됐다 치고
        found[-1] = replace(found[-1], text=f"{found[-1].text} {told}", question=f"{found[-1].question} {told}")
    if len(found) < _SEVERAL:
        return []
    best = [ranking.names(1) for ranking in (whole, *(ranking for _, ranking in rankings))]
    beside = all(clause.bare and not _judges(question, clause.tools) for clause in found[1:])
    if any(_judges(question, tools) for tools in best) and not (beside and _judges(question, found[0].tools)):
        return []  # whoever asks to join is judged by everything that is told
    return found


def _judges(question: Asked, tools: Sequence[str]) -> bool:
    """Whether the best of them judges who asks to join."""
    return any(question.turn.snapshot.declared.has(tool, "judges_joining") for tool in tools[:1])


def as_one(question: Asked, whole: Ranking, rankings: Sequence[tuple[str, Ranking]]) -> bool:
    """Whether the whole says surely what its parts only hint at (사망보험 5천만원짜리 뭐 있고 얼마예요)."""
    bare = all(not question.named(text) for text, _ in rankings[1:])
    of_substance = len(rankings) > 1 and bool(set(question.named(rankings[0][0])) & SUBSTANCE)
    return of_substance and bare and _guessed(rankings[0][1]) and not _guessed(whole)


def _clause(
    question: Asked, whole: Ranking, text: str, ranking: Ranking, before: Sequence[Clause], tools_each: int
) -> Clause:
    """A question of the message, of the same as the one `before` it where it names nothing that it is about."""
    named = set(question.named(text))
    lead = "" if named & _ABOUT or not before else _about(question, before[0].question)
    reader, today = question.turn.services.reader, question.turn.today()
    alike = before and before[0].tools and named <= _ALIKE
    if alike and _guessed(ranking) and reader.only_particulars(text, today):
        # 골라담는은요, behind 뉴스타트 되나요: the same is asked of it
        return Clause(text, text, before[0].tools)
    if not named and not lead and before and not before[0].tools:
        # 며칠 걸리나요, behind 민원은 어디다 넣고: of what was asked before it
        text = f"{before[0].text} {text}"
    if _guessed(ranking) and (lead or not before):
        ranking = question.by_itself(f"{lead} {text}".strip(), None if before else question.reading["previous"])
    if not named and _guessed(ranking) and not whole.no_call:
        ranking = whole
    tools = () if ranking.no_call else ranking.names(tools_each)
    unsure = _guessed(ranking) and bool(named) and not (named & SUBSTANCE or lead)
    return Clause(text, f"{lead} {text}".strip(), tools, unsure, not named)


def _guessed(ranking: Ranking) -> bool:
    """Whether the best tool is only guessed at by the words, or none is meant by them alone."""
    return ranking.no_call or (not ranking.cued and bool(ranking.tools) and ranking.tools[0][1] < DECIDED)


def _about(question: Asked, text: str) -> str:
    """The words of a part of the message that name what it is about."""
    entities = question.turn.services.reader.entities(text, question.turn.today())
    named = sorted((m for kind in _ABOUT for m in getattr(entities, kind) if not m.negated), key=lambda m: m.start)
    apart = [m for n, m in enumerate(named) if all(m.start >= other.end for other in named[:n])]
    return " ".join(m.text for m in apart)

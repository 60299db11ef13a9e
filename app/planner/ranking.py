"""Which tools a message asks for in the light of the talk: the router over the message alone, made to stand alone and
joined to the question before it, with plain cues and the last tool as tie-breakers."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.planner.conversation_model import ConversationModel, Heard, Situation
from app.planner.cues import CueReader
from app.planner.follow_up import asks
from app.routing.router import Route, Router
from app.toolbox.snapshot import ToolSnapshot

Vector = Callable[[str], NDArray[np.float32]]

UNSURE = 0.2
# A cue's tool that the head finds this much less likely than its best one is not meant.
DOUBTED = 0.3
# The no-tool probability from which words are mere talk whatever was said before.
PLAIN_TALK = 0.9
# In a talk that has used tools, a message that names one of these continues it, however little else it says.
SUBSTANCE = frozenset(
    [
        "products",
        "categories",
        "jobs",
        "medical",
        "benefits",
        "riders",
        "actions",
        "ages",
        "money",
        "counts",
        "names",
        "channels",
        "plans",
        "dates",
        "durations",
        "births",
        "genders",
    ]
)
_SCENE = re.compile(r"(있죠|있잖아요?|맞죠|던데요?|거든요)[.?!~ ]*$")


@dataclass(frozen=True)
class Message:
    """A message to rank tools for: as it was asked, made to stand alone, the question before it, its kinds of mention.

    `states`: it asks nothing, it only adds facts. `hints` are tools that the state of the talk speaks for (a rider
    of the list just shown was pointed at, say).
    """

    asked: str
    question: str
    previous: str | None = None
    kinds: tuple[str, ...] = ()
    last_tool: str | None = None
    hints: tuple[str, ...] = ()
    states: bool = False


@dataclass(frozen=True)
class Ranking:
    """Tools with their scores, best first. `sure` is the router's confidence in its best, 0..1; `cued` when the words
    continue the last tool's business plainly."""

    tools: tuple[tuple[str, float], ...]
    no_call: bool
    sure: float
    cued: bool = False

    def names(self, count: int) -> tuple[str, ...]:
        """The best `count` tools."""
        return tuple(name for name, _ in self.tools[:count])


class ConversationRanker:
    """Ranks tools for messages of a talk. Three routes cost about 4 ms."""

    def __init__(self, router: Router, cues: CueReader, model: ConversationModel) -> None:
        self._router, self._cues, self._model = router, cues, model

    def names(self, asked: str, kinds: Sequence[str]) -> tuple[str, ...]:
        """The tools that plain words of the message name outright."""
        return self._cues.tools(asked, kinds)

    def rank(self, message: Message, snapshot: ToolSnapshot, vector: Vector, allowed: Collection[str]) -> Ranking:
        """All allowed tools for a message. `vector` embeds a text (once a turn)."""

        def routed(text: str) -> Route:
            return self._router.route(text, snapshot, vector=vector(text), top_k=len(snapshot), allowed=allowed)

        alone = routed(message.asked)
        standing = routed(message.question) if message.question != message.asked else alone
        joined = routed(f"{message.previous} {message.asked}") if message.previous else standing
        seen = self.situation(message, snapshot, (standing, alone, joined))
        scores = self._model.scores(seen)
        shares = np.exp(scores - scores.max()) if len(scores) else scores
        shares = shares / max(float(shares.sum()), 1e-9)
        order = np.argsort(-scores, kind="stable")
        ranked = tuple((seen.tools[i], float(shares[i])) for i in order)
        cues = [tool for tool in (seen.hint, seen.continuing, *seen.cues) if tool in seen.tools]
        # Rare and plain: 166 of 183 were right on the dialogues, 155 of the model's own choices in their place.
        cued = bool(cues) and cues[0] in (seen.hint, seen.continuing)
        if cued:
            ranked = tuple(sorted(ranked, key=lambda pair: pair[0] != cues[0]))
        news = bool(set(message.kinds) & SUBSTANCE) and message.last_tool in seen.tools
        in_talk = message.last_tool is not None
        no_call = not news and _is_talk(alone, standing, joined, cued=bool(cues), in_talk=in_talk)
        return Ranking(ranked, no_call, _confidence(alone), cued)

    def situation(self, message: Message, snapshot: ToolSnapshot, routes: tuple[Route, Route, Route]) -> Situation:
        """What the model judges: the message among the tools that were routed (standing alone, as asked, joined)."""
        standing, alone, joined = routes
        entries = {entry.name: entry for entry in snapshot.entries}
        return Situation(
            message.asked,
            message.kinds,
            message.states,
            message.last_tool,
            tuple(candidate.tool for candidate in standing.candidates),
            {name: entry.module for name, entry in entries.items()},
            {name: entry.tool.args.keys() for name, entry in entries.items()},
            _heard(standing),
            _heard(alone),
            _heard(joined),
            self._cues.continuing(message.asked, message.kinds, message.last_tool),
            _believed(self._cues.tools(message.asked, message.kinds), alone),
            message.hints[0] if message.hints else None,
        )


def _is_talk(alone: Route, standing: Route, joined: Route, *, cued: bool, in_talk: bool) -> bool:
    """Whether a message that brings nothing new asks for no tool. In a talk, words that are not plainly mere talk
    (뇌 관련만 찾아주세요) count as a question where they are one together with the question before."""
    if not (alone.no_call and standing.no_call):
        return False
    if cued:
        return min(route.no_call_score for route in (alone, standing, joined)) >= PLAIN_TALK
    return not in_talk or joined.no_call or alone.no_call_score >= PLAIN_TALK


def _believed(cues: Sequence[str], route: Route) -> tuple[str, ...]:
    """The cues that the trained head does not plainly speak against: a word is only a word."""
    heads = {c.tool: c.sources["head"].score for c in route.candidates if "head" in c.sources}
    best = max(heads.values(), default=0.0)
    return tuple(tool for tool in cues if best - heads.get(tool, best) < DOUBTED)


def _heard(route: Route) -> Heard:
    return Heard(
        {c.tool: c.score for c in route.candidates},
        {c.tool: c.sources["head"].score for c in route.candidates if "head" in c.sources},
    )


def _confidence(route: Route) -> float:
    """The best share that the trained head gives any tool; 1 where there is no head to ask."""
    heads = [c.sources["head"].score for c in route.candidates if "head" in c.sources]
    return max(heads, default=1.0)


def parts_of(rankings: Sequence[tuple[str, Ranking]], tools_each: int) -> list[tuple[str, tuple[str, ...]]]:
    """The parts of a message that surely ask for something, each with its best tools; the surest one when none is
    sure."""
    asking = [(text, ranking) for text, ranking in rankings if not ranking.no_call and ranking.tools]
    if len(asking) > 1:
        # '아버지가 돌아가셨습니다.' or 'V 붙은 치아보험 있죠?' sets the scene for what is asked beside it.
        asking = [(text, r) for text, r in asking if asks(text) and not _SCENE.search(text)] or asking
    kept = [(text, ranking) for text, ranking in asking if ranking.sure >= UNSURE]
    if not kept and asking:
        kept = [max(asking, key=lambda pair: pair[1].sure)]
    return _distinct([(text, ranking.names(tools_each), ranking.sure) for text, ranking in kept])


def _distinct(parts: Sequence[tuple[str, tuple[str, ...], float]]) -> list[tuple[str, tuple[str, ...]]]:
    """Two parts ask for two things: where both have the same best tool, the less sure part means its next best."""
    surest: dict[str, float] = {}
    for _, tools, sure in parts:
        surest[tools[0]] = max(sure, surest.get(tools[0], 0.0))
    return [(text, tools if sure == surest[tools[0]] or len(tools) < 2 else tools[1:]) for text, tools, sure in parts]

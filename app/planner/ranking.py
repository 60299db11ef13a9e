"""Which tools a message asks for in the light of the talk: the router over the message alone, made to stand alone and
joined to the question before it, with plain cues and the last tool as tie-breakers."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.language.kernel_heads import HeardText
from app.planner.conversation_model import ConversationModel
from app.planner.cues import CueReader
from app.planner.follow_up import asks
from app.planner.situation import Heard, Situation
from app.routing.router import Router, Standing
from app.toolbox.snapshot import ToolSnapshot


class Reads(Protocol):
    """What reads each text once a turn."""

    def heard(self, text: str) -> HeardText:
        """The text analysed."""
        ...

    def vector(self, text: str) -> NDArray[np.float32]:
        """The text embedded."""
        ...


UNSURE = 0.2
# A share from which the model needs no cue.
DECIDED = 0.7
# A cue's tool that the head finds this much less likely than its best one is not meant.
DOUBTED = 0.3
# From this share of the head, this far before the next tool's, a message is not read joined to the one before it: on
# 1,798 turns of seven sets that changed the first tool of three, and that reading costs as much as the message's own.
PLAIN, PLAIN_LEAD, PLAIN_TALK = 0.45, 0.25, 0.3
# What an insurer works with: a message that names one of these in a talk is rarely mere talk.
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
# 심사 되나요? 보험료도 같이: asked for beside what was asked.
_ALSO = re.compile(r"도\s?(?:같이|함께|좀|요|한번|부탁(?:해요|드려요|드립니다)?)?[.!~ ]*$")
SCENE = re.compile(r"(있죠|있잖아요?|맞죠|던데요?|거든요)[.?!~ ]*$")


@dataclass(frozen=True)
class Message:
    """A message to rank tools for: as it was asked, made to stand alone, the question before it, its kinds of mention.

    `states`: it asks nothing, it only adds facts. `hints` are tools that the state of the talk speaks for (a rider
    of the list just shown was pointed at, say); `follow_up` is the tool that it goes on with by its form, `known` the
    arguments that the facts fill, `tells` what the message tells of people (conditions, motives), `asking` its words
    without those that tell it; `story` the message that it is a part of.
    """

    asked: str
    question: str
    previous: str | None = None
    kinds: tuple[str, ...] = ()
    last_tool: str | None = None
    hints: tuple[str, ...] = ()
    states: bool = False
    follow_up: str | None = None
    known: tuple[str, ...] = ()
    tells: tuple[str, ...] = ()
    asking: str = ""
    story: str = ""


@dataclass(frozen=True)
class Ranking:
    """Tools with their shares, best first. `no_call`: no tool at all is likelier than any of them. `sure` is the
    router's confidence in its best, 0..1; `cued` when plain words or the state of the talk speak for the best one."""

    tools: tuple[tuple[str, float], ...]
    no_call: bool
    sure: float
    cued: bool = False

    def names(self, count: int) -> tuple[str, ...]:
        """The best `count` tools."""
        return tuple(name for name, _ in self.tools[:count])


class ConversationRanker:
    """Ranks tools for messages of a talk. A route costs about 2 ms; there are one to three."""

    def __init__(self, router: Router, cues: CueReader, model: ConversationModel) -> None:
        self._router, self._cues, self._model = router, cues, model

    def over(self, router: Router) -> ConversationRanker:
        """The same judgement over another router (a tool set that is tried out)."""
        return ConversationRanker(router, self._cues, self._model)

    def names(self, asked: str, kinds: Sequence[str]) -> tuple[str, ...]:
        """The tools that plain words of the message name outright."""
        return self._cues.tools(asked, kinds)

    def rank(self, message: Message, snapshot: ToolSnapshot, turn: Reads, allowed: Collection[str]) -> Ranking:
        """All allowed tools for a message. `turn` reads and embeds a text once."""

        def routed(text: str) -> Standing:
            heard, vector = turn.heard(text), turn.vector(text)
            return self._router.standing(text, snapshot, vector=vector, heard=heard, allowed=allowed)

        alone = routed(message.asked)
        standing = routed(message.question) if message.question != message.asked else alone
        joined = standing
        if message.previous and not _plain(alone):
            joined = routed(f"{message.previous} {message.asked}")
        seen = self.situation(message, snapshot, (standing, alone, joined), turn)
        scores = self._model.scores(seen)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        order = np.argsort(-scores[:-1], kind="stable")
        ranked = tuple((seen.tools[i], float(shares[i])) for i in order)
        if seen.continuing in seen.tools and float(shares.max()) < DECIDED:
            # 며칠이나 걸리나요, after a loan: where the model was that unsure 13 of 16 such cues were right on the
            # dialogues, where it was surer 5 of 29.
            ranked = tuple(sorted(ranked, key=lambda pair: pair[0] != seen.continuing))
        best = ranked[0][0] if ranked else None
        instead = self._instead(best, message) if best else None
        if instead in seen.tools:
            ranked = tuple(sorted(ranked, key=lambda pair: pair[0] != instead))
            return Ranking(ranked, False, 1.0, True)
        cued = best is not None and best in (seen.hint, seen.continuing)
        return Ranking(ranked, int(scores.argmax()) == len(seen.tools), _confidence(alone), cued)

    def _instead(self, best: str, message: Message) -> str | None:
        """The tool that plain words mean in place of `best`. Where people are told of, only what asks counts: 결과는
        다음 주에 나와요 asks for no money."""
        kinds = (*message.kinds, *message.tells)
        last, story = message.last_tool, message.story
        return self._cues.instead(best, message.asked, kinds, last, story) or (
            self._cues.instead(best, message.asking, kinds, last, story) if message.asking and message.tells else None
        )

    def situation(
        self, message: Message, snapshot: ToolSnapshot, routes: tuple[Standing, Standing, Standing], turn: Reads
    ) -> Situation:
        """What the model judges: the message among the tools that were routed (standing alone, as asked, joined)."""
        standing, alone, joined = routes
        return Situation(
            message.asked,
            message.kinds,
            message.states,
            message.last_tool,
            standing.tools,
            snapshot.modules,
            snapshot.arguments,
            Heard(standing.fused, standing.share),
            Heard(alone.fused, alone.share),
            Heard(joined.fused, joined.share),
            self._cues.continuing(message.asked, message.kinds, message.last_tool),
            _believed(self._cues.tools(message.asked, message.kinds), alone),
            message.hints[0] if message.hints else None,
            snapshot.required,
            message.known,
            message.follow_up,
            (standing.no_call_score, alone.no_call_score, joined.no_call_score),
            bool(set(message.kinds) & SUBSTANCE),
            turn.heard(message.asked).analysis.features,
        )


def _believed(cues: Sequence[str], standing: Standing) -> tuple[str, ...]:
    """The cues that the trained head does not plainly speak against: a word is only a word."""
    best = max(standing.share.values(), default=0.0)
    return tuple(tool for tool in cues if best - standing.share.get(tool, best) < DOUBTED)


def _plain(alone: Standing) -> bool:
    """The message says by itself what it asks for."""
    best, second = sorted([*alone.share.values(), 0.0, 0.0], reverse=True)[:2]
    return best >= PLAIN and best - second > PLAIN_LEAD and alone.no_call_score < PLAIN_TALK


def _confidence(standing: Standing) -> float:
    """The best share that the trained head gives any tool; 1 where there is no head to ask."""
    return max(standing.share.values(), default=1.0)


def parts_of(rankings: Sequence[tuple[str, Ranking]], tools_each: int) -> list[tuple[str, tuple[str, ...]]]:
    """The parts of a message that surely ask for something, each with its best tools; the surest one when none is
    sure."""
    asking = [(text, ranking) for text, ranking in rankings if not ranking.no_call and ranking.tools]
    if len(asking) > 1:
        # '아버지가 돌아가셨습니다.' or 'V 붙은 치아보험 있죠?' sets the scene for what is asked beside it.
        meant = [(text, r) for text, r in asking if asks(text) or _ALSO.search(text)]
        asking = [(text, r) for text, r in meant if not SCENE.search(text)] or asking
    kept = [(text, ranking) for text, ranking in asking if ranking.sure >= UNSURE]
    if not kept and asking:
        kept = [max(asking, key=lambda pair: pair[1].sure)]
    return [(text, ranking.names(tools_each)) for text, ranking in kept]

"""The planner's loop: what to do next, given the question, the facts, the tools at hand and what they found so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.brief import Brief, finished_calls, read_brief
from app.planner.calls import MAX_FAN_OUT, CallPlanner
from app.planner.goals import choose
from app.planner.moves import Done, Move, Say
from app.planner.signatures import read_signature
from app.planner.speak import TOGETHER, Speaker
from app.planner.talk import Talker
from app.tools.needs import AGE
from app.tools.results import NeedsInput

FOR_THE_AGE = "나이(만, 세)를 알려 주시면 그 나이에 가입할 수 있는 상품만 골라 드릴게요."
_MAY_JOIN = re.compile(r"들 ?수|들어 ?줄|가입|되나|될까|들어도|들려")
_TOTAL = re.compile(r"합쳐|합치|합하|합계|합게|총|다 해서|전부 얼마|모두 얼마|얹으면|같이 들면")


class Planner:
    """Deterministic: the same messages and tools always give the same move. It invents no figure."""

    def __init__(self, catalogue: Catalogue, entities: EntityReader, speaker: Speaker, talker: Talker) -> None:
        self._entities, self._speaker, self._talker = entities, speaker, talker
        self._call_planner = CallPlanner(catalogue, entities)

    def next(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Move:
        """The next move of this turn. `messages[0]` carries the brief; `tools` are the bound ones, best first."""
        brief = read_brief(messages)
        asked = brief.asked
        entities = self._entities.read(brief.question, brief.today)
        said = self._entities.read(asked, brief.today)
        done = finished_calls(messages)
        signatures = {signature.name: signature for signature in map(read_signature, tools)}
        if not done:
            if refusal := self._talker.refusal(asked):
                return refusal
            if brief.no_call or not signatures or self._talker.prefers(asked, brief, said):
                return self._talker.answer(asked, messages)
        goals = choose(asked, brief.parts, signatures, entities, brief.facts, brief.follow_up_of)
        plan = self._call_planner.plan(goals, signatures, brief, done)
        if plan.calls and len(done) < 2 * MAX_FAN_OUT:
            return tuple(plan.calls)
        if done:
            facts = brief.facts.model_dump(mode="json", exclude_defaults=True)
            told = self._speaker.tell(done, facts, show_codes=brief.show_codes, total=bool(_TOTAL.search(asked)))
            return self._with_age_asked(told, done, brief, asked)
        if plan.missing and not self._talker.knows(asked):
            question = self._speaker.ask(NeedsInput(fields=tuple(plan.missing.values()), reason=TOGETHER))
            return replace(question, pending=goals[0].tool)
        return self._talker.answer(asked, messages)

    def _with_age_asked(self, told: Say, done: Sequence[Done], brief: Brief, asked: str) -> Say:
        """Whether a person may join cannot be told from a list of products alone: the age decides."""
        facts = brief.facts
        known = facts.age is not None or facts.birth_year is not None or facts.who is None
        searched = all(item.tool == "product_search" and item.ok for item in done)
        if known or not searched or not _MAY_JOIN.search(asked) or told.asks:
            return told
        asks = NeedsInput(fields=(AGE,), reason=FOR_THE_AGE)
        return replace(told, text=f"{told.text}\n{FOR_THE_AGE}", asks=asks)

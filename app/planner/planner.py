"""The planner's loop: what to do next, given the question, the facts, the tools at hand and what they have found so far."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.arguments import View, fill
from app.planner.facts import Facts
from app.planner.goals import Goal, choose
from app.planner.knowledge import KnowledgeBase
from app.planner.moves import Call, Done, Move, Say
from app.planner.signatures import Signature, read_signature
from app.planner.small_talk import SmallTalk, Talk
from app.planner.speak import Speaker
from app.tools.needs import product_field, text_field
from app.tools.results import NeededField, NeedsInput

MAX_FAN_OUT = 4
UNKNOWN = (
    "그 내용은 제가 가진 자료로는 정확히 답하기 어려워요. 상품 이름이나 궁금한 보장을 조금 더 적어 주시거나, "
    "상담원 연결을 요청해 주세요."
)
_TOTAL = re.compile(r"합쳐|합하면|합계|합게|총|다 해서|전부 얼마|모두 얼마|얹으면|같이 들면")
_SHORTENED = 2
_MEANING = re.compile(r"(뭐예요|뭐에요|뭐야|뭐죠|뭔가요|뭔지|뭐임|무엇|무슨 ?(뜻|말|의미|소리)|뜻이|의미가|차이|왜 |어떻게 다른|다른 ?(거|점|건)|좋은 ?(거|건가|가요))")
# Tools that answer such questions themselves, and better.
_DEFINING = frozenset({"diagnosis_definition_lookup", "icd_mapping_lookup", "rag_terms_query_engine"})
_SURE = 0.6
_ARGUMENT_LABELS = {
    "event": "어떤 일이 있었는지", "benefit": "보장 이름", "history": "병력이나 치료 내용", "job": "직업", "term": "용어",
    "code_or_name": "질병 이름 또는 코드", "rider": "특약 이름", "keyword": "찾는 말", "text": "확인할 문장", "goal": "목적",
    "monthly_budget": "월 예산(원)", "action": "하려는 일", "topic": "주제", "case_summary": "상담 내용",
    "coverage_type": "보장 종류", "query": "찾을 내용",
}


@dataclass(frozen=True)
class Brief:
    """What the agent node tells the planner beside the words (see graph/agent.py)."""

    facts: Facts
    question: str
    bound: tuple[str, ...]
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    no_call: bool
    show_codes: bool
    today: date
    follow_up_of: str | None


class Planner:
    """Deterministic: the same messages and tools always give the same move. It invents no figure."""

    def __init__(
        self, catalogue: Catalogue, entities: EntityReader, speaker: Speaker, small_talk: SmallTalk, knowledge: KnowledgeBase
    ) -> None:
        self._catalogue, self._entities, self._speaker = catalogue, entities, speaker
        self._small_talk, self._knowledge = small_talk, knowledge

    def next(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Move:
        """The next move of this turn. `messages[0]` carries the brief."""
        brief = _brief(messages[0])
        asked = next((str(m.content) for m in reversed(messages) if isinstance(m, HumanMessage)), "")
        done = _done(messages)
        signatures = {signature.name: signature for signature in map(read_signature, tools)}
        if not done:
            if refusal := self._small_talk.refusal(asked):
                return Say(refusal.text)
            if brief.no_call or not signatures or self._asks_for_a_meaning(brief, asked):
                return self._talk(asked, messages)
        goals = choose(brief.parts, signatures, self._entities.read(brief.question, brief.today), brief.facts, brief.follow_up_of)
        calls, missing = self._calls(goals, signatures, brief, done)
        if calls and len(done) < MAX_FAN_OUT * 2:
            return calls
        if not done and missing:
            asked_back = self._speaker.ask(NeedsInput(fields=missing, reason="정확히 안내해 드리려면 확인이 필요해요."))
            return replace(asked_back, pending=goals[0].tool)
        if not done:
            return self._talk(asked, messages)
        facts = brief.facts.model_dump(mode="json", exclude_defaults=True)
        return self._speaker.tell(done, facts, show_codes=brief.show_codes, total=bool(_TOTAL.search(asked)))

    def _calls(
        self, goals: Sequence[Goal], signatures: dict[str, Signature], brief: Brief, done: Sequence[Done]
    ) -> tuple[tuple[Call, ...], tuple[NeededField, ...]]:
        """The calls that can be made now and have not been made, and the fields that keep the others from being made."""
        calls: list[Call] = []
        missing: dict[str, NeededField] = {}
        for goal in goals:
            made = [d for d in done if d.tool == goal.tool]
            if made and not (goal.tool == "product_search"):
                continue
            signature = signatures[goal.tool]
            view = View(goal.question, self._entities.read(goal.question, brief.today), brief.facts, goal.tool, goal.same_tool)
            base = fill(view, signature.arguments)
            if "product_code" in signature.arguments:
                codes = self._products(goal, brief, view, done)
                if not codes and "product_code" in signature.required:
                    search = self._search_first(view, signatures, done)
                    if search:
                        calls.append(search)
                    elif not done:
                        field = product_field(self._catalogue)
                        missing[field.name] = field
                    continue
                wanted = [{**base, "product_code": code} for code in codes] or [base]
            elif "product_codes" in signature.arguments:
                codes = self._products(goal, brief, view, done, at_least=2)
                wanted = [{**base, "product_codes": list(codes)}] if len(codes) > 1 else []
                if not wanted:
                    search = self._search_first(view, signatures, done)
                    if search:
                        calls.append(search)
                    elif not done:
                        field = product_field(self._catalogue, name="product_codes", label="비교할 상품")
                        missing[field.name] = field
            else:
                wanted = [base]
            for args in self._each_person(wanted, signature, brief):
                lacking = [name for name in signature.required if name not in args]
                for name in lacking:
                    missing[name] = text_field(name, _ARGUMENT_LABELS.get(name, name))
                if not lacking and not any(d.tool == goal.tool and _same(d.args, args) for d in done):
                    calls.append(Call(goal.tool, args))
        return _unique(calls), tuple(missing.values())

    def _products(self, goal: Goal, brief: Brief, view: View, done: Sequence[Done], at_least: int = 1) -> tuple[str, ...]:
        """The products asked about: those in focus, those just found, or those shown last when several are needed."""
        found = next((d for d in reversed(done) if d.tool == "product_search" and d.ok), None)
        if found is not None and goal.tool != "product_search" and not view.entities.product_codes:
            codes = tuple(str(line["code"]) for line in found.data.get("products", ()))
            return codes[:MAX_FAN_OUT]
        focus = tuple(brief.facts.product_codes or ())
        if len(focus) < at_least:
            focus = tuple(dict.fromkeys((*focus, *(brief.facts.shown_products or ()))))
        if view.entities.product_codes and at_least == 1:
            focus = tuple(code for code in focus if code in view.entities.product_codes) or focus
        if _category_only(view) and not focus:
            return self._shown_of_kind(view)
        return focus[:MAX_FAN_OUT]

    def _shown_of_kind(self, view: View) -> tuple[str, ...]:
        """The products of the named kind that were shown last; none when they have to be searched first."""
        kinds = {m.category for m in view.entities.categories if m.category and not m.negated}
        shown = view.facts.shown_products
        fitting = tuple(code for code in shown if self._catalogue.product(code).category in kinds)
        return fitting[:MAX_FAN_OUT] if fitting and len(fitting) == len(shown) else ()

    def _search_first(self, view: View, signatures: dict[str, Signature], done: Sequence[Done]) -> Call | None:
        """A kind of insurance instead of a product was named: find its products first."""
        if any(d.tool == "product_search" for d in done) or not any(m.category and not m.negated for m in view.entities.categories):
            return None
        if "product_search" not in signatures:
            return None
        searching = View(view.question, view.entities, view.facts, "product_search", False)
        return Call("product_search", fill(searching, signatures["product_search"].arguments))

    def _each_person(self, wanted: list[dict[str, Any]], signature: Signature, brief: Brief) -> list[dict[str, Any]]:
        """Two people meant at once are asked for one after the other."""
        meant = [brief.facts.person(who) for who in brief.facts.meant]
        people = [person.model_dump(exclude_none=True) for person in meant if person is not None]
        if len(people) < 2 or "age" not in signature.arguments:
            return wanted
        return [
            {**args, **{key: value for key, value in person.items() if key in signature.arguments}}
            for args in wanted for person in people
        ]

    def _asks_for_a_meaning(self, brief: Brief, asked: str) -> bool:
        """What a general word means is answered from the glossary, unless the policy's own definition is asked for."""
        if not _MEANING.search(asked) or (brief.parts and brief.parts[0][1][0] in _DEFINING):
            return False
        entities = self._entities.read(asked, brief.today)
        if entities.products or entities.references or entities.medical or brief.follow_up_of:
            return False
        found = self._knowledge.answer(asked)
        return found is not None and found.share >= _SURE

    def _talk(self, asked: str, messages: Sequence[BaseMessage]) -> Say:
        """An answer without tools: small talk, the glossary and the questions people ask, or an honest 'I do not know'."""
        found = self._knowledge.answer(asked)
        if talk := self._small_talk.reply(asked):
            if not (found and found.share > 0.75 and talk.kind in ("acknowledge", "repeat", "simplify")):
                return self._small(talk, messages)
        if found:
            return Say(f"{found.text}\n(근거: {found.source})", grounds=(found.text, found.source))
        return Say(UNKNOWN)

    def _small(self, talk: Talk, messages: Sequence[BaseMessage]) -> Say:
        if talk.use is None:
            return Say(talk.text)
        last = next((str(m.content) for m in reversed(messages) if isinstance(m, AIMessage) and not m.tool_calls and m.content), None)
        if last is None:
            return Say("아직 안내해 드린 내용이 없어요. 궁금한 점을 먼저 말씀해 주세요.")
        lines = [line for line in last.splitlines() if line.strip()]
        shown = lines[:_SHORTENED] if talk.use == "last_answer_short" else lines
        return Say("\n".join([talk.text, *shown]))


def _category_only(view: View) -> bool:
    """A kind was named and no product: the product in focus is not the one meant (unless the kind just repeats it)."""
    return bool([m for m in view.entities.categories if not m.negated]) and not view.entities.products and not view.entities.references


def _same(before: dict[str, Any], now: dict[str, Any]) -> bool:
    return {k: v for k, v in before.items() if v is not None} == now


def _unique(calls: Sequence[Call]) -> tuple[Call, ...]:
    kept: list[Call] = []
    for call in calls:
        if call not in kept:
            kept.append(call)
    return tuple(kept)


def _brief(message: BaseMessage) -> Brief:
    raw = message.additional_kwargs["brief"]
    return Brief(
        facts=Facts.model_validate(raw["facts"]),
        question=raw["question"],
        bound=tuple(raw["bound"]),
        parts=tuple((part["question"], tuple(part["tools"])) for part in raw["parts"]),
        no_call=raw["no_call"],
        show_codes=raw["show_codes"],
        today=date.fromisoformat(raw["today"]),
        follow_up_of=raw.get("follow_up_of"),
    )


def _done(messages: Sequence[BaseMessage]) -> list[Done]:
    """The calls of this turn with what they found."""
    turn: list[BaseMessage] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            break
        turn.insert(0, message)
    args = {call["id"]: call["args"] for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
    return [
        Done(str(m.name), args.get(m.tool_call_id, {}), (m.artifact or {}).get("kind", "Text"), (m.artifact or {}).get("data", {}))
        for m in turn if isinstance(m, ToolMessage)
    ]

"""The planner's loop: what to do next, given the question, the facts, the tools at hand and what they found so far."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage

from app.answering.answering import Answering
from app.answering.holders import several_holders
from app.answering.repeating import fitting_lines, repeats, told_already
from app.answering.wording import Answered
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.plain_words import PlainWords
from app.planner.brief import Brief, finished_calls, read_brief
from app.planner.calls import CallPlanner, Plan
from app.planner.clauses import Clauses
from app.planner.deadlines import Deadlines
from app.planner.direct_answers import DirectAnswers
from app.planner.follow_up import asks
from app.planner.goals import Goal, choose
from app.planner.holdings import contracts_first, namesake_told, without_namesakes
from app.planner.knowledge import AHEAD, LIKELY, NEARLY
from app.planner.look_up import LookUp
from app.planner.moves import Done, Move, Say
from app.planner.news import NewsReader
from app.planner.not_paid import NOT_PAID, NotPaid
from app.planner.operated import called_by_name, repeats_a_part, say, takes_it_up, told_before
from app.planner.planner_turn import PlannerTurn, read_turn
from app.planner.products_meant import MAX_FAN_OUT
from app.planner.records import of_what_was_shown
from app.planner.result_answers import ResultAnswers
from app.planner.speak import TOGETHER, Speaker
from app.planner.talk import Talker, last_answer, last_answers, means_a_word, said_before
from app.planner.told import ToldJudge
from app.planner.words import PlannerWords
from app.tools.results import NeedsInput

_EARLIER = 3


class Planner:
    """Deterministic: the same messages and tools always give the same move. It invents no figure."""

    def __init__(
        self,
        catalogue: Catalogue,
        entities: EntityReader,
        speaker: Speaker,
        talker: Talker,
        told: ToldJudge,
        plain: PlainWords,
        look_up: LookUp,
        news: NewsReader,
        answering: Answering,
        deadlines: Deadlines,
        words: PlannerWords,
        not_paid: NotPaid,
    ) -> None:
        self._entities, self._speaker, self._talker = entities, speaker, talker
        self._look_up, self._news, self._answering, self._words = look_up, news, answering, words
        self._call_planner = CallPlanner(catalogue, entities, told, plain, words)
        self._direct = DirectAnswers(
            catalogue, entities, speaker, talker, look_up, answering, deadlines, words, self._call_planner
        )
        self._clauses = Clauses(speaker, answering, entities)
        self._from_results = ResultAnswers(catalogue, speaker, talker, answering, words, not_paid)

    def next(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Move:
        """The next move of this turn. `messages[0]` carries the brief; `tools` are the bound ones, best first."""
        brief = read_brief(messages)
        found = without_namesakes(finished_calls(messages))

        def moved(part: Brief, done: Sequence[Done]) -> Move:
            return self._move(read_turn(part, messages, tools, self._entities, self._answering, done))

        move = (self._clauses.move(brief, found, moved) if brief.clauses else None) or moved(brief, found)
        if isinstance(move, Say) and (move.operator or len(brief.facts.meant) > 1):
            move = called_by_name(move, brief.facts)
        if not isinstance(move, Say) or brief.staff or brief.facts.customer_name or brief.facts.customer_id:
            return move
        news = self._news.first_told(brief.asked, messages)
        if news is None:
            return move
        text = f"{news.sentence} {news.offer}" if move.idle else f"{news.sentence}\n\n{move.text}"
        return replace(move, text=text, grounds=(*move.grounds, news.sentence, news.offer))

    def _move(self, turn: PlannerTurn) -> Move:
        """What was looked up, what needs no tool, the calls to make, the answer from them, or what is lacking."""
        brief, done = turn.brief, turn.done
        if turn.only_looked_up:
            found = self._look_up.answer(turn.looked, turn.products)
            if found or brief.no_call:
                return found or self._look_up.unknown()
            # what it seemed to ask for at first goes on
        if namesake := namesake_told(turn.signatures, brief, turn.said, done):
            return (namesake,)
        if own := self._of_own_contracts(turn):
            return own
        held = (
            None
            if done
            else self._answering.of_contracts(turn.said, turn.shown, brief.facts.product_codes, today=brief.today)
        )
        anew = None if done or held else self._answering.anew(turn.said, turn.shown, told_before(turn))
        first = not done and not turn.looked and not turn.of_a_loaded_tool
        if first and (direct := self._direct.answer(turn, held, anew)):
            return direct
        if turn.of_a_loaded_tool and not done and (field := of_what_was_shown(brief, turn.messages)):
            return field
        goals = self._goals(turn)
        if headings := self._headings(turn, goals):
            return self._look_up.calls(" ".join(headings), None, brief.lookups) or self._look_up.unknown()
        plan = self._call_planner.plan(goals, turn.signatures, brief, done)
        if len(plan.calls) > 1 and any(shown.held for shown in turn.shown) and brief.facts.customer_id:
            # the contracts of the customer spoken of are known
            plan.calls = [c for c in plan.calls if not brief.declared.has(c.tool, "looks_up_customer")] or plan.calls
        if turn.shown and several_holders(turn.shown[0].items) and not turn.said.product_codes:
            plan.calls = [c for c in plan.calls if not brief.declared.has(c.tool, "quotes")]  # it stands in them
        if over := self._instead_of_calls(turn, plan, held, anew):
            return say(over)
        if known := self._instead_of_little(turn, plan, goals):
            return known
        if plan.calls and len(done) < 2 * MAX_FAN_OUT:
            return tuple(plan.calls)
        return self._answer(turn, plan, goals) if done else self._without_calls(turn, plan, goals)

    def _of_own_contracts(self, turn: PlannerTurn) -> Move | None:
        """The look-up of the customer named, or what their contracts just found tell, where just that is asked."""
        opens = self._answering.opens_contracts(turn.said)
        if not (opens or self._answering.asks_of_a_contract(turn.said)):
            return None
        best = turn.brief.parts[0][1][0] if turn.brief.parts else None
        if first := contracts_first(turn.signatures, turn.brief, turn.said, turn.done):
            return (first,)
        brief = turn.brief
        alone = len(brief.parts) < 2 and (brief.earlier is None or brief.declared.has(best, "looks_up_customer"))
        found = turn.done and alone and all("contracts" in item.data for item in turn.done)
        if not found:
            return None
        focus = brief.facts.product_codes
        told = self._answering.of_contracts(turn.said, turn.shown, focus, today=brief.today, just_found=True)
        if told and told.settled:
            return say(told)
        return self._from_results.answer(turn, Plan(), ()) if opens else None

    def _goals(self, turn: PlannerTurn) -> tuple[Goal, ...]:
        """What the message asks for, a tool each."""
        brief = turn.brief
        return choose(
            brief.answered or turn.asked,
            brief.parts,
            turn.signatures,
            self._entities.read(brief.question, brief.today),
            brief.facts,
            brief.follow_up_of or brief.again,
            brief.declared,
            cued=brief.cued,
        )

    def _headings(self, turn: PlannerTurn, goals: Sequence[Goal]) -> tuple[str, ...]:
        """What was just said, to be looked up, where the message asks where it is written; empty elsewhere."""
        if not turn.brief.points_back or turn.done or turn.looked:
            return ()
        written = turn.brief.dialogue.headings()
        searched = written and any("query" in turn.signatures[goal.tool].arguments for goal in goals)
        return () if searched else written

    def _instead_of_calls(
        self, turn: PlannerTurn, plan: Plan, held: Answered | None, anew: Answered | None
    ) -> Answered | None:
        """The answer over what was shown, where the calls would say nothing that is newer."""
        if held is not None and not (held.beside and plan.calls):
            newest = turn.shown[0]
            of_tools = not newest.held and any(call.tool in newest.tools for call in plan.calls)
            if held.operator == "lookup" or not of_tools:
                return held  # premiums of contracts are read, not estimated anew
        if repeats_a_part(turn, plan.calls) and (over := self._answering.of_the_table(turn.said, turn.shown)):
            return over
        if anew is None:
            return None
        fresh = [call for call in plan.calls if turn.brief.told.get(call.tool) != call.args]
        return None if any(takes_it_up(call.tool, turn.signatures, turn.shown) for call in fresh) else anew

    def _instead_of_little(self, turn: PlannerTurn, plan: Plan, goals: Sequence[Goal]) -> Say | None:
        """The general question that the message is nearly worded as, where it fills nothing of the calls, or would be
        answered by a question for something that it does not name."""
        done, brief = turn.done, turn.brief
        if brief.facts.last_tool or turn.of_a_loaded_tool or brief.cued or any(item.args for item in done):
            return None
        tools = {goal.tool for goal in goals}
        if not done and plan.calls:
            little = not (turn.looked or any(call.args for call in plan.calls))
            return self._talker.instead(turn.asked, turn.said, tools, LIKELY) if little and brief.unsure else None
        if not (all(item.kind == "NeedsInput" for item in done) if done else plan.missing):
            return None
        ahead, least = (AHEAD, NEARLY) if done or brief.unsure else (math.inf, LIKELY)
        return self._talker.instead(turn.asked, turn.said, tools, least, ahead)

    def _answer(self, turn: PlannerTurn, plan: Plan, goals: Sequence[Goal]) -> Move:
        """The answer from what was found, behind the verdict that it is too late; never the one before again."""
        told = self._from_results.answer(turn, plan, goals)
        due = self._direct.due(turn, said_before(turn.messages, turn.brief.previous))
        if due and any(item.tool in due.tools for item in turn.done):
            told = replace(told, text=f"{due.text}\n\n{told.text}", grounds=(*told.grounds, due.text))
        return self._not_again(told, turn)

    def _not_again(self, told: Say, turn: PlannerTurn) -> Move:
        """Where an answer would be one before again: only its lines that are asked for, else what the word means that
        is asked about, else what the documents say where it asks for something, else that nothing changes."""
        brief = turn.brief
        if brief.earlier is not None or told.operator == NOT_PAID:
            return told  # one question of several: the answer to all of them is no other's
        earlier = last_answers(turn.messages, _EARLIER)
        asked_anew = any(item.ok and brief.told.get(item.tool) == item.args for item in turn.done)
        again = bool(earlier) and repeats(earlier[0], told.text)
        # What was told to somebody who only told something (남편이 죽었어요) may be asked for then.
        asked_before = brief.previous is not None and asks(brief.previous)
        if not again and not (asked_anew and asked_before and told_already(earlier, told.text)):
            return told
        if told.operator and told.reckoned and not repeats(earlier[0], told.reckoned):
            return replace(told, text=told.reckoned)  # 다시 둘이 합치면: the sum, and no more
        if self._answering.asks_meaning(turn.said) and (meaning := self._talker.answer(brief, turn.messages)):
            return meaning
        apart = self._answering.told_apart(turn.said, told.text, brief.previous or "")
        if lines := apart or self._answering.lines(turn.said, told.text) or fitting_lines(told.text, brief.asked):
            return replace(told, text="\n".join(lines))
        if named := self._answering.named(turn.said, turn.shown):
            return say(named)
        if not again and not self._look_up.stands_alone(brief.asked):
            return told  # 어디다 말해요: a few words would only find the same once more
        asks_on = not turn.looked and asks(brief.asked)
        if asks_on and (calls := self._look_up.calls(brief.asked, brief.previous, brief.lookups, brief.among)):
            return calls
        return self._look_up.answer(turn.looked, turn.products) or self._look_up.same(told.text)

    def _without_calls(self, turn: PlannerTurn, plan: Plan, goals: Sequence[Goal]) -> Move:
        """What is said where nothing can be called: from what was shown, what the talk knows, or a question for what is
        missing."""
        brief, said, asked, talker = turn.brief, turn.said, turn.asked, self._talker
        if not plan.missing:
            return talker.answer(brief, turn.messages) or self._look_up.unknown()
        if over := self._answering.over(said, turn.shown, told_before(turn)):
            return say(over)
        if lines := self._answering.lines(said, last_answer(turn.messages)):
            return Say("\n".join(lines))
        if turn.of_a_loaded_tool:
            return self._question(plan, goals, turn)
        if brief.unsure and not turn.only_looked_up and asks(asked):
            # A tool that is only guessed at is not asked back for before the documents were looked into.
            known = talker.answer(brief, turn.messages) if talker.knows(asked) else None
            return known or self._direct.looked_up(turn)
        only_product = plan.missing.keys() <= {"product_code", "product_codes"}
        by_talk = means_a_word(asked) and talker.knows(asked, only_product=only_product)
        if by_talk and not self._asks_amount(turn, goals):
            return talker.answer(brief, turn.messages) or self._look_up.unknown()
        return self._question(plan, goals, turn)

    def _asks_amount(self, turn: PlannerTurn, goals: Sequence[Goal]) -> bool:
        """Whether a sum or something of a product is asked for, not what a word means (한 달 보험료가 어떻게 되죠)."""
        words, asked = self._words.planner, turn.asked
        for_a_person = turn.brief.declared.has(goals[0].tool, "for_a_person")
        of_a_sum = (turn.said.benefits and "얼마" in asked) or (for_a_person and words.how_much.search(asked))
        return bool(of_a_sum or words.of_a_product.search(asked))

    def _question(self, plan: Plan, goals: Sequence[Goal], turn: PlannerTurn) -> Say:
        """One question for everything that is missing; what is known of the call waits with it."""
        question = self._speaker.ask(NeedsInput(fields=tuple(plan.missing.values()), reason=TOGETHER))
        filled = turn.brief.filled.get(goals[0].tool)
        return replace(question, pending=goals[0].tool, given=filled.args if filled else {})

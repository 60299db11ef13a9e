"""What is answered before any tool is called: refusals, what was told before, what is too late, questions back and mere
talk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.answering.answering import Answering
from app.answering.wording import Answered
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner import asking
from app.planner.birthdays import insurance_age_told
from app.planner.calls import CallPlanner
from app.planner.confirming import confirmed
from app.planner.deadlines import Deadlines, Verdict
from app.planner.follow_up import mention_kinds
from app.planner.knowledge import AHEAD
from app.planner.left_out import why_left_out
from app.planner.look_up import LookUp
from app.planner.moves import Move, Say
from app.planner.operated import narrowed, say, told_before
from app.planner.planner_turn import PlannerTurn
from app.planner.records import field_asked
from app.planner.speak import TOGETHER, Speaker
from app.planner.talk import Talker, last_answer, said_before
from app.planner.words import PlannerWords
from app.tools.needs import product_field
from app.tools.results import NeedsInput

_VALUES = frozenset({"ages", "births", "genders", "money", "dates", "durations", "products"})


class DirectAnswers:
    """Pure; built once. The order of the steps is the order in which they win."""

    def __init__(
        self,
        catalogue: Catalogue,
        entities: EntityReader,
        speaker: Speaker,
        talker: Talker,
        look_up: LookUp,
        answering: Answering,
        deadlines: Deadlines,
        words: PlannerWords,
        call_planner: CallPlanner,
    ) -> None:
        self._catalogue, self._entities, self._speaker, self._talker = catalogue, entities, speaker, talker
        self._look_up, self._answering, self._deadlines = look_up, answering, deadlines
        self._words, self._call_planner = words, call_planner

    def answer(self, turn: PlannerTurn, held: Answered | None, anew: Answered | None) -> Move | None:
        """The answer; None where a tool is to be called. `held` is what somebody's own contracts tell, `anew` what the
        covers shown last pay where the message only changes what they were reckoned by."""
        if told := self._unsold(turn) or self._told_before(turn, held):
            return told
        before = said_before(turn.messages, turn.brief.previous)
        kept = self._talker.outright(turn.asked, before)
        if too_late := self._too_late(turn, before, kept=kept):
            return too_late
        if question := self._question_back(turn):
            return question
        why = self._answering.asks_why(turn.said)
        brief = turn.brief
        if reckoned := insurance_age_told(self._words, turn.asked, turn.said, brief.facts, brief.today, why=why):
            return Say(reckoned, grounds=(reckoned,))
        talks = brief.no_call or not turn.signatures or self._talker.prefers(turn.asked, brief, turn.said, before)
        alone = (brief.no_call or brief.bare) and not kept
        counts = alone or (talks and self._answering.only_holds_apart(turn.said))
        if counts and (over := held or anew or self._answering.over(turn.said, turn.shown, told_before(turn))):
            return say(over)
        return self._talk(turn, why=why) if talks else None

    def due(self, turn: PlannerTurn, before: Sequence[str]) -> Verdict | None:
        """Whether it is too late for what the message asks, where it tells how long ago something was."""
        brief = turn.brief
        earlier = self._entities.read(brief.previous, brief.today) if brief.previous else None
        return self._deadlines.verdict(turn.said, brief.facts, brief.today, *before, earlier=earlier)

    def looked_up(self, turn: PlannerTurn) -> Move:
        """The general question that it is nearly worded as; else look it up where a tool for it is at hand, else say
        that it is not known."""
        brief = turn.brief
        known = None if brief.facts.last_tool else self._talker.instead(turn.asked, turn.said, brief.told, ahead=AHEAD)
        if known is not None:
            return known
        return self._look_up.calls(brief.asked, brief.previous, brief.lookups, brief.among) or self._look_up.unknown()

    def _told_before(self, turn: PlannerTurn, held: Answered | None) -> Say | None:
        """A refusal, or what the talk told already and is asked for again."""
        if refusal := self._talker.refusal(turn.asked, turn.brief.facts):
            return refusal
        if held and held.settled:
            return say(held)
        if recalled := self._talker.recalled(turn.asked, turn.messages):
            return recalled
        answering, said, shown = self._answering, turn.said, turn.shown
        told = answering.of_all(said, shown) or answering.recalled(said, shown) or answering.reason(said, shown)
        told = told or answering.without_waiting(said, shown)
        return say(told) if told else confirmed(self._words, said, last_answer(turn.messages))

    def _unsold(self, turn: PlannerTurn) -> Say | None:
        """That a kind of insurance is not sold, where no search by words would say so itself for the first time."""
        brief, said = turn.brief, turn.said
        unsold = None if said.product_codes or any(not m.negated for m in said.categories) else said.unsold
        best = turn.signatures.get(brief.parts[0][1][0]) if brief.parts and not brief.no_call else None
        searches = best is not None and "keyword" in best.arguments and best.name not in brief.told
        if unsold is None or searches:
            return None
        before = (last_answer(turn.messages) or "").splitlines()  # what is sold was told with another kind
        text = "\n".join(line for line in unsold.answer.splitlines() if line not in before)
        return Say(text, grounds=(unsold.answer,))

    def _too_late(self, turn: PlannerTurn, before: Sequence[str], *, kept: bool) -> Say | None:
        """That it is too late, or not yet; None where how it is done is to be told behind it."""
        due = self.due(turn, before)
        if due is None or not (kept or not _goes_with(due, turn)):
            return None
        return Say(due.text, grounds=(due.text,), topic=next(iter(due.tools), None))

    def _question_back(self, turn: PlannerTurn) -> Say | None:
        """Why the last question was put, or the question for the product that the talk never named."""
        brief, asked = turn.brief, turn.asked
        if reason := asking.why_asked(self._words, asked, brief.facts):
            lacking = tuple(self._call_planner.field(name) for name in brief.facts.asked)
            return self._speaker.ask(NeedsInput(fields=lacking, reason=reason))
        if waiting := asking.of_no_product(self._words, asked, turn.said, brief.facts, brief.declared):
            lacking = (product_field(self._catalogue), *asking.beside_product(asked, brief.facts, brief.declared))
            return replace(self._speaker.ask(NeedsInput(fields=lacking, reason=TOGETHER)), pending=waiting)
        return None

    def _talk(self, turn: PlannerTurn, *, why: bool) -> Move | None:
        """What is said where no tool is needed; None where what is told anew goes on with the last one."""
        brief, said, messages = turn.brief, turn.said, turn.messages
        left_out = why_left_out(said, brief.facts, turn.shown, self._catalogue, brief.today) if why else None
        if left_out:
            return left_out
        talk = self._talker.answer(brief, messages)
        # 잠깐 마흔아홉이었네: what is told anew goes before the courtesy it is told with.
        goes_on = (brief.again or brief.follow_up_of) in turn.signatures
        told_anew = goes_on and not _VALUES.isdisjoint(mention_kinds(said))
        if talk and not told_anew:
            return narrowed(talk, last_answer(messages), turn.asked)
        if brief.again in turn.signatures:
            return None
        if field := field_asked(brief, messages):
            return field
        if named := self._answering.named(said, turn.shown):
            return say(named)
        remark = self._talker.reaction(turn.asked, brief, said)
        lines = self._answering.lines(said, last_answer(messages))
        return talk or (Say("\n".join(lines)) if lines else None) or remark or self.looked_up(turn)


def _goes_with(due: Verdict, turn: PlannerTurn) -> bool:
    """Whether how it is done is told behind the verdict: that was asked for too, and not told before."""
    brief = turn.brief
    best = brief.follow_up_of or (brief.parts[0][1][0] if brief.parts else None)
    return best in due.tools and best in turn.signatures and not set(due.tools) & brief.told.keys()

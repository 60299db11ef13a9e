"""The answer from what the tools found: what leads it, what stands behind it, and what must still be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.answering.answering import Answering
from app.answering.repeating import told_already
from app.answering.wording import Answered
from app.dialogue.state import Terms
from app.insurance.catalogue import Catalogue
from app.messages import worded
from app.planner import asking
from app.planner.aspects import only_asked
from app.planner.calls import Plan
from app.planner.follow_up import asks
from app.planner.goals import Goal
from app.planner.holdings import riders_not_held
from app.planner.leads import fixed_one, for_several, lead
from app.planner.moves import Done, Say
from app.planner.not_paid import NotPaid
from app.planner.operated import led, say, told_before
from app.planner.planner_turn import PlannerTurn
from app.planner.speak import TOGETHER, Speaker
from app.planner.talk import Talker, last_answers
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations
from app.tools.results import NeedsInput

AS_TOLD = worded("planner.as_told")


class ResultAnswers:
    """Pure; built once."""

    def __init__(
        self,
        catalogue: Catalogue,
        speaker: Speaker,
        talker: Talker,
        answering: Answering,
        words: PlannerWords,
        not_paid: NotPaid,
    ) -> None:
        self._catalogue, self._speaker, self._talker = catalogue, speaker, talker
        self._answering, self._words, self._not_paid = answering, words, not_paid

    def answer(self, turn: PlannerTurn, plan: Plan, goals: Sequence[Goal]) -> Say:
        """The answer, with what another part of the message still needs (질문지랑 거절기준요, of no product yet) asked
        for behind it."""
        told = self._told(turn)
        waiting = next((goal.tool for goal in goals if all(d.tool != goal.tool for d in turn.done)), None)
        if told.asks or not plan.missing or waiting is None:
            return told
        question = self._speaker.ask(NeedsInput(fields=tuple(plan.missing.values()), reason=TOGETHER))
        text, grounds = f"{told.text}\n{question.text}", (*told.grounds, *question.grounds)
        return replace(told, text=text, grounds=grounds, asks=question.asks, pending=waiting)

    def _told(self, turn: PlannerTurn) -> Say:
        """Yes or no first, only the side asked about when the rest was just told, the other parts of the message, and
        what must still be asked."""
        brief, done, declared = turn.brief, turn.done, turn.brief.declared
        if left_out := self._not_paid.told(done, turn.said, declared):
            return left_out
        of_contracts = self._of_contracts(turn)
        if of_contracts and of_contracts.settled and len(done) == 1:
            return say(of_contracts)
        # 서류는 언제까지 내요: what a cover pays by then is told where the answer is of covers
        shows = self._answering.shows(item.data for item in done if item.ok)
        over = self._answering.over(turn.said, turn.shown, told_before(turn, done) if shows else None)
        if over and over.terms != Terms() and not shows and (turn.said.benefits or turn.said.medical):
            over = None  # 심근경색까지 오면 둘 다 줘요: what was reckoned before is of something else
        answered = of_contracts or over
        total = answered is None and self._of_all(turn)
        within = any("monthly_budget" in item.args for item in done)  # what is left of it is told with the sum
        if total and not within and (answered := self._answering.together(turn.said, turn.shown)):
            total = False
        lacking = riders_not_held(done[0], brief.facts) if len(done) == 1 else ()
        if lacking or any(item.data.get("exclusions") for item in done):
            answered = None  # nothing is reckoned that is not paid
        facts = brief.facts.model_dump(mode="json", exclude_defaults=True)
        told = self._speaker.tell(
            done, facts, declared=declared, show_codes=brief.show_codes, total=total, tellings=brief.tellings
        )
        if answered is None and (held := self._of_contracts(turn, beside=True)) and held.beside:
            answered = held
        if answered:
            again = all(item.ok and brief.told.get(item.tool) == item.args for item in done)
            return led(told, answered, again=again or told_already(last_answers(turn.messages, 1), told.text))
        if lacking:
            front = self._answering.riders_lacking(str(done[0].data["name"]), lacking)
            return replace(told, text=f"{front}\n\n{told.text}", grounds=(*told.grounds, front))
        told = self._with_product_asked(self._with_sides(told, turn), done, declared)
        return told if told.asks else self._with_question_behind(told, turn)

    def _of_contracts(self, turn: PlannerTurn, *, beside: bool = False) -> Answered | None:
        """What the contracts that were just found, or (`beside`) were shown before, tell of themselves."""
        if not (beside or any("contracts" in item.data for item in turn.done)):
            return None
        brief = turn.brief
        return self._answering.of_contracts(
            turn.said, turn.shown, brief.facts.product_codes, today=brief.today, just_found=True
        )

    def _of_all(self, turn: PlannerTurn) -> bool:
        """Whether the sum of what was found is asked for."""
        done, meant, declared = turn.done, turn.brief.facts.meant, turn.brief.declared
        one = len(done) > 1 and len({item.args.get("product_code") for item in done}) == 1
        for_each = one and len(meant) > 1 and all(declared.has(item.tool, "for_a_person") for item in done)
        both = len(meant) > 1 and any(m.kind == "both" for m in turn.said.references)  # 둘이 얼마예요
        return for_each or both or self._answering.asks_for_all(turn.said)

    def _with_sides(self, told: Say, turn: PlannerTurn) -> Say:
        """The answer or the side of it that is asked about, with what leads it and what is told beside it."""
        brief, done, asked, declared = turn.brief, turn.done, turn.asked, turn.brief.declared
        whole = told.text
        if len(done) == 1 and brief.told.get(done[0].tool) == done[0].args and done[0].ok and not told.asks:
            explained = declared.has(done[0].tool, "changes_contract") and not done[0].args.get("submit")
            procedure = explained and not asks(asked)
            told = replace(told, text=only_asked(self._words, whole, asked) or (AS_TOLD if procedure else whole))
        if told.text == whole and (front := lead(self._words, done, asked, turn.said, declared)):
            fixed = fixed_one(done, turn.said, declared)
            told = replace(told, text=front + whole, grounds=(*told.grounds, front), about=(fixed,) if fixed else ())
        if counted := for_several(self._words, done, turn.said, declared):
            told = replace(told, text=f"{told.text}\n{counted}", grounds=(*told.grounds, counted))
        return told

    def _with_product_asked(self, told: Say, done: Sequence[Done], declared: Declarations) -> Say:
        """One question for the person and for the product, where a whole kind of insurance was asked for its price."""
        field = asking.product_beside(done, self._catalogue, declared)
        if field is None:
            return told
        lacking = {f.name: f for d in done if d.kind == "NeedsInput" for f in NeedsInput.model_validate(d.data).fields}
        alone = self._speaker.ask(NeedsInput(fields=tuple(lacking.values()), reason=TOGETHER))
        both = self._speaker.ask(NeedsInput(fields=(field, *lacking.values()), reason=TOGETHER))
        text = told.text.replace(alone.text, both.text)
        return replace(told, text=text, grounds=(*told.grounds, *both.grounds), asks=both.asks)

    def _with_question_behind(self, told: Say, turn: PlannerTurn) -> Say:
        """What is asked behind an answer to make the next one fit."""
        brief = turn.brief
        needs = asking.behind(
            self._words, turn.done, turn.asked, turn.said, brief.facts, self._catalogue, brief.declared
        )
        if needs is None:
            return told
        grounds = (*told.grounds, *(option.label for field in needs.fields for option in field.options))
        return replace(told, text=f"{told.text}\n{needs.reason}", grounds=grounds, asks=needs)

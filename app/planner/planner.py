"""The planner's loop: what to do next, given the question, the facts, the tools at hand and what they found so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import BaseMessage

from app.answering.answering import Answering
from app.answering.repeating import fitting_lines, repeats
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.mentions import Entities
from app.language.plain_words import PlainWords
from app.messages import worded
from app.planner import asking
from app.planner.aspects import only_asked
from app.planner.birthdays import insurance_age_told
from app.planner.brief import Brief, finished_calls, read_brief
from app.planner.calls import CallPlanner, Plan
from app.planner.deadlines import Deadlines, Verdict
from app.planner.follow_up import asks, mention_kinds
from app.planner.goals import Goal, choose
from app.planner.holdings import riders_not_held
from app.planner.leads import for_several, lead
from app.planner.left_out import why_left_out
from app.planner.look_up import LookUp
from app.planner.moves import Done, Move, Say
from app.planner.news import NewsReader
from app.planner.not_paid import NotPaid
from app.planner.operated import called_by_name, led, narrowed, say, since_made, takes_it_up
from app.planner.products_meant import MAX_FAN_OUT
from app.planner.records import field_asked, of_what_was_shown
from app.planner.signatures import Signature, read_signature
from app.planner.speak import TOGETHER, Speaker
from app.planner.talk import Talker, last_answer, means_a_word, said_before
from app.planner.told import ToldJudge
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations
from app.tools.needs import product_field
from app.tools.results import NeedsInput

AS_TOLD = worded("planner.as_told")
_VALUES = frozenset({"ages", "births", "genders", "money", "dates", "durations", "products"})


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
        self._catalogue, self._look_up, self._news, self._answering = catalogue, look_up, news, answering
        self._deadlines, self._words, self._not_paid = deadlines, words, not_paid
        self._call_planner = CallPlanner(catalogue, entities, told, plain, words)

    def next(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Move:
        """The next move of this turn. `messages[0]` carries the brief; `tools` are the bound ones, best first."""
        brief = read_brief(messages)
        move = self._move(brief, messages, tools)
        if isinstance(move, Say) and move.operator:
            move = called_by_name(move, brief.facts)
        if not isinstance(move, Say) or brief.staff or brief.facts.customer_name or brief.facts.customer_id:
            return move
        news = self._news.first_told(brief.asked, messages)
        if news is None:
            return move
        text = f"{news.sentence} {news.offer}" if move.idle else f"{news.sentence}\n\n{move.text}"
        return replace(move, text=text, grounds=(*move.grounds, news.sentence, news.offer))

    def _move(self, brief: Brief, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Move:
        words = self._words.planner
        asked = brief.asked
        entities = self._entities.read(brief.question, brief.today)
        said = self._entities.read(asked, brief.today)
        done = finished_calls(messages)
        signatures = {signature.name: signature for signature in map(read_signature, tools)}
        points_back = bool(brief.previous) and self._answering.points_back(said, brief.facts.last_args.get("action"))
        brief = replace(brief, points_back=points_back, among=_among(brief, said, signatures))
        looked = [item for item in done if item.tool in brief.lookups]
        done = [item for item in done if item.tool not in brief.lookups]
        looked_up = bool(looked) and not done
        if looked_up:
            found = self._look_up.answer(looked)
            if found or brief.no_call:
                return found or self._look_up.unknown()
            # what it seemed to ask for at first goes on
        shown = brief.dialogue.shown
        held = None if done else self._answering.of_contracts(said, shown, brief.facts.product_codes)
        anew = None if done or held else self._answering.anew(said, shown, since_made(brief))
        loaded = bool(brief.parts) and brief.parts[0][1][0] in brief.filled
        if not done and not looked_up and not loaded:
            if refusal := self._talker.refusal(asked, brief.facts):
                return refusal
            if held and held.settled:
                return say(held)
            if recalled := self._talker.recalled(asked, messages):
                return recalled
            if summed := self._answering.of_all(said, shown) or self._answering.recalled(said, shown):
                return say(summed)
            if grounds := self._answering.reason(said, shown):
                return say(grounds)
            if unsold := self._unsold(brief, said, signatures):
                return unsold
            before = said_before(messages, brief.previous)
            due = self._due(brief, said, before)
            kept = self._talker.outright(asked, before)
            if due and (kept or not self._goes_with(due, brief, signatures)):
                return Say(due.text, grounds=(due.text,), topic=next(iter(due.tools), None))
            if reason := asking.why_asked(self._words, asked, brief.facts):
                lacking = tuple(self._call_planner.field(name) for name in brief.facts.asked)
                return self._speaker.ask(NeedsInput(fields=lacking, reason=reason))
            if waiting := asking.of_no_product(self._words, asked, said, brief.facts, brief.declared):
                lacking = (product_field(self._catalogue), *asking.beside_product(asked, brief.facts, brief.declared))
                return replace(self._speaker.ask(NeedsInput(fields=lacking, reason=TOGETHER)), pending=waiting)
            why = self._answering.asks_why(said)
            if reckoned := insurance_age_told(self._words, asked, said, brief.facts, brief.today, why=why):
                return Say(reckoned, grounds=(reckoned,))
            counts = brief.no_call and not kept
            if counts and (over := held or anew or self._answering.over(said, shown, since_made(brief))):
                return say(over)
            if brief.no_call or not signatures or self._talker.prefers(asked, brief, said, before):
                if why and (left_out := why_left_out(said, brief.facts, shown, self._catalogue, brief.today)):
                    return left_out
                talk = self._talker.answer(brief, messages)
                # 잠깐 마흔아홉이었네: what is told anew goes before the courtesy it is told with.
                goes_on = (brief.again or brief.follow_up_of) in signatures
                told_anew = goes_on and not _VALUES.isdisjoint(mention_kinds(said))
                if talk and not told_anew:
                    return narrowed(talk, last_answer(messages), asked)
                if brief.again not in signatures:
                    if field := field_asked(brief, messages):
                        return field
                    if named := self._answering.named(said, shown):
                        return say(named)
                    remark = self._talker.reaction(asked, brief, said)
                    lines = self._answering.lines(said, last_answer(messages))
                    return talk or (Say("\n".join(lines)) if lines else None) or remark or self._looked_up(brief)
        if loaded and not done and (field := of_what_was_shown(brief, messages)):
            return field
        follow_up = brief.follow_up_of or brief.again
        goals = choose(
            brief.answered or asked,
            brief.parts,
            signatures,
            entities,
            brief.facts,
            follow_up,
            brief.declared,
            cued=brief.cued,
        )
        written = brief.dialogue.headings() if brief.points_back and not done and not looked else ()
        if written and not any("query" in signatures[goal.tool].arguments for goal in goals):
            return self._look_up.calls(" ".join(written), None, brief.lookups) or self._look_up.unknown()
        plan = self._call_planner.plan(goals, signatures, brief, done)
        if held and (held.operator == "lookup" or not any(call.tool in shown[0].tools for call in plan.calls)):
            return say(held)  # premiums of contracts are read, not estimated anew
        fresh = [call for call in plan.calls if brief.told.get(call.tool) != call.args]
        if anew and not any(takes_it_up(call.tool, signatures, shown) for call in fresh):
            return say(anew)
        if plan.calls and len(done) < 2 * MAX_FAN_OUT:
            return tuple(plan.calls)
        if done:
            told = self._with_the_rest_asked(self._told(brief, done, said), plan, goals, done)
            due = self._due(brief, said, said_before(messages, brief.previous))
            if due and any(item.tool in due.tools for item in done):
                told = replace(told, text=f"{due.text}\n\n{told.text}", grounds=(*told.grounds, due.text))
            return self._not_again(told, brief, last_answer(messages), looked)
        if plan.missing and (over := self._answering.over(said, shown, since_made(brief))):
            return say(over)
        if plan.missing and (lines := self._answering.lines(said, last_answer(messages))):
            return Say("\n".join(lines))
        only_product = plan.missing.keys() <= {"product_code", "product_codes"}
        # 한 달 보험료가 어떻게 되죠: a sum is asked for, not what the word means.
        asks_amount = (
            (said.benefits and "얼마" in asked)
            or (brief.declared.has(goals[0].tool, "for_a_person") and words.how_much.search(asked))
            or words.of_a_product.search(asked)
        )
        if plan.missing and loaded:
            return self._asked_for(plan, goals, brief)
        if plan.missing and brief.unsure and not looked_up and asks(asked):
            # A tool that is only guessed at is not asked back for before the documents were looked into.
            known = self._talker.answer(brief, messages) if self._talker.knows(asked) else None
            return known or self._looked_up(brief)
        if plan.missing and (
            asks_amount or not means_a_word(asked) or not self._talker.knows(asked, only_product=only_product)
        ):
            return self._asked_for(plan, goals, brief)
        return self._talker.answer(brief, messages) or self._look_up.unknown()

    def _due(self, brief: Brief, said: Entities, before: Sequence[str]) -> Verdict | None:
        """Whether it is too late for what the message asks, where it tells how long ago something was."""
        earlier = self._entities.read(brief.previous, brief.today) if brief.previous else None
        return self._deadlines.verdict(said, brief.facts, brief.today, *before, earlier=earlier)

    def _goes_with(self, due: Verdict, brief: Brief, signatures: Mapping[str, Signature]) -> bool:
        """Whether how it is done is told behind the verdict: that was asked for too, and not told before."""
        best = brief.follow_up_of or (brief.parts[0][1][0] if brief.parts else None)
        return best in due.tools and best in signatures and not set(due.tools) & brief.told.keys()

    def _asked_for(self, plan: Plan, goals: Sequence[Goal], brief: Brief) -> Say:
        """One question for everything that is missing; what is known of the call waits with it."""
        question = self._speaker.ask(NeedsInput(fields=tuple(plan.missing.values()), reason=TOGETHER))
        filled = brief.filled.get(goals[0].tool)
        return replace(question, pending=goals[0].tool, given=filled.args if filled else {})

    def _not_again(self, told: Say, brief: Brief, before: str | None, looked: Sequence[Done]) -> Move:
        """Where an answer would be the one before again: only its lines that are asked for, else what the documents
        say of it where it asks for something, else that nothing changes."""
        if before is None or not repeats(before, told.text):
            return told
        said = self._entities.read(brief.asked, brief.today)
        if lines := self._answering.lines(said, told.text) or fitting_lines(told.text, brief.asked):
            return replace(told, text="\n".join(lines))
        if named := self._answering.named(said, brief.dialogue.shown):
            return say(named)
        asks_on = not looked and asks(brief.asked)
        if asks_on and (calls := self._look_up.calls(brief.asked, brief.previous, brief.lookups, brief.among)):
            return calls
        return self._look_up.answer(looked) or self._look_up.same(told.text)

    def _unsold(self, brief: Brief, said: Entities, signatures: Mapping[str, Signature]) -> Say | None:
        """That a kind of insurance is not sold, where no tool that searches by words would say so itself."""
        unsold = None if said.product_codes or said.categories else self._entities.unsold.asked_for(brief.asked)
        best = signatures.get(brief.parts[0][1][0]) if brief.parts and not brief.no_call else None
        searches = best is not None and "keyword" in best.arguments
        return Say(unsold.answer, grounds=(unsold.answer,)) if unsold and not searches else None

    def _looked_up(self, brief: Brief) -> Move:
        """Look the question up where a tool for it is at hand, else say that it is not known."""
        return self._look_up.calls(brief.asked, brief.previous, brief.lookups, brief.among) or self._look_up.unknown()

    def _told(self, brief: Brief, done: Sequence[Done], said: Entities) -> Say:
        """The answer from what was found: yes or no first, only the side asked about when the rest was just told, the
        other parts of the message, and what must still be asked."""
        asked, declared = brief.asked, brief.declared
        facts = brief.facts.model_dump(mode="json", exclude_defaults=True)
        # 서류는 언제까지 내요: what a cover pays by then is told where the answer is of covers
        since = since_made(brief) if self._answering.shows(item.data for item in done if item.ok) else None
        shown = brief.dialogue.shown
        focus = brief.facts.product_codes if any("contracts" in item.data for item in done) else None
        if left_out := self._not_paid.told(done, said, declared):
            return left_out
        of_it = None if focus is None else self._answering.of_contracts(said, shown, focus, just_found=True)
        if of_it and of_it.settled and len(done) == 1:
            return say(of_it)
        answered = of_it or self._answering.over(said, shown, since)
        one = len(done) > 1 and len({item.args.get("product_code") for item in done}) == 1
        of_all = one and len(brief.facts.meant) > 1 and all(declared.has(i.tool, "for_a_person") for i in done)
        both = len(brief.facts.meant) > 1 and any(m.kind == "both" for m in said.references)  # 둘이 얼마예요
        total = answered is None and (of_all or both or self._answering.asks_for_all(said))
        if any(d.data.get("exclusions") for d in done) or (len(done) == 1 and riders_not_held(done[0], brief.facts)):
            answered = None  # nothing is reckoned that is not paid
        told = self._speaker.tell(
            done, facts, declared=declared, show_codes=brief.show_codes, total=total, tellings=brief.tellings
        )
        if answered:
            again = all(item.ok and brief.told.get(item.tool) == item.args for item in done)
            return led(told, answered, again=again)
        whole = told.text
        if len(done) == 1 and (lacking := riders_not_held(done[0], brief.facts)):
            front = self._answering.riders_lacking(str(done[0].data["name"]), lacking)
            return replace(told, text=f"{front}\n\n{whole}", grounds=(*told.grounds, front))
        if len(done) == 1 and brief.told.get(done[0].tool) == done[0].args and done[0].ok and not told.asks:
            explained = declared.has(done[0].tool, "changes_contract") and not done[0].args.get("submit")
            procedure = explained and not asks(asked)
            told = replace(told, text=only_asked(self._words, whole, asked) or (AS_TOLD if procedure else whole))
        if told.text == whole and (front := lead(self._words, done, asked, said, declared)):
            told = replace(told, text=front + whole, grounds=(*told.grounds, front))
        if counted := for_several(self._words, done, said, declared):
            told = replace(told, text=f"{told.text}\n{counted}", grounds=(*told.grounds, counted))
        if brief.asides and (beside := self._talker.beside(brief.asides)):
            told = replace(told, text=f"{told.text}\n\n{beside.text}", grounds=(*told.grounds, *beside.grounds))
        told = self._with_product_asked(told, done, declared)
        if told.asks:
            return told
        needs = asking.behind(self._words, done, asked, said, brief.facts, self._catalogue, declared)
        if needs is None:
            return told
        grounds = (*told.grounds, *(option.label for field in needs.fields for option in field.options))
        return replace(told, text=f"{told.text}\n{needs.reason}", grounds=grounds, asks=needs)

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

    def _with_the_rest_asked(self, told: Say, plan: Plan, goals: Sequence[Goal], done: Sequence[Done]) -> Say:
        """What another part of the message still needs (질문지랑 거절기준요, of no product yet) is asked for behind the
        answer to the rest."""
        waiting = next((goal.tool for goal in goals if all(d.tool != goal.tool for d in done)), None)
        if told.asks or not plan.missing or waiting is None:
            return told
        question = self._speaker.ask(NeedsInput(fields=tuple(plan.missing.values()), reason=TOGETHER))
        text, grounds = f"{told.text}\n{question.text}", (*told.grounds, *question.grounds)
        return replace(told, text=text, grounds=grounds, asks=question.asks, pending=waiting)


def _among(brief: Brief, said: Entities, signatures: Mapping[str, Signature]) -> dict[str, dict[str, str]]:
    """By tool that looks up, the documents of the one product that is spoken of."""
    codes = said.product_codes or (brief.facts.product_codes if brief.previous else ())
    takes = [tool for tool in brief.lookups if tool in signatures and "product_code" in signatures[tool].arguments]
    return {tool: {"product_code": codes[0]} for tool in takes} if len(codes) == 1 else {}

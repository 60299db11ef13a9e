"""The consultation in the talk: begins it, asks, proposes, changes and explains; None where a message is not of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from app.access import Principal
from app.advice.book import AdviceBook
from app.advice.desk import ProposalDesk, Shown
from app.advice.edits import Again, Edit
from app.consulting.beginning import SURELY, Message, begins, signs_of
from app.consulting.drafting import Drafting
from app.consulting.editing import Editing
from app.consulting.hearing import Heard, Hearing
from app.consulting.persons import Persons
from app.consulting.telling import Telling, evidence
from app.consulting.words import TalkWords
from app.dialogue.consultation import Consultation, Told
from app.errors import CannotPropose, NotFound
from app.insurance.wording import gender_word, topic
from app.language.mentions import Entities
from app.planner.facts import Facts

_CUSTOMERS = frozenset({"customer_id", "customer_name"})
_TWICE = "people_twice"  # asked for again, and not told


@dataclass(frozen=True)
class Turn:
    """One message and what the talk knew: `said` as read, `before` the persons known before it, `facts` with it;
    `unsold` whether it asks for a kind of insurance that is not sold, `asks` whether it asks something, `recommend` the
    share to which its form asks for a recommendation, `informs` whether its form rather tells something."""

    said: Entities
    before: Sequence[Mapping[str, Any]]
    facts: Facts
    today: date
    principal: Principal
    thread_id: str | None
    run_id: str
    unsold: bool = False
    asks: bool = False
    recommend: float = 0.0
    informs: bool = False


@dataclass(frozen=True)
class Advice:
    """What the consultation answers: the text, what the thread keeps, what its figures rest on, and where it made or
    changed a proposal, which one it is (id and version) and the tools that were called for it."""

    text: str
    kept: Consultation
    grounds: tuple[str, ...] = ()
    block: Mapping[str, Any] | None = None
    tools: tuple[str, ...] = ()


class Consultant:
    """Leads from a need to a proposal, by the plan in the company's advice and through its desk."""

    def __init__(self, desk: ProposalDesk, words: TalkWords) -> None:
        self._desk = desk
        self._book: AdviceBook = desk.book
        self._persons = Persons(words)
        self._hearing, self._drafting = Hearing(words, desk.book, self._persons), Drafting(words, desk.book)
        self._editing = Editing(self._drafting, desk.book)
        self._telling = Telling(desk.book)

    async def answer(self, turn: Turn, kept: Consultation | None) -> Advice | Consultation | None:
        """The answer to a message of the consultation that is kept, or that begins one. A message of something else
        gets none: then what the thread keeps, or None where there is nothing to keep."""
        heard = self._hearing.hear(turn.said, turn.before, turn.facts, turn.today)
        if kept is None or kept.quiet:
            quiet = kept or Consultation(quiet=True)
            return (
                await self._begun(turn, heard, quiet)
                if self._begins(turn, heard, quiet)
                else self._noted(turn, heard, quiet)
            )
        if kept.proposal is not None:
            return await self._of_proposal(turn, heard, kept) or kept
        heard = replace(heard, advises=heard.advises or turn.recommend >= SURELY)
        if self._elsewhere(turn, heard, kept):
            return self._drafting.put_off(kept)
        return await self._next(turn, self._drafting.told(kept, heard, begins=heard.advises), skips=heard.skips)

    def concerns(self, said: Entities, facts: Facts, today: date) -> bool:
        """Whether a message in a consultation tells something for it, or asks of the proposal."""
        known = [person.model_dump(exclude_none=True) for person in facts.everyone()]
        heard = self._hearing.hear(said, known, facts, today)
        return heard.tells or heard.question is not None or bool(said.ages or said.genders or said.births)

    @staticmethod
    def _elsewhere(turn: Turn, heard: Heard, kept: Consultation) -> bool:
        """Whether a message before the first proposal is of something else: a product, a premium, business."""
        if heard.products:
            return True
        asks = turn.asks and not turn.informs
        if not heard.advises:
            one_kind = heard.kinds == 1 and not (heard.budget or heard.worried or heard.skips)
            nothing = not (heard.changes or heard.has or heard.denies)
            if heard.prices or (asks and (heard.business or one_kind or nothing)):
                return True
        tells = heard.tells or heard.advises or heard.named or heard.household
        return not tells and (turn.asks or not kept.asked)

    @staticmethod
    def _message(turn: Turn, heard: Heard) -> Message:
        return Message(
            heard,
            asks=turn.asks and not turn.informs,
            # 아픈 데는 없어요 has the words of a question.
            informs=turn.informs and (not turn.asks or bool(heard.denies)),
            recommend=turn.recommend,
        )

    def _begins(self, turn: Turn, heard: Heard, quiet: Consultation) -> bool:
        if turn.unsold or (_CUSTOMERS & set(turn.facts.asked)):
            return False  # 68년생이요, asked which of two customers
        return begins(self._message(turn, heard), quiet)

    def _noted(self, turn: Turn, heard: Heard, quiet: Consultation) -> Consultation | None:
        """What a message of something else tells for a consultation that may still begin."""
        told = (
            quiet
            if (heard.business and not heard.at_once) or heard.products
            else self._drafting.told(quiet, heard, begins=True)
        )
        told = told.model_copy(update={"signs": signs_of(self._message(turn, heard), quiet.signs)})
        return told if told != Consultation(quiet=True) else None

    async def _begun(self, turn: Turn, heard: Heard, quiet: Consultation) -> Advice:
        return await self._next(turn, self._drafting.begun(heard, self._meant(turn), quiet), skips=heard.skips)

    def _meant(self, turn: Turn) -> list[Told]:
        """Whom the talk is of: those meant together, else the one spoken of."""
        meant = turn.facts.meant or (turn.facts.who,)
        return [told for told in self._persons.known(turn.facts, turn.today) if told.who in meant]

    async def _next(self, turn: Turn, draft: Consultation, *, skips: bool) -> Advice:
        """Ask what is still needed, or propose."""
        telling, lacking = self._telling, self._drafting.lacking(draft)
        if (lacking or not draft.people) and not (skips or _TWICE in draft.passed):
            questions = []
            if (lacking and len(lacking) < len(draft.people)) or any(p.age or p.sex for p in lacking):
                questions.append(self._who_lacks(lacking))
            else:
                questions.append(self._slot("people"))
            if "people" in draft.passed:
                return self._question(draft, questions, ["people", _TWICE])
            rest = [slot for slot in self._missing(draft) if slot != "people"][: self._book.plan.at_once - 1]
            return self._question(draft, [*questions, *map(self._slot, rest)], ["people", *rest])
        guessing = bool(lacking) or not draft.people
        if guessing:
            draft = self._drafting.assumed(draft)
        missing = self._missing(draft)
        told = draft.budget is not None or "worries" not in missing
        if missing and not (told or skips or guessing or draft.asked):
            asked = missing[: self._book.plan.at_once]
            return self._question(draft, [self._slot(name) for name in asked], asked)
        fronts = self._guesses(draft)
        draft = draft.model_copy(update={"asked": ()})
        try:
            shown = await self._desk.create(
                turn.principal, self._drafting.request(draft), thread_id=turn.thread_id, run_id=turn.run_id,
                channel="chat",
            )  # fmt: skip
        except CannotPropose as error:
            return Advice(str(error), draft, (str(error),))
        whos = {f"p{n}": person.who for n, person in enumerate(draft.people, 1)}
        return self._proposed(shown, whos, (), telling.proposal(shown, fronts), fronts)

    def _missing(self, draft: Consultation) -> list[str]:
        """The slots that the plan asks for next and nothing is known of."""
        known = {
            "people": bool(draft.people), "budget": draft.budget is not None,
            "worries": bool(draft.worries or draft.sums or any(p.worries for p in draft.people)),
            "health": any(p.told for p in draft.people), "has": any(p.has for p in draft.people),
            "job": any(p.job for p in draft.people),
        }  # fmt: skip
        return [slot.id for slot in self._book.plan.slots if not known[slot.id] and slot.id not in draft.passed]

    def _slot(self, name: str) -> str:
        return next(slot.ask for slot in self._book.plan.slots if slot.id == name)

    def _who_lacks(self, lacking: Sequence[Told]) -> str:
        age, sex = any(p.age is None for p in lacking), any(p.sex is None for p in lacking)
        what = self._telling.say("age_and_sex" if age and sex else "age" if age else "sex")
        return self._telling.say("who_lacks", whos=", ".join(map(self._drafting.label, lacking)), what=what)

    def _question(self, draft: Consultation, questions: Sequence[str], asked: Sequence[str]) -> Advice:
        front = [] if draft.asked else [self._telling.say("asking_front")]
        text = "\n".join([" ".join([*front, *questions]), self._telling.say("may_skip")])
        return Advice(text, draft.model_copy(update={"asked": tuple(asked)}), (text,))

    def _guesses(self, draft: Consultation) -> list[str]:
        told = []
        for person in draft.people:
            if person.guessed and person.sex is not None:
                key = "guessed_both" if "sex" in person.guessed else "guessed_age"
                who = self._drafting.label(person)
                values = {"who": who, "who_topic": topic(who), "age": person.age, "sex": gender_word(person.sex)}
                told.append(self._telling.say(key, **values))
        return told

    def _proposed(
        self, shown: Shown, whos: dict[str, str], disclosed: Sequence[str], text: str, also: Sequence[str] = ()
    ) -> Advice:
        told = tuple(dict.fromkeys((*disclosed, *(item.text for item in shown.proposal.disclosures))))
        kept = Consultation(proposal=shown.kept.proposal_id, version=shown.version.version, whos=whos, disclosed=told)
        block = {"id": shown.kept.proposal_id, "version": shown.version.version}
        tools = tuple(dict.fromkeys(source.tool for source in shown.proposal.sources.values()))
        return Advice(text, kept, (*_grounds(shown), *also), block, tools)

    async def _of_proposal(self, turn: Turn, heard: Heard, kept: Consultation) -> Advice | None:
        """An edit of the current proposal, or a question about it."""
        assert kept.proposal is not None
        telling = self._telling
        try:
            shown = await self._desk.read(turn.principal, kept.proposal, run_id=turn.run_id)
        except NotFound:
            if not (heard.tells or heard.question):
                return None
            gone = telling.say("gone")
            if self._begins(turn, heard, quiet := Consultation(quiet=True)):
                return await self._begun(turn, heard, quiet)
            return Advice(gone, quiet, (gone,))
        changes = heard.without or heard.sums or heard.variant or heard.budget or heard.people or heard.gone
        if heard.question is not None and not changes and not heard.products:
            text = getattr(telling, heard.question)(shown)
            return Advice(text, kept, _grounds(shown))
        of_one_need = bool(heard.prices and heard.worries)  # 15일 입원하면 얼마 나와요
        business = heard.business and not (heard.at_once or heard.waits)  # 면책 없는 걸로
        if business or of_one_need or (turn.asks and not turn.informs and not heard.changes):
            return None
        edits, whos = self._editing.edits(heard, shown.request, self._whos(kept, shown))
        if heard.again and not edits:
            edits = (Again(kind="again"),)
        if not edits and (heard.skips or heard.again) and heard.wants and not heard.products:
            return Advice(telling.proposal(shown, (), kept.disclosed, short=True), kept, _grounds(shown))
        if not edits or (turn.asks and heard.products and not (heard.without or heard.adds)):
            return None
        return await self._edited(turn, kept, shown, edits, whos)

    async def _edited(
        self, turn: Turn, kept: Consultation, before: Shown, edits: Sequence[Edit], whos: dict[str, str]
    ) -> Advice:
        assert kept.proposal is not None
        try:
            shown = await self._desk.edit(turn.principal, kept.proposal, edits, run_id=turn.run_id, channel="chat")
        except CannotPropose as error:
            return Advice(str(error), kept, (str(error),))
        front = self._telling.changed(edits, before, shown)
        text = self._telling.proposal(shown, front, kept.disclosed, short=True)
        return self._proposed(shown, whos, kept.disclosed, text, (*evidence(before.proposal), *front[:1]))

    @staticmethod
    def _whos(kept: Consultation, shown: Shown) -> dict[str, str]:
        """The word of the talk for everybody; of those whom another face added, their label."""
        people = shown.request.household.people
        return {person.id: kept.whos.get(person.id, person.label) for person in people}


def _grounds(shown: Shown) -> tuple[str, ...]:
    """What a proposal's figures rest on: its calls, what is said of its state, and the plan's own questions."""
    return (*evidence(shown.proposal), *shown.notices, *(slot.ask for slot in shown.ask))

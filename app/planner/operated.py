"""What an operator answered, as a move of the planner: alone, or in front of what the tools found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from app.answering.repeating import first_sentence, fitting_sentences, repeats
from app.answering.wording import Answered
from app.dialogue.state import Shown, Terms
from app.insurance.periods import add_months, months_between
from app.language.formatting import age, gender
from app.planner.brief import Brief
from app.planner.facts import Facts
from app.planner.fan_out import PAID_FOR
from app.planner.moves import Call, Done, Say
from app.planner.planner_turn import PlannerTurn
from app.planner.products_meant import MAX_FAN_OUT
from app.planner.signatures import Signature

_SEVERAL = 2


def takes_it_up(tool: str, signatures: Mapping[str, Signature], shown: Sequence[Shown]) -> bool:
    """Whether a tool reckons by what is told of the contract itself, or is the one whose answer is changed; of several
    things at once it would reckon one."""
    several = len({item.group for item in shown[0].items}) > 1
    taken = set(signatures[tool].arguments)
    return not several and (("contract_date" in taken and bool(taken & set(PAID_FOR))) or tool in shown[0].tools)


def asks_for_a_customer(call: Call, brief: Brief) -> bool:
    """Whether a call looks up somebody whom nobody named: 그중 제일 싼 거, of products."""
    return brief.declared.has(call.tool, "looks_up_customer") and not call.args


def repeats_a_part(turn: PlannerTurn, calls: Sequence[Call]) -> bool:
    """Whether calls would only find again a part of what the last answer showed side by side, or ask whose it is."""
    if turn.done or not turn.shown or not calls:
        return False
    shown, codes = turn.shown[0], {item.code for item in turn.shown[0].items}
    compared = [set(call.args.get("product_codes", ())) for call in calls]
    if any(len(some) == MAX_FAN_OUT and some < codes for some in compared):
        return True  # 그중 제일 싼 거, of more than are compared at once
    if all(asks_for_a_customer(call, turn.brief) for call in calls):
        return True
    return {call.tool for call in calls} == {*shown.tools} and len(calls) < len(shown.tools)


def say(answered: Answered) -> Say:
    """The answer alone, with its arithmetic."""
    return Say(
        answered.text,
        reckoned=answered.text,
        derivations=answered.derivations,
        total=answered.total,
        operator=answered.operator,
        terms=answered.terms,
        of_all=answered.of_all,
        about=answered.about,
        riders=answered.riders,
        grounds=answered.grounds,
    )


def told_before(turn: PlannerTurn, done: Sequence[Done] = ()) -> Terms:
    """What the talk told of the event spoken of."""
    return Terms(since=_since_made(turn.brief, done, _when(turn)), cause=turn.brief.cause)


def _when(turn: PlannerTurn) -> date:
    """The day for which it is reckoned what is paid: the event's, today, or that of a year to come (내년에 하면)."""
    today = turn.brief.today
    years = [mention.year for mention in turn.said.dates if mention.role == "date" and not mention.negated]
    ahead = [year for year in years if year and year > today.year]
    return add_months(today, 12 * (ahead[0] - today.year)) if ahead else turn.brief.facts.event_date or today


def _since_made(brief: Brief, done: Sequence[Done], today: date) -> tuple[int, int] | None:
    """Whole months and days from the contract to the event, or to `today`, where the talk told when it was made, or the
    customer holds the one that was found of (`done`), or that is spoken of."""
    codes = {str(item.args.get("product_code")) for item in done} or set(brief.facts.product_codes)
    held = [brief.facts.contracts[code] for code in codes if code in brief.facts.contracts] if len(codes) == 1 else []
    made = brief.facts.contract_date or (held[0].covers_since if held else None)
    if made is None or made > today:
        return None
    return months_between(made, today), (today - made).days


def led(told: Say, answered: Answered, *, again: bool) -> Say:
    """The answer with its operator's sentence in front; alone where the rest would be what was told before."""
    alone = say(answered)
    text = f"{alone.text}\n\n{told.text}"
    return alone if again else replace(alone, text=text, grounds=(*told.grounds, *alone.grounds), asks=told.asks)


def narrowed(talk: Say, before: str | None, asked: str) -> Say:
    """What is told without a tool; where it is what was told before, only the sentences that are asked for, else the
    first one."""
    if before is None or not repeats(before, talk.text):
        return talk
    kept = fitting_sentences(talk.text, asked) or (first_sentence(talk.text),)
    return replace(talk, text=" ".join(kept))


def called_by_name(told: Say, facts: Facts) -> Say:
    """Each of several people is called what the talk calls them beside their age and gender: 아버지(만 69세 남성)."""
    known = {
        f"{age(person.age)} {gender(person.gender)}": person.who
        for person in facts.everyone()
        if person.age is not None and person.gender
    }
    if len(known) < _SEVERAL:
        return told
    text = told.text
    for plain, who in known.items():
        called = f"{who}({plain})"
        text = text.replace(called, plain).replace(plain, called)
    return replace(told, text=text)

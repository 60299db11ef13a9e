"""What an operator answered, as a move of the planner: alone, or in front of what the tools found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.answering.repeating import first_sentence, fitting_sentences, repeats
from app.answering.wording import Answered
from app.dialogue.state import Shown
from app.language.formatting import age, gender
from app.planner.brief import Brief
from app.planner.facts import Facts
from app.planner.fan_out import PAID_FOR
from app.planner.moves import Say
from app.planner.signatures import Signature

_SEVERAL = 2


def takes_it_up(tool: str, signatures: Mapping[str, Signature], shown: Sequence[Shown]) -> bool:
    """Whether a tool reckons by what is told of the contract itself, or is the one whose answer is changed; of several
    things at once it would reckon one."""
    several = len({item.group for item in shown[0].items}) > 1
    taken = set(signatures[tool].arguments)
    return not several and (("contract_date" in taken and bool(taken & set(PAID_FOR))) or tool in shown[0].tools)


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
    )


def since_made(brief: Brief) -> tuple[int, int] | None:
    """Whole months and days from the contract to the event, or to today, where the talk told when it was made."""
    made, today = brief.facts.contract_date, brief.facts.event_date or brief.today
    if made is None or made > today:
        return None
    months = (today.year - made.year) * 12 + today.month - made.month - (today.day < made.day)
    return months, (today - made).days


def led(told: Say, answered: Answered, *, again: bool) -> Say:
    """The answer with its operator's sentence in front; alone where the rest would be what was told before."""
    alone = say(answered)
    text = f"{alone.text}\n\n{told.text}"
    return alone if again else replace(alone, text=text, grounds=told.grounds, asks=told.asks)


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
        text = text.replace(plain, f"{who}({plain})")
    return replace(told, text=text)

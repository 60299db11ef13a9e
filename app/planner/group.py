"""Who is meant together: a couple or a family whose premiums are asked for at once, as the talk adds and drops them."""

from __future__ import annotations

from collections.abc import Sequence

from app.language.mentions import Entities
from app.language.numbers import parse_number
from app.planner.facts import Facts
from app.planner.words import PlannerWords


def counted_together(words: PlannerWords, text: str, *, one_thing: bool) -> int | None:
    """How many persons a message counts; 둘 다 counts persons only where the talk is of `one_thing`."""
    for match in words.group.counted.finditer(text):
        if match["of"] not in words.group.of_things_too or one_thing:
            return parse_number(match["n"])
    return None


def meant_together(
    words: PlannerWords, entities: Entities, before: Facts, after: Facts, named: Sequence[str], own: Sequence[str]
) -> tuple[str, ...]:
    """The persons meant after a message that told of the `named`; `own` are those it means by its words alone."""
    counted = counted_together(words, entities.text, one_thing=len(after.product_codes) < 2)
    if len(own) > 1 and not before.meant and (counted is None or counted <= len(own)):
        return tuple(own)
    gone = {mention.who for mention in entities.people if mention.negated}
    aged = [person.who for person in after.everyone() if person.age is not None or person.birth_year is not None]
    known = [who for who in aged if who not in gone]
    if counted and 1 < counted <= len(known):
        others = [who for who in known if who not in named]
        room = max(counted - len([who for who in known if who in named]), 0)
        chosen = {*named, *others[len(others) - room :]} if room else set(named)
        return tuple(who for who in known if who in chosen)
    live = [who for who in before.meant if who not in gone]
    new = [who for who in named if who not in live]
    put_right = any(_age(before, who) not in (None, _age(after, who)) for who in named)
    if len(live) > 1 and not new and (entities.is_correction or gone or put_right):
        return tuple(live)
    base = live or [who for who in (before.who,) if who in aged and who not in new]
    if new and base and words.group.together.search(entities.text):
        return tuple(dict.fromkeys([*base, *new]))
    return tuple(own)


def _age(facts: Facts, who: str) -> int | None:
    person = facts.person(who)
    return person.age if person is not None else None

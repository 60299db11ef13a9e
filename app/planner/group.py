"""Who is meant together: a couple or a family whose premiums are asked for at once, as the talk adds and drops them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.language.mentions import Entities
from app.language.numbers import parse_number
from app.planner.facts import Facts

_COUNTED = re.compile(
    r"(?<![가-힣\d])(?P<n>둘|셋|넷|다섯|여섯|두|세|네|[2-6])\s?(?P<of>이서|이랑|이(?=\s|서|면|요|\?|$)|명|분|사람|식구|가족|다(?=\s|$|요|[?,])|모두)"
)
_OF_THINGS_TOO = frozenset({"다", "모두"})
_TOGETHER = re.compile(r"같이|함께|까지|추가|넣[을어으]|합쳐|합하|합치|더해")


def counted_together(text: str, *, one_thing: bool) -> int | None:
    """How many persons a message counts; 둘 다 counts persons only where the talk is of `one_thing`."""
    for match in _COUNTED.finditer(text):
        if match["of"] not in _OF_THINGS_TOO or one_thing:
            return parse_number(match["n"])
    return None


def meant_together(
    entities: Entities, before: Facts, after: Facts, named: Sequence[str], own: Sequence[str]
) -> tuple[str, ...]:
    """The persons meant after a message that told of the `named`; `own` are those it means by its words alone."""
    counted = counted_together(entities.text, one_thing=len(after.product_codes) < 2)
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
    if new and base and _TOGETHER.search(entities.text):
        return tuple(dict.fromkeys([*base, *new]))
    return tuple(own)


def _age(facts: Facts, who: str) -> int | None:
    person = facts.person(who)
    return person.age if person is not None else None

"""What an operator sees of another's conversation before they gave a reason: names, numbers and birthdays veiled.

Numbers such as a resident's or a card's are never kept at all (app.safety.personal_data); this hides what a person
told of themselves and what the customer records said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from app.insurance.contracts import masked_name
from app.language.mentions import NameMention

_NUMBER = re.compile(r"(?<![0-9A-Za-z])([CP])-?(\d{3,12})(?![0-9A-Za-z])")
_NAMES = frozenset({"customer_name", "beneficiary_name", "holder", "insured_name", "requested_name"})
_BORN = frozenset({"birth_date", "birth_month", "birth_year"})
_NAME = re.compile(r"[가-힣]{2,5}")


NameFinder = Callable[[str], Iterable[NameMention]]
# Makes a veil over everything that may name the people of a turn: the question, the reply, the arguments.
Veiling = Callable[..., "Veil"]


class Veil:
    """Hides the people of one turn in every text of it."""

    def __init__(self, names_said: NameFinder, *told: Any) -> None:
        """`names_said`: the names that a text says; `told`: everything that may name them: the question, the reply,
        the arguments."""
        names = {name for value in told for name in _names_in(value, names_said)}
        longest = sorted((name for name in names if len(name) > 1), key=len, reverse=True)
        self._names = re.compile("|".join(map(re.escape, longest))) if longest else None

    def text(self, text: str) -> str:
        """The text with names as 김*수 and customer and contract numbers by their last two digits."""
        shown = _NUMBER.sub(lambda match: f"{match[1]}***{match[2][-2:]}", text)
        return self._names.sub(lambda match: masked_name(match.group()), shown) if self._names else shown

    def __call__(self, value: Any) -> Any:
        """JSON data with its texts veiled and birthdays hidden."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {key: "****" if key in _BORN and item else self(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self(item) for item in value]
        return value


def _names_in(value: Any, names_said: NameFinder) -> Iterator[str]:
    for text in _texts(value):
        yield from (mention.name for mention in names_said(text) if mention.name)
    for key, item in _items(value):
        if key in _NAMES and isinstance(item, str) and _NAME.fullmatch(item):
            yield item


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _items(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key with its value, at any depth; of a record with a birthday the name counts as a person's."""
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        born = "birth_date" in value or "customer_id" in value
        for key, item in value.items():
            yield ("customer_name" if born and key == "name" else key), item
        inner = value.values()
    elif isinstance(value, list | tuple):
        inner = value
    for item in inner:
        yield from _items(item)

"""The records of tool results: which item of a list a figure belongs to, and which items a sentence speaks of."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import Any, NamedTuple

# What is in no record.
OUTSIDE = frozenset({0})
_LEAST_NAME, _MOST_NAME = 3, 40  # letters
# What stands under these keys is a name however short it is (약사).
_NAMING = frozenset({"name", "job", "title"})


class Named(NamedTuple):
    """The items of a list, and the names of some of them that an answer holds."""

    items: Set[int]
    names: Sequence[tuple[str, int]]


class Records:
    """Items of lists, numbered from 1 as they are read; 0 is everything outside."""

    def __init__(self) -> None:
        self.current = 0
        self.closed = False  # no more records: what is read now counts as outside
        self._parents = [0]
        self._ends = [0]  # the last record within each
        self._paths = [""]  # the list that each stands in
        self._names: dict[str, dict[int, tuple[str, ...]]] = {}  # by the path of their list
        self._titles: set[str] = set()

    def enter(self, item: Mapping[str, Any], path: str) -> None:
        """From now on figures are those of this item of a list."""
        if self.closed:
            return
        number = len(self._parents)
        self._parents.append(self.current)
        self._ends.append(number)
        self._paths.append(path)
        held = _names(item.items())
        self._names.setdefault(path, {})[number] = tuple(name for _, name in held)
        self._titles.update(name for key, name in held if key in _NAMING)
        self.current = number

    def leave(self) -> None:
        """The item ends."""
        if self.closed:
            return
        self._ends[self.current] = len(self._parents) - 1
        self.current = self._parents[self.current]

    def apart(self, first: Collection[int], second: Collection[int]) -> bool:
        """Whether items of one list hold the two, but none of them, and nothing outside of records, holds both."""
        if (0 in first and 0 in second) or any(self._holds(a, b) or self._holds(b, a) for a in first for b in second):
            return False
        return any(a and b and self._paths[a] == self._paths[b] for a in first for b in second)

    def named(self, answer: str) -> list[Named]:
        """The lists of which the answer names items, each with the names that it holds."""
        said = tight(answer)
        found = []
        for items in self._names.values():
            if len(items) < 2:
                continue
            # What stands in every item (갱신형) tells none of them from the others; a title may be that of all.
            shared = set.intersection(*map(set, items.values())) - self._titles
            names = [(n, number) for number, held in items.items() for n in held if n in said and n not in shared]
            if names:
                found.append(Named(items.keys(), names))
        return found

    def others(self, sentence: str, named: Sequence[Named]) -> frozenset[int]:
        """The records beside those that the sentence names, in each list of which it names some."""
        said = tight(sentence)
        apart: set[int] = set()
        for items, names in named:
            meant = _meant(said, names)
            if meant and len(meant) < len(items):
                around = {outer for number in meant for outer in self._around(number)}
                for number in items - meant - around:
                    apart.update(range(number, self._ends[number] + 1))
        return frozenset(apart)

    def _holds(self, outer: int, inner: int) -> bool:
        return 0 < outer <= inner <= self._ends[outer]

    def _around(self, number: int) -> Iterator[int]:
        while number := self._parents[number]:
            yield number


def names_of(items: Sequence[Any]) -> tuple[str, ...]:
    """What the items of a list are called."""
    return tuple(
        name for item in items for _, name in _names(item.items() if isinstance(item, Mapping) else (("", item),))
    )


def _names(fields: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    """The key and the name of each field that can be one."""
    found = []
    for key, value in fields:
        if isinstance(value, str) and len(value) <= _MOST_NAME:
            name = tight_name(value)
            if len(name) >= _LEAST_NAME or (key in _NAMING and len(name) == _LEAST_NAME - 1):
                found.append((key, name))
    return found


def _meant(said: str, names: Sequence[tuple[str, int]]) -> set[int]:
    """The items that a text names; a name within a longer one is not meant."""
    found = [(at, at + len(name), number) for name, number in names if name in said for at in _places(said, name)]
    return {
        number
        for start, end, number in found
        if not any(a <= start and end <= b and end - start < b - a for a, b, _ in found)
    }


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def tight(text: str) -> str:
    """Without blanks, lower case: as names are compared."""
    return "".join(text.split()).lower()


@lru_cache(maxsize=8192)  # names of the catalogue, again and again
def tight_name(text: str) -> str:
    """The same of a name."""
    return tight(text)

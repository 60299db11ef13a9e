"""How tools hang together, inferred from their schemas, names and cards.

produces    a tool that searches or lists a thing gives the argument by which another one names it
precedes    search before get, get before compare: the same thing, a later verb
complements same module, much of the same arguments
similar     cards that lie close together, or one card names the other as its twin
conflicts   two writers of the same thing, one of which destroys
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.toolbox.snapshot import ToolEntry
from app.tools.declare import Annotations

Relation = Literal["produces", "precedes", "complements", "similar", "conflicts"]

# How much of a seed's score walks over a relation of each kind.
_STRENGTH: dict[Relation, float] = {
    "similar": 0.5,
    "complements": 0.3,
    "precedes": 0.25,
    "produces": 0.2,
    "conflicts": 0.05,
}
_BONUS = 0.1
_COMPLEMENT = 0.6
_SIMILAR_NEIGHBOURS = 2
_LEAST_SIMILAR = 0.5
_MOST_OF_A_KIND = 12
_STAGES = {
    "search": 0,
    "find": 0,
    "list": 0,
    "lookup": 0,
    "get": 1,
    "detail": 1,
    "summary": 1,
    "check": 2,
    "compare": 2,
    "estimate": 2,
    "recommend": 2,
    "create": 3,
    "add": 3,
    "update": 4,
    "manage": 4,
    "delete": 5,
}
_FINDERS = frozenset(("search", "find", "list", "lookup"))
_IDENTIFIER = re.compile(r"_(code|codes|id|ids|name|names)$")


@dataclass(frozen=True)
class Edge:
    """A relation from one tool to another; `through` names the argument or thing that ties them."""

    source: str
    target: str
    relation: Relation
    through: str = ""


@dataclass(frozen=True)
class ToolGraph:
    """Relations of one tool set. `walk[i]` lists (neighbour, strength) of tool i, best first."""

    names: tuple[str, ...]
    edges: tuple[Edge, ...]
    walk: tuple[tuple[tuple[int, float], ...], ...]

    @classmethod
    def infer(cls, entries: Sequence[ToolEntry], centroids: NDArray[np.float32] | None = None) -> ToolGraph:
        """The graph of these tools; `centroids` (a unit vector a tool, same order) adds likeness of cards."""
        names = tuple(entry.name for entry in entries)
        edges = {
            (edge.source, edge.target, edge.relation): edge
            for edge in (
                *_by_arguments(entries),
                *_by_names(entries),
                *_by_cards(entries),
                *(_by_likeness(names, centroids) if centroids is not None and len(names) > 1 else ()),
            )
        }
        return cls(names, tuple(edges.values()), _walk(names, tuple(edges.values())))

    def expand(self, seeds: Mapping[int, float], depth: int = 2) -> dict[int, float]:
        """Breadth-first from the seeds (tool number → score): a neighbour gets its share, the best way counts."""
        reached = dict(seeds)
        frontier = dict(seeds)
        for _ in range(depth):
            beyond: dict[int, float] = {}
            for node, score in frontier.items():
                for neighbour, strength in self.walk[node]:
                    passed = score * strength
                    if passed > reached.get(neighbour, 0.0):
                        reached[neighbour] = beyond[neighbour] = passed
            frontier = beyond
        return reached

    def prerequisites(self, name: str) -> tuple[Edge, ...]:
        """The tools that give what this one asks for, e.g. product_search before premium_estimate."""
        return tuple(edge for edge in self.edges if edge.relation == "produces" and edge.target == name)


def parameter_similarity(a: ToolEntry, b: ToolEntry) -> float:
    """Jaccard likeness of the argument names, plus the share of equal annotation hints times 0.1."""
    return _similarity(a, a.arguments, b, b.arguments)


def _similarity(a: ToolEntry, first: frozenset[str], b: ToolEntry, second: frozenset[str]) -> float:
    union = first | second
    jaccard = len(first & second) / len(union) if union else 0.0
    return jaccard + _BONUS * equal_hints(a.annotations, b.annotations)


def equal_hints(a: Annotations | None, b: Annotations | None) -> float:
    """The share of hints given by both that are equal; 0 when either has none."""
    if a is None or b is None:
        return 0.0
    first, second = a.as_mcp(), b.as_mcp()
    both = first.keys() & second.keys()
    return sum(first[hint] == second[hint] for hint in both) / len(both) if both else 0.0


def _thing(argument: str) -> str:
    return _IDENTIFIER.sub("", argument)


def _by_arguments(entries: Sequence[ToolEntry]) -> list[Edge]:
    finders: dict[str, list[ToolEntry]] = defaultdict(list)
    for entry in entries:
        words = entry.name.split("_")
        if _FINDERS & set(words):
            for word in words:
                if word not in _STAGES:
                    finders[word].append(entry)
    edges = []
    for entry in entries:
        for argument in sorted(entry.arguments):
            for finder in finders.get(_thing(argument), ())[:_MOST_OF_A_KIND]:
                named = set(finder.name.split("_"))
                # customer_contract_lookup finds contracts; the customer is what it asks for itself.
                if finder.name != entry.name and argument not in finder.arguments and _thing(argument) in named:
                    edges.append(Edge(finder.name, entry.name, "produces", argument))
    return edges


def _by_names(entries: Sequence[ToolEntry]) -> list[Edge]:
    groups: dict[tuple[str, str], list[tuple[int, ToolEntry]]] = defaultdict(list)
    modules: dict[str, list[ToolEntry]] = defaultdict(list)
    for entry in entries:
        modules[entry.module].append(entry)
        first, *rest = entry.name.split("_")
        stage = next((_STAGES[word] for word in reversed(rest) if word in _STAGES), None)
        if stage is not None:
            groups[entry.module, first].append((stage, entry))
    edges = []
    for (_, thing), members in groups.items():
        for stage, entry in members[:_MOST_OF_A_KIND]:
            for other_stage, other in members[:_MOST_OF_A_KIND]:
                if stage < other_stage:
                    edges.append(Edge(entry.name, other.name, "precedes", thing))
                if entry is not other and _clash(entry, other):
                    edges.append(Edge(entry.name, other.name, "conflicts", thing))
    for members_of in modules.values():
        near = [(entry, entry.arguments) for entry in members_of[:_MOST_OF_A_KIND]]
        edges += [
            Edge(a.name, b.name, "complements", a.module)
            for a, first in near
            for b, second in near
            if a is not b and _similarity(a, first, b, second) >= _COMPLEMENT + _BONUS
        ]
    return edges


def _clash(a: ToolEntry, b: ToolEntry) -> bool:
    if a.annotations is None or b.annotations is None or a.annotations.read_only or b.annotations.read_only:
        return False
    return bool(a.annotations.destructive) != bool(b.annotations.destructive)


def _by_cards(entries: Sequence[ToolEntry]) -> list[Edge]:
    names = {entry.name for entry in entries}
    edges = []
    for entry in entries:
        named = {word for note in entry.card.when_not_to_use for word in re.findall(r"[a-z][a-z0-9_]{2,}", note)}
        edges += [Edge(entry.name, other, "similar", "card") for other in sorted(named & names) if other != entry.name]
    return edges


def _by_likeness(names: tuple[str, ...], centroids: NDArray[np.float32]) -> list[Edge]:
    edges = []
    step = 512
    for begin in range(0, len(names), step):
        likeness = centroids[begin : begin + step] @ centroids.T
        for row in range(len(likeness)):
            likeness[row, begin + row] = -1.0
            count = min(_SIMILAR_NEIGHBOURS, len(names) - 1)
            nearest = np.argpartition(-likeness[row], count - 1)[:count]
            edges += [
                Edge(names[begin + row], names[int(other)], "similar", "cards")
                for other in nearest
                if likeness[row, other] >= _LEAST_SIMILAR
            ]
    return edges


def _walk(names: tuple[str, ...], edges: Sequence[Edge]) -> tuple[tuple[tuple[int, float], ...], ...]:
    number = {name: i for i, name in enumerate(names)}
    strongest: list[dict[int, float]] = [{} for _ in names]
    for edge in edges:
        a, b = number[edge.source], number[edge.target]
        for here, there in ((a, b), (b, a)):
            strength = _STRENGTH[edge.relation]
            strongest[here][there] = max(strongest[here].get(there, 0.0), strength)
    return tuple(tuple(sorted(near.items(), key=lambda item: (-item[1], item[0]))) for near in strongest)

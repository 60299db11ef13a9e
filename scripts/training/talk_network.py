"""Trains the neural reading of a message in its talk (app/planner/talk_network.py)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from app.packed import Int8Rows
from app.planner.situation import NO_TOOL, Heard, Situation
from app.planner.talk_network import BUCKETS, TalkNetwork, bag_of, counts_of, dense_of, place_of_last

# Chosen on talks of authors who were not trained on; flat around the optimum (widths 48 to 96, 6 to 12 rounds).
_WIDTH, _LAST_WIDTH, _HIDDEN = 64, 48, 384
_ROUNDS, _BATCH, _RATE, _DECAY = 8, 64, 2e-3, 1e-5
# The network learns from the right tools and, more, from what several others make of each turn together (Hinton et
# al., "Distilling the Knowledge in a Neural Network", 2015): on six unseen authors' 1,456 turns one network is right
# in 95.1 %, four together in 95.7 % and one that learned from them in 95.8 %, at no cost when it is asked.
_TEACHERS, _TAUGHT = 4, 0.9

Learned = tuple[Situation, Sequence[int]]


class _Network(nn.Module):
    def __init__(self, labels: int, dense: int) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(BUCKETS, _WIDTH, mode="sum", include_last_offset=True)
        nn.init.normal_(self.bag.weight, 0.0, 0.05)
        self.last = nn.Embedding(labels + 1, _LAST_WIDTH)
        self.last_bias = nn.Embedding(labels + 1, labels)
        nn.init.zeros_(self.last_bias.weight)
        self.hidden = nn.Linear(_WIDTH + _LAST_WIDTH + dense, _HIDDEN)
        self.out = nn.Linear(_HIDDEN, labels)
        self.drop_words, self.drop_hidden = nn.Dropout(0.3), nn.Dropout(0.4)

    def forward(
        self, places: torch.Tensor, starts: torch.Tensor, values: torch.Tensor, last: torch.Tensor, dense: torch.Tensor
    ) -> torch.Tensor:
        """The scores of each label, rows x labels."""
        words = self.drop_words(self.bag(places, starts, per_sample_weights=values))
        inside = torch.cat([words, self.last(last), dense], 1)
        scores: torch.Tensor = self.out(self.drop_hidden(torch.relu(self.hidden(inside)))) + self.last_bias(last)
        return scores


def untrained_network() -> TalkNetwork:
    """One that knows no tool: the router's shares stand for its own."""
    dense = len(dense_of(_NOTHING, {NO_TOOL: 0}, {}))
    return TalkNetwork(
        np.ones(BUCKETS, np.float32),
        Int8Rows.of(np.zeros((BUCKETS, 1))),
        np.zeros((2, 1), np.float32),
        np.zeros((2, 1), np.float32),
        np.zeros((1 + 1 + dense + 1, 1), np.float32),
        np.zeros((2, 1), np.float32),
        {NO_TOOL: 0},
        {},
    )


@dataclass(frozen=True)
class _Lessons:
    """The rows as the network takes them in."""

    idf: NDArray[np.float32]
    kinds: Mapping[str, int]
    bags: Sequence[tuple[NDArray[np.intp], NDArray[np.float32]]]
    last: torch.Tensor
    dense: torch.Tensor
    wrong: torch.Tensor

    @classmethod
    def of(cls, rows: Sequence[Learned], labels: Mapping[str, int]) -> _Lessons:
        kinds = {kind: number for number, kind in enumerate(sorted({kind for seen, _ in rows for kind in seen.kinds}))}
        held = np.concatenate([counts_of(seen.features)[0] for seen, _ in rows])
        idf = (np.log((1 + len(rows)) / (1 + np.bincount(held, minlength=BUCKETS))) + 1.0).astype(np.float32)
        return cls(
            idf,
            kinds,
            [bag_of(seen.features, idf) for seen, _ in rows],
            torch.tensor([place_of_last(seen, labels) for seen, _ in rows]),
            torch.from_numpy(np.stack([dense_of(seen, labels, kinds) for seen, _ in rows])),
            torch.from_numpy(_wrong(rows, labels)),
        )

    def scores(self, network: _Network, chosen: torch.Tensor) -> torch.Tensor:
        """The logarithms of the shares that the network gives each label."""
        bags = [self.bags[int(place)] for place in chosen]
        return torch.log_softmax(network(*_flat(bags), self.last[chosen], self.dense[chosen]), 1)


def fit_network(rows: Sequence[Learned], labels: Mapping[str, int]) -> TalkNetwork:
    """From situations and the numbers of their right tools (the number of tools: no tool). The same rows give the same
    network."""
    lessons = _Lessons.of([(seen, right) for seen, right in rows if _names(seen, right) & labels.keys()], labels)
    taught = sum(_shares(lessons, _fitted(lessons, len(labels), seed, None)) for seed in range(_TEACHERS))
    network = _fitted(lessons, len(labels), _TEACHERS, taught / _TEACHERS)
    return _read(network, lessons.idf, labels, lessons.kinds)


def _fitted(lessons: _Lessons, labels: int, seed: int, taught: torch.Tensor | None) -> _Network:
    """A network trained on the right labels and, where they are given, on the shares that others gave each."""
    torch.manual_seed(seed)
    network, count = _Network(labels, lessons.dense.shape[1]), len(lessons.bags)
    optimiser = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    steps = _ROUNDS * math.ceil(count / _BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, _RATE, steps, pct_start=0.15)
    for _ in range(_ROUNDS):
        for chosen in torch.randperm(count).split(_BATCH):
            logs = lessons.scores(network, chosen)
            # What is right together is to have the largest share.
            loss = -torch.logsumexp(logs + lessons.wrong[chosen], 1).mean()
            if taught is not None:
                loss = (1 - _TAUGHT) * loss - _TAUGHT * (taught[chosen] * logs).sum(1).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return network.eval()


@torch.no_grad()
def _shares(lessons: _Lessons, network: _Network) -> torch.Tensor:
    return torch.cat([lessons.scores(network, part).exp() for part in torch.arange(len(lessons.bags)).split(1024)])


def _wrong(rows: Sequence[Learned], labels: Mapping[str, int]) -> NDArray[np.float32]:
    """Zero where a label is right, far below where it is not."""
    found = np.full((len(rows), len(labels)), -1e9, dtype=np.float32)
    for number, (seen, right) in enumerate(rows):
        found[number, [labels[name] for name in _names(seen, right) & labels.keys()]] = 0.0
    return found


def _names(seen: Situation, right: Sequence[int]) -> set[str]:
    tools = (*seen.tools, NO_TOOL)
    return {tools[at] for at in right}


def _flat(bags: Sequence[tuple[NDArray[np.intp], NDArray[np.float32]]]) -> tuple[torch.Tensor, ...]:
    starts = np.cumsum([0, *(len(places) for places, _ in bags)])
    places = np.concatenate([places for places, _ in bags])
    values = np.concatenate([values for _, values in bags]).astype(np.float32)
    return torch.from_numpy(places), torch.from_numpy(starts), torch.from_numpy(values)


def _read(
    network: _Network, idf: NDArray[np.float32], labels: Mapping[str, int], kinds: Mapping[str, int]
) -> TalkNetwork:
    """The trained weights as arrays; each layer's biases are its last row."""

    def array(tensor: torch.Tensor) -> NDArray[np.float32]:
        found: NDArray[np.float32] = tensor.detach().numpy().astype(np.float32)
        return found

    def layer(linear: nn.Linear) -> NDArray[np.float32]:
        return np.vstack([array(linear.weight).T, array(linear.bias)])

    return TalkNetwork(
        idf,
        Int8Rows.of(array(network.bag.weight)),
        array(network.last.weight),
        array(network.last_bias.weight),
        layer(network.hidden),
        layer(network.out),
        dict(labels),
        kinds,
    )


_SILENT = Heard({}, {})
_NOTHING = Situation("", (), False, None, (), {}, {}, _SILENT, _SILENT, _SILENT)

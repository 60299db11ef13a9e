"""The training loop: in-batch contrast, graded pairs, and the tools' lines against their siblings' lines."""

from __future__ import annotations

import time

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy, embedding_bag, normalize

from scripts.training.batches import Bag, Batches, Labelled, Pairs
from scripts.training.recipe import Recipe


def train(vectors: np.ndarray, batches: Batches, recipe: Recipe, seed: int) -> np.ndarray:
    """The trained rows, float32. Prints the loss of each source now and then."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed + 1)
    table = nn.Parameter(torch.from_numpy(vectors.copy()))
    optimiser = torch.optim.Adam([table], lr=recipe.rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: _rate(step, recipe))
    names = list(recipe.weights)
    share = np.asarray([recipe.weights[name] for name in names])
    losses: dict[str, float] = {}
    began = time.perf_counter()
    for step in range(1, recipe.steps + 1):
        source = names[rng.choice(len(names), p=share / share.sum())]
        loss = _loss(table, batches.draw(source), recipe)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        schedule.step()
        losses[source] = 0.9 * losses.get(source, loss.item()) + 0.1 * loss.item()
        if step % 100 == 0:
            told = " ".join(f"{name} {value:.2f}" for name, value in losses.items())
            print(f"step {step} ({time.perf_counter() - began:.0f} s): {told}", flush=True)
    return table.detach().numpy()


def _rate(step: int, recipe: Recipe) -> float:
    if step < recipe.warm_up:
        return (step + 1) / recipe.warm_up
    return max(0.0, (recipe.steps - step) / (recipe.steps - recipe.warm_up))


def _loss(table: nn.Parameter, batch: Pairs | Labelled, recipe: Recipe) -> torch.Tensor:
    if isinstance(batch, Labelled):
        rows = _encode(table, batch.texts)
        return _neighbours(rows, batch.labels, recipe)
    first, second = _encode(table, batch.first), _encode(table, batch.second)
    if batch.scores is not None:
        return _cosent(first, second, batch.scores, recipe.scale)
    short = recipe.short_dimension
    return _contrast(first, second, recipe.scale) + recipe.short_weight * _contrast(
        first[:, :short], second[:, :short], recipe.scale
    )


def _encode(table: nn.Parameter, bag: Bag) -> torch.Tensor:
    return embedding_bag(bag.ids, table, bag.starts, mode="mean")


def _contrast(first: torch.Tensor, second: torch.Tensor, scale: float) -> torch.Tensor:
    """Symmetric InfoNCE: row i of one side must find row i of the other."""
    likeness = scale * normalize(first) @ normalize(second).T
    target = torch.arange(len(first))
    return (cross_entropy(likeness, target) + cross_entropy(likeness.T, target)) / 2


def _cosent(first: torch.Tensor, second: torch.Tensor, scores: torch.Tensor, scale: float) -> torch.Tensor:
    """CoSENT: a pair graded higher must be nearer than a pair graded lower."""
    likeness = scale * (normalize(first) * normalize(second)).sum(1)
    lower = scores[:, None] < scores[None, :]
    gaps = (likeness[:, None] - likeness[None, :])[lower]
    return torch.logsumexp(torch.cat([torch.zeros(1), gaps]), 0)


def _neighbours(rows: torch.Tensor, labels: torch.Tensor, recipe: Recipe) -> torch.Tensor:
    """Every tool is in the batch, its siblings too: a line must find lines of its own tool before all others.

    'neighbour' asks that some line of the tool be near (as the router's best lines do), 'all_pairs' that all be.
    """
    unit = normalize(rows)
    own = torch.eye(len(unit), dtype=torch.bool)
    likeness = (recipe.tool_scale * unit @ unit.T).masked_fill(own, float("-inf"))
    same = (labels[:, None] == labels[None, :]) & ~own & (labels >= 0)[:, None]
    has = same.any(1)
    log_share = likeness - torch.logsumexp(likeness, 1, keepdim=True)
    if recipe.tool_loss == "neighbour":
        return -torch.logsumexp(log_share.masked_fill(~same, float("-inf"))[has], 1).mean()
    kept = log_share.masked_fill(~same, 0.0)[has]
    return -(kept.sum(1) / same[has].sum(1)).mean()

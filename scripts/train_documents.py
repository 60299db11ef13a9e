"""Train the meaning of clauses (data/models/ko-clause-meaning) from nothing but public texts, on a CPU, in minutes.

    python -m scripts.train_documents --korean DIR --utterances DIR --out data/models/ko-clause-meaning --seed 7

The folders are those of scripts/train_embedder.py. A word's vector is a trained map of Kiwi's vector of its morpheme
plus a part of its own; a text is the sum of its words by trained weights. Pairs: article title and text, a clause and
the others, sentences that say the same, customers' words and those of the trade (data/language/document_glossary.yaml).
Words that both sides share are often left out, so that what remains is what keyword search cannot see.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from app.documents.glossary import GLOSSARY
from app.documents.meaning import FILE, MeaningSpace
from app.language.morpheme_vectors import MorphemeVectors
from app.language.tokenizer import Tokenizer
from app.packed import Int8Rows, write_packed
from scripts.documents.meaning_data import Material, Pairs, Words, read_material
from scripts.training.corpus import CorpusError

THREADS = 2
_BASIS = ("NNG", "VV", "VA", "XR", "MAG", "NNP")
_BASIS_WORDS = 3_000


@dataclass(frozen=True)
class Recipe:
    """What was chosen on questions about statutes that were kept out of training."""

    dimension: int = 256
    steps: int = 900
    batch: int = 384
    rate: float = 3e-3
    scale: float = 20.0
    drop: float = 0.1
    shared_drop: float = 0.5
    article_share: float = 0.6
    least_count: int = 2
    own_start: float = 0.3


class Towers(torch.nn.Module):
    """One tower for questions and passages."""

    def __init__(self, kiwi: NDArray[np.float32], weights: NDArray[np.float32], recipe: Recipe, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.kiwi, self.weights = torch.from_numpy(kiwi), torch.from_numpy(weights)
        size = recipe.dimension**-0.5
        self.onto = torch.nn.Parameter(torch.randn(kiwi.shape[1], recipe.dimension) * size)
        self.own = torch.nn.Parameter(torch.randn(len(kiwi), recipe.dimension) * (recipe.own_start * size))
        self.bend = torch.nn.Parameter(torch.zeros(len(kiwi)))

    def table(self) -> torch.Tensor:
        """The weighted vector of every word."""
        return (self.kiwi @ self.onto + self.own) * (self.weights * torch.exp(self.bend))[:, None]

    @staticmethod
    def bags(table: torch.Tensor, texts: Sequence[Sequence[int]]) -> torch.Tensor:
        """Unit vectors of texts."""
        flat = torch.tensor([row for text in texts for row in text], dtype=torch.long)
        starts = torch.tensor(np.cumsum([0] + [len(text) for text in texts[:-1]]), dtype=torch.long)
        return torch.nn.functional.normalize(torch.nn.functional.embedding_bag(flat, table, starts, mode="sum"), dim=1)


def train(material: Material, recipe: Recipe, seed: int, out: Path) -> None:
    """Train and write the folder."""
    words = [word for word, count in material.counts.most_common() if count >= recipe.least_count]
    rows = {word: row for row, word in enumerate(words)}
    common = [material.tags[word] for word in words if material.tags[word][1] in _BASIS][:_BASIS_WORDS]
    space = MorphemeVectors.span(Tokenizer(), common)
    vectors = [space.vector(material.tags[word]) for word in words]
    kiwi = np.stack([np.zeros(space.dimension, np.float32) if v is None else v for v in vectors])
    texts = len(material.articles)
    rarity = np.log(1 + texts / np.array([material.counts[word] for word in words])).astype(np.float32)
    rare = 0.8 * float(np.log(1 + texts)) / float(rarity.mean())
    towers = Towers(kiwi, rarity / rarity.mean(), recipe, seed)
    pairs = Pairs(material, recipe.batch, recipe.article_share, recipe.drop, recipe.shared_drop, seed)
    _fit(towers, pairs, rows, recipe)
    table = towers.table().detach().numpy()
    listed = {"words": words, "basis": space.basis, "rare": round(rare, 4), "recipe": asdict(recipe), "seed": seed}
    parts = {
        "vectors": Int8Rows.of(table),
        "onto": towers.onto.detach().numpy().astype(np.float16),
        "projection": space.projection.astype(np.float16),
        "centre": space.centre,
        "listed": json.dumps(listed, ensure_ascii=False),
    }
    write_packed(out / FILE, parts)


def _fit(towers: Towers, pairs: Pairs, rows: dict[str, int], recipe: Recipe) -> None:
    optimiser = torch.optim.Adam(towers.parameters(), lr=recipe.rate)

    def known(text: Words) -> list[int]:
        return [rows[word] for word in text if word in rows]

    for step in range(recipe.steps):
        for group in optimiser.param_groups:
            group["lr"] = recipe.rate * min(1.0, 2 * (recipe.steps - step) / recipe.steps)
        batch = [(known(one), known(other)) for one, other in pairs.draw()]
        batch = [(one, other) for one, other in batch if one and other]
        table = towers.table()
        left, right = (Towers.bags(table, [pair[side] for pair in batch]) for side in (0, 1))
        likeness, truth = left @ right.T * recipe.scale, torch.arange(len(batch))
        entropy = torch.nn.functional.cross_entropy
        loss = (entropy(likeness, truth) + entropy(likeness.T, truth)) / 2
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if step % 250 == 0:
            print(f"step {step}: {loss.item():.3f}", flush=True)


def main(arguments: list[str] | None = None) -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--korean", type=Path, required=True, help="folder of the public Korean sets")
    parser.add_argument("--utterances", type=Path, required=True, help="folder of the utterance bank (*.jsonl)")
    parser.add_argument("--glossary", type=Path, default=Path("data/language") / GLOSSARY, help="customers' words")
    parser.add_argument("--out", type=Path, default=Path("data/models/ko-clause-meaning"))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    began = time.perf_counter()
    try:
        material = read_material(options.korean, options.utterances, options.glossary)
    except CorpusError as error:
        raise SystemExit(str(error)) from error
    print(
        f"{len(material.articles):,} articles, {len(material.counts):,} words, {time.perf_counter() - began:.0f} s",
        flush=True,
    )
    train(material, Recipe(), options.seed, options.out)
    print(f"{MeaningSpace.load(options.out, Tokenizer()).fingerprint}: {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()

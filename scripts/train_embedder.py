"""Train the bundled embedder from nothing, on a CPU, in a few minutes.

    python -m scripts.train_embedder --korean DIR --utterances DIR --out data/models/ko-insurance-static --seed 7

`--korean` holds the public sets and `--utterances` the utterance bank; the model card in the out folder says where to
get each. The same seed, data and machine give the same weights.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from app.adapters.static_embedder import StaticEmbedder
from app.packed import Int8Rows
from scripts.training.batches import Batches
from scripts.training.corpus import Corpus, CorpusError, read_corpus
from scripts.training.measure import article_search, graded_correlation, routing, routing_by_letters
from scripts.training.model_folder import write_model
from scripts.training.objectives import train
from scripts.training.pieces import Encoded, build_tokenizer, surface_morphemes
from scripts.training.recipe import Recipe
from scripts.training.start_vectors import starting_vectors

THREADS = 2
UNSEEN_SHARE = 6
Figures = dict[str, dict[str, float]]


def main() -> None:
    """Read, cut, start, train, measure, write."""
    arguments = _arguments()
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(True)
    began = time.perf_counter()
    recipe = Recipe()
    try:
        corpus = read_corpus(arguments.korean, arguments.utterances)
    except CorpusError as error:
        raise SystemExit(str(error)) from error
    texts = list(dict.fromkeys(corpus.texts()))
    print(f"{len(texts):,} texts, {len(corpus.tools)} tools, {time.perf_counter() - began:.0f} s", flush=True)
    tokenizer = build_tokenizer(surface_morphemes(texts, THREADS), recipe.pieces)
    print(f"{tokenizer.get_vocab_size():,} pieces, {time.perf_counter() - began:.0f} s", flush=True)
    start = starting_vectors(Encoded(tokenizer, texts), tokenizer.get_vocab_size(), recipe.dimension, arguments.seed)
    print(f"starting vectors, {time.perf_counter() - began:.0f} s", flush=True)
    vectors = _trained(start, tokenizer, corpus, recipe, arguments.seed)
    figures = measured(tokenizer, vectors, corpus)
    if arguments.unseen:
        figures |= measured_unseen(start, tokenizer, corpus, recipe, arguments.seed)
    embedder, pieces = _embedder(tokenizer, vectors), tokenizer.get_vocab_size()
    write_model(arguments.out, embedder, pieces, recipe, corpus, figures, arguments.seed)
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    print(f"{StaticEmbedder.load(arguments.out).fingerprint}: {time.perf_counter() - began:.0f} s")


def measured(tokenizer: Tokenizer, vectors: np.ndarray, corpus: Corpus) -> Figures:
    """Figures on what was kept aside, through the class that the application uses."""
    encode = _embedder(tokenizer, vectors).encode_passages
    return {
        "KorSTS 떼어 둔 쌍": graded_correlation(encode, corpus.graded_held_out),
        "법령 제목 → 조문 본문": article_search(encode, corpus.articles_held_out),
        **_named("도구 선택", routing(encode, corpus.tools, corpus.tools_development)),
        **_named("비교: 글자 TF-IDF", routing_by_letters(corpus.tools, corpus.tools_development)),
    }


def measured_unseen(start: np.ndarray, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe, seed: int) -> Figures:
    """Train again without one tool in six, then ask for those tools among all: what a tool added later may expect."""
    left_out = set(list(corpus.tools)[::UNSEEN_SHARE])
    known = {name: lines for name, lines in corpus.tools.items() if name not in left_out}
    vectors = _trained(start, tokenizer, replace(corpus, tools=known), recipe, seed)
    encode = _embedder(tokenizer, vectors).encode_passages
    questions = {name: lines for name, lines in corpus.tools_development.items() if name in left_out}
    label = f"학습에 없던 도구 {len(left_out)}개"
    return {
        **_named(label, routing(encode, corpus.tools, questions)),
        **_named(f"{label}, 비교: 글자 TF-IDF", routing_by_letters(corpus.tools, questions)),
    }


def _trained(start: np.ndarray, tokenizer: Tokenizer, corpus: Corpus, recipe: Recipe, seed: int) -> np.ndarray:
    runs = [train(start, Batches(corpus, tokenizer, recipe, seed + i), recipe, seed + i) for i in range(recipe.runs)]
    vectors: np.ndarray = np.mean(runs, axis=0)
    # the unknown piece must not pull texts together
    vectors[0] = 0.0
    return vectors


def _embedder(tokenizer: Tokenizer, vectors: np.ndarray) -> StaticEmbedder:
    return StaticEmbedder("measured", tokenizer, Int8Rows.of(vectors), "measured")


def _named(label: str, figures: Figures) -> Figures:
    return {f"{label}, {name}": values for name, values in figures.items()}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--korean", type=Path, required=True, help="folder of the public Korean sets")
    parser.add_argument("--utterances", type=Path, required=True, help="folder of the utterance bank (*.jsonl)")
    parser.add_argument("--out", type=Path, default=Path("data/models/ko-insurance-static"))
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument(
        "--unseen", action="store_true", help="train a second time to measure tools kept out of training"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()

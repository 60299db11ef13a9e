"""Train the bundled embedder from nothing, on a CPU, in a few minutes.

    python -m scripts.train_embedder --korean DIR --utterances DIR --out data/models/ko-insurance-static --seed 7

`--korean` holds the public sets and `--utterances` the utterance bank; the model card in the out folder says where to
get each. The same seed, data and machine give the same weights.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import torch

from app.adapters.static_embedder import StaticEmbedder
from scripts.training.batches import Batches
from scripts.training.corpus import Corpus, CorpusError, read_corpus
from scripts.training.measure import article_search, graded_correlation, routing
from scripts.training.model_folder import write_model
from scripts.training.objectives import train
from scripts.training.pieces import Encoded, build_tokenizer, surface_morphemes
from scripts.training.recipe import Recipe
from scripts.training.start_vectors import starting_vectors

THREADS = 2


def main() -> None:
    """Read, cut, start, train, write, measure."""
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
    vectors = train(start, Batches(corpus, tokenizer, recipe, arguments.seed), recipe, arguments.seed)
    write_model(arguments.out, tokenizer, vectors, recipe, corpus, {}, arguments.seed)
    figures = measured(arguments.out, corpus)
    write_model(arguments.out, tokenizer, vectors, recipe, corpus, figures, arguments.seed)
    print(json.dumps(figures, ensure_ascii=False, indent=1))
    print(f"{arguments.out}: {time.perf_counter() - began:.0f} s")


def measured(folder: Path, corpus: Corpus) -> dict[str, dict[str, float]]:
    """Figures of the written model, through the path that the application uses. All in percent or Spearman x 100."""
    encode = StaticEmbedder.load(folder).encode_passages
    return {
        "graded": {
            "pairs": len(corpus.graded_held_out),
            "Spearman": graded_correlation(encode, corpus.graded_held_out),
        },
        "article search": article_search(encode, corpus.articles_held_out),
        **{
            f"routing, {name}": figures
            for name, figures in routing(encode, corpus.tools, corpus.tools_development).items()
        },
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--korean", type=Path, required=True, help="folder of the public Korean sets")
    parser.add_argument("--utterances", type=Path, required=True, help="folder of the utterance bank (*.jsonl)")
    parser.add_argument("--out", type=Path, default=Path("data/models/ko-insurance-static"))
    parser.add_argument("--seed", type=int, default=7)
    return parser.parse_args()


if __name__ == "__main__":
    main()

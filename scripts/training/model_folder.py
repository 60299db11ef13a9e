"""Writes the model folder: stock sentence-transformers modules, half-precision weights, and the model card."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer

from scripts.training.corpus import Corpus
from scripts.training.model_card import model_card
from scripts.training.recipe import Recipe

_MODULES = [
    {"idx": 0, "name": "0", "path": "0_StaticEmbedding", "type": "sentence_transformers.models.StaticEmbedding"},
    {"idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"},
]
_CONFIG = {
    "model_type": "SentenceTransformer",
    "prompts": {"query": "", "document": ""},
    "default_prompt_name": None,
    "similarity_fn_name": "cosine",
}


def write_model(
    folder: Path,
    tokenizer: Tokenizer,
    vectors: np.ndarray,
    recipe: Recipe,
    corpus: Corpus,
    figures: Mapping[str, Mapping[str, float]],
    seed: int,
) -> None:
    """Overwrite the folder's files."""
    home = folder / "0_StaticEmbedding"
    home.mkdir(parents=True, exist_ok=True)
    (folder / "1_Normalize").mkdir(exist_ok=True)
    weights = home / "model.safetensors"
    save_file({"embedding.weight": vectors.astype(np.float16)}, weights)
    # the library writes a file that its owner alone can read
    weights.chmod(0o644)
    tokenizer.save(str(home / "tokenizer.json"), pretty=False)
    # git keeps no empty folder, and the library looks for this one
    (folder / "1_Normalize" / "config.json").write_text("{}\n", encoding="utf-8")
    _write_json(folder / "modules.json", _MODULES)
    _write_json(folder / "config_sentence_transformers.json", _CONFIG)
    card = model_card(recipe, corpus, figures, tokenizer.get_vocab_size(), seed)
    (folder / "README.md").write_text(card, encoding="utf-8")


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

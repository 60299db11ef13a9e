"""Writes the model folder: the packed file and the model card; and, for others, a folder of sentence-transformers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from safetensors.numpy import save_file

from app.adapters.static_embedder import FILE, StaticEmbedder
from app.packed import open_packed
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
    embedder: StaticEmbedder,
    pieces: int,
    recipe: Recipe,
    corpus: Corpus,
    figures: Mapping[str, Mapping[str, float]],
    seed: int,
) -> None:
    """Overwrite the folder's files; `pieces` is the size of the vocabulary."""
    embedder.save(folder)
    card = model_card(recipe, corpus, figures, pieces, seed)
    (folder / "README.md").write_text(card, encoding="utf-8")


def write_library_folder(model: Path, folder: Path) -> None:
    """The packed model as a folder that sentence-transformers reads, with float32 weights (21 MB). Raises OSError, and
    ValueError where the packed file is damaged."""
    home = folder / "0_StaticEmbedding"
    home.mkdir(parents=True, exist_ok=True)
    with open_packed(model / FILE) as stored:
        weights = home / "model.safetensors"
        save_file({"embedding.weight": stored.rows("vectors").whole()}, weights)
        # the library writes a file that its owner alone can read
        weights.chmod(0o644)
        (home / "tokenizer.json").write_text(stored.text("tokenizer"), encoding="utf-8")
    (folder / "1_Normalize").mkdir(exist_ok=True)
    (folder / "1_Normalize" / "config.json").write_text("{}\n", encoding="utf-8")
    _write_json(folder / "modules.json", _MODULES)
    _write_json(folder / "config_sentence_transformers.json", _CONFIG)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")

"""The bundled embedder: one vector per subword piece, averaged. Needs numpy and tokenizers, never torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from tokenizers import Tokenizer

from app.errors import IndexBuildError
from app.messages import worded

_BATCH = 512
_WAY_OUT = worded("static_embedder.way_out")


class StaticEmbedder:
    """A sentence-transformers folder of the modules StaticEmbedding and Normalize, read without that library.

    Vectors are float32 and of length 1; a text without a known piece is the zero vector, like nothing at all.
    Safe to share between threads: nothing is written after `load`.
    """

    def __init__(self, name: str, tokenizer: Tokenizer, weights: NDArray[np.float16], fingerprint: str) -> None:
        self.name = name
        self.dimension = int(weights.shape[1])
        self.fingerprint = fingerprint
        self._tokenizer = tokenizer
        self._weights = weights  # at half precision, as they are stored: a question takes a few dozen of 20,000 rows

    @classmethod
    def load(cls, folder: Path) -> StaticEmbedder:
        """Read the folder (about 0.1 s, 20 MB). Raises IndexBuildError naming the file and the way out."""
        home = _module_folder(folder)
        weights_path, tokenizer_path = home / "model.safetensors", home / "tokenizer.json"
        try:
            weights_bytes, tokenizer_bytes = weights_path.read_bytes(), tokenizer_path.read_bytes()
        except OSError as error:
            raise IndexBuildError(
                worded("static_embedder.cannot_read", filename=error.filename, way_out=_WAY_OUT)
            ) from error
        try:
            weights = load_tensors(weights_bytes)["embedding.weight"].astype(np.float16)
        except (SafetensorError, KeyError) as error:
            raise IndexBuildError(
                worded("static_embedder.damaged", weights_path=weights_path, way_out=_WAY_OUT)
            ) from error
        tokenizer = _tokenizer(tokenizer_bytes, tokenizer_path)
        if tokenizer.get_vocab_size() > len(weights):
            raise IndexBuildError(worded("static_embedder.mismatch", folder=folder, way_out=_WAY_OUT))
        digest = hashlib.sha256(weights_bytes)
        digest.update(tokenizer_bytes)
        return cls(folder.name, tokenizer, weights, f"{folder.name}:{digest.hexdigest()[:16]}")

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one question, shape (dimension,). Well under 0.5 ms for a question."""
        ids = self._tokenizer.encode(text, add_special_tokens=False).ids
        if not ids:
            return np.zeros(self.dimension, dtype=np.float32)
        vector = self._mean(ids)
        return vector / max(float(np.sqrt(vector @ vector)), 1e-12)

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of many texts in their order, shape (texts, dimension)."""
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            for row, encoding in enumerate(self._tokenizer.encode_batch(batch, add_special_tokens=False), start):
                if encoding.ids:
                    out[row] = self._mean(encoding.ids)
        out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-12)
        return out

    def _mean(self, ids: Sequence[int]) -> NDArray[np.float32]:
        mean: NDArray[np.float32] = self._weights[ids].astype(np.float32).mean(axis=0)
        return mean


def _module_folder(folder: Path) -> Path:
    """Where the weights are: in the folder itself or in its first module's folder."""
    nested = folder / "0_StaticEmbedding"
    return nested if nested.is_dir() else folder


def _tokenizer(raw: bytes, path: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_buffer(raw)
    except ValueError as error:
        raise IndexBuildError(worded("static_embedder.tokenizer_damaged", path=path, way_out=_WAY_OUT)) from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer

"""The bundled embedder: one vector per subword piece, averaged. Needs numpy and tokenizers, never torch."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from app.errors import IndexBuildError
from app.messages import worded
from app.packed import SUFFIX, Int8Rows, open_packed, write_packed

FILE = f"embedder{SUFFIX}"
_BATCH = 512
_WAY_OUT = worded("static_embedder.way_out")


class StaticEmbedder:
    """What sentence-transformers calls StaticEmbedding and Normalize, done without that library.

    Vectors are float32 and of length 1; a text without a known piece is the zero vector, like nothing at all.
    Safe to share between threads: nothing is written after `load`.
    """

    def __init__(self, name: str, tokenizer: Tokenizer, weights: Int8Rows, fingerprint: str) -> None:
        """`weights` has a row for each piece of the tokenizer: a question takes a few dozen of 20,000."""
        self.name = name
        self.dimension = weights.shape[1]
        self.fingerprint = fingerprint
        self._tokenizer = tokenizer
        self._weights = weights

    @classmethod
    def load(cls, folder: Path) -> StaticEmbedder:
        """Read what `save` wrote (about 0.1 s, 10 MB). Raises IndexBuildError naming the file and the way out."""
        path = folder / FILE
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            with open_packed(path) as stored:
                tokenizer = Tokenizer.from_buffer(stored.text("tokenizer").encode())
                weights = stored.rows("vectors")
        except OSError as error:
            told = worded("static_embedder.cannot_read", filename=error.filename, way_out=_WAY_OUT)
            raise IndexBuildError(told) from error
        except ValueError as error:
            told = worded("static_embedder.damaged", weights_path=path, way_out=_WAY_OUT)
            raise IndexBuildError(told) from error
        tokenizer.no_padding()
        tokenizer.no_truncation()
        if tokenizer.get_vocab_size() > weights.shape[0]:
            raise IndexBuildError(worded("static_embedder.mismatch", folder=folder, way_out=_WAY_OUT))
        return cls(folder.name, tokenizer, weights, f"{folder.name}:{digest[:16]}")

    def save(self, folder: Path) -> None:
        """Write vectors and tokenizer as one packed file of the folder. Raises OSError."""
        write_packed(folder / FILE, {"vectors": self._weights, "tokenizer": self._tokenizer.to_str(pretty=False)})

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
        return self._weights.weighed(ids, np.full(len(ids), 1.0 / len(ids), dtype=np.float32))

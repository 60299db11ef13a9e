"""Text to vectors: the bundled static model by default, any sentence-transformers model by EMBEDDING_MODEL."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from app.adapters.static_embedder import StaticEmbedder
from app.errors import IndexBuildError
from app.messages import worded
from app.settings import ROOT, Settings

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

BUNDLED = "bundled"
BUNDLED_FOLDER = ROOT / "data" / "models" / "ko-insurance-static"
E5_QUERY, E5_PASSAGE = "query: ", "passage: "
_E5 = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])")
_QUERY_PROMPTS = ("query",)
_PASSAGE_PROMPTS = ("document", "passage", "corpus")
_SAMPLE = 64


class Embedder(Protocol):
    """Turns texts into unit vectors (float32). `fingerprint` changes whenever the vectors may change."""

    @property
    def name(self) -> str:
        """What the operator calls the model."""
        ...

    @property
    def dimension(self) -> int:
        """Length of every vector."""
        ...

    @property
    def fingerprint(self) -> str:
        """Name and weights in one short text; an index built under another one must be rebuilt."""
        ...

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The vector of what a person asks, shape (dimension,)."""
        ...

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of what may be found, in order, shape (texts, dimension)."""
        ...


def build_embedder(settings: Settings) -> Embedder:
    """The embedder the settings name. Raises IndexBuildError, with the way out, when it cannot be had.

    'bundled' loads in about 0.1 s with numpy and tokenizers alone; anything else imports torch (seconds, 500 MB).
    """
    if settings.embedding_model == BUNDLED:
        return StaticEmbedder.load(BUNDLED_FOLDER)
    return SentenceTransformerEmbedder.load(settings.embedding_model)


class SentenceTransformerEmbedder:
    """Any sentence-transformers model, by hub name or folder.

    A model's own prompts are used if it has any; a model of the e5 family without them gets its 'query: ' and
    'passage: ' prefixes, which it was trained with. Safe to share between threads: one text batch at a time.
    """

    def __init__(self, name: str, model: SentenceTransformer, *, e5: bool) -> None:
        self.name = name
        self.dimension = _dimension(name, model)
        own: Mapping[str, str | None] = model.prompts or {}
        self._query_prompt = _prompt(own, _QUERY_PROMPTS) or (E5_QUERY if e5 else "")
        self._passage_prompt = _prompt(own, _PASSAGE_PROMPTS) or (E5_PASSAGE if e5 else "")
        self.fingerprint = _fingerprint(name, model, self._query_prompt, self._passage_prompt)
        self._model = model
        # tokenizers of transformers models are not safe to share: truncation is switched on the shared object
        self._lock = threading.Lock()

    @classmethod
    def load(cls, name: str) -> SentenceTransformerEmbedder:
        """Load a folder or a hub name; HF_HUB_OFFLINE and HF_HOME are honoured. Raises IndexBuildError."""
        if _looks_like_a_folder(name) and not Path(name).expanduser().is_dir():
            raise IndexBuildError(worded("embeddings.no_folder", name=name, way_out=_way_out(name)))
        try:
            from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415
            from safetensors import SafetensorError  # noqa: PLC0415
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415  (torch: seconds and 500 MB)
        except ImportError as error:
            raise IndexBuildError(worded("embeddings.needs_packages", name=name, error=error)) from error
        source = str(Path(name).expanduser()) if _looks_like_a_folder(name) else name
        try:
            model = SentenceTransformer(source, device="cpu")
        except (OSError, ValueError, RuntimeError, KeyError, HfHubHTTPError, SafetensorError) as error:
            reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
            raise IndexBuildError(
                worded("embeddings.cannot_load", name=name, reason=reason, way_out=_way_out(name))
            ) from error
        return cls(name, model, e5=is_e5(name))

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """The unit vector of one question, shape (dimension,)."""
        vector: NDArray[np.float32] = self._encode([text], self._query_prompt)[0]
        return vector

    def encode_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors of many texts in their order, shape (texts, dimension)."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return self._encode(list(texts), self._passage_prompt)

    def _encode(self, texts: list[str], prompt: str) -> NDArray[np.float32]:
        with self._lock:
            vectors = self._model.encode(
                texts, prompt=prompt, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
            )
        return np.asarray(vectors, dtype=np.float32)


def is_e5(name: str) -> bool:
    """Whether the model is of the e5 family: by its name, or for a folder by its config or model card."""
    folder = Path(name).expanduser()
    parts = folder.parts
    if _looks_like_a_folder(name):
        # a parent folder may be called anything; only the hub's own cache keeps the model's name above the files
        parts = tuple(part for part in parts if part == folder.name or part.startswith("models--"))
    if any(_E5.search(part.lower()) for part in parts):
        return True
    config = folder / "config.json"
    if config.is_file():
        try:
            origin = json.loads(config.read_text(encoding="utf-8")).get("_name_or_path", "")
        except (json.JSONDecodeError, UnicodeDecodeError, AttributeError):
            origin = ""
        if isinstance(origin, str) and _E5.search(origin.lower()):
            return True
    card = folder / "README.md"
    if not card.is_file():
        return False
    text = card.read_text(encoding="utf-8", errors="replace").lower()
    return E5_QUERY in text and E5_PASSAGE in text


def _looks_like_a_folder(name: str) -> bool:
    return name.startswith(("/", ".", "~")) or name.count("/") > 1 or Path(name).is_dir()


def _way_out(name: str) -> str:
    return worded("embeddings.way_out", name=name if not _looks_like_a_folder(name) else "모델이름")


def _dimension(name: str, model: SentenceTransformer) -> int:
    dimension = model.get_embedding_dimension()
    if dimension is None:
        raise IndexBuildError(worded("embeddings.no_dimension", name=name, way_out=_way_out(name)))
    return int(dimension)


def _prompt(own: Mapping[str, str | None], names: Sequence[str]) -> str:
    return next((prompt for name in names if (prompt := own.get(name))), "")


def _fingerprint(name: str, model: SentenceTransformer, *prompts: str) -> str:
    """Name, prompts and a sample of every weight: reading all of a large model would take seconds."""
    digest = hashlib.sha256("\x1f".join((name, *prompts)).encode())
    for key, tensor in sorted(model.state_dict().items()):
        flat = tensor.detach().flatten()
        sample = flat[:: max(1, len(flat) // _SAMPLE)].float().numpy()
        digest.update(f"{key}{tuple(tensor.shape)}".encode())
        digest.update(sample.tobytes())
    return f"{Path(name).name}:{digest.hexdigest()[:16]}"

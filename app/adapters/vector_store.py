"""Vectors on disk: one class around Chroma. Texts are never stored, and nothing is embedded by Chroma itself.

The folder is a cache of what can be computed again, so a damaged one is set aside and built anew, with a warning.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from app.adapters.file_lock import file_lock
from app.errors import IndexBuildError, Unavailable
from app.messages import worded

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

MAX_ROWS = 5_000
"""Rows of one call; Chroma takes 5,461 at most."""
SERVER_TIMEOUT_S = 15.0
_FINGERPRINT, _DIMENSION = "fingerprint", "dimension"
_DATABASE = "chroma.sqlite3"
_CONFIGURATION = {"hnsw": {"space": "cosine", "ef_search": 100, "max_neighbors": 16}}

logger = logging.getLogger(__name__)

Scalar = str | int | float | bool
Metadata = Mapping[str, Scalar]


class Loaded(NamedTuple):
    """Everything of a collection; row i of `matrix` (float32) belongs to `ids[i]`."""

    ids: tuple[str, ...]
    matrix: NDArray[np.float32]
    metadatas: tuple[dict[str, Scalar], ...]


class VectorHit(NamedTuple):
    """One neighbour; `score` is the cosine, -1 to 1."""

    id: str
    score: float
    metadata: dict[str, Scalar]


class VectorCollection:
    """One named set of vectors. Every method raises Unavailable when Chroma fails."""

    def __init__(self, collection: Collection, name: str, fingerprint: str, dimension: int | None) -> None:
        self._collection = collection
        self.name, self.fingerprint, self.dimension = name, fingerprint, dimension

    def upsert(self, ids: Sequence[str], vectors: NDArray[np.float32], metadatas: Sequence[Metadata]) -> None:
        """Write rows; a row of the same id is replaced whole. Raises ValueError when the three differ in length."""
        if not len(ids) == len(vectors) == len(metadatas):
            raise ValueError(f"ids {len(ids)}, vectors {len(vectors)}, metadatas {len(metadatas)}: lengths differ")
        for start in range(0, len(ids), MAX_ROWS):
            part = slice(start, start + MAX_ROWS)
            with _told(self.name):
                self._collection.upsert(
                    ids=list(ids[part]),
                    embeddings=np.ascontiguousarray(vectors[part], dtype=np.float32),
                    metadatas=self._replacing(ids[part], metadatas[part]),
                )

    def delete(self, ids: Sequence[str]) -> None:
        """Remove rows; an unknown id is no error."""
        for start in range(0, len(ids), MAX_ROWS):
            with _told(self.name):
                self._collection.delete(ids=list(ids[start : start + MAX_ROWS]))

    def load(self) -> Loaded:
        """All rows, in no promised order. 0.15 s for 4,000 rows of 256."""
        ids: list[str] = []
        parts: list[NDArray[np.float32]] = []
        metadatas: list[dict[str, Scalar]] = []
        for start in range(0, self.count(), MAX_ROWS):
            with _told(self.name):
                rows = self._collection.get(limit=MAX_ROWS, offset=start, include=["embeddings", "metadatas"])
            ids.extend(rows["ids"])
            if rows["ids"]:
                parts.append(np.asarray(rows["embeddings"], dtype=np.float32))
            metadatas.extend(_plain(metadata) for metadata in rows["metadatas"] or ())
        matrix = np.concatenate(parts) if parts else np.zeros((0, self.dimension or 0), dtype=np.float32)
        return Loaded(tuple(ids), matrix, tuple(metadatas))

    def query(
        self, vector: NDArray[np.float32], k: int, where: Mapping[str, Any] | None = None
    ) -> tuple[VectorHit, ...]:
        """At most `k` nearest rows, best first; `where` is Chroma's filter over metadata."""
        if k < 1:
            return ()
        with _told(self.name):
            found = self._collection.query(
                query_embeddings=np.asarray(vector, dtype=np.float32).reshape(1, -1),
                n_results=k,
                where=dict(where) if where else None,
                include=["distances", "metadatas"],
            )
        distances, metadatas = found["distances"] or [[]], found["metadatas"] or [[]]
        return tuple(
            VectorHit(row, 1.0 - float(distance), _plain(metadata))
            for row, distance, metadata in zip(found["ids"][0], distances[0], metadatas[0], strict=True)
        )

    def count(self) -> int:
        """Number of rows."""
        with _told(self.name):
            return int(self._collection.count())

    def _replacing(self, ids: Sequence[str], metadatas: Sequence[Metadata]) -> list[Any]:
        """Chroma merges new metadata into old; a key that is gone must be written as None to go."""
        old = self._collection.get(ids=list(ids), include=["metadatas"])
        before = dict(zip(old["ids"], old["metadatas"] or (), strict=False))
        merged = [
            {**{key: None for key in before.get(row) or {} if key not in metadata}, **metadata}
            for row, metadata in zip(ids, metadatas, strict=True)
        ]
        return [metadata or None for metadata in merged]


class ChromaStore:
    """Chroma in a folder, or on a server when `url` is given ('http://host:port'). Sends no telemetry.

    Raises IndexBuildError when the folder cannot be used, Unavailable when the server does not answer.
    """

    def __init__(self, path: Path, *, url: str | None = None) -> None:
        self._path = path
        self._client = _server(url) if url else self._open()

    def collection(self, name: str, fingerprint: str, dimension: int | None = None) -> VectorCollection:
        """The collection of this name; empty if it was new, damaged, or made under another fingerprint or dimension."""
        from chromadb.errors import ChromaError, NotFoundError  # noqa: PLC0415
        from httpx import HTTPError  # noqa: PLC0415

        try:
            found = self._client.get_collection(name, embedding_function=None)
            found.count()
            reason = _stale(found.metadata or {}, fingerprint, dimension)
        except NotFoundError:
            return self._create(name, fingerprint, dimension)
        except HTTPError as error:  # away, not damaged: what is there must not be deleted
            raise Unavailable(worded("vector_store.cannot_connect", error=error)) from error
        except ChromaError as error:
            reason = f"damaged ({error})"
        if reason is None:
            return VectorCollection(found, name, fingerprint, dimension)
        logger.warning("vector collection %s is made anew: %s", name, reason)
        with _told(name):
            self._client.delete_collection(name)
        return self._create(name, fingerprint, dimension)

    def drop(self, name: str) -> None:
        """Delete a collection; an unknown name is no error."""
        if name in self.names():
            with _told(name):
                self._client.delete_collection(name)

    def names(self) -> tuple[str, ...]:
        """Names of all collections, sorted."""
        with _told("*"):
            return tuple(sorted(collection.name for collection in self._client.list_collections()))

    def close(self) -> None:
        """Let go of the folder."""
        # HttpClient has nothing to close in some versions
        if hasattr(self._client, "close"):
            self._client.close()
        for session in _sessions(self._client):
            session.close()

    def _create(self, name: str, fingerprint: str, dimension: int | None) -> VectorCollection:
        metadata: dict[str, Any] = {_FINGERPRINT: fingerprint}
        if dimension is not None:
            metadata[_DIMENSION] = dimension
        with _told(name):
            made = self._client.get_or_create_collection(
                name,
                metadata=metadata,
                configuration=_CONFIGURATION,  # type: ignore[arg-type]
                embedding_function=None,
            )
        return VectorCollection(made, name, fingerprint, dimension)

    def _open(self) -> ClientAPI:
        from chromadb.errors import ChromaError  # noqa: PLC0415

        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            # Two processes that make the tables of a new folder at once disturb each other, and the one that fails
            # would take the other's folder for damaged.
            with file_lock(self._path.with_name(f"{self._path.name}.lock")):
                return self._opened()
        except (OSError, ChromaError) as error:
            raise IndexBuildError(worded("vector_store.cannot_open", path=self._path, error=error)) from error

    def _opened(self) -> ClientAPI:
        from chromadb.errors import ChromaError  # noqa: PLC0415

        fault = _database_fault(self._path / _DATABASE)
        if fault is None:
            self._path.mkdir(parents=True, exist_ok=True)
            try:
                return _client(str(self._path))
            except ChromaError as error:
                if "locked" in str(error).lower():
                    raise
                fault = str(error)
        self._set_aside(fault)
        self._path.mkdir(parents=True, exist_ok=True)
        # the failed client stays in Chroma's process-wide table under the plain path: spell it differently
        return _client(os.path.join(self._path, ""))

    def _set_aside(self, fault: str) -> None:
        aside = self._path.with_name(f"{self._path.name}.damaged-{time.time_ns() // 1_000_000}")
        self._path.rename(aside)
        logger.warning("vector store %s is damaged (%s): moved to %s, building anew", self._path, fault, aside)


class _told:
    """Turns Chroma's errors into Unavailable; AppErrors pass."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        from chromadb.errors import ChromaError  # noqa: PLC0415
        from httpx import HTTPError  # noqa: PLC0415  (what Chroma's client of a server raises)

        if isinstance(error, ChromaError | HTTPError):
            raise Unavailable(worded("vector_store.cannot_use", name=self._name, error=error)) from error


def _client(path: str) -> ClientAPI:
    import chromadb  # noqa: PLC0415  (0.5 s)
    from chromadb.config import Settings  # noqa: PLC0415

    return chromadb.PersistentClient(path, settings=Settings(anonymized_telemetry=False))


def _server(url: str) -> ClientAPI:
    import chromadb  # noqa: PLC0415
    from chromadb.config import Settings  # noqa: PLC0415
    from chromadb.errors import ChromaError  # noqa: PLC0415
    from httpx import HTTPError  # noqa: PLC0415

    parts = urlsplit(url)
    ssl = parts.scheme == "https"
    try:
        client = chromadb.HttpClient(
            host=parts.hostname or "localhost",
            port=parts.port or (443 if ssl else 8000),
            ssl=ssl,
            settings=Settings(anonymized_telemetry=False),
        )
        for session in _sessions(client):
            session.timeout = SERVER_TIMEOUT_S  # it would wait for ever
        return client
    except (ValueError, OSError, ChromaError, HTTPError) as error:
        raise Unavailable(worded("vector_store.no_server", url=url, error=error)) from error


def _sessions(client: ClientAPI) -> list[Any]:
    """The HTTP connections of a server's client, which Chroma itself neither bounds in time nor closes."""
    parts = (client, getattr(client, "_admin_client", None))
    found = [getattr(getattr(part, "_server", None), "_session", None) for part in parts]
    return [session for session in found if session is not None]


def _database_fault(path: Path) -> str | None:
    """What is wrong with the SQLite file, None when nothing is. A quick check takes milliseconds.

    Asked before Chroma opens it, because Chroma opens some damaged files and fails later.
    """
    if not path.is_file():
        return None
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            (answer,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        finally:
            connection.close()
    except sqlite3.OperationalError:
        # locked or not readable: not damage, Chroma says more
        return None
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if answer == "ok" else str(answer)


def _stale(metadata: Mapping[str, Any], fingerprint: str, dimension: int | None) -> str | None:
    had = metadata.get(_FINGERPRINT)
    if had != fingerprint:
        return f"embedder {had!r} became {fingerprint!r}"
    if dimension is not None and metadata.get(_DIMENSION, dimension) != dimension:
        return f"dimension {metadata[_DIMENSION]} became {dimension}"
    return None


def _plain(metadata: Mapping[str, Any] | None) -> dict[str, Scalar]:
    return dict(metadata or {})

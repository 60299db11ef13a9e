"""Trained weights in one small file, and back: matrices at a byte a value, numbers by the planes of their bytes.

The file is a zip archive: `index.json` says what each part is, the others are bytes alone. The same parts give the same
bytes. A part is unpacked when it is asked for, so that a loader never holds the whole in both forms.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

SUFFIX = ".packed"
_INDEX = "index.json"
_MOST_STEPS = 127
_SCALE_STEPS = 1 << 11
_DAMAGE = (KeyError, ValueError, EOFError, IndexError, TypeError, NotImplementedError, struct.error, zlib.error)


@dataclass(frozen=True)
class Int8Rows:
    """A matrix at a byte a value, in the file and in memory: row i is `steps[i]` (-127..127) times `scales[i]`.

    A value is off by about 1/254 of its row's largest at most. What was rounded once is rounded to itself.
    """

    steps: NDArray[np.int8]
    scales: Floats

    @classmethod
    def of(cls, matrix: NDArray[np.floating[Any]], *, summed: bool = False) -> Int8Rows:
        """Rounded from a matrix of rows x width.

        `summed`: sums over nearly all values are what is wanted. What rounding leaves of a row is then added to the
        next, which makes such sums five times as exact.
        """
        given = matrix.astype(np.float32)
        # Few digits of a scale are enough, and compress.
        part, power = np.frexp(np.abs(given).max(axis=1, initial=0.0) / _MOST_STEPS)
        scales = np.ldexp(np.rint(part * _SCALE_STEPS) / _SCALE_STEPS, power).astype(np.float32)
        by = np.where(scales > 0, scales, np.float32(1.0))
        if not summed:
            given /= by[:, None]
            return cls(_to_steps(given), scales)
        steps, left = np.zeros(given.shape, np.int8), np.zeros(given.shape[1], np.float32)
        for row, (values, scale, top) in enumerate(zip(given, by, np.abs(given).argmax(axis=1), strict=True)):
            left += values
            wanted = left / scale
            wanted[top] = values[top] / scale  # the scale is to come out the same again
            steps[row] = _to_steps(wanted)
            left -= steps[row] * scale
        return cls(steps, scales)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and width."""
        return self.steps.shape[0], self.steps.shape[1]

    def whole(self) -> Floats:
        """The matrix, rows x width."""
        found = self.steps.astype(np.float32)
        found *= self.scales[:, None]
        return found

    def weighed(self, numbers: Sequence[int] | NDArray[np.integer[Any]], weights: Floats) -> Floats:
        """The sum of these rows times their weights, shape (width,); zeros for none."""
        heavy = weights * self.scales[numbers]
        total: Floats = np.einsum("i,ij->j", heavy, self.steps[numbers].astype(np.float32))
        return total


Part = NDArray[Any] | Int8Rows | str | tuple[str, ...]


def rounded(matrix: Floats) -> Floats:
    """The matrix as it comes back from a file: what is trained and used at once is to score like what is read."""
    return Int8Rows.of(matrix).whole()


def narrow(numbers: NDArray[np.integer[Any]]) -> NDArray[Any]:
    """Numbers of 0 or more in as few bytes each as the largest needs."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def write_packed(path: Path, parts: Mapping[str, Part]) -> None:
    """Write the parts as one file: arrays, rounded matrices, texts and names. Raises OSError."""
    index: dict[str, Any] = {}
    members: dict[str, bytes] = {}
    for name, part in parts.items():
        if isinstance(part, str):
            index[name], members[name] = "text", part.encode()
        elif isinstance(part, tuple):
            index[name], members[name] = "names", json.dumps(part, ensure_ascii=False).encode()
        elif isinstance(part, Int8Rows):
            index[name] = list(part.shape)
            members |= {f"{name}.steps": part.steps.tobytes(), f"{name}.scales": _planes(part.scales)}
        else:
            index[name], members[name] = [part.dtype.str, *part.shape], _planes(part)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, held in {_INDEX: json.dumps(index).encode(), **members}.items():
            # Without a date, so that the same parts give the same bytes.
            about = zipfile.ZipInfo(name)
            about.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(about, held, compresslevel=9)
    temporary.replace(path)


class Packed:
    """An open file: each part by its name. Raises KeyError or ValueError for one that is missing or damaged."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._index: dict[str, Any] = json.loads(archive.read(_INDEX))

    def array(self, name: str) -> NDArray[Any]:
        """An array of the kind and shape that was written; of one-byte numbers it may not be written to."""
        kind, *shape = self._index[name]
        return _whole(self._archive.read(name), np.dtype(kind)).reshape(shape)

    def rows(self, name: str) -> Int8Rows:
        """A rounded matrix as it stands in the file."""
        count, width = self._index[name]
        steps = np.frombuffer(self._archive.read(f"{name}.steps"), dtype=np.int8).reshape(count, width)
        return Int8Rows(steps, _whole(self._archive.read(f"{name}.scales"), np.dtype(np.float32)))

    def text(self, name: str) -> str:
        """A text."""
        return self._archive.read(name).decode()

    def names(self, name: str) -> list[str]:
        """Names in their order."""
        found: list[str] = json.loads(self.text(name))
        return found


@contextmanager
def open_packed(path: Path) -> Iterator[Packed]:
    """What `write_packed` wrote. Raises OSError where there is no such file, and ValueError where it is damaged, lacks
    a part that is asked for, or holds what its reader cannot make sense of."""
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                yield Packed(archive)
        except (*_DAMAGE, zipfile.BadZipFile) as error:
            raise ValueError(f"{path.name}: {type(error).__name__}: {error}") from error


def _to_steps(scaled: Floats) -> NDArray[np.int8]:
    return np.clip(np.rint(scaled), -_MOST_STEPS, _MOST_STEPS).astype(np.int8)


def _planes(array: NDArray[Any]) -> bytes:
    """The first byte of every number, then the second ...: what is alike stands together."""
    return np.ascontiguousarray(array).view(np.uint8).reshape(-1, array.itemsize).T.tobytes()


def _whole(planes: bytes, kind: np.dtype[Any]) -> NDArray[Any]:
    held = np.frombuffer(planes, dtype=np.uint8).reshape(kind.itemsize, -1)
    return np.ascontiguousarray(held.T).reshape(-1).view(kind)

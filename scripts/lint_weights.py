"""Keeps a clone light: exit 1 where weights are too large together, or changed between releases.

    python -m scripts.lint_weights            # a part of `make lint`
    python -m scripts.lint_weights --write    # in a release commit: changed files belong to pyproject's version

Every version of a weights file stays in every clone for ever. data/models/weights.json says which release each file
belongs to and what it then holds. A release has one version of a file: a second one, in the files or in the history of
the list, is a fault. How much all of data/models and the weights elsewhere may weigh stands in `[tool.weights]`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.packed import SUFFIX
from app.settings import ROOT

MODELS = Path("data") / "models"
LIST = MODELS / "weights.json"
_BINARY = (SUFFIX, ".npz", ".npy", ".safetensors", ".bin", ".onnx", ".pt", ".pkl", ".gguf")
# A line of the list, in a file or added in its history.
_ENTRY = re.compile(r'^\+?\s*"([^"]+)": \{"release": "([^"]+)", "sha256": "([0-9a-f]{64})"\},?$', re.MULTILINE)

Entries = dict[str, tuple[str, str]]
"""By file: its release and its hash."""


def weights_of(root: Path) -> list[str]:
    """Every file of trained numbers of data/, as it is named in the list."""
    files = (path for path in (root / "data").rglob("*") if path.suffix in _BINARY and path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in files)


def faults(root: Path) -> Iterator[str]:
    """A line for each weights file that is not as the list says, and one where all together are too large."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    version, most = project["project"]["version"], int(project["tool"]["weights"]["most_bytes"])
    files, listed = weights_of(root), _listed(root)
    counted = {*files, *(p.relative_to(root).as_posix() for p in (root / MODELS).rglob("*") if p.is_file())}
    size = sum((root / file).stat().st_size for file in counted)
    if size > most:
        yield f"weights: {size:,} > {most:,} bytes"
    for file in sorted({*files, *listed}):
        if file not in listed:
            yield f"{file}: not in {LIST}"
        elif file not in files:
            yield f"{file}: in {LIST}, but not there"
        elif listed[file][1] != _hash(root / file):
            yield f"{file}: not what release {listed[file][0]} holds; weights change in a release commit alone"
        elif _order(listed[file][0]) > _order(version):
            yield f"{file}: of release {listed[file][0]}, after {version}"
    yield from _twice(listed, _history(root))


def _twice(listed: Entries, history: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    for file, (release, held) in listed.items():
        if any(other != held for name, of, other in history if (name, of) == (file, release)):
            yield f"{file}: a second version in release {release}; raise the version of pyproject.toml first"


def _listed(root: Path) -> Entries:
    path = root / LIST
    told = path.read_text(encoding="utf-8") if path.is_file() else ""
    return {file: (release, held) for file, release, held in _ENTRY.findall(told)}


def _history(root: Path) -> list[tuple[str, str, str]]:
    """File, release and hash of every entry that a commit added; none where there is no history."""
    command = ("git", "log", "--format=", "-p", "-U0", "-m", "--", LIST.as_posix())
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return [match.groups() for match in _ENTRY.finditer(done.stdout) if match[0].startswith("+")]  # type: ignore[misc]


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def write_list(root: Path) -> None:
    """Put files that are new or changed under the version of pyproject.toml; the others stay with their release."""
    version = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    listed = _listed(root)
    entries: Mapping[str, Any] = {
        file: listed[file] if file in listed and listed[file][1] == held else (version, held)
        for file, held in ((file, _hash(root / file)) for file in weights_of(root))
    }
    lines = [
        f"  {json.dumps(file)}: {json.dumps({'release': release, 'sha256': held})}"
        for file, (release, held) in entries.items()
    ]
    (root / LIST).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def main(argv: Sequence[str] | None = None) -> int:
    """0 where all is as it should be, 1 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write data/models/weights.json anew")
    if parser.parse_args(argv).write:
        write_list(ROOT)
    told = list(faults(ROOT))
    for line in told:
        print(line, file=sys.stderr)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

"""Writes requirements.lock and requirements-dev.lock: every dependency with version and hashes, for every platform.

    python -m scripts.lock_dependencies        (needs `uv` on the PATH and a package index)

torch itself is left out, because its CPU build differs from index to index; so are the packages that only its GPU build
takes. `make setup` installs torch by its exact version first, without dependencies, and everything else from the lock.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS: dict[str, tuple[str, ...]] = {"requirements.lock": (), "requirements-dev.lock": ("--extra", "dev")}
HEAD = "# Made by `python -m scripts.lock_dependencies`; not to be edited by hand. torch is not in it (see there).\n"
_GPU = ("cuda-", "nvidia-", "triton==")


def main() -> int:
    """0 when both files were written."""
    for name, extra in LOCKS.items():
        command = ["uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11"]
        command += ["--generate-hashes", "--no-annotate", "--no-header", "--quiet", "--no-emit-package", "torch"]
        made = subprocess.run([*command, "-c", "constraints.txt", *extra], cwd=ROOT, capture_output=True, text=True)
        if made.returncode:
            print(made.stderr, file=sys.stderr)
            return 1
        kept = list(entries(made.stdout))
        (ROOT / name).write_text(HEAD + "".join(kept), encoding="utf-8")
        print(f"{name}: 패키지 {sum(line[0].isalnum() for line in kept)}개")
    return 0


def entries(text: str) -> Iterator[str]:
    """The lock's lines without the packages of torch's GPU build."""
    kept = True
    for line in text.splitlines(keepends=True):
        if not line.startswith((" ", "#")):
            kept = not line.startswith(_GPU)
        if kept:
            yield line


if __name__ == "__main__":
    raise SystemExit(main())

"""Keeps what is read in one go short: `python -m scripts.lint_size`. Exit 1 where something of app/ is too long.

How many lines a function, a class and a module may have stands in `[tool.size]` of pyproject.toml. There are no
exceptions: what is too long is split by what its steps are.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

from app.settings import ROOT


def size_limits(project: Path) -> dict[str, int]:
    """The most lines of a `function`, a `class` and a `module`."""
    return dict(tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["size"])


def too_long(source: str, limits: Mapping[str, int]) -> Iterator[str]:
    """A line for each function, class or module that has more lines than it may; a function in a function counts for
    both, decorators for neither."""
    lines = len(source.splitlines())
    if lines > limits["module"]:
        yield f"module: {lines} > {limits['module']} lines"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > limits[kind]:
                yield f"{kind} {node.name}, line {node.lineno}: {lines} > {limits[kind]} lines"


def found(root: Path) -> list[str]:
    """Everything of app/ that is too long, with its file."""
    limits = size_limits(root / "pyproject.toml")
    files = sorted((root / "app").rglob("*.py"))
    return [
        f"{path.relative_to(root)}: {told}"
        for path in files
        for told in too_long(path.read_text(encoding="utf-8"), limits)
    ]


def main() -> int:
    """0 where all is short enough, 1 otherwise."""
    told = found(ROOT)
    for line in told:
        print(line, file=sys.stderr)
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())

"""Counts what ties the engine to one catalogue: `python -m scripts.lint_engine`. Exit 1 above the limits of pyproject.

What a tool, a product or a Korean word is belongs into cards, templates and data, where another company can say it of
its own. Three things are counted in the code of the engine: names of shipped tools, strings that hold Hangul, and
patterns. The limits stand in `[tool.engine]` of pyproject.toml; they only go down.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from app.settings import ROOT
from app.toolbox.loader import load_builtin_entries

# The business may speak of itself, and what people read of the program stands where it is made.
_OUTSIDE = ("tools", "insurance", "api", "mcp_server", "settings.py", "errors.py")
_HANGUL = re.compile(r"[ㄱ-ㅎㅏ-ㅣ가-힣]")
_READS_PATTERNS = frozenset({"compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split"})
_WORD = re.compile(r"[a-z][a-z0-9_]{2,}")
_SHOWN = 12


def engine_files(app: Path) -> list[Path]:
    """The modules of the engine."""
    return sorted(path for path in app.rglob("*.py") if path.relative_to(app).parts[0] not in _OUTSIDE)


def counted(source: str, tools: Collection[str]) -> Counter[str]:
    """How often `tools`, `hangul` and `patterns` stand in one module; docstrings and comments count for nothing."""
    tree = ast.parse(source)
    documentation = {id(text) for text in _documentation(tree)}
    found: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            found["tools"] += sum(word in tools for word in _WORD.findall(node.value))
            found["hangul"] += bool(_HANGUL.search(node.value))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module = node.func.value
            reads = isinstance(module, ast.Name) and module.id in ("re", "regex")
            found["patterns"] += reads and node.func.attr in _READS_PATTERNS
    return found


def above(found: Mapping[str, Counter[str]], limits: Mapping[str, int]) -> list[str]:
    """A line for each limit that is passed, with the modules that hold most."""
    told = []
    for what, limit in limits.items():
        total = sum(counts[what] for counts in found.values())
        if total > limit:
            most = Counter({name: counts[what] for name, counts in found.items() if counts[what]}).most_common(_SHOWN)
            told.append(f"{what}: {total} > {limit} ({', '.join(f'{name} {count}' for name, count in most)})")
    return told


def engine_limits(project: Path) -> dict[str, int]:
    """The limits of pyproject.toml by what is counted."""
    return dict(tomllib.loads(project.read_text(encoding="utf-8"))["tool"]["engine"])


def measured(root: Path) -> dict[str, Counter[str]]:
    """The counts of each module of the engine, by its path."""
    tools = {entry.name for entry in load_builtin_entries(root / "data")}
    files = engine_files(root / "app")
    return {str(path.relative_to(root)): counted(path.read_text(encoding="utf-8"), tools) for path in files}


def main() -> int:
    """0 within the limits, 1 otherwise."""
    found, limits = measured(ROOT), engine_limits(ROOT / "pyproject.toml")
    totals = {what: sum(counts[what] for counts in found.values()) for what in limits}
    print(", ".join(f"{what} {total} (at most {limits[what]})" for what, total in totals.items()))
    if passed := above(found, limits):
        print("\n".join(passed), file=sys.stderr)
        print("Names of tools belong into cards, words into data/language and templates.", file=sys.stderr)
    return 1 if passed else 0


def _documentation(tree: ast.Module) -> Iterator[ast.expr]:
    """The strings that stand as statements of their own."""
    return (
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


if __name__ == "__main__":
    sys.exit(main())

"""The packages of app/ with their size and what they import, counted from the files.

python -m scripts.structure            # prints the table
python -m scripts.structure --write    # puts it into docs/architecture.md between its marks
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.settings import ROOT
from scripts.benchmark_notes import commit, write_section

DOC = ROOT / "docs" / "architecture.md"


@dataclass(frozen=True)
class Package:
    """A package of app/, or the modules that stand in app/ itself."""

    name: str
    files: int
    lines: int
    imports: tuple[str, ...]


def packages(root: Path = ROOT / "app") -> list[Package]:
    """Those with Python in them, the largest first; `imports` are the packages that a package imports directly."""
    homes = sorted({path.relative_to(root).parts[0] for path in root.rglob("*.py")})
    folders = [home for home in homes if not home.endswith(".py")]
    found = [_counted(folder, sorted((root / folder).rglob("*.py")), folders) for folder in folders]
    found.append(_counted("app/*.py", sorted(root.glob("*.py")), folders))
    return sorted(found, key=lambda package: -package.lines)


def table(found: Sequence[Package]) -> str:
    """The packages as Markdown."""
    rows = [f"| `{p.name}` | {p.files} | {p.lines:,} | {', '.join(p.imports) or '–'} |" for p in found]
    total = f"| together | {sum(p.files for p in found)} | {sum(p.lines for p in found):,} | |"
    return "\n".join(["| package | files | lines | imports |", "|---|---|---|---|", *rows, total])


def _counted(name: str, files: Sequence[Path], folders: Sequence[str]) -> Package:
    texts = [path.read_text(encoding="utf-8") for path in files]
    used = {module.split(".")[1] for text in texts for module in _imported(text) if module.startswith("app.")}
    imports = tuple(folder for folder in folders if folder in used and folder != name)
    return Package(name, len(files), sum(len(text.splitlines()) for text in texts), imports)


def _imported(text: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print or write the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="app/의 꾸러미마다 파일 수, 줄 수, 들여오는 꾸러미를 셉니다.")
    parser.add_argument("--write", action="store_true", help="docs/architecture.md의 표를 바꿉니다")
    options = parser.parse_args(argv)
    counted = table(packages())
    print(counted)
    if options.write:
        said = f"Lines of Python with docstrings and comments, commit {commit()}: `python -m scripts.structure --write`"
        write_section("structure", "The structure", f"{said}\n\n{counted}", DOC)
    return 0


if __name__ == "__main__":
    sys.exit(main())

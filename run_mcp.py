"""Starts the MCP server: `python run_mcp.py` (SSE on 127.0.0.1:8000), `--transport stdio|http|sse`, `--inspect`.

Over stdio the output belongs to the protocol: everything for people goes to stderr.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from run import configure_logging, port_problem, read_settings, say, serve, start_hint

INSPECTOR = "@modelcontextprotocol/inspector"
OWN_PROGRAMS = Path(__file__).resolve().parent / "tests" / "mcp" / "node_modules" / ".bin"
PATHS = {"http": "/mcp", "sse": "/sse"}


def main() -> int:
    """0 when the server ran and was stopped."""
    wanted = arguments()
    try:
        from app.errors import StartError
    except ModuleNotFoundError as missing:
        say(f"필요한 패키지 {missing.name!r}가 없습니다. 'make setup' 또는 'pip install -e .'으로 설치해 주세요.")
        return 1
    settings = read_settings(**({"host": wanted.host, "port": wanted.port} if wanted.transport != "stdio" else {}))
    if settings is None:
        return 1
    configure_logging(settings.log_level if wanted.transport != "stdio" else "WARNING")
    os.umask(0o077)
    if wanted.transport == "stdio" and wanted.inspect:
        started = inspect(sys.executable, str(Path(__file__).resolve()), "stdio")
        return started[0].wait() if started else 1
    if wanted.transport == "stdio":
        return serve_pipe(settings, wanted.role, StartError)
    return serve_port(settings, wanted)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="보험 상담 도우미의 MCP 서버를 시작합니다.")
    ways = ("sse", "http", "stdio")
    parser.add_argument("--transport", choices=ways, default="sse", help="연결 방식 (기본 sse)")
    # For programs that keep options behind a command for themselves, as the Inspector does.
    parser.add_argument("way", nargs="?", choices=ways, help="--transport와 같은 뜻")
    parser.add_argument("--host", default="127.0.0.1", help="여는 주소 (sse, http)")
    parser.add_argument("--port", type=int, default=8000, help="포트 (sse, http)")
    roles = ("customer", "staff", "operator", "admin")
    parser.add_argument("--role", choices=roles, default="admin", help="stdio로 부르는 프로그램의 역할 (기본 admin)")
    parser.add_argument("--inspect", action="store_true", help="MCP Inspector를 함께 띄웁니다 (npx 필요)")
    wanted = parser.parse_args()
    wanted.transport = wanted.way or wanted.transport
    return wanted


def serve_pipe(settings: Any, role: Any, start_error: type[Exception]) -> int:
    import asyncio

    from app.mcp_server.standalone import serve_stdio

    try:
        asyncio.run(serve_stdio(settings, role))
    except KeyboardInterrupt:
        return 0
    except (start_error, OSError) as error:
        say(f"시작하지 못했습니다. {start_hint(error)}")
        return 1
    return 0


def serve_port(settings: Any, wanted: argparse.Namespace) -> int:
    from app.mcp_server.standalone import create_mcp_app

    if reason := port_problem(settings.host, settings.port):
        say(reason.replace(f"PORT={settings.port + 1} make run", f"python run_mcp.py --port {settings.port + 1}"))
        return 1
    url = f"http://{settings.host}:{settings.port}{PATHS[wanted.transport]}"
    app = create_mcp_app(settings, wanted.transport)
    inspector: list[subprocess.Popen[bytes]] = []

    def opened() -> None:
        if wanted.inspect:
            inspector.extend(inspect("--transport", wanted.transport, "--server-url", url))

    def closing() -> None:
        for process in inspector:
            process.terminate()

    return serve(app, settings, url, graceful_s=3, keep_alive_s=5, opened=opened, closing=closing)


def inspect(*target: str) -> list[subprocess.Popen[bytes]]:
    """The Inspector for a server: the one of the test programs where it is installed, else by npx."""
    command, path = ([str(OWN_PROGRAMS / "mcp-inspector")], f"{OWN_PROGRAMS}{os.pathsep}{os.environ.get('PATH', '')}")
    if not OWN_PROGRAMS.is_dir():
        npx = shutil.which("npx")
        if npx is None:
            say("npx가 없어 Inspector를 띄우지 못했습니다. Node.js를 설치한 뒤 scripts/inspect.sh를 실행해 주세요.")
            return []
        command, path = [npx, "--yes", INSPECTOR], os.environ.get("PATH", "")
    return [subprocess.Popen([*command, *target], env={**os.environ, "PATH": path})]


if __name__ == "__main__":
    raise SystemExit(main())

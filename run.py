"""Starts the web server: `python run.py` (or `make run`, which makes the environment first)."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.applications import Starlette

    from app.settings import Settings


def main() -> int:
    # Before numpy is read: a process that is to be copied must not bring threads, and a turn's products are small.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from app.adapters.memory import keep_little

    keep_little()
    try:
        import uvicorn  # noqa: F401  told here when it is missing, not when the server is made

        from app.api.app import create_app
    except ModuleNotFoundError as missing:
        say(f"필요한 패키지 {missing.name!r}가 없습니다. 'make run' 또는 'pip install -e .'으로 설치해 주세요.")
        return 1
    settings = read_settings()
    if settings is None:
        return 1
    configure_logging(settings.log_level, settings.log_format)
    os.umask(0o077)  # databases, indexes and secrets are for this user alone
    if reason := port_problem(settings.host, settings.port):
        say(reason)
        return 1
    app = create_app(settings)
    print("준비 중입니다. 처음에는 색인을 만드느라 1분쯤 걸릴 수 있습니다.", flush=True)
    return serve(app, settings, f"http://{settings.host}:{settings.port}", graceful_s=10, keep_alive_s=15)


def read_settings(**given: Any) -> Settings | None:
    """The settings, those `given` before all others; None after telling which of them are wrong."""
    from pydantic import ValidationError

    from app.settings import Settings

    try:
        return Settings(**given)
    except ValidationError as error:
        for item in error.errors():
            say(f"설정 {'.'.join(map(str, item['loc'])).upper()}: {item['msg']} (지금 값: {item['input']!r})")
        return None


def serve(
    app: FastAPI | Starlette,
    settings: Settings,
    url: str,
    *,
    graceful_s: int,
    keep_alive_s: int,
    opened: Callable[[], None] = lambda: None,
    closing: Callable[[], None] = lambda: None,
) -> int:
    """Serve until stopped; answers the exit code. `opened` and `closing` are called as the server opens and ends."""
    import uvicorn

    from app.api.server import GuardedProtocol

    app.state.start_error = None
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        log_config=None,
        log_level="warning",
        lifespan="on",
        timeout_graceful_shutdown=graceful_s,
        timeout_keep_alive=keep_alive_s,
        http=GuardedProtocol,
        ws="none",
        server_header=False,
        proxy_headers=False,
    )

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                print(f"열렸습니다: {url} (멈추려면 Ctrl+C)", flush=True)
                opened()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            # Here and not behind `run`: uvicorn ends by the signal that stopped it.
            closing()
            await super().shutdown(sockets)

    server = Server(config)
    try:
        server.run()
    except KeyboardInterrupt:
        return 0
    except SystemExit:  # uvicorn leaves so when the start failed; the reason is told below
        pass
    if app.state.start_error is not None:
        say(f"시작하지 못했습니다. {start_hint(app.state.start_error)}")
        return 1
    return 0 if server.started else 1


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def configure_logging(level: str, form: str = "text") -> None:
    """Our own logs at `level`, chatty libraries at WARNING; a failed start is told once, in words, not as a
    traceback."""
    from app.api.logs import JsonFormatter, SafeFormatter

    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form == "json" else SafeFormatter())
    logging.basicConfig(level=level, handlers=[handler])
    for noisy in ("httpx", "mcp", "chromadb", "alembic", "kiwipiepy"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: not record.getMessage().startswith(("Traceback", "Application startup failed"))
    )


def port_problem(host: str, port: int) -> str | None:
    """Why the port cannot be opened, with the way out; None when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return (
                    f"포트 {port}를 다른 프로그램이 쓰고 있습니다. 그 프로그램을 끄거나 "
                    f"'PORT={port + 1} make run'처럼 다른 포트로 시작해 주세요."
                )
            return f"주소 {host}:{port}를 열 수 없습니다({error.strerror}). HOST와 PORT 설정을 확인해 주세요."
    return None


def start_hint(error: Exception) -> str:
    """A failed start in plain words, with the way out."""
    if isinstance(error, OSError):
        if error.errno == errno.ENOSPC:
            return "디스크가 가득 찼습니다. 공간을 비운 뒤 다시 시작해 주세요."
        if error.errno in (errno.EACCES, errno.EROFS):
            return f"{error.filename or '상태 폴더'}에 쓸 수 없습니다. DATA_DIR을 쓸 수 있는 폴더로 바꿔 주세요."
        return f"{error.strerror or error}"
    return str(error)


if __name__ == "__main__":
    raise SystemExit(main())

"""Starts the web server: `python run.py` (or `make run`, which makes the environment first)."""

from __future__ import annotations

import errno
import logging
import os
import socket
import sys


def main() -> int:
    try:
        import uvicorn
        from pydantic import ValidationError

        from app.api.app import create_app
        from app.errors import AppError
        from app.settings import Settings
    except ModuleNotFoundError as missing:
        print(f"필요한 패키지 {missing.name!r}가 없습니다. 'make run' 또는 'pip install -e .'으로 설치해 주세요.", file=sys.stderr)
        return 1
    try:
        settings = Settings()
    except ValidationError as error:
        for item in error.errors():
            print(f"설정 {'.'.join(map(str, item['loc'])).upper()}: {item['msg']} (지금 값: {item['input']!r})", file=sys.stderr)
        return 1
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    for noisy in ("httpx", "chromadb", "alembic"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    if reason := _port_problem(settings.host, settings.port):
        print(reason, file=sys.stderr)
        return 1
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    print(f"준비 중입니다. 곧 http://{settings.host}:{settings.port} 에서 열립니다.", flush=True)
    config = uvicorn.Config(
        create_app(settings), host=settings.host, port=settings.port, log_level="warning", lifespan="on",
        timeout_graceful_shutdown=10, server_header=False, proxy_headers=False,
    )
    server = _Announcing(config, uvicorn.Server)
    try:
        server.run()
    except AppError as error:
        print(f"시작하지 못했습니다. {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"시작하지 못했습니다. {_disk_hint(error)}", file=sys.stderr)
        return 1
    return 0 if server.served else 1


class _Announcing:
    """A uvicorn server that says when it can be used, and that lets a failed start be told from a stopped server."""

    def __init__(self, config: object, server_class: type) -> None:
        self.served = False
        outer = self

        class Server(server_class):  # type: ignore[misc]
            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if self.started:
                    outer.served = True
                    print(f"열렸습니다: http://{self.config.host}:{self.config.port}", flush=True)

        self._server = Server(config)

    def run(self) -> None:
        self._server.run()


def _port_problem(host: str, port: int) -> str | None:
    """Why the port cannot be opened, with the way out; None when it can."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return (f"포트 {port}를 다른 프로그램이 쓰고 있습니다. 그 프로그램을 끄거나 "
                        f"'PORT={port + 1} make run'처럼 다른 포트로 시작해 주세요.")
            return f"주소 {host}:{port}를 열 수 없습니다({error.strerror}). HOST와 PORT 설정을 확인해 주세요."
    return None


def _disk_hint(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return "디스크가 가득 찼습니다. 공간을 비운 뒤 다시 시작해 주세요."
    if error.errno in (errno.EACCES, errno.EROFS):
        return f"{error.filename or '상태 폴더'}에 쓸 수 없습니다. DATA_DIR을 쓸 수 있는 폴더로 바꿔 주세요."
    return f"{error.strerror or error}"


if __name__ == "__main__":
    raise SystemExit(main())
